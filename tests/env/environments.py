"""What the tests of the environments share: the four games, and playing at random by the mask."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

import canasta_env

GAMES = [("modern_american", 4), ("classic", 2), ("classic", 3), ("classic", 4)]
IDS = ["modern", "classic2", "classic3", "classic4"]

# What the oldest releases that the package works with do not have.
needs_pettingzoo_s_make = pytest.mark.skipif(
    not hasattr(pettingzoo, "make"), reason="PettingZoo knows environments by names since 1.27"
)
needs_gymnasium_1_4 = pytest.mark.skipif(
    tuple(map(int, gymnasium.__version__.split(".")[:2])) < (1, 4),
    reason="Gymnasium's own DictInfoToList and environment checker differ before 1.4",
)


def legal(observation: dict[str, Any]) -> list[int]:
    """The legal actions of an observation."""
    actions: list[int] = np.flatnonzero(observation["action_mask"]).tolist()
    return actions


def play_on(env: Any, rng: Random, max_steps: int = 1_000_000) -> Iterator[tuple[str, Any]]:
    """Play at random; yields the agent that acted and its action, None once its episode has ended."""
    for agent in env.agent_iter(max_steps):
        observation, _, termination, truncation, _ = env.last()
        action = None if termination or truncation else rng.choice(legal(observation))
        env.step(action)
        yield agent, action


def fresh(game: str, players: int, seed: int = 1, **options: Any) -> Any:
    """A raw AEC environment after its reset."""
    env = canasta_env.raw_env(game, players, **options)
    env.reset(seed=seed)
    return env
