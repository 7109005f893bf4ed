"""The reason for each action, block by block and phase by phase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import (
    ADD_BLACK_THREE,
    ASK,
    DISCARD_JOKER,
    MELD_BLACK_THREES,
    NO,
    NOTATIONS,
    PICK_UP,
    TAKE_WITH_JOKER,
    YES,
)
from canasta_env.engine.state import NOBODY
from canasta_env.explain.asking import ask_fault
from canasta_env.explain.completing import completion_fault
from canasta_env.explain.discarding import discard_fault
from canasta_env.explain.melding import add_fault, meld_fault
from canasta_env.explain.situation import Situation
from canasta_env.explain.taking import pick_up_fault, take_fault
from canasta_env.rules import Rules


class IllegalActionError(ValueError):
    """An action that is not legal: names it, the seat, the reason with its clause, and what is legal."""


def explain(rules: Rules, state: NDArray[np.void], action: int, mask: NDArray[np.int8]) -> str:
    """Say that an action is not legal, why, and what is.

    Args:
        rules: The game.
        state: The table, `(1,) STATE`.
        action: The action's id; not legal by `mask`.
        mask: The legal actions, `(NUM_ACTIONS,) int8`.
    """
    seat = int(state["to_play"][0])
    who = "" if seat == NOBODY else f" for seat {seat}"
    legal = ", ".join(NOTATIONS[legal] for legal in np.flatnonzero(mask)) or "nothing"
    return f'illegal action "{NOTATIONS[action]}"{who}: {reason(rules, state, action)}; legal: {legal}'


def reason(rules: Rules, state: NDArray[np.void], action: int) -> str:
    """Why an action that the mask refuses is not legal, with its clause."""
    now = Situation(rules, state)
    return _phase_fault(now, action) or _own_fault(now, action) or completion_fault(now, action)


def _phase_fault(now: Situation, action: int) -> str:
    """Why a sort of action has no place in the phase."""
    if now.phase == "over":
        return "the deal is over (R-TURN)"
    if now.phase == "answer":
        return "the partner asks to go out, and is answered with yes or no (R-OUT-3)"
    if action in (YES, NO):
        return "nobody has asked (R-OUT-3)"
    if now.phase == "draw" and action >= PICK_UP:
        return "a turn begins with drawing or taking the pile (R-TURN)"
    if now.phase == "play" and action < PICK_UP:
        return "the turn has begun; drawing or taking comes once, at its start (R-TURN)"
    return ""


def _own_fault(now: Situation, action: int) -> str:
    """What the clauses of the action itself forbid."""
    if action <= TAKE_WITH_JOKER:
        return take_fault(now, action)
    if action == PICK_UP:
        return pick_up_fault(now)
    if action == ASK:
        return ask_fault(now)
    if action < MELD_BLACK_THREES:
        return ""
    if action < ADD_BLACK_THREE:
        return meld_fault(now, action)
    if action < DISCARD_JOKER:
        return add_fault(now, action)
    return discard_fault(now, action)
