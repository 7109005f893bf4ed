"""Taking the pile: what it brings, and with which cards it is taken."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.compiling import kernel
from canasta_agents.heuristics.reading import NOTHING
from canasta_env.actions import TAKE, TAKE_WITH_JOKER, TAKE_WITH_TWO
from canasta_env.cards import FIRST_RANK


@kernel
def cheapest_take(mask):
    """Take with a natural pair, else with a two, else with a joker; NOTHING if no take is legal."""
    for action in (TAKE, TAKE_WITH_TWO, TAKE_WITH_JOKER):
        if mask[action]:
            return action
    return NOTHING


@kernel
def num_buried(view):
    """Cards under the top card."""
    return max(0, view.pile_size - 1)


@kernel
def buried(view, kind):
    """Cards of a kind under the top card."""
    return view.pile_count[kind] - (view.pile[view.pile_size - 1] == kind)


@kernel
def is_rank(kind):
    """Whether a kind is a rank: neither a wild nor a three."""
    return kind >= FIRST_RANK
