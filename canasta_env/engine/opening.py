"""The opening as it lies: its minimum, whether it is complete, what a pick up asks and brings (R-OPEN).

Whether it can still be completed is asked in `reaching`.
"""

from __future__ import annotations

from typing import NamedTuple

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
    SEVEN,
    TWO,
    VALUES,
)
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import (
    LARGEST_BEFORE_TOP_CARD,
    MELD_START,
    PAIR,
    VALUE,
    meld_size,
    meld_sizes,
    meld_wilds,
    wild_room,
    wilds_in_hand,
)
from canasta_env.engine.state import NO_CARD, WILD_MELD
from canasta_env.engine.swar import (
    ALL,
    HALVES,
    LARGEST,
    NONE,
    add_up,
    add_up_points,
    at_least,
    each,
    least,
    load_ranks,
    middle_ranks,
    minus,
    negate,
    not_below,
    only,
    smaller,
    where,
)


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


# The most points a side that has not opened can lay, and so whether its opening can be completed (R-TURN-4).
#
# One pass over the ranks adds up what their melds can hold. Pairs need a wild each, so with `spent` wilds the
# dearest pairs are laid, and the dearest wilds are the ones spent. Only where a meld's size limits its wilds
# (Modern: many naturals) can laying fewer naturals be better: then a knapsack over the ranks decides.


_ALL_WILDS = COPIES[JOKER] + COPIES[TWO]
_IMPOSSIBLE = np.int32(-1_000_000)
TO_GO_ON = 2  # cards in hand with which a turn can end by a discard that leaves one
_UNLIMITED = 100  # cards; more than a meld can come to


class Laying(NamedTuple):
    """What melds of ranks can take of a hand, and of its wilds if ranks can have them."""

    clean_points: int  # of the naturals of melds that can do without wilds
    room: int  # wilds that these melds can take
    spared_room: int  # ... the clean one of them that can take the fewest; LARGEST if none is clean
    clean_melds: int
    pairs: int  # in hand, of ranks not melded, that need a wild and can take it
    dear_pairs: int  # ... of aces
    middle_pairs: int  # ... of eights to kings
    pair_room: int  # wilds that the pairs can take
    is_mixed: bool  # a wild lies on a rank
    is_crowded: bool  # a meld's size may limit its wilds (Modern)
    is_waived: bool  # a clean canasta is there or in the hand (R-OPEN-4)


@kernel
def _survey(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """Add up what the ranks can take."""
    is_modern = rules.is_modern
    can_mix = wilds_in_hand(s, seat) > 0 and meld_size(s, side, WILD_MELD) == 0
    clean_points, room, spared_room, clean_melds = 0, 0, LARGEST, 0
    pairs, dear_pairs, middle_pairs, pair_room = 0, 0, 0, 0
    is_mixed, is_crowded, is_waived = False, False, False
    for at in HALVES:
        hand, on_table = load_ranks(s.hand[seat], at), load_ranks(s.naturals[side], at)
        wilds_there = load_ranks(s.twos[side], at) + load_ranks(s.jokers[side], at)
        naturals = hand + on_table
        fit = at_least(naturals, PAIR) & negate(load_ranks(s.closed, at))
        mixed = at_least(wilds_there, 1)
        is_mixed = is_mixed or (fit & mixed) != NONE
        if is_modern:
            taken = only(s.taken, at)
            canastas = at_least(on_table, CANASTA_SIZE) | fit & negate(taken) & at_least(
                naturals, CANASTA_SIZE
            )
            is_waived = is_waived or (canastas & negate(mixed)) != NONE
            limit = each(CANASTA_SIZE) - taken  # LARGEST_BEFORE_TOP_CARD
            crowded = negate(not_below(limit, naturals + each(rules.max_wilds_in_meld)))
            is_crowded = is_crowded or (fit & crowded) != NONE
            naturals = smaller(naturals, minus(limit, wilds_there))
        here = NONE
        if can_mix:
            here = minus(each(rules.max_wilds_in_meld), wilds_there)
            if is_modern:
                here = where(negate(only(SEVEN, at)), smaller(here, minus(limit, naturals + wilds_there)))
            else:
                here = smaller(here, minus(naturals, wilds_there + ALL))
        lone_pairs = fit & negate(at_least(on_table, 1) | at_least(hand, MELD_START))
        others = fit ^ lone_pairs
        clean = others & negate(mixed)
        clean_points += add_up_points(where(others, minus(naturals, on_table)), at)
        room += add_up(where(others, here), at)
        spared_room = min(spared_room, least(clean, here))
        clean_melds += add_up(clean, at)
        pair_room += add_up(where(lone_pairs, here), at)
        lone_pairs &= at_least(here, 1)
        pairs += add_up(lone_pairs, at)
        dear_pairs += add_up(lone_pairs & only(ACE, at), at)
        middle_pairs += add_up(lone_pairs & middle_ranks(at), at)
    return Laying(
        clean_points,
        room,
        spared_room,
        clean_melds,
        pairs,
        dear_pairs,
        middle_pairs,
        pair_room,
        is_mixed,
        is_crowded,
        is_waived,
    )


@kernel
def reaches_minimum(rules, s, seat):  # type: ignore[no-untyped-def]
    """Whether laying cards of the hand as it is can complete the opening and, after a take, pick up."""
    side = seat % rules.num_sides
    if rules.is_modern and s.taken != NO_CARD and not can_pick_up(rules, s, seat):
        return False
    laying = _survey(rules, s, seat, side)
    if _opens_plainly(rules, s, seat, side, laying) or _points_to_spare(rules, s, seat, side, laying) >= 0:
        return True
    return _opens_crowded(rules, s, seat, side, laying)


@kernel
def _opens_plainly(rules, s, seat, side, laying):  # type: ignore[no-untyped-def]
    """Whether the minimum is waived (R-OPEN-4), or met by clean melds and a wild meld."""
    if not rules.is_modern:
        return False
    wild_meld, wilds = meld_size(s, side, WILD_MELD), wilds_in_hand(s, seat)
    if laying.is_waived:
        return True
    if wild_meld == 0 and (wilds < MELD_START or laying.is_mixed):
        return False
    if wild_meld + wilds >= CANASTA_SIZE:
        return True
    return laying.clean_points + _best_wilds(s, seat, wilds) >= _missing(rules, s, side)


@kernel
def _missing(rules, s, side):  # type: ignore[no-untyped-def]
    """Points that the opening lacks."""
    return minimum_for(rules, s.scores[side]) - s.opening_points


@kernel
def _points_to_spare(rules, s, seat, side, laying):  # type: ignore[no-untyped-def]
    """Points beyond the minimum that ranks can come to, all naturals and wilds laid; negative if short."""
    if not rules.is_modern:
        spared_room = 0
    elif laying.spared_room == LARGEST:  # R-OPEN-3: there is no clean meld to be had
        return _IMPOSSIBLE
    else:
        spared_room = laying.spared_room
    spent = min(wilds_in_hand(s, seat), laying.pair_room + laying.room - spared_room)
    points = _pair_points(min(spent, laying.pairs), laying.dear_pairs, laying.middle_pairs)
    return laying.clean_points + points + _best_wilds(s, seat, spent) - _missing(rules, s, side)


@kernel
def _opens_crowded(rules, s, seat, side, laying):  # type: ignore[no-untyped-def]
    """Whether leaving out naturals of crowded melds for wilds meets the minimum (Modern)."""
    if not laying.is_crowded or wilds_in_hand(s, seat) == 0 or meld_size(s, side, WILD_MELD) > 0:
        return False
    missing = _missing(rules, s, side)
    pair_points = _pair_points(laying.pairs, laying.dear_pairs, laying.middle_pairs)
    if laying.clean_points + pair_points + _best_wilds(s, seat, wilds_in_hand(s, seat)) < missing:
        return False
    return _best_with_mixed_melds(rules, s, seat, side, missing)


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


@kernel
def can_open(rules, s):  # type: ignore[no-untyped-def]
    """Whether the player to move can complete the opening and then discard, keeping a card.

    Only for a side that has not opened and has a turn's melding before it: nothing, or an incomplete
    opening, lies on the table.
    """
    seat = s.to_play
    if not reaches_minimum(rules, s, seat):
        return False
    to_hold = cards_to_hold(rules, s)
    if to_hold <= _cards_never_laid(s, seat, seat % rules.num_sides):
        return True
    return _can_open_holding(rules, s, seat, to_hold)


@kernel
def cards_to_hold(rules, s):  # type: ignore[no-untyped-def]
    """Cards of the hand that the opening must leave, besides what `pick up` will bring."""
    return max(0, TO_GO_ON - cards_to_come(rules, s))


@kernel
def _cards_never_laid(s, seat, side):  # type: ignore[no-untyped-def]
    """Cards that no meld takes."""
    cards = s.hand[seat, BLACK_THREE]
    for at in HALVES:
        hand = load_ranks(s.hand[seat], at)
        no_melds = negate(at_least(hand, PAIR) | at_least(meld_sizes(s, side, at), 1))
        cards += add_up(where(no_melds | load_ranks(s.closed, at), hand), at)
    return cards


@kernel
def _can_open_holding(rules, s, seat, to_hold):  # type: ignore[no-untyped-def]
    """Try every one or two cards that could be held back; the rest has to reach the minimum."""
    for place in range(NUM_KINDS):
        first = (FIRST_RANK + place) % NUM_KINDS  # the cheap ones first
        if s.hand[seat, first] == 0:
            continue
        s.hand[seat, first] -= 1
        found = False
        if to_hold == 1:
            found = reaches_minimum(rules, s, seat)
        else:
            for place_of_second in range(place, NUM_KINDS):
                second = (FIRST_RANK + place_of_second) % NUM_KINDS
                if s.hand[seat, second] > 0 and not found:
                    s.hand[seat, second] -= 1
                    found = reaches_minimum(rules, s, seat)
                    s.hand[seat, second] += 1
        s.hand[seat, first] += 1
        if found:
            return True
    return False


# How free a side that has not opened is to lay: what leaves the most points that can be laid as they are.
CANNOT_OPEN, UNKNOWN, NATURALS_FREE, PAIRS_FREE, ALL_FREE = range(5)
_WORTH_OF_PAIR = PAIR * VALUES[ACE]


@kernel
def freedom_to_lay(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """Which melds and additions certainly leave the opening completable, without trying them.

    `NATURALS_FREE`: naturals alone, and wilds onto the wild meld. `PAIRS_FREE`: also a wild with a pair that
    is all of its rank in the hand. `ALL_FREE`: every wild on every rank. None covers beginning a wild meld.
    `CANNOT_OPEN` is certain, `UNKNOWN` says nothing.
    """
    if rules.is_modern and s.taken != NO_CARD:
        return UNKNOWN
    laying = _survey(rules, s, seat, side)
    to_spare = _points_to_spare(rules, s, seat, side, laying)
    if to_spare < 0 and not _opens_plainly(rules, s, seat, side, laying):
        return UNKNOWN if _opens_crowded(rules, s, seat, side, laying) else CANNOT_OPEN
    if cards_to_hold(rules, s) > _cards_never_laid(s, seat, side):
        return UNKNOWN
    wilds = wilds_in_hand(s, seat)
    spared_room = rules.max_wilds_in_meld if rules.is_modern else 0
    if to_spare < 0 or laying.is_crowded or laying.pair_room + laying.room - spared_room < wilds:
        return NATURALS_FREE
    # All wilds can be laid, wherever the first goes; it costs at most the pair that it would have completed.
    are_pairs_spared = to_spare >= _WORTH_OF_PAIR
    if (wilds > laying.pairs or are_pairs_spared) and (laying.clean_melds > 1 or not rules.is_modern):
        return ALL_FREE
    return PAIRS_FREE if wilds >= laying.pairs or are_pairs_spared else NATURALS_FREE
