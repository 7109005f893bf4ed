"""The gambler (Classic): adds everything that fits, wilds too, and freezes the pile at random."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    cheapest_take,
    legal,
    lowest_discard,
    no_scores,
    top_card,
)
from canasta_agents.heuristics.going_out import going_out_step
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import (
    clean_set,
    natural_onto_largest,
    pair_with_wild,
    wild_onto_largest,
)
from canasta_agents.heuristics.opening import UNAFFORDABLE, fewest_wilds, needs_opening, opening_step
from canasta_env.actions import DISCARD_JOKER, DISCARD_TWO, DRAW, PICK_UP, YES
from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import PAIR, VALUE, meld_size
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW

_KEEP = 2
_PILE_TO_TAKE = 3
_FREEZES = 1 / 7  # how often it discards a wild without need

_SCORE_OF_WILD, _SCORE_OF_BLACK_THREE, _SCORE_OF_FITTING = 1_000.0, -10.0, 200.0
_SCORE_OF_ONE, _SCORE_OF_TWO, _SCORE_OF_MORE = 25.0, 75.0, 150.0


def choose(rules, style, view, mask, random):
    """Choose an action."""
    if view.phase == PHASE_DRAW:
        action = _draw_or_take(view, mask)
    elif view.phase == PHASE_ANSWER:
        action = YES
    else:
        action = _lay(rules, view, mask)
        if action == NOTHING:
            action = _discard(view, mask, random)
    return legal(mask, action)


@kernel
def _draw_or_take(view, mask):
    """Take a pile of three or more if the side has the rank or the hand holds two that match."""
    action = cheapest_take(mask)
    if action != NOTHING and view.pile_size >= _PILE_TO_TAKE:
        top = top_card(view)
        if meld_size(view, OWN, top) > 0 or view.hand[top] >= PAIR:
            return action
    return DRAW


@kernel
def _lay(rules, view, mask):
    """Everything that fits, largest melds first; new melds clean first, then a pair and a wild."""
    if mask[PICK_UP]:
        return PICK_UP
    action = going_out_step(rules, view, mask)
    if action == NOTHING and needs_opening(view, mask):
        return opening_step(rules, view, mask, fewest_wilds(view), _KEEP, UNAFFORDABLE)
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
def _discard(view, mask, random):
    if random < _FREEZES and not view.wild_frozen:
        for freeze in (DISCARD_TWO, DISCARD_JOKER):
            if mask[freeze]:
                return freeze
    scores = no_scores()
    scores[BLACK_THREE] = _SCORE_OF_BLACK_THREE
    scores[JOKER], scores[TWO] = _SCORE_OF_WILD + VALUE[JOKER], _SCORE_OF_WILD + VALUE[TWO]
    for kind in range(FIRST_RANK, NUM_KINDS):
        copies = view.hand[kind]
        scores[kind] = _SCORE_OF_ONE if copies <= 1 else _SCORE_OF_TWO if copies == PAIR else _SCORE_OF_MORE
        scores[kind] += VALUE[kind]
        if meld_size(view, OWN, kind) > 0:
            scores[kind] += _SCORE_OF_FITTING
    return lowest_discard(mask, scores)
