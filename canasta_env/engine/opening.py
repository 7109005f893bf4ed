"""The opening as it lies: its minimum, whether it is complete, what a pick up asks and brings (R-OPEN).

Whether it can still be completed is asked in `reaching`.
"""

from __future__ import annotations

from canasta_env.cards import (
    CANASTA_SIZE,
    FIRST_RANK,
    NUM_KINDS,
    RED_THREE,
)
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import (
    LARGEST_BEFORE_TOP_CARD,
    PAIR,
    meld_size,
    meld_wilds,
)
from canasta_env.engine.state import NO_CARD, WILD_MELD


@kernel
def minimum_for(rules, score):  # type: ignore[no-untyped-def]
    """The opening minimum of a side whose match score is `score` (R-OPEN-1)."""
    step = 0
    while step + 1 < rules.num_minima and score >= rules.minimum_from[step + 1]:
        step += 1
    return rules.minimum[step]


@kernel
def is_opening_complete(rules, s, side):  # type: ignore[no-untyped-def]
    """Whether what was melded in this turn is an opening as it stands (R-OPEN-2 to 4)."""
    if rules.is_modern:
        if is_waived(s, side):
            return True
        if not has_clean_or_wild_meld(s, side):
            return False
    return s.opening_points >= minimum_for(rules, s.scores[side])


@kernel
def is_waived(s, side):  # type: ignore[no-untyped-def]
    """Whether the opening holds a clean or wild canasta, which waives the minimum (R-OPEN-4)."""
    if meld_size(s, side, WILD_MELD) == CANASTA_SIZE:
        return True
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.naturals[side, rank] == CANASTA_SIZE:
            return True
    return False


@kernel
def has_clean_or_wild_meld(s, side):  # type: ignore[no-untyped-def]
    """Whether the side has a meld that R-OPEN-3 asks for."""
    if meld_size(s, side, WILD_MELD) > 0:
        return True
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.naturals[side, rank] > 0 and meld_wilds(s, side, rank) == 0:
            return True
    return False


@kernel
def can_pick_up(rules, s, seat):  # type: ignore[no-untyped-def]
    """Whether the top card that was taken has a meld or a pair to join, the opening apart (R-TAKE-5)."""
    if not rules.is_modern:
        return True
    size = meld_size(s, seat % rules.num_sides, s.taken)
    if size > 0:
        return size <= LARGEST_BEFORE_TOP_CARD
    return s.hand[seat, s.taken] >= PAIR


@kernel
def cards_to_come(rules, s):  # type: ignore[no-untyped-def]
    """Cards that `pick up` will bring into the hand; none if no pile was taken."""
    if s.taken == NO_CARD:
        return 0
    cards = s.pile_size
    if rules.is_modern:
        return cards - 1  # the top card, still on the pile, goes to the table
    for place in range(s.pile_size):
        if s.pile[place] == RED_THREE:
            cards -= 1  # R-TAKE-7
    return cards
