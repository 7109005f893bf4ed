"""The gambler (Classic): adds everything that fits, wilds too, and freezes the pile at random.

Takes piles of three cards or more whose rank its side has on the table or it holds twice. Adds naturals, then
wilds, to the largest meld; new melds clean first, then a pair with a wild; goes out at the first chance.
Keeps pairs, sets and what fits its melds, but one time in seven discards a wild, which freezes the pile.
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
    top_card,
)
from canasta_agents.heuristics.frame import make_player
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import (
    clean_set,
    natural_onto_largest,
    pair_with_wild,
    wild_onto_largest,
)
from canasta_agents.heuristics.opening import UNAFFORDABLE, fewest_wilds, opening_step
from canasta_env.actions import DISCARD_JOKER, DISCARD_TWO, DRAW
from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import PAIR, VALUE, meld_size

_KEEP = 2  # cards that laying leaves in the hand, the discard among them
_PILE_TO_TAKE = 3  # a pile of so many cards is taken
_FREEZES = 1 / 7  # how often it discards a wild without need

# Scores of a discard, the lowest goes; the points of a rank or a wild come on top.
_WILD = 1_000.0
_BLACK_THREE = -10.0
_SINGLE = 25.0
_PAIR = 75.0
_SET = 150.0
_FITTING = 200.0  # more, if the side has the rank on the table


@kernel
def _draw(rules, params, view, mask, random):
    action = cheapest_take(mask)
    if action != NOTHING and view.pile_size >= _PILE_TO_TAKE:
        top = top_card(view)
        if meld_size(view, OWN, top) > 0 or view.hand[top] >= PAIR:
            return action
    return DRAW


@kernel
def _lay_opening(rules, params, view, mask, random):
    return opening_step(rules, view, mask, fewest_wilds(view), _KEEP, UNAFFORDABLE)


@kernel
def _lay(rules, params, view, mask, random):
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
    if random < _FREEZES and not view.wild_frozen:
        for freeze in (DISCARD_TWO, DISCARD_JOKER):
            if mask[freeze]:
                return freeze
    scores = no_scores()
    scores[BLACK_THREE] = _BLACK_THREE
    scores[JOKER], scores[TWO] = _WILD + VALUE[JOKER], _WILD + VALUE[TWO]
    for kind in range(FIRST_RANK, NUM_KINDS):
        scores[kind] = by_copies(view.hand[kind], _SINGLE, _PAIR, _SET) + VALUE[kind]
        if meld_size(view, OWN, kind) > 0:
            scores[kind] += _FITTING
    return lowest_discard(mask, scores)


PLAYER = make_player(
    "gambler", ("classic",), draw=_draw, lay_opening=_lay_opening, lay=_lay, discard=_discard
)
