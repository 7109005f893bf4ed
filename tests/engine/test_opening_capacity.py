"""What the one pass over the ranks finds, on the hand that the kernel's comment works out."""

from __future__ import annotations

from typing import Any

import pytest

from canasta_env import Table
from canasta_env.engine.opening import OpeningCapacity, _survey, can_open
from canasta_env.engine.state import rules_record

HAND = "K K K 9 9 9 9 A A 7 7 7 joker 2"
WORKED_OUT = OpeningCapacity(
    clean_points=85,
    room=4,
    spared_room=0,
    clean_melds=3,
    pairs=1,
    dear_pairs=1,
    middle_pairs=0,
    pair_room=2,
    is_mixed=False,
    size_limited=False,
    order_matters=False,
    is_waived=False,
)
MOST_POINTS = 195


def _position(**fields: Any) -> Table:
    position = {"game": "modern_american", "phase": "play", "hands": {1: HAND}, "to_play": 1, "dealer": 0}
    return Table.from_position(position | fields, partial=True)


def test_the_worked_hand() -> None:
    table = _position()
    assert OpeningCapacity(*_survey(rules_record(table.rules)[0], table._state[0], 1, 1)) == WORKED_OUT


@pytest.mark.parametrize(("minimum", "opens"), [(MOST_POINTS, True), (MOST_POINTS + 5, False)])
def test_the_worked_hand_comes_to_so_many_points(minimum: int, opens: bool) -> None:
    table = _position(rules={"opening_minima": [[None, minimum]]})
    state = table._state.copy()
    state["hand_size"][0, 1] += 2  # cards to go on with, so that all the hand can be laid
    state["hand"][0, 1, 3] += 2  # black threes, which no meld takes here
    assert can_open(rules_record(table.rules)[0], state[0]) == opens
