"""The simple player (Modern American): opens, lays what fits, completes canastas, discards the least.

Takes piles of three cards or more, unless that begins a meld of sevens or aces; opens when it can without a
meld that is penalised if it stays unfinished. Completes melds of five naturals with wilds, feeds the wild
meld, adds naturals, begins clean sets; goes out at the first chance. Discards what it has fewest of, high
points first, and holds wilds and what fits its melds.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    is_finished,
    is_risky,
    is_wild,
    lowest_discard,
    no_scores,
    top_card,
    wilds_in_hand,
)
from canasta_agents.heuristics.frame import make_player
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import canasta_step, clean_set, natural_onto_largest, wild_onto
from canasta_agents.heuristics.opening import CLEAN_MELD, fewest_wilds, opening_step
from canasta_env.actions import DRAW, TAKE
from canasta_env.cards import ACE, NUM_KINDS, SEVEN
from canasta_env.engine.melds import MELD_START, VALUE, meld_size
from canasta_env.engine.state import WILD_MELD

_KEEP = 2  # cards that laying leaves in the hand, the discard among them
_PILE_TO_TAKE = 3  # a pile of so many cards is taken
_PRICE_OF_RISK = 1_000.0  # of an opening: a meld that is penalised if it stays unfinished
_DEAREST_OPENING = 900.0  # less than that: such a meld is not begun

# Scores of a discard, the lowest goes; the points of a card make it go sooner.
_WILD = 1_000.0
_PER_COPY = 12.0  # each card of the kind in hand
_FITTING = 30.0  # more, if it fits an own meld


@kernel
def _draw(rules, params, view, mask, random):
    return TAKE if mask[TAKE] and _wants_pile(view) else DRAW


@kernel
def _wants_pile(view):
    """Three cards or more, and no meld of sevens or aces begun for it."""
    top = top_card(view)
    return view.pile_size >= _PILE_TO_TAKE and not (is_risky(top) and meld_size(view, OWN, top) == 0)


@kernel
def _lay_opening(rules, params, view, mask, random):
    prices = fewest_wilds(view)
    prices[CLEAN_MELD, SEVEN] = _PRICE_OF_RISK
    prices[CLEAN_MELD, ACE] = _PRICE_OF_RISK
    prices[CLEAN_MELD, WILD_MELD] = _PRICE_OF_RISK
    return opening_step(rules, view, mask, prices, _KEEP, _DEAREST_OPENING)


@kernel
def _lay(rules, params, view, mask, random):
    action = canasta_step(rules, view, mask, _KEEP, wilds_in_hand(view))
    if action == NOTHING:
        action = wild_onto(mask, WILD_MELD)
    if action == NOTHING:
        action = natural_onto_largest(view, mask, _KEEP)
    if action == NOTHING:
        action = clean_set(view, mask, _KEEP)
    return action


@kernel
def _discard(rules, params, view, mask, random):
    scores = no_scores()
    for kind in range(NUM_KINDS):
        scores[kind] = _PER_COPY * view.hand[kind] - VALUE[kind]
        if is_wild(kind):
            scores[kind] += _WILD
        elif meld_size(view, OWN, kind) >= MELD_START and not is_finished(rules, view, OWN, kind):
            scores[kind] += _FITTING
    return lowest_discard(mask, scores)


PLAYER = make_player(
    "simple", ("modern_american",), draw=_draw, lay_opening=_lay_opening, lay=_lay, discard=_discard
)
