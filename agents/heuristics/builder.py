"""The builder (Classic): grows the largest meld and closes it with at most one wild."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    cheapest_take,
    is_wild,
    legal,
    lowest_discard,
    no_scores,
    wilds_in_hand,
)
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import cards_to_close, natural_onto_largest, step_onto, wilds_to_close
from canasta_agents.heuristics.opening import UNAFFORDABLE, fewest_wilds, needs_opening, opening_step
from canasta_env.actions import DRAW, MELD_CLEAN, MELD_WITH_TWO, PICK_UP, TAKE, YES
from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import MELD_START, PAIR, VALUE, meld_size
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW

_KEEP_BEFORE_CANASTA = 2
_ONE_WILD = 1
_PILE_FOR_A_WILD, _PILE_FOR_A_SET = 3, 5  # pile sizes from which it takes with a wild, or for three of a kind
_ONE_SHORT = CANASTA_SIZE - 1
_PER_COPY = 8  # a new set's worth, beside its points

_SCORE_OF_BLACK_THREE, _SCORE_OF_WILD = -1_000.0, 1_000.0
_SCORE_OF_ONE, _SCORE_OF_TWO, _SCORE_OF_MORE = -10.0, 25.0, -5.0
_SCORE_OF_FITTING, _SCORE_OF_FEEDING, _SCORE_OF_FEEDING_LARGE, _PER_POINT = 35.0, 20.0, 30.0, 0.2
_LARGE_MELD = 5


def choose(rules, style, view, mask, random):
    """Choose an action."""
    if view.phase == PHASE_DRAW:
        action = _draw_or_take(view, mask)
    elif view.phase == PHASE_ANSWER:
        action = YES
    else:
        action = _lay(rules, view, mask)
        if action == NOTHING:
            action = _discard(rules, view, mask)
    return legal(mask, action)


@kernel
def _draw_or_take(view, mask):
    """Take with a natural pair; with a wild only piles of some size, or those that make three of a kind."""
    if mask[TAKE]:
        return TAKE
    action = cheapest_take(mask)
    if action != NOTHING and view.pile_size >= _PILE_FOR_A_WILD:
        return action
    if action != NOTHING and view.pile_size >= _PILE_FOR_A_SET and _pile_makes_a_set(view):
        return action
    return DRAW


@kernel
def _pile_makes_a_set(view):
    for kind in range(FIRST_RANK, NUM_KINDS):
        if view.hand[kind] > 0 and view.hand[kind] + view.pile_count[kind] >= MELD_START:
            return True
    return False


@kernel
def _lay(rules, view, mask):
    """The first that applies: close the largest meld, naturals onto melds, the best new set."""
    keep = 0 if view.canastas[OWN] > 0 else _KEEP_BEFORE_CANASTA
    if mask[PICK_UP]:
        return PICK_UP
    if needs_opening(view, mask):
        return opening_step(rules, view, mask, fewest_wilds(view), _KEEP_BEFORE_CANASTA, UNAFFORDABLE)
    action = _close_largest(rules, view, mask, keep)
    if action == NOTHING:
        action = natural_onto_largest(view, mask, keep)
    if action == NOTHING:
        action = _new_set(view, mask, keep)
    return action


@kernel
def _close_largest(rules, view, mask, keep):
    """Close with naturals and one wild at most; with any wilds if an opposing meld stands at six."""
    most_wilds = wilds_in_hand(view) if _opponent_is_one_short(rules, view) else _ONE_WILD
    best, best_size = NOTHING, 0
    for kind in range(FIRST_RANK, NUM_KINDS):
        missing = wilds_to_close(rules, view, kind)
        size = meld_size(view, OWN, kind) + view.hand[kind]
        if missing <= most_wilds and size > best_size:
            if view.hand_size[OWN] - cards_to_close(view, kind, missing) >= keep:
                action = step_onto(view, mask, kind)
                if action != NOTHING:
                    best, best_size = action, size
    return best


@kernel
def _opponent_is_one_short(rules, view):
    for side in range(1, rules.num_sides):
        for kind in range(FIRST_RANK, NUM_KINDS):
            if meld_size(view, side, kind) == _ONE_SHORT:
                return True
    return False


@kernel
def _new_set(view, mask, keep):
    """Three or more naturals, or a pair and a two: by the naturals' points and their number."""
    best, best_worth = NOTHING, 0
    if view.hand_size[OWN] - MELD_START < keep:
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        copies = view.hand[kind]
        worth = copies * VALUE[kind] + copies * _PER_COPY
        block = MELD_CLEAN if copies >= MELD_START else MELD_WITH_TWO
        if mask[block + kind - FIRST_RANK] and worth > best_worth:
            best, best_worth = block + kind - FIRST_RANK, worth
    return best


@kernel
def _discard(rules, view, mask):
    scores = no_scores()
    scores[BLACK_THREE] = _SCORE_OF_BLACK_THREE
    scores[JOKER], scores[TWO] = _SCORE_OF_WILD + VALUE[JOKER], _SCORE_OF_WILD + VALUE[TWO]
    for kind in range(FIRST_RANK, NUM_KINDS):
        copies = view.hand[kind]
        scores[kind] = _SCORE_OF_ONE if copies <= 1 else _SCORE_OF_TWO if copies == PAIR else _SCORE_OF_MORE
        scores[kind] += _PER_POINT * VALUE[kind]
        if 0 < meld_size(view, OWN, kind) < CANASTA_SIZE:
            scores[kind] += _SCORE_OF_FITTING
        for side in range(1, rules.num_sides):
            size = meld_size(view, side, kind)
            if 0 < size < CANASTA_SIZE and not is_wild(kind):
                scores[kind] += _SCORE_OF_FEEDING_LARGE if size >= _LARGE_MELD else _SCORE_OF_FEEDING
    return lowest_discard(mask, scores)
