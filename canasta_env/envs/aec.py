"""The PettingZoo AEC environment: agents act one at a time, as at a card table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from canasta_env.envs.episode import Episode, Form, Illegal, Length, Presented, Reward, Scores
from canasta_env.explain import IllegalActionError
from canasta_env.rendering.display import PICTURES_PER_S, Display
from canasta_env.rendering.text import picture
from canasta_env.rules import Rules
from canasta_env.validation import (
    RENDER_MODES,
    check_choice,
    check_flag,
    check_options,
    check_render_mode,
    choose_rules,
    shown,
)

VERSIONS = {  # of the environments: goes up with observations, actions, rewards and default rules
    "v0": "the first",
    "v1": "observations rank by rank, with finer counts, wilds and black threes discarded, last discards, "
    "piles passed and legal actions",
}
VERSION = next(reversed(VERSIONS))
_Arguments = ParamSpec("_Arguments")
_Made = TypeVar("_Made")


class CanastaAECEnv(AECEnv):
    """Canasta for several agents, `player_0` to `player_3`, one of them to act at any time.

    docs/environment.md describes observations, actions and rewards. An observation is a dict of
    `observation`, `(num_features,) float32` of zeros and ones, and `action_mask`, `(96,) int8`, 1 = legal;
    the mask of an agent that is not to act is all 0. Every array is new and belongs to the caller.

    Args:
        game: "modern_american" or "classic"; Modern American if None.
        players: Number of agents; 4 if None. Classic is for 2, 3 or 4.
        target: Match score to reach; the game's own if None (R-MATCH-1).
        episode: "deal" or "match"; see `Episode`, as for the arguments down to `max_cycles`.
        render_mode: "ansi": `render` returns a text. "rgb_array": a picture, `(800, 1280, 3) uint8`. "human":
            every step is shown in a window, or printed where there is no display.
        rules: House rules, in place of `game`, `players` and `target`.
        scores: "zero", "drawn" or one number a side.
        reward: "points" or "win".
        illegal: "raise" or "forfeit".
        max_cycles: Decisions, of all seats together, after which an episode is truncated. (PettingZoo's own
            environments mean rounds of all agents by it.)
        observation: "dict". Or "flat": an observation is the array of features alone, and each agent's mask
            stands in its info, as `action_mask`.

    Raises:
        ValueError: Names the argument that does not fit.
    """

    metadata = {
        "name": f"canasta_{VERSION}",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": PICTURES_PER_S,
    }

    def __init__(
        self,
        game: str | None = None,
        players: int | None = None,
        target: int | None = None,
        *,
        episode: Length = "deal",
        render_mode: str | None = None,
        rules: Rules | None = None,
        scores: Scores = "zero",
        reward: Reward = "points",
        illegal: Illegal = "raise",
        max_cycles: int | None = None,
        observation: Form = "dict",
    ) -> None:
        super().__init__()
        self.rules = choose_rules(game, players, target, rules)
        self.render_mode = check_render_mode(render_mode)
        self._display = Display(self.render_mode)
        self.episode = Episode(
            self.rules,
            episode=episode,
            scores=scores,
            reward=reward,
            illegal=illegal,
            max_cycles=max_cycles,
            observation=observation,
        )
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.agents: list[str] = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_spaces = {agent: self.episode.observation_space() for agent in self.possible_agents}
        self._action_spaces = {agent: self.episode.action_space() for agent in self.possible_agents}
        self.state_space = self.episode.state_space()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, the same object on each call."""
        return self._observation_spaces[self._check_agent(agent)]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions, the same object on each call."""
        return self._action_spaces[self._check_agent(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal for a new episode.

        Args:
            seed: Fixes this episode and all that are begun without a seed after it.
            options: Not used.

        Raises:
            ValueError: If `seed` is not a whole number of 64 bits, or `options` no dict.
        """
        check_options(options)
        self.episode.begin(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.episode.seat]
        self._skip_agent_selection = None
        self._has_news = False
        self._tell_masks()
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Play an action for `agent_selection`; None for an agent whose episode has ended.

        Raises:
            IllegalActionError: If the action is not legal, unless it forfeits; nothing has changed then.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        something_ended = self.episode.play(action)
        if self._has_news:
            self._forget_news()
        self._cumulative_rewards[agent] = 0.0
        self.agent_selection = self.possible_agents[self.episode.seat]
        if something_ended:
            self._tell_news()
        self._tell_masks()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Presented:
        """What an agent observes now: new arrays."""
        return self.episode.present(self._seat_of[self._check_agent(agent)])[0]

    def state(self) -> NDArray[np.float32]:
        """The observation of the agent to act with all other hands behind it, for a critic in training."""
        return self.episode.critic_state()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The open table in the mode chosen: a text, a picture, or None for "human"."""
        return self._display.render(self._text, self._picture)

    def close(self) -> None:
        """Close the window of "human", if it is open."""
        self._display.close()

    def let_others_idle(self) -> None:
        """Give agents that are not to act one action, 96, which does nothing; for the parallel form."""
        self.episode.let_others_idle()
        for agent in self.possible_agents:
            self._observation_spaces[agent] = self.episode.observation_space()
            self._action_spaces[agent] = self.episode.action_space()

    def _check_agent(self, agent: Any) -> str:
        return check_choice(agent, "agent", self.possible_agents)

    def _text(self) -> str:
        return picture(self.rules, self.episode.table().views())

    def _picture(self) -> NDArray[np.uint8]:
        from canasta_env.rendering import image

        return image.picture(self.rules, self.episode.table().views())

    def _tell_news(self) -> None:
        """Pass on what a deal or the episode brought when it ended."""
        self._has_news = True
        episode = self.episode
        for seat, agent in enumerate(self.possible_agents):
            self.rewards[agent] = episode.rewards[seat]
            self.infos[agent] = dict(episode.news)
            self.terminations[agent] = episode.is_terminated
            self.truncations[agent] = episode.is_truncated
        self._accumulate_rewards()
        if episode.is_over:
            self._deads_step_first()

    def _tell_masks(self) -> None:
        """Where observations are flat, every agent's mask is in its info."""
        if self.episode.is_flat:
            for agent in self.agents:
                mask = self.episode.action_mask(self._seat_of[agent])
                self.infos[agent] = self.infos[agent] | {"action_mask": mask}

    def _forget_news(self) -> None:
        """Rewards and infos stand for one step."""
        self._has_news = False
        self._clear_rewards()
        for agent in self.agents:
            self.infos[agent] = {}


def _with_arguments_of(
    constructor: Callable[_Arguments, Any],
) -> Callable[[Callable[..., _Made]], Callable[_Arguments, _Made]]:
    """Let a function that passes its arguments on to a class show those of the class."""

    def sign(function: Callable[..., _Made]) -> Callable[_Arguments, _Made]:
        returned = function.__annotations__["return"]
        signed: Any = function
        signed.__signature__ = inspect.signature(constructor).replace(return_annotation=returned)
        signed.__annotations__ = vars(constructor)["__init__"].__annotations__ | {"return": returned}
        return function

    return sign


@_with_arguments_of(CanastaAECEnv)
def raw_env(*args: Any, **kwargs: Any) -> CanastaAECEnv:
    """The AEC environment without a wrapper; arguments as for `CanastaAECEnv`."""
    return CanastaAECEnv(*args, **kwargs)


@_with_arguments_of(CanastaAECEnv)
def env(*args: Any, **kwargs: Any) -> AECEnv:
    """The AEC environment, with errors for calls in the wrong order; arguments as for `CanastaAECEnv`."""
    return OrderEnforcingWrapper(CanastaAECEnv(*args, **kwargs))


# The PettingZoo parallel environment: every agent observes each step, one of them acts.


class CanastaParallelEnv(ParallelEnv):
    """Canasta with a step for every decision, in which all agents observe and are rewarded.

    Only the agent to act has legal actions in its mask; the actions of the others are not looked at and may
    be left out.

    Args:
        idle_action: Let action 96 do nothing: it is the one legal action of every agent that is not to act,
            so no mask is empty.

    All other arguments are those of `CanastaAECEnv`.
    """

    metadata = CanastaAECEnv.metadata

    def __init__(
        self,
        game: str | None = None,
        players: int | None = None,
        target: int | None = None,
        *,
        episode: Length = "deal",
        render_mode: str | None = None,
        rules: Rules | None = None,
        scores: Scores = "zero",
        reward: Reward = "points",
        illegal: Illegal = "raise",
        max_cycles: int | None = None,
        observation: Form = "dict",
        idle_action: bool = False,
    ) -> None:
        table = CanastaAECEnv(
            game,
            players,
            target,
            episode=episode,
            render_mode=render_mode,
            rules=rules,
            scores=scores,
            reward=reward,
            illegal=illegal,
            max_cycles=max_cycles,
            observation=observation,
        )
        if check_flag(idle_action, "idle_action"):
            table.let_others_idle()
        self._table = table
        self.rules, self.render_mode, self.episode = table.rules, table.render_mode, table.episode
        self.possible_agents = table.possible_agents
        self.agents: list[str] = []
        self.state_space = table.state_space

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, the same object on each call."""
        return self._table.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions, the same object on each call."""
        return self._table.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Presented], dict[str, dict[str, Any]]]:
        """Deal for a new episode; as `CanastaAECEnv.reset`.

        Returns:
            The observation and the info of each agent.
        """
        check_options(options)
        self.episode.begin(seed)
        self.agents = self.possible_agents[:]
        if self.render_mode == "human":
            self.render()
        return self._presented({})

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Presented],
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
            ValueError: If `actions` is no dict.
            IllegalActionError: If its action is missing or not legal, unless it forfeits.
        """
        if not isinstance(actions, Mapping):
            raise ValueError(f"actions: {shown(actions)} must be a dict {{agent: action}}")
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
        observations, infos = self._presented(episode.news if something_ended else {})
        terminations = dict.fromkeys(agents, episode.is_terminated)
        return observations, rewards, terminations, dict.fromkeys(agents, episode.is_truncated), infos

    def state(self) -> NDArray[np.float32]:
        """As `CanastaAECEnv.state`."""
        return self._table.state()

    def render(self) -> str | NDArray[np.uint8] | None:
        """As `CanastaAECEnv.render`."""
        return self._table.render()

    def close(self) -> None:
        """As `CanastaAECEnv.close`."""
        self._table.close()

    def _presented(self, news: dict[str, Any]) -> tuple[dict[str, Presented], dict[str, dict[str, Any]]]:
        """Observations and infos of all agents."""
        both = {agent: self.episode.present(seat) for seat, agent in enumerate(self.possible_agents)}
        observations = {agent: observation for agent, (observation, _) in both.items()}
        return observations, {agent: dict(news) | info for agent, (_, info) in both.items()}


@_with_arguments_of(CanastaParallelEnv)
def parallel_env(*args: Any, **kwargs: Any) -> CanastaParallelEnv:
    """The parallel environment; arguments as for `CanastaAECEnv`."""
    return CanastaParallelEnv(*args, **kwargs)
