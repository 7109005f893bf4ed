"""What a meld may hold, and how cards come into it (R-MELD)."""

from __future__ import annotations

import numpy as np

from canasta_env.cards import ACE, CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, SEVEN, TWO, VALUES
from canasta_env.engine.jit import kernel
from canasta_env.engine.state import WILD_MELD
from canasta_env.engine.swar import at_least, load_ranks, minus, negate, only

MELD_START = 3  # cards a meld is begun with (R-MELD-1)
PAIR = 2  # naturals a meld of a rank cannot do without (R-MELD-1)
LARGEST_BEFORE_TOP_CARD = CANASTA_SIZE - 1  # R-TAKE-5: a meld that the top card can join at `pick up`
VALUE = np.array(VALUES, np.int32)


@kernel
def meld_size(s, side, kind):  # type: ignore[no-untyped-def]
    """Cards in a side's meld, 0 if there is none."""
    return s.naturals[side, kind] + s.twos[side, kind] + s.jokers[side, kind]


@kernel
def meld_sizes(s, side, at):  # type: ignore[no-untyped-def]
    """Cards in a side's melds of the eight ranks at a place of `ranks.HALVES`."""
    return load_ranks(s.naturals[side], at) + load_ranks(s.twos[side], at) + load_ranks(s.jokers[side], at)


@kernel
def meld_wilds(s, side, kind):  # type: ignore[no-untyped-def]
    """Wilds in a side's meld."""
    return s.twos[side, kind] + s.jokers[side, kind]


@kernel
def wilds_in_hand(s, seat):  # type: ignore[no-untyped-def]
    """Jokers and twos of a hand."""
    return s.hand[seat, JOKER] + s.hand[seat, TWO]


@kernel
def wild_meld_is_growing(s, side):  # type: ignore[no-untyped-def]
    """Whether a begun, unfinished wild meld claims every wild of the side (R-MELD-6)."""
    return 0 < meld_size(s, side, WILD_MELD) < CANASTA_SIZE


@kernel
def has_mixed_meld(s, side):  # type: ignore[no-untyped-def]
    """Whether any meld of a rank holds a wild."""
    for rank in range(FIRST_RANK, NUM_KINDS):
        if meld_wilds(s, side, rank) > 0:
            return True
    return False


@kernel
def wild_room(rules, rank, naturals, wilds, in_opening):  # type: ignore[no-untyped-def]
    """How many more wilds a meld of a rank with so many cards may take by itself (R-MELD-2 to R-MELD-5)."""
    if rank == SEVEN and not rules.sevens_take_wilds:
        return 0
    if not in_opening and (
        naturals < rules.naturals_before_wild or (rank == ACE and not rules.aces_take_wilds)
    ):
        return 0
    room = rules.max_wilds_in_meld - wilds
    if rules.needs_more_naturals:
        room = min(room, naturals - 1 - wilds)
    if rules.melds_end_at_seven:
        room = min(room, CANASTA_SIZE - naturals - wilds)
    return room


@kernel
def have_wild_room(rules, at, naturals, wilds, in_opening):  # type: ignore[no-untyped-def]
    """Truths: where `wild_room` is above 0, for the ranks at a place of `ranks.HALVES` with such counts."""
    have_room = negate(at_least(wilds, rules.max_wilds_in_meld))
    if rules.needs_more_naturals:
        have_room &= at_least(minus(naturals, wilds), PAIR)
    if rules.melds_end_at_seven:
        have_room &= negate(at_least(naturals + wilds, CANASTA_SIZE))
    if not rules.sevens_take_wilds:
        have_room &= negate(only(SEVEN, at))
    if in_opening:
        return have_room
    if not rules.aces_take_wilds:
        have_room &= negate(only(ACE, at))
    return have_room & at_least(naturals, rules.naturals_before_wild)


@kernel
def can_join_ranks(rules, s, side):  # type: ignore[no-untyped-def]
    """Whether wilds of the side may go into melds of ranks at all (R-MELD-6)."""
    return not rules.has_wild_meld or not wild_meld_is_growing(s, side)


@kernel
def can_begin_wild_meld(rules, s, side):  # type: ignore[no-untyped-def]
    """Whether the side may begin a wild meld now, given the wilds (R-MELD-6)."""
    if not rules.has_wild_meld or meld_size(s, side, WILD_MELD) > 0:
        return False
    return bool(s.opened[side]) or not has_mixed_meld(s, side)


@kernel
def put(rules, s, side, kind, naturals, twos, jokers):  # type: ignore[no-untyped-def]
    """Put cards into a meld: canastas, closed ranks and the turn's memory of melds follow."""
    before = meld_size(s, side, kind)
    s.naturals[side, kind] += naturals
    s.twos[side, kind] += twos
    s.jokers[side, kind] += jokers
    if before == 0:
        s.begun[kind] = 1
    elif not s.begun[kind]:
        s.joined_earlier = 1
    s.melded_now = 1
    if before < CANASTA_SIZE <= before + naturals + twos + jokers:
        s.canastas[side] += 1
        if rules.closes_ranks and kind >= FIRST_RANK and meld_wilds(s, side, kind) == 0:
            s.closed[kind] = 1  # R-MELD-7


@kernel
def leave_hand(s, seat, kind, number):  # type: ignore[no-untyped-def]
    """Take cards out of a hand; what was known of it shrinks with them."""
    s.hand[seat, kind] -= number
    s.hand_size[seat] -= number
    s.known[seat, kind] = max(0, s.known[seat, kind] - number)


@kernel
def lay(rules, s, seat, kind, naturals, twos, jokers):  # type: ignore[no-untyped-def]
    """Lay cards from a hand into a meld of the seat's side, counting them to an opening under way."""
    side = seat % rules.num_sides
    if naturals > 0:
        leave_hand(s, seat, kind, naturals)
    if twos > 0:
        leave_hand(s, seat, TWO, twos)
    if jokers > 0:
        leave_hand(s, seat, JOKER, jokers)
    put(rules, s, side, kind, naturals, twos, jokers)
    if not s.opened[side]:
        s.opening_points += naturals * VALUE[kind] + twos * VALUE[TWO] + jokers * VALUE[JOKER]
