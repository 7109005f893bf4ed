"""Watching the table: what the next player can hold, and so what a discard risks."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from canasta_agents.heuristics.compiling import kernel
from canasta_agents.heuristics.reading import NEXT
from canasta_env.cards import CANASTA_SIZE, FIRST_RANK, NUM_KINDS
from canasta_env.engine.melds import PAIR, meld_size

_LARGEST_TO_TAKE = CANASTA_SIZE - 3  # R-TAKE-2 (Modern): the pile is taken onto melds up to this size


@kernel
def can_be_taken(rules, view, kind):
    """Whether a natural pair of the next player takes a pile with this card on top."""
    if kind < FIRST_RANK or view.closed[kind]:
        return False
    return not rules.is_modern or meld_size(view, NEXT, kind) <= _LARGEST_TO_TAKE


@kernel
def share_of_unseen(rules, view, seat):
    """The part of the cards of unknown place that is in the hand of `seat`."""
    unseen, in_hand = 0, view.hand_size[seat] * 1
    for kind in range(NUM_KINDS):
        unseen += view.unseen[kind]
        in_hand -= view.known[seat, kind]
        for other in range(1, rules.players):
            unseen -= view.known[other, kind]
    return min(1.0, max(0.0, in_hand / max(1.0, np.float64(unseen))))


@kernel
def chance_of_pair(rules, view, seat, kind, share):
    """How likely `seat` holds two of a kind, each unseen card being there with the chance `share`."""
    known = view.known[seat, kind]
    if known >= PAIR:
        return 1.0
    hidden = _hidden(rules, view, kind)
    none = (1.0 - share) ** hidden
    if known > 0:
        return 1.0 - none
    if hidden < PAIR:
        return 0.0
    return 1.0 - none - hidden * share * (1.0 - share) ** (hidden - 1)


@kernel
def _hidden(rules, view, kind):
    """Cards of a kind whose place nobody has shown."""
    hidden = view.unseen[kind] - 0
    for other in range(1, rules.players):
        hidden -= view.known[other, kind]
    return hidden
