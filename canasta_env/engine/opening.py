"""Whether the opening can still be completed (R-OPEN, and R-TURN-4 for sides that have not opened).

The most points that a hand can lay follow from one pass over the ranks; only crowded Modern melds need more.
"""

from __future__ import annotations

import numpy as np

from canasta_env.cards import (
    ACE,
    BLACK_THREE,
    CANASTA_SIZE,
    COPIES,
    FIRST_RANK,
    JOKER,
    KING,
    NUM_KINDS,
    RED_THREE,
    TWO,
)
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import (
    LARGEST_BEFORE_TOP_CARD,
    MELD_START,
    PAIR,
    VALUE,
    meld_size,
    meld_wilds,
    wild_room,
)
from canasta_env.engine.state import NO_CARD, WILD_MELD

_ALL_WILDS = COPIES[JOKER] + COPIES[TWO]
_IMPOSSIBLE = np.int32(-1_000_000)
TO_GO_ON = 2  # cards in hand with which a turn can end by a discard that leaves one
_UNLIMITED = 100  # cards; more than a meld can come to


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


@kernel
def can_open(rules, s):  # type: ignore[no-untyped-def]
    """Whether the player to move can complete the opening and then discard, keeping a card.

    Only for a side that has not opened and has a turn's melding before it: nothing, or an incomplete
    opening, lies on the table.
    """
    seat = s.to_play
    if not reaches_minimum(rules, s, seat):
        return False
    to_hold = max(0, TO_GO_ON - cards_to_come(rules, s))
    if to_hold <= _cards_never_laid(s, seat, seat % rules.num_sides):
        return True
    return _can_open_holding(rules, s, seat, to_hold)


@kernel
def _cards_never_laid(s, seat, side):  # type: ignore[no-untyped-def]
    cards = s.hand[seat, BLACK_THREE]
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.closed[rank] or (s.hand[seat, rank] == 1 and meld_size(s, side, rank) == 0):
            cards += s.hand[seat, rank]
    return cards


@kernel
def _can_open_holding(rules, s, seat, to_hold):  # type: ignore[no-untyped-def]
    """Try every one or two cards that could be held back; the rest has to reach the minimum."""
    for first in range(NUM_KINDS):
        if s.hand[seat, first] == 0:
            continue
        s.hand[seat, first] -= 1
        found = False
        if to_hold == 1:
            found = reaches_minimum(rules, s, seat)
        else:
            for second in range(first, NUM_KINDS):
                if s.hand[seat, second] > 0 and not found:
                    s.hand[seat, second] -= 1
                    found = reaches_minimum(rules, s, seat)
                    s.hand[seat, second] += 1
        s.hand[seat, first] += 1
        if found:
            return True
    return False


@kernel
def reaches_minimum(rules, s, seat):  # type: ignore[no-untyped-def]
    """Whether laying cards of the hand as it is can complete the opening and, after a take, pick up.

    One pass over the ranks adds up what they can hold. Pairs need a wild each, so with `spent` wilds the
    dearest pairs are laid, and the dearest wilds are the ones spent. Only where a meld's size limits its
    wilds (Modern: many naturals) can laying fewer naturals be better: then a knapsack over the ranks decides.
    """
    side = seat % rules.num_sides
    missing = minimum_for(rules, s.scores[side]) - s.opening_points
    is_modern = rules.is_modern
    if is_modern and s.taken != NO_CARD and not can_pick_up(rules, s, seat):
        return False
    wilds = s.hand[seat, JOKER] + s.hand[seat, TWO]
    wild_meld = meld_size(s, side, WILD_MELD)
    can_mix = wilds > 0 and wild_meld == 0
    clean_points, room, spared_room = 0, 0, _UNLIMITED
    pairs, dear_pairs, middle_pairs, pair_room = 0, 0, 0, 0
    is_mixed, is_crowded = False, False
    for rank in range(FIRST_RANK, NUM_KINDS):
        cards, on_table = s.hand[seat, rank], s.naturals[side, rank]
        if on_table == CANASTA_SIZE and is_modern and meld_wilds(s, side, rank) == 0:
            return True  # R-OPEN-4
        if cards + on_table < PAIR or s.closed[rank]:
            continue
        wilds_there = meld_wilds(s, side, rank)
        is_mixed = is_mixed or wilds_there > 0
        naturals = on_table + cards
        if is_modern:
            if naturals >= CANASTA_SIZE and wilds_there == 0 and rank != s.taken:
                return True  # R-OPEN-4
        limit = _size_limit(rules, s, rank)
        is_crowded = is_crowded or naturals + rules.max_wilds_in_meld > limit
        naturals = min(naturals, limit - wilds_there)
        here = 0
        if can_mix:
            here = min(wild_room(rules, rank, naturals, wilds_there, True), limit - naturals - wilds_there)
        if on_table == 0 and cards == PAIR:
            if here > 0:
                pairs += 1
                pair_room = here
                dear_pairs += VALUE[rank] == VALUE[ACE]
                middle_pairs += VALUE[rank] == VALUE[KING]
            continue
        clean_points += (naturals - on_table) * VALUE[rank]
        room += max(0, here)
        if wilds_there == 0:
            spared_room = min(spared_room, max(0, here))
    if is_modern and (wild_meld > 0 or (wilds >= MELD_START and not is_mixed)):
        if wild_meld + wilds >= CANASTA_SIZE:
            return True  # R-OPEN-4
        if clean_points + _best_wilds(s, seat, wilds) >= missing:
            return True
    if not is_modern:
        spared_room = 0
    elif spared_room == _UNLIMITED:  # R-OPEN-3: there is no clean meld to be had
        return False
    spent = min(wilds, pairs * pair_room + room - spared_room) if can_mix else 0
    laid_pairs = min(spent, pairs)
    points = clean_points + _pair_points(laid_pairs, dear_pairs, middle_pairs) + _best_wilds(s, seat, spent)
    if points >= missing:
        return True
    return is_crowded and can_mix and _best_with_mixed_melds(rules, s, seat, side, missing)


@kernel
def _pair_points(pairs, dear_pairs, middle_pairs):  # type: ignore[no-untyped-def]
    """Points of so many pairs of naturals, the dearest first: aces, eights to kings, the low ranks."""
    dear = min(pairs, dear_pairs)
    middle = min(pairs - dear, middle_pairs)
    return PAIR * (dear * VALUE[ACE] + middle * VALUE[KING] + (pairs - dear - middle) * VALUE[FIRST_RANK])


@kernel
def _best_wilds(s, seat, number):  # type: ignore[no-untyped-def]
    jokers = min(number, s.hand[seat, JOKER])
    return jokers * VALUE[JOKER] + (number - jokers) * VALUE[TWO]


@kernel
def _size_limit(rules, s, rank):  # type: ignore[no-untyped-def]
    """Most cards a meld of a rank may come to before the opening is complete."""
    if not rules.is_modern:
        return _UNLIMITED
    return LARGEST_BEFORE_TOP_CARD if rank == s.taken else CANASTA_SIZE


@kernel
def _best_with_mixed_melds(rules, s, seat, side, missing):  # type: ignore[no-untyped-def]
    """Whether Modern melds of ranks, with the hand's wilds spread over them, bring the missing points.

    best[u, c]: most points of naturals laid with u wilds spent; c is 1 where a clean meld remains, as
    R-OPEN-3 asks. Whatever the ranks, u wilds count most as the u dearest of the hand.
    """
    wilds = s.hand[seat, JOKER] + s.hand[seat, TWO]
    best = np.full((_ALL_WILDS + 1, 2), _IMPOSSIBLE, np.int32)
    best[0, 0] = 0
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.hand[seat, rank] >= PAIR or s.naturals[side, rank] > 0:
            _spread_over_rank(rules, s, seat, side, rank, wilds, best)
    for spent in range(wilds + 1):
        if best[spent, 1] + _best_wilds(s, seat, spent) >= missing:
            return True
    return False


@kernel
def _spread_over_rank(rules, s, seat, side, rank, wilds, best):  # type: ignore[no-untyped-def]
    """Take one rank into the knapsack: nothing, or its naturals with 0, 1, ... wilds."""
    clean = _naturals_laid(rules, s, seat, side, rank, 0)
    is_clean = meld_wilds(s, side, rank) == 0
    for spent in range(wilds, -1, -1):
        unclean, with_clean = best[spent, 0], best[spent, 1]
        if clean >= 0:
            points = clean * VALUE[rank]
            if is_clean:
                with_clean = max(with_clean, unclean) + points
            else:
                unclean, with_clean = unclean + points, with_clean + points
        for here in range(1, min(spent, rules.max_wilds_in_meld) + 1):
            naturals = _naturals_laid(rules, s, seat, side, rank, here)
            if naturals >= 0:
                unclean = max(unclean, best[spent - here, 0] + naturals * VALUE[rank])
                with_clean = max(with_clean, best[spent - here, 1] + naturals * VALUE[rank])
        best[spent, 0], best[spent, 1] = unclean, with_clean


@kernel
def _naturals_laid(rules, s, seat, side, rank, wilds):  # type: ignore[no-untyped-def]
    """Most naturals of a rank that can go to its meld beside `wilds` more wilds; −1 if that is no meld."""
    size = meld_size(s, side, rank)
    naturals = min(s.hand[seat, rank], _size_limit(rules, s, rank) - size - wilds)
    if s.closed[rank] or naturals < 0:
        return -1
    if size == 0 and (naturals < PAIR or naturals + wilds < MELD_START):
        return -1
    if wilds > 0:
        room = wild_room(rules, rank, s.naturals[side, rank] + naturals, meld_wilds(s, side, rank), True)
        if wilds > room:
            return -1
    return naturals
