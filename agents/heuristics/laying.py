"""Laying cards without a plan beyond the card: naturals that fit, new sets, free wilds."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.compiling import kernel
from canasta_agents.heuristics.reading import NOTHING, OWN
from canasta_env.actions import (
    ADD_JOKER,
    ADD_JOKER_TO_WILDS,
    ADD_NATURAL,
    ADD_TWO,
    ADD_TWO_TO_WILDS,
    MELD_CLEAN,
    MELD_WITH_JOKER,
    MELD_WITH_TWO,
)
from canasta_env.cards import CANASTA_SIZE, FIRST_RANK, NUM_KINDS
from canasta_env.engine.melds import MELD_START, VALUE, meld_size
from canasta_env.engine.state import WILD_MELD


@kernel
def leaves(view, cards, keep):
    """Whether `keep` cards stay in the hand after laying so many."""
    return view.hand_size[OWN] - cards >= keep


@kernel
def natural_onto_largest(view, mask, keep):
    """Add a natural to the largest own meld that one fits, keeping `keep` cards."""
    best, best_size = NOTHING, 0
    if leaves(view, 1, keep):
        for kind in range(FIRST_RANK, NUM_KINDS):
            action = ADD_NATURAL + kind - FIRST_RANK
            if mask[action] and meld_size(view, OWN, kind) > best_size:
                best, best_size = action, meld_size(view, OWN, kind)
    return best


@kernel
def clean_set(view, mask, keep):
    """Begin a clean meld: the one worth most, keeping `keep` cards."""
    best, best_points = NOTHING, 0
    if leaves(view, MELD_START, keep):
        for kind in range(FIRST_RANK, NUM_KINDS):
            action = MELD_CLEAN + kind - FIRST_RANK
            points = view.hand[kind] * VALUE[kind]
            if mask[action] and points > best_points:
                best, best_points = action, points
    return best


@kernel
def pair_with_wild(view, mask, keep):
    """Begin a meld with a pair and a wild, a two before a joker: the dearest pair, keeping `keep` cards."""
    best, best_points = NOTHING, 0
    if leaves(view, MELD_START, keep):
        for kind in range(FIRST_RANK, NUM_KINDS):
            points = view.hand[kind] * VALUE[kind]
            if points > best_points:
                for block in (MELD_WITH_JOKER, MELD_WITH_TWO):
                    if mask[block + kind - FIRST_RANK]:
                        best, best_points = block + kind - FIRST_RANK, points
    return best


@kernel
def wild_onto(mask, kind):
    """Add a wild to the own meld of a kind, a two before a joker."""
    two, joker = ADD_TWO + kind - FIRST_RANK, ADD_JOKER + kind - FIRST_RANK
    if kind == WILD_MELD:
        two, joker = ADD_TWO_TO_WILDS, ADD_JOKER_TO_WILDS
    if mask[two]:
        return two
    return joker if mask[joker] else NOTHING


@kernel
def wild_onto_largest(view, mask, keep):
    """Add a wild to the largest own meld that is no canasta yet and may take one, keeping `keep` cards."""
    best, best_size = NOTHING, 0
    if leaves(view, 1, keep):
        for kind in range(FIRST_RANK, NUM_KINDS):
            size = meld_size(view, OWN, kind)
            if best_size < size < CANASTA_SIZE:
                action = wild_onto(mask, kind)
                if action != NOTHING:
                    best, best_size = action, size
    return best
