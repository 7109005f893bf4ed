"""Words of eight ranks say the same as a loop over the ranks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from canasta_env.cards import FIRST_RANK, NUM_KINDS, NUM_RANKS, VALUES
from canasta_env.engine import swar as ranks
from canasta_env.engine.melds import have_wild_room, wild_room
from canasta_env.engine.state import rules_record
from canasta_env.rules import Rules, classic, modern_american

RNG = np.random.default_rng(0)
COUNTS = RNG.integers(0, 9, (200, NUM_KINDS)).astype(np.int8)
OTHERS = RNG.integers(0, 9, (200, NUM_KINDS)).astype(np.int8)


def bytes_of(word: Any) -> list[int]:
    return np.frombuffer(np.uint64(word).tobytes(), np.int8).tolist()


def load(counts: np.ndarray, at: int) -> np.uint64:
    return np.uint64(ranks.load_ranks(counts, at))  # a kernel's uint64 comes back as an int


def by_words(function: Callable[..., Any], *counts: np.ndarray) -> list[int]:
    """The results for the eleven ranks, from both halves."""
    first, second = (bytes_of(function(*(load(one, at) for one in counts))) for at in ranks.HALVES)
    assert first[ranks.HALVES[1] :] == second[: ranks.WORD_SIZE - ranks.HALVES[1]]
    return first + second[2 * ranks.WORD_SIZE - NUM_RANKS :]


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("minus", lambda one, other: max(0, one - other)),
        ("smaller", min),
        ("not_below", lambda one, other: int(one >= other)),
    ],
)
def test_two_counts(name: str, plain: Callable[[int, int], int]) -> None:
    for counts, others in zip(COUNTS, OTHERS, strict=True):
        pairs = zip(counts[FIRST_RANK:].tolist(), others[FIRST_RANK:].tolist(), strict=True)
        assert by_words(getattr(ranks, name), counts, others) == [plain(*pair) for pair in pairs]


def test_counts_and_sums() -> None:
    for counts in COUNTS:
        cards = counts[FIRST_RANK:].tolist()
        words = [(load(counts, at), at) for at in ranks.HALVES]
        assert sum(ranks.add_up(word, at) for word, at in words) == sum(cards)
        points = sum(number * value for number, value in zip(cards, VALUES[FIRST_RANK:], strict=True))
        assert sum(ranks.add_up_points(word, at) for word, at in words) == points
        for number in range(10):
            assert by_words(lambda word, number=number: ranks.at_least(word, number), counts) == [
                int(card >= number) for card in cards
            ]
        held = min((ranks.least(np.uint64(ranks.at_least(word, 3)), word) for word, _ in words))
        assert held == min((card for card in cards if card >= 3), default=ranks.LARGEST)


def test_single_ranks() -> None:
    for kind in range(-1, NUM_KINDS):
        for at in ranks.HALVES:
            expected = [int(FIRST_RANK + at + place == kind) for place in range(ranks.WORD_SIZE)]
            assert bytes_of(ranks.only(kind, at)) == expected
    middle = [int(VALUES[FIRST_RANK + rank] == 10) for rank in range(NUM_RANKS)]
    for at in ranks.HALVES:
        assert bytes_of(ranks.middle_ranks(at)) == middle[at : at + ranks.WORD_SIZE]


@pytest.mark.parametrize(
    "rules",
    [
        classic(),
        modern_american(),
        dataclasses.replace(modern_american(), max_wilds_in_meld=5, naturals_before_wild=2),
        dataclasses.replace(classic(), max_wilds_in_meld=0),
    ],
)
def test_wild_room_of_eight_ranks_is_that_of_each(rules: Rules) -> None:
    record = rules_record(rules)[0]
    for naturals in range(8):
        for wilds in range(8 - naturals):
            for in_opening in (False, True):
                for at in ranks.HALVES:
                    words = np.uint64(ranks.each(naturals)), np.uint64(ranks.each(wilds))
                    found = bytes_of(have_wild_room(record, at, *words, in_opening))
                    kinds = range(FIRST_RANK + at, FIRST_RANK + at + ranks.WORD_SIZE)
                    room = [wild_room(record, kind, naturals, wilds, in_opening) for kind in kinds]
                    assert found == [int(number > 0) for number in room]
