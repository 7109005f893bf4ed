"""The closer (Classic): wilds only finish canastas, several at once if needed; a danger rank is never fed."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    TWO_PLAYERS,
    cheapest_take,
    is_danger_rank,
    is_wild,
    legal,
    lowest_discard,
    no_scores,
    pile_is_open,
    top_card,
    wilds_in_hand,
)
from canasta_agents.heuristics.going_out import going_out_step
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import clean_set, closing_step, natural_onto_largest, pair_with_wild
from canasta_agents.heuristics.opening import UNAFFORDABLE, fewest_wilds, needs_opening, opening_step
from canasta_env.actions import DRAW, PICK_UP, YES
from canasta_env.cards import BLACK_THREE, NUM_KINDS
from canasta_env.engine.melds import VALUE, meld_size
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW


def choose(rules, style, view, mask, random):
    """Choose an action."""
    if view.phase == PHASE_DRAW:
        action = _draw_or_take(style.closer, view, mask)
    elif view.phase == PHASE_ANSWER:
        action = YES
    else:
        action = _lay(rules, style.closer, view, mask)
        if action == NOTHING:
            action = _discard(rules, style.closer, view, mask)
    return legal(mask, action)


@kernel
def _draw_or_take(style, view, mask):
    """Take a pile of some size, or one whose top card fits an own meld."""
    action = cheapest_take(mask)
    if action != NOTHING and (view.pile_size >= style.take_from or meld_size(view, OWN, top_card(view)) > 0):
        return action
    return DRAW


@kernel
def _lay(rules, style, view, mask):
    if mask[PICK_UP]:
        return PICK_UP
    action = going_out_step(rules, view, mask)
    if action == NOTHING and needs_opening(view, mask):
        return opening_step(rules, view, mask, fewest_wilds(view), int(style.keep), UNAFFORDABLE)
    if action == NOTHING:
        action = _lay_opened(rules, style, view, mask)
    return action


@kernel
def _lay_opened(rules, style, view, mask):
    """Close canastas, lay naturals, begin clean melds; a pair and a wild only late in the deal."""
    keep = int(style.keep if view.canastas[OWN] > 0 else style.keep_before_canasta)
    action = closing_step(rules, view, mask, keep, wilds_in_hand(view))
    if action == NOTHING:
        action = natural_onto_largest(view, mask, keep)
    if action == NOTHING:
        action = clean_set(view, mask, keep)
    if action == NOTHING and view.stock_size < style.pair_with_wild_under:
        action = pair_with_wild(view, mask, keep)
    return action


@kernel
def _discard(rules, style, view, mask):
    scores = no_scores()
    is_open = pile_is_open(view)
    for kind in range(NUM_KINDS):
        scores[kind] = VALUE[kind] + style.copy * (view.hand[kind] - 1)
        if is_wild(kind):
            scores[kind] += style.wild
        if kind == BLACK_THREE:
            scores[kind] += _black_three(rules, style, view)
        if is_open and is_danger_rank(rules, view, kind):
            scores[kind] += style.danger
    return lowest_discard(mask, scores)


@kernel
def _black_three(rules, style, view):
    """With two players black threes are held until there is a pile to block."""
    if rules.players == TWO_PLAYERS and view.pile_size < style.black_three_from:
        return style.black_three_held
    return style.black_three
