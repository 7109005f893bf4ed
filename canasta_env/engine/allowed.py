"""Actions that the clauses allow in the midst of a turn, the rest of the turn not considered.

`legality` keeps those of them after which the turn can still be completed (R-TURN-4).
"""

from __future__ import annotations

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
    meld_size,
    meld_wilds,
    wild_room,
)
from canasta_env.engine.opening import can_pick_up, is_opening_complete
from canasta_env.engine.state import MUST_GO_OUT, NO_CARD, REFUSED, WILD_MELD


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
    for rank in range(FIRST_RANK, NUM_KINDS):
        place = rank - FIRST_RANK
        cards = s.hand[seat, rank]
        naturals = s.naturals[side, rank]
        if s.closed[rank] or cards + naturals < PAIR:
            continue
        if naturals == 0:
            if cards >= MELD_START:
                allowed[MELD_CLEAN + place] = 1
            if (has_two or has_joker) and wild_room(rules, rank, PAIR, 0, in_opening) > 0:
                allowed[MELD_WITH_TWO + place] = has_two
                allowed[MELD_WITH_JOKER + place] = has_joker
            continue
        wilds = meld_wilds(s, side, rank)
        if cards > 0 and (not rules.is_modern or naturals + wilds < CANASTA_SIZE):
            allowed[ADD_NATURAL + place] = 1
        if (has_two or has_joker) and wild_room(rules, rank, naturals, wilds, in_opening) > 0:
            allowed[ADD_TWO + place] = has_two
            allowed[ADD_JOKER + place] = has_joker
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
    for rank in range(FIRST_RANK, NUM_KINDS):
        allowed[DISCARD_NATURAL + rank - FIRST_RANK] = s.hand[seat, rank] > 0


@kernel
def _allow_discards_modern(s, seat, allowed):  # type: ignore[no-untyped-def]
    """R-DISC-2, and on an empty pile the first class of R-DISC-3 that the hand holds."""
    worst_class = 4
    best_class = worst_class
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.hand[seat, rank] > 0:
            best_class = min(best_class, _discard_class(s, rank) if s.pile_size == 0 else 0)
    if best_class == worst_class:  # a hand of wilds only
        allowed[DISCARD_JOKER] = s.hand[seat, JOKER] > 0
        allowed[DISCARD_TWO] = s.hand[seat, TWO] > 0
        return
    for rank in range(FIRST_RANK, NUM_KINDS):
        if s.hand[seat, rank] > 0 and (s.pile_size > 0 or _discard_class(s, rank) == best_class):
            allowed[DISCARD_NATURAL + rank - FIRST_RANK] = 1


@kernel
def _discard_class(s, rank):  # type: ignore[no-untyped-def]
    """Place of a natural among the classes (i) to (iv) of R-DISC-3, from 0."""
    is_last_resort = rank in (SEVEN, ACE)
    return 2 * is_last_resort + (1 if s.closed[rank] else 0)
