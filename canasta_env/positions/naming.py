"""Cards and melds of a STATE by their names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import BLACK_THREE, KINDS, NUM_KINDS, RANKS, RED_THREE
from canasta_env.engine.state import WILD_MELD

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
