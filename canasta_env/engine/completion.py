"""Whether the turn can still be completed (R-TURN-4).

Most answers are plain or closed forms (`reaching`, `going_out`). What is left, going out in the very turn of
an opening through the pile, is rare and searched action by action.
"""

from __future__ import annotations

import numpy as np

from canasta_env.actions import (
    ADD_BLACK_THREE,
    ADD_NATURAL,
    ADD_TWO,
    ADD_TWO_TO_WILDS,
    DISCARD_JOKER,
    MELD_CLEAN,
    MELD_WILDS,
    MELD_WITH_TWO,
    NUM_ACTIONS,
    PICK_UP,
)
from canasta_env.cards import FIRST_RANK
from canasta_env.engine.allowed import allow_in_turn, must_go_out
from canasta_env.engine.going_out import is_out_of_reach, lays_everything
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import meld_wilds
from canasta_env.engine.reaching import TO_GO_ON, can_open, reaches_minimum
from canasta_env.engine.state import NO_CARD, REFUSED, scratch_tables
from canasta_env.engine.transition import play_on


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
    for place in range(s.pile_size):
        s.hand[seat, s.pile[place]] += 1
    is_certain = is_out_of_reach(rules, s, seat, side)
    for place in range(s.pile_size):
        s.hand[seat, s.pile[place]] -= 1
    return is_certain


@kernel
def _search(rules, s):  # type: ignore[no-untyped-def]
    """Whether going out can be reached by laying cards in the order of `_stage`: depth first, on a stack.

    The order in which an opening is laid changes nothing about what can be laid, but for wilds: a wild meld
    is begun before, and finished before, wilds go to ranks (R-MELD-6). So one order is enough: by stage, and
    by action within a stage.
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
    """Place of an action in the order of laying: clean melds, wild meld, mixed melds, wilds, pick up."""
    clean, wild_meld, mixed, wilds, pick_up = range(5)
    if action == PICK_UP:
        return pick_up
    if MELD_CLEAN <= action < MELD_WITH_TWO:
        return clean
    if ADD_NATURAL <= action < ADD_TWO:
        has_wilds = meld_wilds(s, s.to_play % rules.num_sides, FIRST_RANK + action - ADD_NATURAL) > 0
        return mixed if has_wilds else clean
    if MELD_WILDS <= action < ADD_BLACK_THREE or action >= ADD_TWO_TO_WILDS:
        return wild_meld
    return wilds if action >= ADD_TWO else mixed
