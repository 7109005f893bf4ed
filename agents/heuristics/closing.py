"""Closing plans: melds that can be brought to a canasta in this turn."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.compiling import kernel
from canasta_agents.heuristics.laying import wild_onto
from canasta_agents.heuristics.reading import NOTHING, OWN, wilds_in_hand
from canasta_env.actions import ADD_NATURAL, MELD_CLEAN
from canasta_env.cards import CANASTA_SIZE, FIRST_RANK, NUM_KINDS
from canasta_env.engine.melds import MELD_START, can_join_ranks, meld_size, meld_wilds, wild_room

OUT_OF_REACH = 99


@kernel
def wilds_to_close(rules, view, kind):
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
def cards_to_close(view, kind, missing):
    """Cards that leave the hand when a meld is closed with so many wilds."""
    return min(view.hand[kind], CANASTA_SIZE - meld_size(view, OWN, kind) - missing) + missing


@kernel
def closing_step(rules, view, mask, keep, most_wilds):
    """The next card towards a canasta of this turn, the one that needs the fewest wilds first.

    Args:
        rules: The rules' record.
        view: The view.
        mask: Legal actions.
        keep: Cards that must stay in the hand once the canasta is closed.
        most_wilds: Wilds that may be spent on it.
    """
    best, fewest = NOTHING, most_wilds + 1
    for kind in range(FIRST_RANK, NUM_KINDS):
        missing = wilds_to_close(rules, view, kind)
        if missing < fewest and view.hand_size[OWN] - cards_to_close(view, kind, missing) >= keep:
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
