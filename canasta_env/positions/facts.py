"""What reading and checking a position both ask of a record `s` of STATE, and the error of both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import (
    BLACK_THREE,
    JOKER,
    RED_THREE,
    TWO,
    VALUES,
)
from canasta_env.engine.state import (
    MAX_SEATS,
    NO_CARD,
    PHASE_ANSWER,
    PHASE_OVER,
)
from canasta_env.rules import Rules

_VALUES = np.array(VALUES)


def laid_threes(rules: Rules) -> tuple[int, ...]:
    """The kinds that are laid at once, and never lie in a hand (R-DEAL-2)."""
    return (RED_THREE, BLACK_THREE) if rules.lays_black_threes else (RED_THREE,)


def is_turned_on(rules: Rules, kind: int) -> bool:
    """Whether another card is turned on this one at the start: a wild or a three that is laid (R-DEAL-3)."""
    return kind in (JOKER, TWO, *laid_threes(rules))


def holds_turned_on(rules: Rules, pile: NDArray[np.int8]) -> bool:
    """Whether a pile holds a card that makes it wild-frozen (R-DEAL-3, R-DISC-1)."""
    return any(is_turned_on(rules, int(kind)) for kind in pile)


def turn_seat(s: Any) -> int:
    """The seat whose turn it is, NOBODY when the deal is over."""
    seat = int(s["to_play"])
    return (seat + 2) % MAX_SEATS if s["phase"] == PHASE_ANSWER else seat


def needs_card(s: Any, seat: int) -> bool:
    """Whether a hand may not be empty: all but that of a player who is about to pick up (R-TAKE-5)."""
    if s["phase"] == PHASE_OVER:
        return False
    return seat != turn_seat(s) or bool(s["taken"] == NO_CARD)


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


class PositionError(ValueError):
    """A dict that cannot be a position: names the key and the reason."""
