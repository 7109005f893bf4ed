"""The table of the 96 actions: id <-> notation, in blocks.

A meld is started with its first three cards and grown card by card, so every table position can be
reached and every action is a move of the game. Kernels import the block starts, people the notations.
"""

from __future__ import annotations

from canasta_env.cards import FIRST_RANK, KINDS, NUM_RANKS, RANKS

# Each block starts where the one before it ends; ranks stand in the order `4` ... `A`.
DRAW, TAKE, TAKE_WITH_TWO, TAKE_WITH_JOKER, PICK_UP, ASK, YES, NO = range(8)
MELD_BLACK_THREES = 8
MELD_CLEAN = 9  # + rank index: meld R R R
MELD_WITH_TWO = MELD_CLEAN + NUM_RANKS  # meld R R 2
MELD_WITH_JOKER = MELD_WITH_TWO + NUM_RANKS  # meld R R joker
MELD_WILDS = MELD_WITH_JOKER + NUM_RANKS  # + number of jokers among the three wilds
ADD_BLACK_THREE = MELD_WILDS + 4
ADD_NATURAL = ADD_BLACK_THREE + 1
ADD_TWO = ADD_NATURAL + NUM_RANKS
ADD_JOKER = ADD_TWO + NUM_RANKS
ADD_TWO_TO_WILDS = ADD_JOKER + NUM_RANKS
ADD_JOKER_TO_WILDS = ADD_TWO_TO_WILDS + 1
DISCARD_JOKER = ADD_JOKER_TO_WILDS + 1
DISCARD_TWO = DISCARD_JOKER + 1
DISCARD_BLACK_THREE = DISCARD_TWO + 1
DISCARD_NATURAL = DISCARD_BLACK_THREE + 1
NUM_ACTIONS = DISCARD_NATURAL + NUM_RANKS

NOTATIONS: tuple[str, ...] = (
    "draw",
    "take",
    "take with 2",
    "take with joker",
    "pick up",
    "ask",
    "yes",
    "no",
    "meld black3 black3 black3",
    *(f"meld {rank} {rank} {rank}" for rank in RANKS),
    *(f"meld {rank} {rank} 2" for rank in RANKS),
    *(f"meld {rank} {rank} joker" for rank in RANKS),
    "meld 2 2 2",
    "meld 2 2 joker",
    "meld 2 joker joker",
    "meld joker joker joker",
    "add black3",
    *(f"add {rank}" for rank in RANKS),
    *(f"add 2 to {rank}" for rank in RANKS),
    *(f"add joker to {rank}" for rank in RANKS),
    "add 2 to wilds",
    "add joker to wilds",
    *(f"discard {kind}" for kind in KINDS if kind != "red3"),
)
NOTATION_VERSION = 1  # counts up when an id comes to stand for another action; exported policies carry it
ID_OF: dict[str, int] = {notation: action for action, notation in enumerate(NOTATIONS)}


class NotationError(ValueError):
    """A text that is not the notation of an action."""


def parse(notation: str) -> int:
    """Return the id of an action.

    Args:
        notation: One of `NOTATIONS`, spelled exactly, e.g. `"meld Q Q 2"`.

    Raises:
        NotationError: If no action is spelled so; names the nearest ones.
    """
    action = ID_OF.get(notation) if isinstance(notation, str) else None
    if action is None:
        raise NotationError(_unknown(notation))
    return action


def notation(action: int) -> str:
    """Return the notation of an action id.

    Raises:
        NotationError: If `action` is not in 0 ... 95.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise NotationError(f"{action} is not an action id; ids run from 0 to {NUM_ACTIONS - 1}")
    return NOTATIONS[action]


def _unknown(text: object) -> str:
    from difflib import get_close_matches

    near = get_close_matches(str(text), NOTATIONS, n=4, cutoff=0.5)
    hint = f"; near it: {', '.join(near)}" if near else f"; for example: {NOTATIONS[MELD_CLEAN]}"
    return f"{text!r} is not the notation of an action{hint}"


def rank_kind(rank_index: int) -> int:
    """The kind of a rank's place (0 for `4` ... 10 for `A`) in a block of actions."""
    return FIRST_RANK + rank_index
