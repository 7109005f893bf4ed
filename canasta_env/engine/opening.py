"""Can the opening still be completed? (R-OPEN, and R-TURN-4 for sides that have not opened)

Cheap bounds answer the plain cases. The rest is exact: for every number of wilds spent on melds of ranks
a knapsack over the ranks finds the most points that can be laid, and R-MELD decides what a rank can hold.
"""

from __future__ import annotations

import numpy as np

from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, COPIES, FIRST_RANK, JOKER, NUM_KINDS, RED_THREE, TWO
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import (
    LARGEST_BEFORE_TOP_CARD,
    MELD_START,
    PAIR,
    VALUE,
    can_join_ranks,
    has_mixed_meld,
    meld_size,
    meld_wilds,
    wild_room,
)
from canasta_env.engine.state import NO_CARD, WILD_MELD

_ALL_WILDS = COPIES[JOKER] + COPIES[TWO]
_IMPOSSIBLE = np.int32(-1_000_000)
_TO_GO_ON = 2  # cards in hand with which a turn can end by a discard that leaves one
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
    if not _reaches_minimum(rules, s, seat):
        return False
    to_hold = max(0, _TO_GO_ON - cards_to_come(rules, s))
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
            found = _reaches_minimum(rules, s, seat)
        else:
            for second in range(first, NUM_KINDS):
                if s.hand[seat, second] > 0 and not found:
                    s.hand[seat, second] -= 1
                    found = _reaches_minimum(rules, s, seat)
                    s.hand[seat, second] += 1
        s.hand[seat, first] += 1
        if found:
            return True
    return False


@kernel
def _reaches_minimum(rules, s, seat):  # type: ignore[no-untyped-def]
    """Whether laying cards of the hand as it is can complete the opening and, after a take, pick up."""
    side = seat % rules.num_sides
    minimum = minimum_for(rules, s.scores[side])
    if rules.is_modern:
        return _reaches_minimum_modern(rules, s, seat, side, minimum)
    if s.opening_points >= minimum and s.melded_now:
        return True
    if _points_bound(rules, s, seat, side) < minimum:
        return False
    return _best_with_mixed_melds(rules, s, seat, side, minimum)


@kernel
def _reaches_minimum_modern(rules, s, seat, side, minimum):  # type: ignore[no-untyped-def]
    if s.taken != NO_CARD and not can_pick_up(rules, s, seat):
        return False
    if _can_waive(rules, s, seat, side):
        return True
    if _points_bound(rules, s, seat, side) < minimum:
        return False
    wilds = s.hand[seat, JOKER] + s.hand[seat, TWO]
    wild_meld = meld_size(s, side, WILD_MELD)
    if wild_meld > 0 or (wilds >= MELD_START and not has_mixed_meld(s, side)):
        room = CANASTA_SIZE - wild_meld
        points = s.opening_points + _best_wilds(s, seat, min(wilds, room))
        if points + _clean_points(rules, s, seat, side) >= minimum:
            return True
    return wild_meld == 0 and _best_with_mixed_melds(rules, s, seat, side, minimum)


@kernel
def _can_waive(rules, s, seat, side):  # type: ignore[no-untyped-def]
    if is_waived(s, side):
        return True
    wild_meld = meld_size(s, side, WILD_MELD)
    wilds = s.hand[seat, JOKER] + s.hand[seat, TWO]
    if wild_meld + wilds >= CANASTA_SIZE and (wild_meld > 0 or not has_mixed_meld(s, side)):
        return True
    for rank in range(FIRST_RANK, NUM_KINDS):
        if rank != s.taken and not s.closed[rank] and meld_wilds(s, side, rank) == 0:
            if s.naturals[side, rank] + s.hand[seat, rank] >= CANASTA_SIZE:
                return True
    return False


@kernel
def _points_bound(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """No layout of the hand brings the opening above this many points."""
    wilds = s.hand[seat, JOKER] + s.hand[seat, TWO]
    points = s.opening_points + s.hand[seat, JOKER] * VALUE[JOKER] + s.hand[seat, TWO] * VALUE[TWO]
    needs_clean = rules.is_modern
    for rank in range(FIRST_RANK, NUM_KINDS):
        cards = s.hand[seat, rank]
        on_table = s.naturals[side, rank]
        if cards >= MELD_START or on_table > 0 or (cards == PAIR and wilds > 0):
            points += cards * VALUE[rank]
        if cards >= MELD_START or (on_table > 0 and meld_wilds(s, side, rank) == 0):
            needs_clean = False
    if needs_clean and wilds + meld_size(s, side, WILD_MELD) < MELD_START:
        return _IMPOSSIBLE  # R-OPEN-3
    return points


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


@kernel
def _clean_points(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """Points of all naturals that can be laid without a wild."""
    points = 0
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.hand[seat, rank] > 0:
            points += max(0, _naturals_laid(rules, s, seat, side, rank, 0)) * VALUE[rank]
    return points


@kernel
def _best_with_mixed_melds(rules, s, seat, side, minimum):  # type: ignore[no-untyped-def]
    """Whether melds of ranks, with the hand's wilds spread over them, reach the minimum.

    best[u, c]: most points of naturals laid with u wilds spent; c is 1 where a clean meld remains, as
    R-OPEN-3 asks in Modern. Whatever the ranks, u wilds count most as the u dearest of the hand.
    """
    wilds = s.hand[seat, JOKER] + s.hand[seat, TWO] if can_join_ranks(rules, s, side) else 0
    best = np.full((_ALL_WILDS + 1, 2), _IMPOSSIBLE, np.int32)
    best[0, 0 if rules.is_modern else 1] = 0
    for rank in range(FIRST_RANK, NUM_KINDS):
        is_clean = s.naturals[side, rank] > 0 and meld_wilds(s, side, rank) == 0
        if s.hand[seat, rank] >= PAIR or s.naturals[side, rank] > 0:
            _spread_over_rank(rules, s, seat, side, rank, is_clean, wilds, best)
    for spent in range(wilds + 1):
        if s.opening_points + best[spent, 1] + _best_wilds(s, seat, spent) >= minimum:
            return True
    return False


@kernel
def _spread_over_rank(rules, s, seat, side, rank, is_clean, wilds, best):  # type: ignore[no-untyped-def]
    """Take one rank into the knapsack: nothing, or its naturals with 0, 1, ... wilds."""
    clean = _naturals_laid(rules, s, seat, side, rank, 0)
    for spent in range(wilds, -1, -1):
        unclean, with_clean = best[spent, 0], best[spent, 1]
        if clean >= 0:
            points = clean * VALUE[rank]
            if is_clean or (clean > 0 and s.naturals[side, rank] == 0):
                with_clean = max(with_clean, unclean) + points
            else:
                unclean, with_clean = unclean + points, with_clean + points
        for here in range(1, min(spent, rules.max_wilds_in_meld) + 1):
            naturals = _naturals_laid(rules, s, seat, side, rank, here)
            if naturals >= 0:
                unclean = max(unclean, best[spent - here, 0] + naturals * VALUE[rank])
                with_clean = max(with_clean, best[spent - here, 1] + naturals * VALUE[rank])
        best[spent, 0], best[spent, 1] = unclean, with_clean
