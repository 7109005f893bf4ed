"""The action mask, phase by phase: what is allowed and leaves the turn completable (R-TURN-4)."""

from __future__ import annotations

from canasta_env.actions import (
    ADD_BLACK_THREE,
    ADD_NATURAL,
    ADD_TWO,
    ADD_TWO_TO_WILDS,
    ASK,
    DISCARD_JOKER,
    DRAW,
    MELD_BLACK_THREES,
    MELD_CLEAN,
    MELD_WILDS,
    MELD_WITH_TWO,
    NO,
    PICK_UP,
    TAKE,
    TAKE_WITH_JOKER,
    TAKE_WITH_TWO,
    YES,
)
from canasta_env.cards import CANASTA_SIZE, FIRST_RANK, JOKER, NUM_CARDS, NUM_RANKS, TWO
from canasta_env.engine.allowed import allow_discards, allow_in_turn, must_go_out
from canasta_env.engine.completion import can_complete, can_go_out
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import MELD_START, PAIR, meld_size, meld_sizes, meld_wilds, wild_room
from canasta_env.engine.ranks import HALVES, at_least, negate
from canasta_env.engine.reaching import (
    ALL_FREE,
    CANNOT_OPEN,
    NATURALS_FREE,
    PAIRS_FREE,
    TO_GO_ON,
    UNKNOWN,
    can_open,
    freedom_to_lay,
)
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW, PHASE_PLAY, REFUSED, WILD_MELD
from canasta_env.engine.transition import play_on


@kernel
def legal_mask(rules, s, scratch, mask):  # type: ignore[no-untyped-def]
    """Write the legal actions, `(NUM_ACTIONS,) int8`; `scratch` is a `(1,) STATE` to try actions on."""
    mask[:] = 0
    if s.phase == PHASE_DRAW:
        mask[DRAW] = 1
        _allow_taking(rules, s, scratch, mask)
    elif s.phase == PHASE_PLAY:
        _allow_playing(rules, s, scratch, mask)
    elif s.phase == PHASE_ANSWER:
        mask[YES] = 1
        mask[NO] = 1


@kernel
def _completes_after(rules, s, scratch, action):  # type: ignore[no-untyped-def]
    scratch[0] = s
    play_on(rules, scratch[0], action)
    return can_complete(rules, scratch[0])


@kernel
def is_takeable(rules, s, side):  # type: ignore[no-untyped-def]
    """Whether the top card may be taken at all, hands apart (R-TAKE-1, R-TAKE-2, R-TURN-3)."""
    if s.pile_size == 0:
        return False
    top = s.pile[s.pile_size - 1]
    if top < FIRST_RANK:
        return False
    if not rules.is_modern:
        return True
    if s.closed[top] or s.next_card == NUM_CARDS:
        return False
    return meld_size(s, side, top) + PAIR + 1 <= CANASTA_SIZE


@kernel
def _allow_taking(rules, s, scratch, mask):  # type: ignore[no-untyped-def]
    seat = s.to_play
    side = seat % rules.num_sides
    if not is_takeable(rules, s, side):
        return
    top = s.pile[s.pile_size - 1]
    naturals = s.hand[seat, top]
    if naturals >= PAIR and _can_take(rules, s, scratch, seat, side, TAKE):
        mask[TAKE] = 1
    if rules.is_modern or naturals == 0 or s.wild_frozen or not s.opened[side]:
        return
    room = wild_room(rules, top, s.naturals[side, top] + PAIR, meld_wilds(s, side, top), False)
    if room > 0:  # R-TAKE-3
        if s.hand[seat, TWO] > 0 and _can_take(rules, s, scratch, seat, side, TAKE_WITH_TWO):
            mask[TAKE_WITH_TWO] = 1
        if s.hand[seat, JOKER] > 0 and _can_take(rules, s, scratch, seat, side, TAKE_WITH_JOKER):
            mask[TAKE_WITH_JOKER] = 1


@kernel
def _can_take(rules, s, scratch, seat, side, action):  # type: ignore[no-untyped-def]
    red_threes_and_top = 5  # at most so many cards of a pile do not come into the hand
    if s.opened[side] and s.hand_size[seat] + s.pile_size >= PAIR + red_threes_and_top + TO_GO_ON:
        return True
    return _completes_after(rules, s, scratch, action)


@kernel
def _allow_playing(rules, s, scratch, mask):  # type: ignore[no-untyped-def]
    seat = s.to_play
    side = seat % rules.num_sides
    asks = s.can_ask and s.hand_size[seat] >= TO_GO_ON
    can_go = asks and can_go_out(rules, s)
    if s.opened[side]:
        allow_in_turn(rules, s, mask)
        if must_go_out(rules, s, side):
            _keep_completable(rules, s, scratch, 0, mask)
        else:
            _keep_completable_opened(rules, s, scratch, side, s.hand_size[seat] - TO_GO_ON, mask)
    else:
        freedom = CANNOT_OPEN if must_go_out(rules, s, side) else freedom_to_lay(rules, s, seat, side)
        # A bound before each meld is tried: nothing may be melded if the hand cannot make an opening.
        is_hopeless = freedom == CANNOT_OPEN or (freedom == UNKNOWN and not can_open(rules, s))
        if not s.melded_now and is_hopeless and not (can_go if asks else can_go_out(rules, s)):
            allow_discards(rules, s, seat, side, mask)
        else:
            allow_in_turn(rules, s, mask)
            _keep_completable_opening(rules, s, scratch, freedom, mask)
    mask[ASK] = can_go


@kernel
def _keep_completable_opening(rules, s, scratch, freedom, mask):  # type: ignore[no-untyped-def]
    """Try the melds and additions that `freedom`, of `freedom_to_lay`, does not cover."""
    for action in range(PICK_UP, DISCARD_JOKER):
        if mask[action] and not _is_covered(s, freedom, action):
            mask[action] = _completes_after(rules, s, scratch, action)


@kernel
def _is_covered(s, freedom, action):  # type: ignore[no-untyped-def]
    if freedom < NATURALS_FREE or action < MELD_CLEAN:
        return False
    if action < MELD_WITH_TWO or action >= ADD_TWO_TO_WILDS:
        return True
    if action < MELD_WILDS:
        rank = FIRST_RANK + (action - MELD_WITH_TWO) % NUM_RANKS
        return freedom == ALL_FREE or (freedom == PAIRS_FREE and s.hand[s.to_play, rank] == PAIR)
    if action >= ADD_TWO:
        return freedom == ALL_FREE
    return action >= ADD_NATURAL


@kernel
def _keep_completable_opened(rules, s, scratch, side, cards_to_lay, mask):  # type: ignore[no-untyped-def]
    """Of what would leave fewer than two cards, keep what goes out: mostly the canastas decide."""
    if cards_to_lay >= MELD_START:
        if mask[MELD_BLACK_THREES]:
            mask[MELD_BLACK_THREES] = _completes_after(rules, s, scratch, MELD_BLACK_THREES)
    elif s.answer == REFUSED or _needs_more_canastas(rules, s, side):
        mask[PICK_UP:ADD_BLACK_THREE] = 0
        if cards_to_lay < 1:
            mask[ADD_BLACK_THREE:DISCARD_JOKER] = 0
    else:
        _keep_completable(rules, s, scratch, cards_to_lay, mask)


@kernel
def _needs_more_canastas(rules, s, side):  # type: ignore[no-untyped-def]
    """Whether two more cards, the action's and the last of the hand, cannot bring the canastas to go out."""
    if s.canastas[side] >= rules.canastas_to_go_out:
        return False
    if CANASTA_SIZE - 2 <= meld_size(s, side, WILD_MELD) < CANASTA_SIZE:
        return False
    for at in HALVES:
        sizes = meld_sizes(s, side, at)
        if at_least(sizes, CANASTA_SIZE - 2) & negate(at_least(sizes, CANASTA_SIZE)):
            return False
    return True


@kernel
def _keep_completable(rules, s, scratch, cards_to_lay, mask):  # type: ignore[no-untyped-def]
    """Try each meld and addition that lays more cards than can be spared."""
    if cards_to_lay < MELD_START:
        for action in range(PICK_UP, ADD_BLACK_THREE):
            if mask[action]:
                mask[action] = _completes_after(rules, s, scratch, action)
    if cards_to_lay < 1:
        for action in range(ADD_BLACK_THREE, DISCARD_JOKER):
            if mask[action]:
                mask[action] = _completes_after(rules, s, scratch, action)
