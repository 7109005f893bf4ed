"""Tables that come from outside: those of a game are taken, others named before a kernel reads them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from canasta_env import Rules, Table, VectorTables
from canasta_env.engine.state import PHASE_OVER, STATE
from canasta_env.positions import read_position
from canasta_env.state_checks import bounds, check_tables
from tests.engine.walking import FOUR_GAMES, NAMES, house_rules, walk
from tests.env.odd_positions import accepted

every_game = pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
NUM_TABLES = 24


def played(rules: Rules, steps: int = 60, num_tables: int = NUM_TABLES, seed: int = 3) -> VectorTables:
    """Tables in the midst of deals."""
    tables = VectorTables(rules, num_tables, seed, scores="drawn")
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        tables.step([rng.choice(np.flatnonzero(mask)) for mask in tables.masks])
    return tables


@every_game
def test_every_table_of_a_game_is_taken(rules: Rules) -> None:
    tables = played(rules, steps=0)
    rng = np.random.default_rng(1)
    for _ in range(150):
        tables.step([rng.choice(np.flatnonzero(mask)) for mask in tables.masks])
        check_tables(rules, tables.get_state()["tables"])


@pytest.mark.parametrize("seed", range(8))
def test_every_table_of_house_rules_is_taken(seed: int) -> None:
    rules = house_rules(seed)
    for table in walk(rules, seed):
        check_tables(rules, np.asarray(table._state), may_be_over=True)


def test_every_position_that_is_accepted_is_a_table() -> None:
    num_tables = 0
    for position, table in accepted(250, seed=5):
        rules, state = read_position(position, partial=True)
        check_tables(rules, np.asarray(state), may_be_over=True)
        num_tables += not table.is_over
    assert num_tables > 50


def test_a_state_goes_on_as_it_would_have() -> None:
    tables = played(FOUR_GAMES[2])
    again = VectorTables(tables.rules, NUM_TABLES, 9)
    again.set_state(tables.get_state())
    assert (again.masks == tables.masks).all()
    assert (again.observations == tables.observations).all()


def test_every_field_has_bounds() -> None:
    for rules in FOUR_GAMES:
        assert set(bounds(rules)) | {"seed"} == set(STATE.names or ())


def _places() -> Iterator[tuple[str, tuple[int, ...]]]:
    for field in STATE.names or ():
        if field != "seed":
            for place in np.ndindex(STATE[field].shape):
                if sum(place) % 4 == 0:
                    yield field, place


@every_game
@pytest.mark.parametrize("value", ["lowest", "highest"])
def test_a_value_out_of_range_is_named_with_its_table_and_field(rules: Rules, value: str) -> None:
    good = played(rules).get_state()["tables"]
    for field, place in _places():
        bad = good.copy()
        limits = np.iinfo(STATE[field].base)
        bad[field][(5, *place)] = limits.min if value == "lowest" else limits.max
        with pytest.raises(ValueError, match=rf"^tables\[5\]: {field}\b.*must be"):
            check_tables(rules, bad)


def refused(rules: Rules, **fields: Any) -> str:
    """What is said of tables of which the last has these fields."""
    tables = played(rules)
    state = tables.get_state()
    before = tables.masks.copy()
    for field, value in fields.items():
        state["tables"][field][-1] = value
    with pytest.raises(ValueError, match=f"^state: tables\\[{NUM_TABLES - 1}\\]: ") as error:
        tables.set_state(state)
    assert (tables.masks == before).all()
    assert (tables.get_state()["tables"] != state["tables"]).any()
    return str(error.value)


@every_game
def test_a_seat_that_is_none_does_not_end_the_process(rules: Rules) -> None:
    assert f"to_play: 90 must be from -1 to {rules.players - 1}" in refused(rules, to_play=90)


@every_game
def test_a_pile_of_minus_100_cards_is_not_played_on(rules: Rules) -> None:
    assert "pile_size: -100 must be from 0 to 108" in refused(rules, pile_size=-100)


def test_a_deal_that_is_over_is_no_table_to_step() -> None:
    assert '"over"' in refused(FOUR_GAMES[0], phase=PHASE_OVER, to_play=-1)


@every_game
def test_a_card_too_many_is_counted(rules: Rules) -> None:
    hand = played(rules).get_state()["tables"]["hand"][-1].copy()
    hand[0, -1] = 1 if hand[0, -1] == 0 else hand[0, -1] - 1
    assert "A in hands, melds, threes, pile and stock; there must be 8" in refused(rules, hand=hand)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"dealer": 4}, "dealer: 4 must be from 0 to 3"),
        ({"hand_size": 3}, "hand_size"),
        ({"canastas": [5, 0, 0]}, "canastas"),
        ({"closed": 1}, "closed"),
        ({"turn": 0}, "turn: 0 must be from 1"),
        ({"went_out": 2}, "went_out: 2 must be -1 while the deal goes on"),
        ({"phase": 2, "can_ask": 0, "answer": 1}, "answer: 1 must be 0 while the partner is asked"),
        ({"phase": 1, "answer": 3}, "answer: 3 must not be 3"),
        ({"taken": 7}, "taken"),
        ({"stock": 3}, "stock"),
        ({"known": 4}, "known"),
    ],
)
def test_what_contradicts_the_cards_is_named(fields: dict[str, Any], reason: str) -> None:
    assert reason in refused(FOUR_GAMES[2], **fields)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (None, "state: 'tables' is missing"),
        ([], "state: 'tables' is missing"),
        ({"tables": np.zeros(NUM_TABLES, STATE)}, r"state: tables\[0\]"),
        ({"tables": np.zeros(3, STATE), "match_winner": 0}, "are not 24 tables of this version"),
        ({"tables": np.zeros(NUM_TABLES), "match_winner": 0}, "are not 24 tables of this version"),
    ],
)
def test_a_state_of_another_form_is_refused(state: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        played(FOUR_GAMES[0]).set_state(state)


@pytest.mark.parametrize(
    ("winner", "reason"),
    [
        (None, "must be integers of"),
        (np.zeros(NUM_TABLES), "must be integers of"),
        (np.zeros(3, np.int8), "must be integers of"),
        (np.full(NUM_TABLES, 2), "must be sides from 0 to 1"),
        (np.full(NUM_TABLES, 2**63, np.uint64), "must be sides from 0 to 1"),
    ],
)
def test_winners_that_are_no_sides_are_refused(winner: Any, reason: str) -> None:
    tables = played(FOUR_GAMES[0])
    with pytest.raises(ValueError, match=f"state: match_winner.*{reason}"):
        tables.set_state(tables.get_state() | {"match_winner": winner})


def test_a_state_may_be_read_only_and_a_part_of_another() -> None:
    tables = played(FOUR_GAMES[2])
    state = tables.get_state()
    twice = np.repeat(state["tables"], 2)
    twice.flags.writeable = False
    tables.set_state({"tables": twice[::2], "match_winner": state["match_winner"]})
    tables.step(tables.masks.argmax(axis=1))


@every_game
def test_damaged_bytes_are_refused_or_can_be_played(rules: Rules) -> None:
    """Bytes changed at random: whatever passes the checks can be played on without an error."""
    tables, other = played(rules), VectorTables(rules, NUM_TABLES, 1)
    good, rng, num_taken = tables.get_state(), Random(5), 0
    for _ in range(300):
        damaged = good["tables"].copy()
        raw = damaged.view(np.uint8).reshape(NUM_TABLES, -1)
        for _ in range(rng.choice((1, 1, 2, 40))):
            raw[rng.randrange(NUM_TABLES), rng.randrange(raw.shape[1])] = rng.choice((0, 1, 2, 255, 128, 90))
        try:
            other.set_state({"tables": damaged, "match_winner": good["match_winner"]})
        except ValueError as error:
            assert str(error).startswith("state: tables[")
            continue
        num_taken += 1
        for _ in range(20):
            other.step(other.masks.argmax(axis=1))
    assert num_taken > 20


def test_512_tables_are_checked_in_less_than_50_ms() -> None:
    rules = FOUR_GAMES[3]
    tables: NDArray[np.void] = VectorTables(rules, 512).get_state()["tables"]
    times = []
    for _ in range(5):
        start = time.perf_counter()
        check_tables(rules, tables)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05


def test_a_position_can_be_set_as_a_table() -> None:
    table = Table.from_position({"game": "classic", "hands": {1: "K 4"}}, partial=True)
    tables = VectorTables(table.rules, 1)
    tables.set_state({"tables": np.asarray(table._state), "match_winner": np.array([-1])})
    assert np.array_equal(tables.masks[0], table.action_mask())
