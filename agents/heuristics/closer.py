"""The closer (Classic): wilds only complete canastas, several at once if needed; a danger rank is never fed.

Takes piles of three cards or more, or one whose top card fits an own meld. Opens with the cheapest wilds.
Completes canastas, adds naturals, begins clean sets, and late in the deal melds of a pair and a wild; keeps
three cards before the first canasta; goes out at the first chance. Discards low points and single cards,
never a danger rank (one that opponents have on the table) on an open pile; with two players it holds black
threes for large piles. The plain one, its earlier form, is without what is late, three cards or black threes'
piles.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
import dataclasses

from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    TWO_PLAYERS,
    cheapest_take,
    is_danger_rank,
    is_wild,
    lowest_discard,
    no_scores,
    pile_is_open,
    top_card,
    wilds_in_hand,
)
from canasta_agents.heuristics.frame import make_player
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import canasta_step, clean_set, natural_onto_largest, pair_with_wild
from canasta_agents.heuristics.opening import UNAFFORDABLE, fewest_wilds, opening_step
from canasta_agents.heuristics.params import PLAIN_CLOSER, Params
from canasta_env.actions import DRAW
from canasta_env.cards import BLACK_THREE, NUM_KINDS
from canasta_env.engine.melds import VALUE, meld_size


@kernel
def _draw(rules, params, view, mask, random):
    own = params.closer
    action = cheapest_take(mask)
    if action != NOTHING and (view.pile_size >= own.take_from or meld_size(view, OWN, top_card(view)) > 0):
        return action
    return DRAW


@kernel
def _lay_opening(rules, params, view, mask, random):
    return opening_step(rules, view, mask, fewest_wilds(view), int(params.closer.keep), UNAFFORDABLE)


@kernel
def _lay(rules, params, view, mask, random):
    own = params.closer
    keep = int(own.keep if view.canastas[OWN] > 0 else own.keep_before_canasta)
    action = canasta_step(rules, view, mask, keep, wilds_in_hand(view))
    if action == NOTHING:
        action = natural_onto_largest(view, mask, keep)
    if action == NOTHING:
        action = clean_set(view, mask, keep)
    if action == NOTHING and view.stock_size < own.pair_with_wild_under:
        action = pair_with_wild(view, mask, keep)
    return action


@kernel
def _discard(rules, params, view, mask, random):
    own = params.closer
    scores = no_scores()
    is_open = pile_is_open(view)
    for kind in range(NUM_KINDS):
        scores[kind] = VALUE[kind] + own.further_copy * (view.hand[kind] - 1)
        if is_wild(kind):
            scores[kind] += own.wild
        if kind == BLACK_THREE:
            scores[kind] += _black_three(rules, own, view)
        if is_open and is_danger_rank(rules, view, kind):
            scores[kind] += own.danger
    return lowest_discard(mask, scores)


@kernel
def _black_three(rules, own, view):
    """With two players black threes are held until there is a pile to block."""
    if rules.players == TWO_PLAYERS and view.pile_size < own.black_three_from:
        return own.black_three_held
    return own.black_three


PLAYER = make_player("closer", ("classic",), draw=_draw, lay_opening=_lay_opening, lay=_lay, discard=_discard)
PLAIN = dataclasses.replace(PLAYER, name="closer_plain", params=Params(closer=PLAIN_CLOSER))
