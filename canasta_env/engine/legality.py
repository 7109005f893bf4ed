"""The action mask, phase by phase: what is allowed and leaves the turn completable (R-TURN-4)."""

from __future__ import annotations

import numpy as np

from canasta_env.actions import (
    ADD_BLACK_THREE,
    ADD_JOKER,
    ADD_JOKER_TO_WILDS,
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
    NUM_ACTIONS,
    PICK_UP,
    TAKE,
    TAKE_WITH_JOKER,
    TAKE_WITH_TWO,
    YES,
)
from canasta_env.cards import (
    ACE,
    BLACK_THREE,
    CANASTA_SIZE,
    COPIES,
    FIRST_RANK,
    JOKER,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    RED_THREE,
    SEVEN,
    TWO,
)
from canasta_env.engine.dealing import is_laid_three
from canasta_env.engine.going_out import is_out_of_reach, lays_everything
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import (
    MELD_START,
    PAIR,
    can_begin_wild_meld,
    can_join_ranks,
    have_wild_room,
    meld_size,
    meld_sizes,
    meld_wilds,
    wild_room,
)
from canasta_env.engine.opening import (
    ALL_FREE,
    CANNOT_OPEN,
    NATURALS_FREE,
    PAIRS_FREE,
    TO_GO_ON,
    UNKNOWN,
    can_open,
    can_pick_up,
    freedom_to_lay,
    is_opening_complete,
    reaches_minimum,
)
from canasta_env.engine.state import (
    MUST_GO_OUT,
    NO_CARD,
    PHASE_ANSWER,
    PHASE_DRAW,
    PHASE_PLAY,
    REFUSED,
    WILD_MELD,
    scratch_tables,
)
from canasta_env.engine.swar import ALL, HALVES, NONE, at_least, each, load_ranks, negate, store_word
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
    if s.closed[top] or (rules.ends_with_stock and s.next_card == NUM_CARDS):
        return False
    return meld_size(s, side, top) <= rules.largest_meld_to_take


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
    if not rules.can_take_with_wild or naturals == 0 or s.wild_frozen or not s.opened[side]:
        return
    if not can_join_ranks(rules, s, side):
        return
    room = wild_room(rules, top, s.naturals[side, top] + PAIR, meld_wilds(s, side, top), False)
    if room > 0:  # R-TAKE-3
        if s.hand[seat, TWO] > 0 and _can_take(rules, s, scratch, seat, side, TAKE_WITH_TWO):
            mask[TAKE_WITH_TWO] = 1
        if s.hand[seat, JOKER] > 0 and _can_take(rules, s, scratch, seat, side, TAKE_WITH_JOKER):
            mask[TAKE_WITH_JOKER] = 1


_THREES = COPIES[RED_THREE] + COPIES[BLACK_THREE]


@kernel
def _can_take(rules, s, scratch, seat, side, action):  # type: ignore[no-untyped-def]
    not_to_hand = 1 + (_THREES if rules.lays_black_threes and rules.turns_up_card else COPIES[RED_THREE])
    if s.opened[side] and s.hand_size[seat] + s.pile_size >= PAIR + not_to_hand + TO_GO_ON:
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


# Actions that the clauses allow in the midst of a turn, the rest of the turn not considered.
#
# `legality` keeps those of them after which the turn can still be completed (R-TURN-4).


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
        if rules.melds_end_at_seven:
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
    if rules.has_wild_meld:
        _allow_wild_meld(rules, s, seat, side, allowed)
    if rules.can_meld_black_threes and s.taken == NO_CARD:  # R-TAKE-5
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
    held = NONE
    for at in HALVES:
        naturals = at_least(load_ranks(s.hand[seat], at), 1)
        held |= naturals
        store_word(allowed, DISCARD_NATURAL + at, naturals)
    black_threes = s.hand[seat, BLACK_THREE] > 0 and not rules.lays_black_threes
    allowed[DISCARD_BLACK_THREE] = black_threes
    is_ordered = rules.orders_first_discards and s.pile_size == 0 and held != NONE
    if is_ordered and not goes_out:
        _keep_first_class(s, seat, allowed)
    holds_back = is_ordered or (rules.holds_back_wilds and (held != NONE or black_threes))
    if goes_out or not holds_back:
        allowed[DISCARD_JOKER] = s.hand[seat, JOKER] > 0
        allowed[DISCARD_TWO] = s.hand[seat, TWO] > 0


@kernel
def _keep_first_class(s, seat, allowed):  # type: ignore[no-untyped-def]
    """R-DISC-3: of the naturals' discards, keep the first class there is."""
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


# Whether the turn can still be completed (R-TURN-4).
#
# Most answers are plain or closed forms (`opening`, `going_out`). What is left, going out in the very turn
# of an opening through the pile, is rare and searched action by action.


@kernel
def can_complete(rules, s):  # type: ignore[no-untyped-def]
    """Whether legal actions lead from here to the end of the turn, in PHASE_PLAY.

    An empty hand counts as going out if that is allowed.
    """
    seat = s.to_play
    side = seat % rules.num_sides
    if not must_go_out(rules, s, side):
        if s.opened[side] or (not s.melded_now):
            if s.hand_size[seat] >= TO_GO_ON:
                return True
        elif can_open(rules, s):
            return True
    return s.answer != REFUSED and can_go_out(rules, s)


@kernel
def can_go_out(rules, s):  # type: ignore[no-untyped-def]
    """Whether the player to move can go out in this turn, the partner's refusal apart."""
    seat = s.to_play
    side = seat % rules.num_sides
    if _is_out_of_reach(rules, s, seat, side):
        return False
    if s.taken == NO_CARD:
        return lays_everything(rules, s)
    return reaches_minimum(rules, s, seat) and _search(rules, s)


@kernel
def _is_out_of_reach(rules, s, seat, side):  # type: ignore[no-untyped-def]
    """A bound: as if the cards of a taken pile were in the hand already."""
    if s.taken == NO_CARD:
        return is_out_of_reach(rules, s, seat, side)
    _hold_pile(rules, s, seat, 1)
    is_certain = is_out_of_reach(rules, s, seat, side)
    _hold_pile(rules, s, seat, -1)
    return is_certain


@kernel
def _hold_pile(rules, s, seat, times):  # type: ignore[no-untyped-def]
    for place in range(s.pile_size):
        if not is_laid_three(rules, s.pile[place]):
            s.hand[seat, s.pile[place]] += times


@kernel
def _search(rules, s):  # type: ignore[no-untyped-def]
    """Whether going out can be reached by laying cards in the order of `_stage`: depth first, on a stack.

    The order in which an opening is laid changes nothing about what can be laid, but for wilds: a wild meld
    is begun before, and finished before, wilds go to ranks (R-MELD-6), and a meld that the seventh natural
    would close gets its wilds before it (R-MELD-7). So one order is enough: by stage, and by action within a
    stage.
    """
    levels = s.hand_size[s.to_play] + 2
    states = scratch_tables(levels)
    allowed = np.zeros((levels, NUM_ACTIONS), np.int8)
    stages = np.zeros(levels, np.int8)
    played = np.zeros(levels, np.int8)
    next_action = np.zeros(levels, np.int8)
    states[0] = s
    if _enter(rules, states[0], allowed[0]):
        return True
    next_action[0] = PICK_UP
    depth = 0
    while depth >= 0:
        action = next_action[depth]
        if action == DISCARD_JOKER:
            depth -= 1
            continue
        next_action[depth] += 1
        stage = _stage(rules, states[depth], action)
        if not allowed[depth, action] or stage < stages[depth]:
            continue
        if stage == stages[depth] and action < played[depth]:
            continue
        states[depth + 1] = states[depth]
        play_on(rules, states[depth + 1], action)
        depth += 1
        if _enter(rules, states[depth], allowed[depth]):
            return True
        stages[depth], played[depth] = stage, action
        next_action[depth] = DISCARD_JOKER if action == PICK_UP else PICK_UP  # after it the answer is final
    return False


@kernel
def _enter(rules, s, allowed):  # type: ignore[no-untyped-def]
    """List what is allowed at a new node of the search; True if the way out is clear from there."""
    if s.opened[s.to_play % rules.num_sides]:
        return lays_everything(rules, s)
    allowed[:] = 0
    allow_in_turn(rules, s, allowed)
    return s.hand_size[s.to_play] == 1 and allowed[DISCARD_JOKER:].any()


@kernel
def _stage(rules, s, action):  # type: ignore[no-untyped-def]
    """Place of an action in the order of laying: clean, wild meld, mixed, wilds, the rest, pick up."""
    clean, wild_meld, mixed, wilds, late, pick_up = range(6)
    if action == PICK_UP:
        return pick_up
    if MELD_CLEAN <= action < MELD_WITH_TWO:
        return clean
    if ADD_NATURAL <= action < ADD_TWO:
        side, rank = s.to_play % rules.num_sides, FIRST_RANK + action - ADD_NATURAL
        if meld_wilds(s, side, rank) == 0:
            return clean
        return late if s.naturals[side, rank] >= CANASTA_SIZE - 1 else mixed
    if MELD_WILDS <= action < ADD_BLACK_THREE or action >= ADD_TWO_TO_WILDS:
        return wild_meld
    return wilds if action >= ADD_TWO else mixed
