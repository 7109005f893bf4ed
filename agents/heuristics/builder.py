"""The builder (Classic): grows the largest meld and completes it with at most one wild.

Takes the pile with a natural pair; with a wild only piles of some size, or those that make three of a kind.
Completes the largest meld, adds naturals to the largest meld, begins the best set of three naturals or a pair
with a two. Spends more wilds only while an opposing meld stands at six, and makes no plan of going out.
Discards black threes first, then single cards and sets before pairs; holds what opposing melds would take.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    by_copies,
    cheapest_take,
    lowest_discard,
    no_scores,
    wilds_in_hand,
)
from canasta_agents.heuristics.frame import make_player, never_plans_to_go_out
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import (
    cards_for_canasta,
    leaves,
    natural_onto_largest,
    step_onto,
    wilds_for_canasta,
)
from canasta_agents.heuristics.opening import UNAFFORDABLE, fewest_wilds, opening_step
from canasta_env.actions import DRAW, MELD_CLEAN, MELD_WITH_TWO, TAKE
from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import MELD_START, VALUE, meld_size

_KEEP_BEFORE_CANASTA = 2  # cards that laying leaves in the hand, until the side has a canasta
_PILE_FOR_A_WILD = 3  # a pile of so many cards is taken with a wild
_PILE_FOR_A_SET = 5  # ... and of so many, if hand and pile make three of a kind
_ONE_WILD = 1  # a canasta is completed with so many wilds at most
_ONE_SHORT = CANASTA_SIZE - 1  # an opposing meld of this size lifts that bound
_PER_COPY = 8  # a new set's worth, beside its points

# Scores of a discard, the lowest goes.
_BLACK_THREE = -1_000.0
_WILD = 1_000.0  # on top of its points
_SINGLE = -10.0
_PAIR = 25.0
_SET = -5.0
_PER_POINT = 0.2
_FITTING = 35.0  # more, if it fits an own meld that is no canasta yet
_FEEDING = 20.0  # more, for each opposing meld of the rank that is no canasta yet
_FEEDING_LARGE = 30.0  # ... of _LARGE_MELD cards or more
_LARGE_MELD = 5


@kernel
def _draw(rules, params, view, mask, random):
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
def _lay_opening(rules, params, view, mask, random):
    return opening_step(rules, view, mask, fewest_wilds(view), _KEEP_BEFORE_CANASTA, UNAFFORDABLE)


@kernel
def _lay(rules, params, view, mask, random):
    keep = 0 if view.canastas[OWN] > 0 else _KEEP_BEFORE_CANASTA
    action = _complete_largest(rules, view, mask, keep)
    if action == NOTHING:
        action = natural_onto_largest(view, mask, keep)
    if action == NOTHING:
        action = _new_set(view, mask, keep)
    return action


@kernel
def _complete_largest(rules, view, mask, keep):
    """Complete a canasta with naturals and one wild at most, or any wilds if an opposing meld is at six."""
    most_wilds = wilds_in_hand(view) if _opponent_is_one_short(rules, view) else _ONE_WILD
    best, best_size = NOTHING, 0
    for kind in range(FIRST_RANK, NUM_KINDS):
        missing = wilds_for_canasta(rules, view, kind)
        size = meld_size(view, OWN, kind) + view.hand[kind]
        if missing <= most_wilds and size > best_size:
            if leaves(view, cards_for_canasta(view, kind, missing), keep):
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
    if not leaves(view, MELD_START, keep):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        copies = view.hand[kind]
        worth = copies * (VALUE[kind] + _PER_COPY)
        block = MELD_CLEAN if copies >= MELD_START else MELD_WITH_TWO
        if mask[block + kind - FIRST_RANK] and worth > best_worth:
            best, best_worth = block + kind - FIRST_RANK, worth
    return best


@kernel
def _discard(rules, params, view, mask, random):
    scores = no_scores()
    scores[BLACK_THREE] = _BLACK_THREE
    scores[JOKER], scores[TWO] = _WILD + VALUE[JOKER], _WILD + VALUE[TWO]
    for kind in range(FIRST_RANK, NUM_KINDS):
        scores[kind] = by_copies(view.hand[kind], _SINGLE, _PAIR, _SET) + _PER_POINT * VALUE[kind]
        if 0 < meld_size(view, OWN, kind) < CANASTA_SIZE:
            scores[kind] += _FITTING
        for side in range(1, rules.num_sides):
            size = meld_size(view, side, kind)
            if 0 < size < CANASTA_SIZE:
                scores[kind] += _FEEDING_LARGE if size >= _LARGE_MELD else _FEEDING
    return lowest_discard(mask, scores)


PLAYER = make_player(
    "builder",
    ("classic",),
    draw=_draw,
    go_out=never_plans_to_go_out,
    lay_opening=_lay_opening,
    lay=_lay,
    discard=_discard,
)
