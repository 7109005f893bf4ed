"""The random player (both games): every legal action is equally likely, whatever the phase."""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.frame import Player
from canasta_env.actions import NUM_ACTIONS
from canasta_env.rules import GAMES


def choose(rules, params, view, mask, random):
    """Pick a legal action by a number in [0, 1)."""
    num_legal = 0
    for action in range(NUM_ACTIONS):
        num_legal += mask[action]
    place = int(random * num_legal)
    for action in range(NUM_ACTIONS):
        place -= mask[action]
        if place < 0:
            return action
    return NUM_ACTIONS  # nothing is legal: the deal is over


PLAYER = Player("random", GAMES, choose)
