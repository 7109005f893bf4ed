"""What reading and checking a position both ask of a record `s` of STATE."""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.cards import JOKER, TWO, VALUES
from canasta_env.engine.state import MAX_SEATS, PHASE_ANSWER
from canasta_env.rules import Rules

_VALUES = np.array(VALUES)


def turn_seat(s: Any) -> int:
    """The seat whose turn it is, NOBODY when the deal is over."""
    seat = int(s["to_play"])
    return (seat + 2) % MAX_SEATS if s["phase"] == PHASE_ANSWER else seat


def meld_kinds(s: Any, side: int) -> list[int]:
    """The kinds of a side's melds."""
    kinds: list[int] = np.flatnonzero(s["naturals"][side] + s["twos"][side] + s["jokers"][side]).tolist()
    return kinds


def meld_points(s: Any, side: int) -> int:
    """Values of the cards in a side's melds (R-CARD-2)."""
    naturals = int(s["naturals"][side] @ _VALUES)
    return naturals + int(s["twos"][side].sum()) * VALUES[TWO] + int(s["jokers"][side].sum()) * VALUES[JOKER]


def has_opening_under_way(rules: Rules, s: Any) -> bool:
    """Whether the player to move has melded and the side's opening is not complete."""
    seat = turn_seat(s)
    if seat < 0:
        return False
    side = rules.side_of(seat)
    return bool(meld_kinds(s, side)) and not s["opened"][side]
