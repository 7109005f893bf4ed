"""Which card to lay next: naturals that fit, new sets, wilds, and what completes a canasta in this turn."""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.features import NOTHING, OWN, wilds_in_hand
from canasta_agents.heuristics.jit import kernel
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
from canasta_env.engine.melds import MELD_START, VALUE, can_join_ranks, meld_size, meld_wilds, wild_room
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


# Canastas that can be completed in this turn.

OUT_OF_REACH = 99  # in place of the wilds that a canasta lacks: it cannot be completed


@kernel
def wilds_for_canasta(rules, view, kind):
    """Wilds that a meld needs once all naturals of the hand are on it; OUT_OF_REACH if that cannot be."""
    naturals = view.naturals[OWN, kind] + view.hand[kind]
    wilds = meld_wilds(view, OWN, kind)
    missing = max(0, CANASTA_SIZE - naturals - wilds)
    if view.closed[kind] or meld_size(view, OWN, kind) >= CANASTA_SIZE or missing > wilds_in_hand(view):
        return OUT_OF_REACH
    if meld_size(view, OWN, kind) == 0 and view.hand[kind] < MELD_START:
        return OUT_OF_REACH
    if missing > 0:
        if not can_join_ranks(rules, view, OWN) or missing > wild_room(rules, kind, naturals, wilds, False):
            return OUT_OF_REACH
    return missing


@kernel
def cards_for_canasta(view, kind, missing):
    """Cards that leave the hand when a canasta is completed with so many wilds."""
    return min(view.hand[kind], CANASTA_SIZE - meld_size(view, OWN, kind) - missing) + missing


@kernel
def canasta_step(rules, view, mask, keep, most_wilds):
    """The next card towards a canasta of this turn, the one that needs the fewest wilds first.

    Args:
        rules: The rules' record.
        view: The view.
        mask: Legal actions.
        keep: Cards that must stay in the hand once the canasta is complete.
        most_wilds: Wilds that may be spent on it.
    """
    best, fewest = NOTHING, most_wilds + 1
    for kind in range(FIRST_RANK, NUM_KINDS):
        missing = wilds_for_canasta(rules, view, kind)
        if missing < fewest and leaves(view, cards_for_canasta(view, kind, missing), keep):
            action = step_onto(view, mask, kind)
            if action != NOTHING:
                best, fewest = action, missing
    return best


@kernel
def step_onto(view, mask, kind):
    """Begin or feed the meld of a kind: naturals first, then a wild."""
    if mask[MELD_CLEAN + kind - FIRST_RANK]:
        return MELD_CLEAN + kind - FIRST_RANK
    if mask[ADD_NATURAL + kind - FIRST_RANK]:
        return ADD_NATURAL + kind - FIRST_RANK
    if view.hand[kind] > 0:
        return NOTHING  # a natural that may not be laid: a wild in its place would be wasted
    return wild_onto(mask, kind)
