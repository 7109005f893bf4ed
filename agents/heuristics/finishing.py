"""Finishing: how likely a side can bring a clean or wild meld to a canasta before the deal ends."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.compiling import kernel
from canasta_agents.heuristics.reading import OWN, wilds_in_hand
from canasta_env.cards import CANASTA_SIZE, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import meld_size
from canasta_env.engine.state import WILD_MELD

_PARTNER = 2  # relative seat; Modern is played by four
_HALF = 0.5  # of the stock and of the pile come to the own side


@kernel
def chance_of_wild_canasta(view):
    """How likely the side collects seven wilds, the hand's and the wild meld's included."""
    missing = CANASTA_SIZE - meld_size(view, OWN, WILD_MELD) - wilds_in_hand(view)
    return chance_of_at_least(missing, view.unseen[JOKER] + view.unseen[TWO], share_to_come(view))


@kernel
def chance_of_clean_canasta(view, kind, to_come):
    """How likely the side collects seven naturals of a kind, if `to_come` are as good as in the hand."""
    missing = CANASTA_SIZE - view.naturals[OWN, kind] - view.hand[kind] - view.known[_PARTNER, kind] - to_come
    others = view.unseen[kind] - view.known[_PARTNER, kind] + view.pile_count[kind] - to_come
    return chance_of_at_least(missing, others, share_to_come(view))


@kernel
def share_to_come(view):
    """How likely a card not seen is the partner's or will be drawn by the side."""
    unseen = 0
    for kind in range(NUM_KINDS):
        unseen += view.unseen[kind]
    return (view.hand_size[_PARTNER] + _HALF * view.stock_size) / max(1, unseen)


@kernel
def chance_of_at_least(number, cards, share):
    """How likely `number` of so many cards come, each by itself with the chance `share`."""
    if number <= 0:
        return 1.0
    if number > cards:
        return 0.0
    chance, term = 0.0, (1.0 - share) ** cards
    for come in range(cards + 1):
        if come >= number:
            chance += term
        term *= share / max(1e-9, 1.0 - share) * (cards - come) / (come + 1)
    return min(1.0, chance)
