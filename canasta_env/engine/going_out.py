"""Whether the turn can end by going out (R-OUT, and R-TURN-4 for ask, yes and black threes).

Going out leaves no card, so which cards are laid is fixed but for the last discard; only the wilds can be
spread in different ways. For each possible discard a count of forced wilds, of room for wilds, and of the
wilds each unfinished canasta still needs decides exactly.
"""

from __future__ import annotations

from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, FIRST_RANK, NUM_KINDS
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import (
    MELD_START,
    PAIR,
    VALUE,
    can_begin_wild_meld,
    meld_size,
    meld_sizes,
    meld_wilds,
    wild_room,
    wilds_in_hand,
)
from canasta_env.engine.opening import minimum_for
from canasta_env.engine.state import NO_CARD, WILD_MELD
from canasta_env.engine.swar import HALVES, add_up, at_least, each, load_ranks, minus, negate, where

_BITS = 6  # width of one counter of needs: there are fewer than 64 melds


@kernel
def lays_everything(rules, s):  # type: ignore[no-untyped-def]
    """Whether the player to move can go out with the hand as it is, by melding and perhaps a discard.

    Not for an opening with a pile that is still to be picked up.
    """
    seat = s.to_play
    side = seat % rules.num_sides
    if not rules.goes_out_by_discarding and _lays_all(rules, s, seat, side):
        return True
    for kind in range(NUM_KINDS):
        if s.hand[seat, kind] > 0:
            s.hand[seat, kind] -= 1  # the discard
            fits = _lays_all(rules, s, seat, side)
            s.hand[seat, kind] += 1
            if fits:
                return True
    return False


@kernel
def is_out_of_reach(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """A cheap way to rule out going out: two cards that no meld takes, or too few canastas to be had.

    The hand has to hold what a pick up will bring.
    """
    wilds = wilds_in_hand(s, seat)
    usable_wilds = min(wilds, rules.max_wilds_in_meld)
    canastas = s.canastas[side]
    without_meld = s.hand[seat, BLACK_THREE]
    if rules.can_meld_black_threes and (without_meld >= MELD_START or s.naturals[side, BLACK_THREE] > 0):
        without_meld = 0
    for at in HALVES:
        hand, sizes = load_ranks(s.hand[seat], at), meld_sizes(s, side, at)
        closed = load_ranks(s.closed, at)
        stuck = at_least(hand, 1) & negate(at_least(hand, PAIR) | at_least(sizes, 1))
        if rules.melds_end_at_seven:
            stuck += minus(hand + sizes, each(CANASTA_SIZE))
        without_meld += add_up(where(closed, hand) + where(negate(closed), stuck), at)
        within_reach = at_least(hand + sizes + each(usable_wilds), CANASTA_SIZE)
        canastas += add_up(within_reach & negate(at_least(sizes, CANASTA_SIZE)), at)
    if without_meld > 1:
        return True
    wild_meld = meld_size(s, side, WILD_MELD)
    if rules.has_wild_meld and wild_meld < CANASTA_SIZE <= wild_meld + wilds:
        canastas += 1
    return canastas < rules.canastas_to_go_out


@kernel
def _lays_all(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """Whether all the hand can be laid with the canastas to go out, and as an opening where there is none."""
    if not _lays_black_threes(rules, s, seat, side):
        return False
    if s.opened[side]:
        return _lays_all_keeping(rules, s, seat, side, NO_CARD)
    if not rules.canasta_waives_minimum and not _opens_with_hand(rules, s, seat, side):
        return False
    if rules.needs_clean_opening or rules.canasta_waives_minimum:
        cards = MELD_START if rules.needs_clean_opening else CANASTA_SIZE
        for rank in range(FIRST_RANK, NUM_KINDS):  # R-OPEN-3, R-OPEN-4
            is_clean = s.hand[seat, rank] + s.naturals[side, rank] >= cards and meld_wilds(s, side, rank) == 0
            if is_clean and _lays_all_keeping(rules, s, seat, side, rank):
                return True
    return _lays_all_keeping(rules, s, seat, side, NO_CARD)


@kernel
def _lays_black_threes(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """Whether the black threes of the hand, if any, make or join a meld (R-MELD-8)."""
    black_threes = s.hand[seat, BLACK_THREE]
    if black_threes == 0:
        return True
    return rules.can_meld_black_threes and (s.naturals[side, BLACK_THREE] > 0 or black_threes >= MELD_START)


@kernel
def _lays_all_keeping(rules, s, seat, side, clean_rank):  # type: ignore[no-untyped-def]
    """The same, with no wild onto `clean_rank`.

    Where an opening needs a clean meld, NO_CARD stands for the wild meld, which has to be laid (R-OPEN-3).
    """
    canastas, forced, room, needs = 0, 0, 0, 0
    for rank in range(FIRST_RANK, NUM_KINDS):
        cards = s.hand[seat, rank]
        on_table = s.naturals[side, rank]
        if cards + on_table == 0:
            continue
        naturals, wilds = on_table + cards, meld_wilds(s, side, rank)
        if cards > 0 and (s.closed[rank] or naturals < PAIR):
            return False
        if rules.melds_end_at_seven and naturals + wilds > CANASTA_SIZE:
            return False
        here = 0
        if rank != clean_rank and not s.closed[rank]:
            here = max(0, wild_room(rules, rank, naturals, wilds, not s.opened[side]))
        closes_early = rules.closes_ranks and cards > 0 and wilds == 0 and naturals > CANASTA_SIZE
        must = 1 if naturals + wilds < MELD_START or closes_early else 0
        if must > here:
            return False
        need = CANASTA_SIZE - naturals - wilds
        forced += must
        room += here
        if need <= 0:
            canastas += 1
        elif need <= here:
            needs += 1 << int(_BITS * (need - must))
    return _spreads_wilds(rules, s, seat, side, clean_rank, canastas, forced, room, needs)


@kernel
def _opens_with_hand(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """Whether all the cards of the hand bring the opening to its minimum (R-OPEN-2)."""
    points = s.opening_points
    for kind in range(NUM_KINDS):
        points += s.hand[seat, kind] * VALUE[kind]
    return points >= minimum_for(rules, s.scores[side])


@kernel
def _spreads_wilds(rules, s, seat, side, clean_rank, canastas, forced, room, needs):  # type: ignore[no-untyped-def]
    """Whether some split of the wilds between the wild meld and the ranks makes enough canastas."""
    wilds = wilds_in_hand(s, seat)
    wild_meld = meld_size(s, side, WILD_MELD)
    if wild_meld == CANASTA_SIZE:
        canastas += 1
    is_opening = not s.opened[side]
    is_waived = is_opening and _waives_minimum(rules, s, seat, side, clean_rank)
    is_reached = not is_opening or is_waived or _opens_with_hand(rules, s, seat, side)
    needs_wild_meld = is_opening and rules.needs_clean_opening and clean_rank == NO_CARD  # R-OPEN-3
    most = min(wilds, CANASTA_SIZE - wild_meld) if rules.has_wild_meld else 0
    for to_wild_meld in range(most + 1):
        grown = wild_meld + to_wild_meld
        to_ranks = wilds - to_wild_meld
        if to_wild_meld > 0 and grown < MELD_START:
            continue
        if to_wild_meld > 0 and wild_meld == 0 and not can_begin_wild_meld(rules, s, side):
            continue
        begun_before = grown if is_opening else wild_meld  # an opened side may begin it last
        if begun_before > 0 and grown < CANASTA_SIZE and to_ranks > 0:
            continue  # R-MELD-6
        if needs_wild_meld and grown == 0:
            continue
        if not is_reached and (grown < CANASTA_SIZE or not rules.canasta_waives_minimum):
            continue  # R-OPEN-2, R-OPEN-4
        if to_ranks < forced or to_ranks > room:
            continue
        finished = 1 if wild_meld < CANASTA_SIZE and grown == CANASTA_SIZE else 0
        if canastas + finished + _completed(needs, to_ranks - forced) >= rules.canastas_to_go_out:
            return True
    return False


@kernel
def _waives_minimum(rules, s, seat, side, clean_rank):  # type: ignore[no-untyped-def]
    """Whether all the hand makes `clean_rank` a clean canasta that waives the minimum (R-OPEN-4)."""
    if not rules.canasta_waives_minimum or clean_rank == NO_CARD:
        return False
    return s.hand[seat, clean_rank] + s.naturals[side, clean_rank] >= CANASTA_SIZE


@kernel
def _completed(needs, wilds):  # type: ignore[no-untyped-def]
    """Most canastas that so many wilds can finish, the smallest needs first."""
    completed = 0
    for need in range(CANASTA_SIZE):
        melds = (needs >> (_BITS * need)) & ((1 << _BITS) - 1)
        for _ in range(melds):
            if need > wilds:
                return completed
            wilds -= need
            completed += 1
    return completed
