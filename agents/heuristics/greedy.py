"""The greedy player (Classic): a fixed order of everything that can be laid."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    buried,
    cheapest_take,
    is_wild,
    legal,
    lowest_discard,
    no_scores,
    top_card,
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
from canasta_agents.heuristics.opening import UNAFFORDABLE, fewest_wilds, needs_opening, opening_step
from canasta_env.actions import DRAW, PICK_UP, YES
from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import VALUE, meld_size
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW

_KEEP = 2
_CONNECTION, _WILD_CONNECTION = 100.0, 1_000.0  # scores of a discard: least connected first, then most points


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
    return action if action != NOTHING and _connects(view) else DRAW


@kernel
def _connects(view):
    """Whether the pile holds a wild, a held rank, or the rank of an own meld."""
    if meld_size(view, OWN, top_card(view)) > 0:
        return True
    for kind in range(NUM_KINDS):
        if buried(view, kind) > 0:
            if is_wild(kind) or (kind >= FIRST_RANK and view.hand[kind] + meld_size(view, OWN, kind) > 0):
                return True
    return False


@kernel
def _lay(rules, view, mask):
    if mask[PICK_UP]:
        return PICK_UP
    action = going_out_step(rules, view, mask)
    if action == NOTHING and needs_opening(view, mask):
        return opening_step(rules, view, mask, fewest_wilds(view), _KEEP, UNAFFORDABLE)
    if action == NOTHING:
        action = clean_set(view, mask, _KEEP)
    if action == NOTHING:
        action = natural_onto_largest(view, mask, _KEEP)
    if action == NOTHING:
        action = closing_step(rules, view, mask, _KEEP, wilds_in_hand(view))
    if action == NOTHING:
        action = pair_with_wild(view, mask, _KEEP)
    if action == NOTHING:
        action = wild_onto_largest(view, mask, _KEEP)
    return action


@kernel
def _discard(view, mask):
    """The card with the fewest of its rank in hand and in own melds, high points first."""
    scores = no_scores()
    scores[BLACK_THREE] = _CONNECTION - VALUE[BLACK_THREE]
    scores[JOKER], scores[TWO] = _WILD_CONNECTION + VALUE[JOKER], _WILD_CONNECTION + VALUE[TWO]
    for kind in range(FIRST_RANK, NUM_KINDS):
        scores[kind] = _CONNECTION * (view.hand[kind] + meld_size(view, OWN, kind)) - VALUE[kind]
    return lowest_discard(mask, scores)
