"""The PettingZoo parallel environment: every agent observes each step, one of them acts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from canasta_env.aec import CanastaAECEnv
from canasta_env.episode import Observation
from canasta_env.explain import IllegalActionError


class CanastaParallelEnv(ParallelEnv):
    """Canasta with a step for every decision, in which all agents observe and are rewarded.

    Only the agent to act has legal actions in its mask; the actions of the others are not looked at and may
    be left out. Arguments as for `CanastaAECEnv`.
    """

    metadata = CanastaAECEnv.metadata

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        table = CanastaAECEnv(*args, **kwargs)
        self._table = table
        self.rules, self.render_mode, self.episode = table.rules, table.render_mode, table.episode
        self.possible_agents = table.possible_agents
        self.agents: list[str] = []
        self.state_space = table.state_space

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observations, the same object on each call."""
        return self._table.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions, the same object on each call."""
        return self._table.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal for a new episode; as `CanastaAECEnv.reset`.

        Returns:
            The observation and the info of each agent.
        """
        self.episode.begin(seed)
        self.agents = self.possible_agents[:]
        if self.render_mode == "human":
            self.render()
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play the action of the agent to act.

        Args:
            actions: {agent: action}; that of the agent to act must be there.

        Returns:
            Observations, rewards, terminations, truncations and infos of each agent.

        Raises:
            IllegalActionError: If its action is missing or not legal, unless it forfeits.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        agent = self.possible_agents[self.episode.seat]
        if agent not in actions:
            raise IllegalActionError(f"actions: {agent} is to act, and there is no action of it")
        episode = self.episode
        something_ended = episode.play(actions[agent])
        agents = self.agents
        rewards = dict(zip(agents, episode.rewards if something_ended else [0.0] * len(agents), strict=True))
        if episode.is_over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return (
            self._observations(),
            rewards,
            dict.fromkeys(agents, episode.is_terminated),
            dict.fromkeys(agents, episode.is_truncated),
            {agent: dict(episode.news) if something_ended else {} for agent in agents},
        )

    def state(self) -> NDArray[np.float32]:
        """As `CanastaAECEnv.state`."""
        return self._table.state()

    def render(self) -> str | NDArray[np.uint8] | None:
        """As `CanastaAECEnv.render`."""
        return self._table.render()

    def close(self) -> None:
        """As `CanastaAECEnv.close`."""
        self._table.close()

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.episode.observe(seat) for seat, agent in enumerate(self.possible_agents)}


def parallel_env(*args: Any, **kwargs: Any) -> CanastaParallelEnv:
    """The parallel environment; arguments as for `CanastaAECEnv`."""
    return CanastaParallelEnv(*args, **kwargs)
