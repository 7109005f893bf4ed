"""The simple player (Modern American): opens, lays what fits, closes with wilds, discards the least."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    is_finished,
    is_wild,
    legal,
    lowest_discard,
    no_scores,
    top_card,
    wilds_in_hand,
)
from canasta_agents.heuristics.going_out import going_out_step
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.keeper import is_risky
from canasta_agents.heuristics.melding import clean_set, closing_step, natural_onto_largest, wild_onto
from canasta_agents.heuristics.opening import CLEAN_MELD, fewest_wilds, needs_opening, opening_step
from canasta_env.actions import DRAW, PICK_UP, TAKE, YES
from canasta_env.cards import ACE, NUM_KINDS, SEVEN
from canasta_env.engine.melds import MELD_START, VALUE, meld_size
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW, WILD_MELD

_KEEP = 2
_PILE_TO_TAKE = 3
_PRICE_OF_RISK, _DEAREST_OPENING = 1_000.0, 900.0
_SCORE_OF_WILD, _SCORE_OF_FITTING, _PER_COPY = 1_000.0, 30.0, 12.0


def choose(rules, style, view, mask, random):
    """Choose an action."""
    if view.phase == PHASE_DRAW:
        action = TAKE if mask[TAKE] and _wants_pile(view) else DRAW
    elif view.phase == PHASE_ANSWER:
        action = YES
    else:
        action = _lay(rules, view, mask)
        if action == NOTHING:
            action = _discard(rules, view, mask)
    return legal(mask, action)


@kernel
def _wants_pile(view):
    """Three cards or more, and no meld of sevens or aces begun for it."""
    top = top_card(view)
    return view.pile_size >= _PILE_TO_TAKE and not (is_risky(top) and meld_size(view, OWN, top) == 0)


@kernel
def _lay(rules, view, mask):
    if mask[PICK_UP]:
        return PICK_UP
    action = going_out_step(rules, view, mask)
    if action == NOTHING and needs_opening(view, mask):
        return opening_step(rules, view, mask, _prices(view), _KEEP, _DEAREST_OPENING)
    if action == NOTHING:
        action = closing_step(rules, view, mask, _KEEP, wilds_in_hand(view))
    if action == NOTHING:
        action = wild_onto(mask, WILD_MELD)
    if action == NOTHING:
        action = natural_onto_largest(view, mask, _KEEP)
    if action == NOTHING:
        action = clean_set(view, mask, _KEEP)
    return action


@kernel
def _prices(view):
    """Prices of an opening: the cheapest wilds, and no penalised meld."""
    prices = fewest_wilds(view)
    prices[CLEAN_MELD, SEVEN] = _PRICE_OF_RISK
    prices[CLEAN_MELD, ACE] = _PRICE_OF_RISK
    prices[CLEAN_MELD, WILD_MELD] = _PRICE_OF_RISK
    return prices


@kernel
def _discard(rules, view, mask):
    scores = no_scores()
    for kind in range(NUM_KINDS):
        scores[kind] = _PER_COPY * view.hand[kind] - VALUE[kind]
        if is_wild(kind):
            scores[kind] += _SCORE_OF_WILD
        elif meld_size(view, OWN, kind) >= MELD_START and not is_finished(rules, view, OWN, kind):
            scores[kind] += _SCORE_OF_FITTING
    return lowest_discard(mask, scores)
