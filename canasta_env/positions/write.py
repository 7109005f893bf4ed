"""Write a table as a position."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import BLACK_THREE, KINDS, NUM_KINDS, RANKS, RED_THREE
from canasta_env.engine.state import (
    MAY_GO_OUT,
    MUST_GO_OUT,
    NO_CARD,
    NOBODY,
    NOT_ASKED,
    PHASES,
    REFUSED,
    WILD_MELD,
)
from canasta_env.rules import Rules, standard_rules

_ANSWERS = {NOT_ASKED: None, REFUSED: "no", MUST_GO_OUT: "yes", MAY_GO_OUT: "yes"}


def write_position(rules: Rules, state: NDArray[np.void]) -> dict[str, Any]:
    """The position of a table, `(1,) STATE`."""
    s = state[0]
    seats, sides = range(rules.players), range(rules.num_sides)
    position: dict[str, Any] = {"game": rules.game, "players": rules.players, "target": rules.target}
    if rules != standard_rules(rules.game, rules.players, rules.target):
        position["rules"] = rules.to_dict()
    position |= {
        "dealer": int(s["dealer"]),
        "scores": s["scores"][: rules.num_sides].tolist(),
        "hands": [named_counts(s["hand"][seat]) for seat in seats],
        "melds": [{name: list(meld) for name, meld in named_melds(state, side).items()} for side in sides],
        "threes": [named_threes(state, side) for side in sides],
        "pile": named_kinds(s["pile"][: s["pile_size"]]),
        "stock": named_kinds(s["stock"][s["next_card"] :]),
        "wild_frozen": bool(s["wild_frozen"]),
        "to_play": None if s["to_play"] == NOBODY else int(s["to_play"]),
        "phase": PHASES[s["phase"]],
        "opened": s["opened"][: rules.num_sides].astype(bool).tolist(),
        "opening_points": int(s["opening_points"]),
        "taken": None if s["taken"] == NO_CARD else KINDS[s["taken"]],
        "can_ask": bool(s["can_ask"]),
        "answer": _ANSWERS[int(s["answer"])],
        "asked": s["asked"][: rules.players].astype(bool).tolist(),
        "melded": s["melded"][: rules.players].astype(bool).tolist(),
        "melded_now": bool(s["melded_now"]),
        "begun": [meld_name(kind) for kind in np.flatnonzero(s["begun"]).tolist()],
        "joined_earlier": bool(s["joined_earlier"]),
        "went_out": None if s["went_out"] == NOBODY else int(s["went_out"]),
        "concealed": bool(s["concealed"]),
        "turn": int(s["turn"]),
        "discarded": [named_counts(s["discarded"][seat]) for seat in seats],
        "known": [named_counts(s["known"][seat]) for seat in seats],
        "piles_taken": s["piles_taken"][: rules.players].tolist(),
    }
    return position


# Cards and melds of a STATE by their names.


MELD_NAMES = {WILD_MELD: "wilds", BLACK_THREE: "black3"}
MELD_KINDS = {name: kind for kind, name in MELD_NAMES.items()} | {rank: KINDS.index(rank) for rank in RANKS}


def meld_name(kind: int) -> str:
    """How a meld of this kind is called: a rank, "wilds" or "black3"."""
    return MELD_NAMES.get(kind, KINDS[kind])


def named_counts(counts: NDArray[np.int8]) -> dict[str, int]:
    """`{kind: count}` in kind order, of counts per kind that are not 0."""
    return {KINDS[kind]: int(counts[kind]) for kind in range(NUM_KINDS) if counts[kind]}


def named_kinds(kinds: NDArray[np.int8]) -> list[str]:
    """The names of kinds in their order."""
    return [KINDS[kind] for kind in kinds]


def named_melds(state: NDArray[np.void], side: int) -> dict[str, tuple[int, int, int]]:
    """`{meld: (naturals, twos, jokers)}` of a side, in kind order."""
    parts = np.stack([state[part][0, side] for part in ("naturals", "twos", "jokers")], axis=1).tolist()
    return {meld_name(kind): tuple(parts[kind]) for kind in range(NUM_KINDS) if any(parts[kind])}


def named_threes(state: NDArray[np.void], side: int) -> dict[str, int]:
    """`{"red3" or "black3": count}` of the threes laid by a side."""
    laid = {RED_THREE: state["red_threes"][0, side], BLACK_THREE: state["black_threes"][0, side]}
    return {KINDS[kind]: int(count) for kind, count in laid.items() if count}
