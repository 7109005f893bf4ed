"""The project's own players as walks for the oracle: they see the oracle's view and its legal actions."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import numpy as np

from canasta_agents.registry import make, names
from canasta_env.actions import ID_OF, NOTATIONS, NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.engine.state import allocate
from canasta_env.engine.view import VIEW
from canasta_env.rules import Rules, standard_rules


def heuristic_policies(rules: Rules, rng: Random) -> list[Any]:
    """A rule-based player for each seat, drawn from the registry."""
    known = [name for name in names(rules) if name != "random"]
    return [_policy(rng.choice(known), rules.game, rules.players) for _ in range(rules.players)]


@cache
def _policy(name: str, game: str, players: int) -> Any:
    agent: Agent = make(name, standard_rules(game, players))
    agent.reset(1, 0)

    def choose(oracle: Any, legal: list[str], rng: Random) -> str:
        seat = oracle.seat_to_play()
        views = allocate(1, VIEW)
        for field, value in oracle.view(seat).items():
            views[field][0] = value
        masks = np.zeros((1, NUM_ACTIONS), np.int8)
        masks[0, [ID_OF[notation] for notation in legal]] = 1
        batch = DecisionBatch(oracle.rules, np.zeros(1, np.int64), np.array([seat], np.int8), views, masks)
        return NOTATIONS[agent.act(batch)[0]]

    return choose
