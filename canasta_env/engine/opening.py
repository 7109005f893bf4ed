"""The opening: its minimum, whether it is complete, and whether it can still be completed (R-OPEN)."""

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
    SEVEN,
    TWO,
    VALUES,
)
from canasta_env.engine.dealing import is_laid_three
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import (
    LARGEST_BEFORE_TOP_CARD,
    MELD_START,
    PAIR,
    VALUE,
    can_join_ranks,
    meld_size,
    meld_sizes,
    meld_wilds,
    wild_meld_is_growing,
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
    if rules.canasta_waives_minimum and is_waived(s, side):
        return True
    if rules.needs_clean_opening and not has_clean_or_wild_meld(s, side):
        return False
    return s.opening_points >= minimum_for(rules, s.scores[side])


@kernel
def is_waived(s, side):  # type: ignore[no-untyped-def]
    """Whether the opening holds a clean or wild canasta laid wholly from the hand (R-OPEN-4)."""
    if meld_size(s, side, WILD_MELD) == CANASTA_SIZE:
        return True
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.naturals[side, rank] >= CANASTA_SIZE and rank != s.taken and meld_wilds(s, side, rank) == 0:
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
    if not rules.opens_from_hand:
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
    if rules.opens_from_hand:
        cards -= 1  # the top card, still on the pile, goes to the table
    if rules.turns_up_card:  # threes that are laid come into a pile only so
        for place in range(s.pile_size):
            cards -= is_laid_three(rules, s.pile[place])  # R-TAKE-7
    return cards


# The most points a side that has not opened can lay, and so whether its opening can be completed (R-TURN-4).
#
# One pass over the ranks adds up what their melds can hold. Pairs need a wild each, so with `spent` wilds the
# dearest pairs are laid, and the dearest wilds are the ones spent. That is exact unless a meld's size limits
# its wilds, so that laying fewer naturals can be better, or one card laid shuts out another: then a knapsack
# over the ranks decides.
#
# An example: Modern, nothing melded yet, minimum 125, and the hand K K K  9 9 9 9  A A  7 7 7  joker 2.
#
#              naturals   takes wilds
#   K              3           2       three or more naturals make a meld of their own: clean_points are
#   9              4           2       30 + 40 + 15 = 85, in clean_melds = 3, with room = 2 + 2 + 0 wilds.
#   7              3           0       One meld has to stay clean (R-OPEN-3), best the one that gives up the
#                                      fewest wilds: spared_room = 0, the sevens'.
#   A              2           2       a pair that only a wild makes a meld: pairs = 1, of them dear_pairs = 1
#                                      and middle_pairs = 0. It can take pair_room = 2 wilds.
#
# No wild lies on the table (is_mixed False), no rank comes near seven cards even with two wilds (size_limited
# and order_matters False), and there is no clean canasta (is_waived False). So of the 2 wilds
# spent = min(2, pair_room + room - spared_room) = 2 can be laid, the first of them makes the aces a meld, and
# the opening can come to 85 + 40 (A A) + 50 (joker) + 20 (2) = 195 points: 70 to spare.


_ALL_WILDS = COPIES[JOKER] + COPIES[TWO]
_IMPOSSIBLE = np.int32(-1_000_000)
TO_GO_ON = 2  # cards in hand with which a turn can end by a discard that leaves one
_UNLIMITED = 100  # cards; more than a meld can come to


class OpeningCapacity(NamedTuple):
    """What melds of ranks can take of a hand, and of its wilds if ranks can have them."""

    clean_points: int  # of the naturals of melds that can do without wilds
    room: int  # wilds that these melds can take
    spared_room: int  # ... the clean one of them that can take the fewest; 0 if another will do; else LARGEST
    clean_melds: int
    pairs: int  # in hand, of ranks not melded, that need a wild and can take it
    dear_pairs: int  # ... of aces
    middle_pairs: int  # ... of eights to kings
    pair_room: int  # wilds that the pairs can take
    is_mixed: bool  # a wild lies on a rank
    size_limited: bool  # a meld's size may limit its wilds (R-MELD-3, R-TAKE-5)
    order_matters: bool  # a card laid may shut out others: it closes a rank, or fills the wild meld
    is_waived: bool  # a clean canasta that waives the minimum is there or in the hand (R-OPEN-4)


@kernel
def _survey(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """Add up what the ranks can take."""
    wild_meld, wilds = meld_size(s, side, WILD_MELD), wilds_in_hand(s, seat)
    can_mix = wilds > 0 and can_join_ranks(rules, s, side)
    has_limit = rules.melds_end_at_seven or (rules.opens_from_hand and s.taken != NO_CARD)
    clean_points, room, spared_room, clean_melds = 0, 0, LARGEST if wild_meld == 0 else 0, 0
    pairs, dear_pairs, middle_pairs, pair_room = 0, 0, 0, 0
    is_mixed, size_limited, is_waived = False, False, False
    order_matters = _overfills_wild_meld(rules, wild_meld, wilds)
    for at in HALVES:
        hand, on_table = load_ranks(s.hand[seat], at), load_ranks(s.naturals[side], at)
        wilds_there = load_ranks(s.twos[side], at) + load_ranks(s.jokers[side], at)
        naturals = hand + on_table
        fit = at_least(naturals, PAIR) & negate(load_ranks(s.closed, at))
        mixed = at_least(wilds_there, 1)
        is_mixed = is_mixed or (fit & mixed) != NONE
        clean_canastas = at_least(on_table, CANASTA_SIZE) & negate(mixed)
        if rules.canasta_waives_minimum:
            coming = clean_canastas | fit & negate(mixed) & at_least(naturals, CANASTA_SIZE)
            is_waived = is_waived or (coming & negate(only(s.taken, at))) != NONE
        if rules.closes_ranks and clean_canastas != NONE:
            spared_room = 0  # such a meld stays clean
        if rules.closes_ranks and not rules.melds_end_at_seven:
            closing = fit & negate(mixed) & at_least(naturals, CANASTA_SIZE)
            order_matters = order_matters or closing != NONE
            naturals = where(negate(closing), naturals) | where(closing, each(CANASTA_SIZE))
        limit = _size_limits(rules, s, at)
        if has_limit:
            crowded = negate(not_below(limit, naturals + each(rules.max_wilds_in_meld)))
            size_limited = size_limited or (fit & crowded) != NONE
            naturals = smaller(naturals, minus(limit, wilds_there))
        here = NONE
        if can_mix:
            here = minus(each(rules.max_wilds_in_meld), wilds_there)
            if rules.needs_more_naturals:
                here = smaller(here, minus(naturals, wilds_there + ALL))
            if has_limit:
                here = smaller(here, minus(limit, naturals + wilds_there))
            if not rules.sevens_take_wilds:
                here = where(negate(only(SEVEN, at)), here)
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
    return OpeningCapacity(
        clean_points,
        room,
        spared_room,
        clean_melds,
        pairs,
        dear_pairs,
        middle_pairs,
        pair_room,
        is_mixed,
        size_limited,
        order_matters,
        is_waived,
    )


@kernel
def _overfills_wild_meld(rules, size, wilds):  # type: ignore[no-untyped-def]
    """Whether a hand can fill the wild meld, which ends nothing, and keep wilds for ranks (R-MELD-6)."""
    if not rules.has_wild_meld or rules.canasta_waives_minimum:
        return False
    return size < CANASTA_SIZE < size + wilds


@kernel
def _size_limits(rules, s, at):  # type: ignore[no-untyped-def]
    """`_size_limit` of the ranks at a place of `HALVES`, mixed melds or clean."""
    limit = each(CANASTA_SIZE if rules.melds_end_at_seven else _UNLIMITED)
    if not rules.opens_from_hand:
        return limit
    taken = only(s.taken, at)
    return where(negate(taken), limit) | where(taken, each(LARGEST_BEFORE_TOP_CARD))


@kernel
def reaches_minimum(rules, s, seat):  # type: ignore[no-untyped-def]
    """Whether laying cards of the hand as it is can complete the opening and, after a take, pick up."""
    side = seat % rules.num_sides
    if s.taken != NO_CARD and not can_pick_up(rules, s, seat):
        return False
    capacity = _survey(rules, s, seat, side)
    if (
        _opens_plainly(rules, s, seat, side, capacity)
        or _points_to_spare(rules, s, seat, side, capacity) >= 0
    ):
        return True
    return _opens_by_spreading(rules, s, seat, side, capacity)


@kernel
def _opens_plainly(rules, s, seat, side, capacity):  # type: ignore[no-untyped-def]
    """Whether the minimum is waived (R-OPEN-4), or met by clean melds and a wild meld."""
    if capacity.is_waived:
        return True
    if not rules.has_wild_meld:
        return False
    wild_meld, wilds = meld_size(s, side, WILD_MELD), wilds_in_hand(s, seat)
    if wild_meld == 0 and (wilds < MELD_START or capacity.is_mixed):
        return False
    if rules.canasta_waives_minimum and wild_meld + wilds >= CANASTA_SIZE:
        return True
    to_wild_meld = min(wilds, CANASTA_SIZE - wild_meld)
    return capacity.clean_points + _best_wilds(s, seat, to_wild_meld) >= _missing(rules, s, side)


@kernel
def _missing(rules, s, side):  # type: ignore[no-untyped-def]
    """Points that the opening lacks."""
    return minimum_for(rules, s.scores[side]) - s.opening_points


@kernel
def _points_to_spare(rules, s, seat, side, capacity):  # type: ignore[no-untyped-def]
    """Points beyond the minimum that ranks can come to, all naturals and wilds laid; negative if short."""
    if not rules.needs_clean_opening:
        spared_room = 0
    elif capacity.spared_room == LARGEST:  # R-OPEN-3: there is no clean meld to be had
        return _IMPOSSIBLE
    else:
        spared_room = capacity.spared_room
    spent = min(wilds_in_hand(s, seat), capacity.pair_room + capacity.room - spared_room)
    points = _pair_points(min(spent, capacity.pairs), capacity.dear_pairs, capacity.middle_pairs)
    return capacity.clean_points + points + _best_wilds(s, seat, spent) - _missing(rules, s, side)


@kernel
def _opens_by_spreading(rules, s, seat, side, capacity):  # type: ignore[no-untyped-def]
    """Whether leaving out naturals for wilds, or wilds beside a wild canasta, meet the minimum."""
    wilds = wilds_in_hand(s, seat)
    if wilds == 0 or not (capacity.size_limited or capacity.order_matters):
        return False
    missing = _missing(rules, s, side)
    is_growing = wild_meld_is_growing(s, side)
    if not capacity.order_matters:
        pair_points = _pair_points(capacity.pairs, capacity.dear_pairs, capacity.middle_pairs)
        most = capacity.clean_points + pair_points + _best_wilds(s, seat, wilds)
        if is_growing or most < missing:
            return False
    best = _spread_wilds(rules, s, seat, side, wilds)
    wild_meld = meld_size(s, side, WILD_MELD)
    needs_clean = rules.needs_clean_opening and wild_meld == 0
    if not is_growing and _reaches(s, seat, best, needs_clean, 0, wilds, missing):
        return True
    if not _overfills_wild_meld(rules, wild_meld, wilds) or (wild_meld == 0 and capacity.is_mixed):
        return False
    to_fill = CANASTA_SIZE - wild_meld
    return _reaches(s, seat, best, False, to_fill, wilds - to_fill, missing)


@kernel
def _reaches(s, seat, best, needs_clean, to_wild_meld, to_ranks, missing):  # type: ignore[no-untyped-def]
    """Whether up to `to_ranks` wilds on ranks, beside those of the wild meld, bring the missing points."""
    for spent in range(to_ranks + 1):
        naturals = best[spent, 1] if needs_clean else max(best[spent, 0], best[spent, 1])
        if naturals + _best_wilds(s, seat, to_wild_meld + spent) >= missing:
            return True
    return False


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
def _size_limit(rules, s, rank, is_clean):  # type: ignore[no-untyped-def]
    """Most cards a meld of a rank may come to before the opening is complete."""
    if rules.opens_from_hand and rank == s.taken:
        return LARGEST_BEFORE_TOP_CARD
    if rules.melds_end_at_seven or (rules.closes_ranks and is_clean):
        return CANASTA_SIZE
    return _UNLIMITED


@kernel
def _spread_wilds(rules, s, seat, side, wilds):  # type: ignore[no-untyped-def]
    """Most points of naturals laid with each number of wilds on ranks.

    best[u, c]: with u wilds spent; c is 1 where a clean meld remains, as R-OPEN-3 asks. Whatever the ranks,
    u wilds count most as the u dearest of the hand.
    """
    best = np.full((_ALL_WILDS + 1, 2), _IMPOSSIBLE, np.int32)
    best[0, 0] = 0
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.hand[seat, rank] >= PAIR or s.naturals[side, rank] > 0:
            _spread_over_rank(rules, s, seat, side, rank, wilds, best)
    return best


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
    if s.closed[rank]:
        return 0 if size > 0 and wilds == 0 else -1
    is_clean = wilds == 0 and meld_wilds(s, side, rank) == 0
    naturals = min(s.hand[seat, rank], _size_limit(rules, s, rank, is_clean) - size - wilds)
    if naturals < 0:
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
    if rules.opens_from_hand and s.taken != NO_CARD:
        return UNKNOWN
    capacity = _survey(rules, s, seat, side)
    to_spare = _points_to_spare(rules, s, seat, side, capacity)
    if to_spare < 0 and not _opens_plainly(rules, s, seat, side, capacity):
        return UNKNOWN if _opens_by_spreading(rules, s, seat, side, capacity) else CANNOT_OPEN
    if capacity.order_matters or cards_to_hold(rules, s) > _cards_never_laid(s, seat, side):
        return UNKNOWN
    wilds = wilds_in_hand(s, seat)
    spared_room = rules.max_wilds_in_meld if rules.needs_clean_opening else 0
    if to_spare < 0 or capacity.size_limited or capacity.pair_room + capacity.room - spared_room < wilds:
        return NATURALS_FREE
    # All wilds can be laid, wherever the first goes; it costs at most the pair that it would have completed.
    are_pairs_spared = to_spare >= _WORTH_OF_PAIR
    is_clean_spared = capacity.clean_melds > 1 or not rules.needs_clean_opening
    if (wilds > capacity.pairs or are_pairs_spared) and is_clean_spared:
        return ALL_FREE
    return PAIRS_FREE if wilds >= capacity.pairs or are_pairs_spared else NATURALS_FREE
