"""The eager player (Classic): takes, lays and discards by fixed values, blind to its opponents.

Takes piles of three cards or more, opens in the first way it finds, completes canastas, then adds everything
and begins every meld; goes out at the first chance. Discards the card with the lowest fixed value.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.features import (
    NOTHING,
    cheapest_take,
    lowest_discard,
    no_scores,
    wilds_in_hand,
)
from canasta_agents.heuristics.frame import make_player
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import (
    canasta_step,
    clean_set,
    natural_onto_largest,
    pair_with_wild,
    wild_onto_largest,
)
from canasta_agents.heuristics.opening import UNAFFORDABLE, no_prices, opening_step
from canasta_env.actions import DRAW
from canasta_env.cards import ACE, BLACK_THREE, FIRST_RANK, JOKER, KINDS, NUM_KINDS, TWO
from canasta_env.engine.melds import VALUE

_KEEP = 2  # cards that laying leaves in the hand, the discard among them
_PILE_TO_TAKE = 3  # a pile of so many cards is taken

# Scores of a discard, the lowest goes.
_WILD = 1_000.0  # on top of its points
_ACE = 40.0
_ACE_LATE = 25.0  # ... with less than _LATE cards in the stock
_LATE = 20
_JACK_TO_KING = 18.0
_EIGHT_TO_TEN = 10.0
_FOUR_TO_SEVEN = 5.0
_BLACK_THREE = 8.0
_BLACK_THREE_ON_LARGE_PILE = -20.0  # ... which it blocks, from _LARGE_PILE cards on
_LARGE_PILE = 5

_EIGHT, _JACK = KINDS.index("8"), KINDS.index("J")


@kernel
def _draw(rules, params, view, mask, random):
    action = cheapest_take(mask)
    return action if action != NOTHING and view.pile_size >= _PILE_TO_TAKE else DRAW


@kernel
def _lay_opening(rules, params, view, mask, random):
    """The first opening that is found, since none costs anything."""
    return opening_step(rules, view, mask, no_prices(), _KEEP, UNAFFORDABLE)


@kernel
def _lay(rules, params, view, mask, random):
    action = canasta_step(rules, view, mask, _KEEP, wilds_in_hand(view))
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
def _discard(rules, params, view, mask, random):
    scores = no_scores()
    scores[JOKER], scores[TWO] = _WILD + VALUE[JOKER], _WILD + VALUE[TWO]
    scores[BLACK_THREE] = _BLACK_THREE_ON_LARGE_PILE if view.pile_size >= _LARGE_PILE else _BLACK_THREE
    for kind in range(FIRST_RANK, NUM_KINDS):
        scores[kind] = _fixed_value(kind)
    scores[ACE] = _ACE_LATE if view.stock_size < _LATE else _ACE
    return lowest_discard(mask, scores)


@kernel
def _fixed_value(kind):
    if kind >= _JACK:
        return _JACK_TO_KING
    return _EIGHT_TO_TEN if kind >= _EIGHT else _FOUR_TO_SEVEN


PLAYER = make_player("eager", ("classic",), draw=_draw, lay_opening=_lay_opening, lay=_lay, discard=_discard)
