"""Actions that the clauses allow in the midst of a turn, the rest of the turn not considered.

`legality` keeps those of them after which the turn can still be completed (R-TURN-4).
"""

from __future__ import annotations

import numpy as np

from canasta_env.actions import (
    ADD_BLACK_THREE,
    ADD_JOKER,
    ADD_JOKER_TO_WILDS,
    ADD_NATURAL,
    ADD_TWO,
    ADD_TWO_TO_WILDS,
    DISCARD_BLACK_THREE,
    DISCARD_JOKER,
    DISCARD_NATURAL,
    DISCARD_TWO,
    MELD_BLACK_THREES,
    MELD_CLEAN,
    MELD_WILDS,
    MELD_WITH_JOKER,
    MELD_WITH_TWO,
    PICK_UP,
)
from canasta_env.cards import ACE, BLACK_THREE, CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, SEVEN, TWO
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import (
    MELD_START,
    PAIR,
    can_begin_wild_meld,
    can_join_ranks,
    have_wild_room,
    meld_size,
)
from canasta_env.engine.opening import can_pick_up, is_opening_complete
from canasta_env.engine.ranks import ALL, HALVES, NONE, at_least, each, load_ranks, negate
from canasta_env.engine.state import MUST_GO_OUT, NO_CARD, REFUSED, WILD_MELD
from canasta_env.engine.words import store_word

_LAST_CLASS = 3  # R-DISC-3 (iv); class (v), wilds, is left if a hand holds nothing else


@kernel
def allow_in_turn(rules, s, allowed):  # type: ignore[no-untyped-def]
    """Set what PHASE_PLAY allows by itself, but for asking, in `allowed`, `(NUM_ACTIONS,) int8`."""
    seat = s.to_play
    side = seat % rules.num_sides
    allow_melding(rules, s, seat, side, allowed)
    if s.taken != NO_CARD:
        if can_pick_up(rules, s, seat) and is_opening_complete(rules, s, side):
            allowed[PICK_UP] = 1
    elif s.opened[side] or not s.melded_now or is_opening_complete(rules, s, side):
        allow_discards(rules, s, seat, side, allowed)


@kernel
def allow_melding(rules, s, seat, side, allowed):  # type: ignore[no-untyped-def]
    """Set the melds and additions (R-MELD)."""
    has_two = s.hand[seat, TWO] > 0
    has_joker = s.hand[seat, JOKER] > 0
    if (has_two or has_joker) and not can_join_ranks(rules, s, side):
        has_two, has_joker = False, False
    in_opening = not s.opened[side]
    with_two, with_joker = np.uint64(has_two) * ALL, np.uint64(has_joker) * ALL
    for at in HALVES:
        hand, naturals = load_ranks(s.hand[seat], at), load_ranks(s.naturals[side], at)
        wilds = load_ranks(s.twos[side], at) + load_ranks(s.jokers[side], at)
        can_be = at_least(hand + naturals, PAIR) & negate(load_ranks(s.closed, at))
        lies = can_be & at_least(naturals, 1)
        begins = can_be ^ lies
        grows = lies & at_least(hand, 1)
        if rules.is_modern:
            grows &= negate(at_least(naturals + wilds, CANASTA_SIZE))
        store_word(allowed, MELD_CLEAN + at, begins & at_least(hand, MELD_START))
        store_word(allowed, ADD_NATURAL + at, grows)
        if has_two or has_joker:
            begins &= have_wild_room(rules, at, each(PAIR), NONE, in_opening)
            lies &= have_wild_room(rules, at, naturals, wilds, in_opening)
            store_word(allowed, MELD_WITH_TWO + at, begins & with_two)
            store_word(allowed, MELD_WITH_JOKER + at, begins & with_joker)
            store_word(allowed, ADD_TWO + at, lies & with_two)
            store_word(allowed, ADD_JOKER + at, lies & with_joker)
    if rules.is_modern:
        _allow_wild_meld(rules, s, seat, side, allowed)
    elif s.taken == NO_CARD:  # R-TAKE-5
        _allow_black_threes(s, seat, side, allowed)


@kernel
def _allow_wild_meld(rules, s, seat, side, allowed):  # type: ignore[no-untyped-def]
    twos, jokers = s.hand[seat, TWO], s.hand[seat, JOKER]
    if twos + jokers == 0:
        return
    size = meld_size(s, side, WILD_MELD)
    if 0 < size < CANASTA_SIZE:
        allowed[ADD_TWO_TO_WILDS] = twos > 0
        allowed[ADD_JOKER_TO_WILDS] = jokers > 0
    elif twos + jokers >= MELD_START and can_begin_wild_meld(rules, s, side):
        for with_jokers in range(MELD_START + 1):
            if jokers >= with_jokers and twos >= MELD_START - with_jokers:
                allowed[MELD_WILDS + with_jokers] = 1


@kernel
def _allow_black_threes(s, seat, side, allowed):  # type: ignore[no-untyped-def]
    """R-MELD-8: the melding itself; `legality` sees to it that the turn ends by going out."""
    black_threes = s.hand[seat, BLACK_THREE]
    if s.naturals[side, BLACK_THREE] > 0:
        allowed[ADD_BLACK_THREE] = black_threes > 0
    elif black_threes >= MELD_START:
        allowed[MELD_BLACK_THREES] = 1


@kernel
def must_go_out(rules, s, side):  # type: ignore[no-untyped-def]
    """Whether the turn can only end by going out (R-OUT-3, R-MELD-8)."""
    return s.answer == MUST_GO_OUT or s.naturals[side, BLACK_THREE] > 0


@kernel
def allow_discards(rules, s, seat, side, allowed):  # type: ignore[no-untyped-def]
    """Set the discards, the opening taken to be complete or not begun (R-DISC, R-OUT)."""
    goes_out = s.hand_size[seat] == 1
    if goes_out:
        if s.answer == REFUSED or s.canastas[side] < rules.canastas_to_go_out:
            return
    elif must_go_out(rules, s, side):
        return
    if rules.is_modern and not goes_out:
        _allow_discards_modern(s, seat, allowed)
        return
    allowed[DISCARD_JOKER] = s.hand[seat, JOKER] > 0
    allowed[DISCARD_TWO] = s.hand[seat, TWO] > 0
    allowed[DISCARD_BLACK_THREE] = s.hand[seat, BLACK_THREE] > 0 and not rules.is_modern
    for at in HALVES:
        store_word(allowed, DISCARD_NATURAL + at, at_least(load_ranks(s.hand[seat], at), 1))


@kernel
def _allow_discards_modern(s, seat, allowed):  # type: ignore[no-untyped-def]
    """R-DISC-2, and on an empty pile the first class of R-DISC-3 that the hand holds."""
    held = NONE
    for at in HALVES:
        naturals = at_least(load_ranks(s.hand[seat], at), 1)
        held |= naturals
        store_word(allowed, DISCARD_NATURAL + at, naturals)
    if held == NONE:  # a hand of wilds only
        allowed[DISCARD_JOKER] = s.hand[seat, JOKER] > 0
        allowed[DISCARD_TWO] = s.hand[seat, TWO] > 0
    elif s.pile_size == 0:
        _keep_first_class(s, seat, allowed)


@kernel
def _keep_first_class(s, seat, allowed):  # type: ignore[no-untyped-def]
    """R-DISC-3: of the discards, keep the first class there is."""
    best_class = _LAST_CLASS
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.hand[seat, rank] > 0:
            best_class = min(best_class, _discard_class(s, rank))
    for rank in range(FIRST_RANK, NUM_KINDS):
        if _discard_class(s, rank) != best_class:
            allowed[DISCARD_NATURAL + rank - FIRST_RANK] = 0


@kernel
def _discard_class(s, rank):  # type: ignore[no-untyped-def]
    """Place of a natural among the classes (i) to (iv) of R-DISC-3, from 0."""
    is_last_resort = rank in (SEVEN, ACE)
    return 2 * is_last_resort + (1 if s.closed[rank] else 0)
