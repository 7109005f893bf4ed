"""Discarding: each player prices the kinds it holds, the lowest price goes."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from canasta_agents.heuristics.compiling import kernel
from canasta_agents.heuristics.reading import NOTHING, discard_of
from canasta_env.cards import NUM_KINDS, RED_THREE


@kernel
def no_scores():
    """Scores to be filled in for each kind held, `(NUM_KINDS,)`."""
    return np.zeros(NUM_KINDS, np.float64)


@kernel
def lowest_discard(mask, scores):
    """The legal discard with the lowest score, the lower kind of equals; NOTHING if there is none."""
    best = NOTHING
    lowest = np.inf
    for kind in range(NUM_KINDS):
        if kind != RED_THREE and mask[discard_of(kind)] and scores[kind] < lowest:
            best, lowest = discard_of(kind), scores[kind]
    return best
