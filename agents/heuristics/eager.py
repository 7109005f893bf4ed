"""The eager player (Classic): takes, lays and discards by fixed values, blind to its opponents."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NOTHING,
    cheapest_take,
    legal,
    lowest_discard,
    no_scores,
    wilds_in_hand,
)
from canasta_agents.heuristics.going_out import going_out_step
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import (
    clean_set,
    closing_step,
    natural_onto_largest,
    pair_with_wild,
    wild_onto_largest,
)
from canasta_agents.heuristics.opening import UNAFFORDABLE, needs_opening, no_prices, opening_step
from canasta_env.actions import DRAW, PICK_UP, YES
from canasta_env.cards import ACE, BLACK_THREE, FIRST_RANK, JOKER, KINDS, NUM_KINDS, TWO
from canasta_env.engine.melds import VALUE
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW

_KEEP = 2
_PILE_TO_TAKE = 3
_LATE = 20  # cards in the stock
_EIGHT, _JACK = KINDS.index("8"), KINDS.index("J")
_SCORE_OF_WILD, _SCORE_OF_ACE, _SCORE_OF_ACE_LATE = 1_000.0, 40.0, 25.0
_SCORE_OF_COURT, _SCORE_OF_MIDDLE, _SCORE_OF_LOW = 18.0, 10.0, 5.0
_SCORE_OF_BLACK_THREE, _SCORE_OF_BLACK_THREE_ON_PILE, _LARGE_PILE = 8.0, -20.0, 5


def choose(rules, style, view, mask, random):
    """Choose an action."""
    if view.phase == PHASE_DRAW:
        action = _draw_or_take(view, mask)
    elif view.phase == PHASE_ANSWER:
        action = YES
    else:
        action = _lay(rules, view, mask)
        if action == NOTHING:
            action = _discard(view, mask)
    return legal(mask, action)


@kernel
def _draw_or_take(view, mask):
    action = cheapest_take(mask)
    return action if action != NOTHING and view.pile_size >= _PILE_TO_TAKE else DRAW


@kernel
def _lay(rules, view, mask):
    """Close, then add everything; new melds always."""
    if mask[PICK_UP]:
        return PICK_UP
    action = going_out_step(rules, view, mask)
    if action == NOTHING and needs_opening(view, mask):
        return opening_step(rules, view, mask, no_prices(), _KEEP, UNAFFORDABLE)  # the first that is found
    if action == NOTHING:
        action = closing_step(rules, view, mask, _KEEP, wilds_in_hand(view))
    if action == NOTHING:
        action = natural_onto_largest(view, mask, _KEEP)
    if action == NOTHING:
        action = wild_onto_largest(view, mask, _KEEP)
    if action == NOTHING:
        action = clean_set(view, mask, _KEEP)
    if action == NOTHING:
        action = pair_with_wild(view, mask, _KEEP)
    return action


@kernel
def _discard(view, mask):
    scores = no_scores()
    scores[JOKER], scores[TWO] = _SCORE_OF_WILD + VALUE[JOKER], _SCORE_OF_WILD + VALUE[TWO]
    is_blocking = view.pile_size >= _LARGE_PILE
    scores[BLACK_THREE] = _SCORE_OF_BLACK_THREE_ON_PILE if is_blocking else _SCORE_OF_BLACK_THREE
    for kind in range(FIRST_RANK, NUM_KINDS):
        scores[kind] = _fixed_value(kind)
    scores[ACE] = _SCORE_OF_ACE_LATE if view.stock_size < _LATE else _SCORE_OF_ACE
    return lowest_discard(mask, scores)


@kernel
def _fixed_value(kind):
    if kind >= _JACK:
        return _SCORE_OF_COURT
    return _SCORE_OF_MIDDLE if kind >= _EIGHT else _SCORE_OF_LOW
