"""Apply one action, block by block of the action table."""

from __future__ import annotations

from canasta_env.actions import (
    ADD_BLACK_THREE,
    ADD_JOKER,
    ADD_NATURAL,
    ADD_TWO,
    ADD_TWO_TO_WILDS,
    ASK,
    DISCARD_BLACK_THREE,
    DISCARD_JOKER,
    DISCARD_NATURAL,
    DISCARD_TWO,
    DRAW,
    MELD_BLACK_THREES,
    MELD_CLEAN,
    MELD_WILDS,
    MELD_WITH_JOKER,
    MELD_WITH_TWO,
    NO,
    PICK_UP,
    TAKE,
    TAKE_WITH_JOKER,
    TAKE_WITH_TWO,
    YES,
)
from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.dealing import (
    allow_question,
    draw,
    end_deal,
    end_turn,
    is_laid_three,
    lay_three,
    push_pile,
    receive,
)
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import MELD_START, PAIR, VALUE, lay, leave_hand, meld_size, put
from canasta_env.engine.state import (
    MAX_SEATS,
    MAY_GO_OUT,
    MUST_GO_OUT,
    NO_CARD,
    PHASE_ANSWER,
    PHASE_PLAY,
    REFUSED,
)


@kernel
def apply(rules, s, action):  # type: ignore[no-untyped-def]
    """Play a legal action: the table moves on to the next decision, or the deal ends."""
    if action == DRAW:
        draw(rules, s)
    elif action in (ASK, YES, NO):
        _converse(rules, s, action)
    elif action >= DISCARD_JOKER:
        _discard(rules, s, action)
    else:
        play_on(rules, s, action)
        seat = s.to_play
        if s.hand_size[seat] == 0 and s.taken == NO_CARD:
            _go_out(rules, s, seat)


@kernel
def play_on(rules, s, action):  # type: ignore[no-untyped-def]
    """Take, pick up, meld or add; an emptied hand is not yet going out."""
    seat = s.to_play
    if action == TAKE:
        _take(rules, s, seat, PAIR, 0, 0)
    elif action == TAKE_WITH_TWO:
        _take(rules, s, seat, 1, 1, 0)
    elif action == TAKE_WITH_JOKER:
        _take(rules, s, seat, 1, 0, 1)
    else:
        s.can_ask = 0
        if action == PICK_UP:
            _pick_up(rules, s, seat)
        elif action < ADD_BLACK_THREE:
            _begin_meld(rules, s, seat, action)
        else:
            _add(rules, s, seat, action)


@kernel
def _begin_meld(rules, s, seat, action):  # type: ignore[no-untyped-def]
    if action == MELD_BLACK_THREES:
        lay(rules, s, seat, BLACK_THREE, MELD_START, 0, 0)
    elif action < MELD_WITH_TWO:
        lay(rules, s, seat, FIRST_RANK + action - MELD_CLEAN, MELD_START, 0, 0)
    elif action < MELD_WITH_JOKER:
        lay(rules, s, seat, FIRST_RANK + action - MELD_WITH_TWO, PAIR, 1, 0)
    elif action < MELD_WILDS:
        lay(rules, s, seat, FIRST_RANK + action - MELD_WITH_JOKER, PAIR, 0, 1)
    else:
        jokers = action - MELD_WILDS
        lay(rules, s, seat, JOKER, 0, MELD_START - jokers, jokers)


@kernel
def _add(rules, s, seat, action):  # type: ignore[no-untyped-def]
    if action == ADD_BLACK_THREE:
        lay(rules, s, seat, BLACK_THREE, 1, 0, 0)
    elif action < ADD_TWO:
        lay(rules, s, seat, FIRST_RANK + action - ADD_NATURAL, 1, 0, 0)
    elif action < ADD_JOKER:
        lay(rules, s, seat, FIRST_RANK + action - ADD_TWO, 0, 1, 0)
    elif action < ADD_TWO_TO_WILDS:
        lay(rules, s, seat, FIRST_RANK + action - ADD_JOKER, 0, 0, 1)
    elif action == ADD_TWO_TO_WILDS:
        lay(rules, s, seat, JOKER, 0, 1, 0)
    else:
        lay(rules, s, seat, JOKER, 0, 0, 1)


@kernel
def _take(rules, s, seat, naturals, twos, jokers):  # type: ignore[no-untyped-def]
    """R-TAKE-2, 3 and 5; nothing is melded yet where a side opens from the hand."""
    side = seat % rules.num_sides
    top = s.pile[s.pile_size - 1]
    s.piles_taken[seat] += 1
    s.phase = PHASE_PLAY
    if rules.opens_from_hand and not s.opened[side]:
        s.taken = top
        s.melded_now = 1  # the turn is bound to meld
        return
    _pop_pile(s)
    lay(rules, s, seat, top, naturals, twos, jokers)
    put(rules, s, side, top, 1, 0, 0)
    if s.opened[side]:
        _collect_pile(rules, s, seat)
        allow_question(rules, s)
    else:
        s.opening_points += VALUE[top]
        s.taken = top


@kernel
def _pick_up(rules, s, seat):  # type: ignore[no-untyped-def]
    """R-TAKE-5: the opening is complete, the rest of the pile comes into the hand."""
    side = seat % rules.num_sides
    if rules.opens_from_hand:
        if meld_size(s, side, s.taken) == 0:
            lay(rules, s, seat, s.taken, PAIR, 0, 0)
        _pop_pile(s)
        put(rules, s, side, s.taken, 1, 0, 0)
    s.taken = NO_CARD
    _complete_opening(s, side)
    _collect_pile(rules, s, seat)


@kernel
def _complete_opening(s, side):  # type: ignore[no-untyped-def]
    s.opened[side] = 1
    s.opening_points = 0


@kernel
def _pop_pile(s):  # type: ignore[no-untyped-def]
    s.pile_size -= 1
    s.pile[s.pile_size] = NO_CARD


@kernel
def _collect_pile(rules, s, seat):  # type: ignore[no-untyped-def]
    """Bring the pile into a hand, in sight of everybody; threes that are laid go to the table (R-TAKE-7)."""
    while s.pile_size > 0:
        kind = s.pile[s.pile_size - 1]
        _pop_pile(s)
        if is_laid_three(rules, kind):
            lay_three(rules, s, seat, kind)
        else:
            receive(s, seat, kind)
            s.known[seat, kind] += 1
    s.wild_frozen = 0


@kernel
def discarded_kind(action):  # type: ignore[no-untyped-def]
    """The kind that a discard action puts on the pile."""
    if action == DISCARD_JOKER:
        return JOKER
    if action == DISCARD_TWO:
        return TWO
    if action == DISCARD_BLACK_THREE:
        return BLACK_THREE
    return FIRST_RANK + action - DISCARD_NATURAL


@kernel
def _discard(rules, s, action):  # type: ignore[no-untyped-def]
    seat = s.to_play
    side = seat % rules.num_sides
    kind = discarded_kind(action)
    leave_hand(s, seat, kind, 1)
    push_pile(s, kind)
    s.discarded[seat, kind] += 1
    if rules.wilds_freeze_pile and kind in (JOKER, TWO):
        s.wild_frozen = 1  # R-DISC-1
    if s.hand_size[seat] == 0:
        _go_out(rules, s, seat)
        return
    if s.melded_now and not s.opened[side]:
        _complete_opening(s, side)
    end_turn(rules, s)


@kernel
def _go_out(rules, s, seat):  # type: ignore[no-untyped-def]
    side = seat % rules.num_sides
    if s.melded_now:
        s.opened[side] = 1
    s.went_out = seat
    s.concealed = rules.can_go_out_concealed and _is_concealed(s, seat, side)
    end_deal(s)


@kernel
def _is_concealed(s, seat, side):  # type: ignore[no-untyped-def]
    """R-OUT-4."""
    if s.melded[seat] or s.joined_earlier:
        return False
    for kind in range(NUM_KINDS):
        if s.begun[kind] and meld_size(s, side, kind) >= CANASTA_SIZE:
            return True
    return False


@kernel
def _converse(rules, s, action):  # type: ignore[no-untyped-def]
    """R-OUT-3: the question goes to the partner, the answer back to the player."""
    partner = (s.to_play + 2) % MAX_SEATS
    if action == ASK:
        s.asked[s.to_play] = 1
        s.can_ask = 0
        s.phase = PHASE_ANSWER
    else:
        s.phase = PHASE_PLAY
        if action == NO:
            s.answer = REFUSED
        else:
            s.answer = MUST_GO_OUT if rules.is_yes_binding else MAY_GO_OUT
    s.to_play = partner
