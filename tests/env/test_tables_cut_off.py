"""`max_cycles` of VectorTables: deals and matches that are cut off, and what goes on as it would have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env import VectorTables, classic, modern_american

NUM_TABLES = 6


def steps(tables: VectorTables, count: int) -> list[tuple[Any, ...]]:
    """What each step brings, by the first legal action at tables of even number, the last at the others."""
    told = []
    for _ in range(count):
        first = tables.masks.argmax(axis=1)
        last = tables.masks.shape[1] - 1 - tables.masks[:, ::-1].argmax(axis=1)
        result = tables.step(np.where(np.arange(tables.num_tables) % 2, last, first))
        told.append((result.ended.copy(), result.points.copy(), tables.truncated.copy(), tables.masks.copy()))
    return told


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_a_cap_that_is_never_met_changes_nothing(episode: Any) -> None:
    plain = VectorTables(classic(2), NUM_TABLES, 1, episode=episode)
    capped = VectorTables(classic(2), NUM_TABLES, 1, episode=episode, max_cycles=10**9)
    for before, now in zip(steps(plain, 300), steps(capped, 300), strict=True):
        assert all((a == b).all() for a, b in zip(before, now, strict=True))
    assert not capped.truncated.any() and not plain.truncated.any()


def test_every_episode_is_cut_off_at_the_cap_unpaid_and_the_next_is_another_deal() -> None:
    tables = VectorTables(modern_american(), NUM_TABLES, 1, max_cycles=7, scores="drawn")
    hands = {tables.views["hand"].tobytes()}
    for number in range(1, 71):
        ((ended, points, truncated, masks),) = steps(tables, 1)
        assert truncated.all() == truncated.any() == (number % 7 == 0)
        assert not ended.any() and not points.any() and masks.any(axis=1).all()
        if truncated.all():
            assert (tables.views["turn"] == 1).all()
            hands.add(tables.views["hand"].tobytes())
    assert len(hands) == 11


def test_given_scores_stay_and_matches_begin_at_zero() -> None:
    tables = VectorTables(classic(2), 3, 1, max_cycles=5, scores=[1_500, 0])
    steps(tables, 12)
    assert tables.scores.tolist() == [[1_500, 0]] * 3
    matches = VectorTables(classic(2), 3, 1, max_cycles=400, episode="match")
    told = steps(matches, 2_000)
    assert any(ended.any() for ended, *_ in told)
    cut = [truncated for _, _, truncated, _ in told if truncated.any()]
    assert cut and not matches.scores[matches.truncated].any()


def test_a_deal_that_ends_begins_the_count_anew() -> None:
    plain = VectorTables(classic(2), 1, 3)
    ends = [number for number, (ended, *_) in enumerate(steps(plain, 600)) if ended.any()]
    first = ends[0] + 1
    capped = VectorTables(classic(2), 1, 3, max_cycles=first)
    told = steps(capped, first + 1)
    assert told[-2][0].all() and not told[-2][2].any()  # it ended by itself at the cap: paid, and not cut off
    assert not told[-1][2].any()


def test_it_goes_on_from_its_state_with_the_same_count() -> None:
    tables = VectorTables(classic(3), NUM_TABLES, 1, max_cycles=10)
    steps(tables, 24)
    other = VectorTables(classic(3), NUM_TABLES, 9, max_cycles=10)
    other.set_state(tables.get_state())
    for before, now in zip(steps(tables, 20), steps(other, 20), strict=True):
        assert all((a == b).all() for a, b in zip(before, now, strict=True))


def test_a_state_without_or_with_a_wrong_count_is_refused() -> None:
    tables = VectorTables(classic(2), 2, 1, max_cycles=10)
    state = tables.get_state()
    with pytest.raises(ValueError, match="state: 'cycles' is missing"):
        tables.set_state(VectorTables(classic(2), 2, 1).get_state())
    for cycles in ([0, 10], [-1, 0]):
        with pytest.raises(ValueError, match="state: cycles must be decisions from 0 to 9"):
            tables.set_state(state | {"cycles": np.array(cycles)})
    VectorTables(classic(2), 2, 1).set_state(state)  # tables without a cap need no count
