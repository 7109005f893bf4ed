"""The greedy player (Classic): a fixed order of everything that can be laid.

Takes a pile that connects: one with a wild in it, a rank that it holds, or the rank of an own meld. Lays a
new clean set, else a natural onto a meld, else what completes a canasta, else a pair with a wild, else any
wild; goes out at the first chance. Discards what is least connected, high points first.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.features import (
    NOTHING,
    OWN,
    buried,
    cheapest_take,
    is_wild,
    lowest_discard,
    no_scores,
    top_card,
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
from canasta_agents.heuristics.opening import UNAFFORDABLE, fewest_wilds, opening_step
from canasta_env.actions import DRAW
from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import VALUE, meld_size

_KEEP = 2  # cards that laying leaves in the hand, the discard among them

# Scores of a discard, the lowest goes.
_CONNECTION = 100.0  # each card of the rank in hand and in the own meld; more than any card's points
_WILD = 1_000.0  # on top of its points


@kernel
def _draw(rules, params, view, mask, random):
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
def _lay_opening(rules, params, view, mask, random):
    return opening_step(rules, view, mask, fewest_wilds(view), _KEEP, UNAFFORDABLE)


@kernel
def _lay(rules, params, view, mask, random):
    action = clean_set(view, mask, _KEEP)
    if action == NOTHING:
        action = natural_onto_largest(view, mask, _KEEP)
    if action == NOTHING:
        action = canasta_step(rules, view, mask, _KEEP, wilds_in_hand(view))
    if action == NOTHING:
        action = pair_with_wild(view, mask, _KEEP)
    if action == NOTHING:
        action = wild_onto_largest(view, mask, _KEEP)
    return action


@kernel
def _discard(rules, params, view, mask, random):
    scores = no_scores()
    scores[BLACK_THREE] = _CONNECTION - VALUE[BLACK_THREE]
    scores[JOKER], scores[TWO] = _WILD + VALUE[JOKER], _WILD + VALUE[TWO]
    for kind in range(FIRST_RANK, NUM_KINDS):
        scores[kind] = _CONNECTION * (view.hand[kind] + meld_size(view, OWN, kind)) - VALUE[kind]
    return lowest_discard(mask, scores)


PLAYER = make_player("greedy", ("classic",), draw=_draw, lay_opening=_lay_opening, lay=_lay, discard=_discard)
