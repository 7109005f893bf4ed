"""The Gymnasium environment: one learner in one seat, given agents in the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from canasta_env.agent import DecisionBatch, tell_of_deals
from canasta_env.engine import batch
from canasta_env.engine.dealing import mix
from canasta_env.envs.episode import Episode, Form, Illegal, Length, Presented, Reward, Scores
from canasta_env.envs.opponents import Opponent, ask_agent, distinct_agents, seat_opponents
from canasta_env.rendering.display import PICTURES_PER_S, Display
from canasta_env.rendering.text import view_picture
from canasta_env.rules import Rules
from canasta_env.validation import (
    RENDER_MODES,
    check_options,
    check_render_mode,
    check_seat,
    choose_rules,
    whole_number,
)

_SEEDS = 1 << 62
_ONLY_TABLE = np.zeros(1, np.int64)


class CanastaSeatEnv(gymnasium.Env[Any, Any]):
    """Canasta for one learner; a step is one decision of the learner, and the others act in between.

    Observations, actions and rewards are those of `CanastaAECEnv` (docs/environment.md).

    Args:
        game: "modern_american" or "classic"; Modern American if None.
        players: Number of seats; 4 if None.
        target: Match score to reach; the game's own if None (R-MATCH-1).
        opponents: Who plays the other seats: one for all of them, or a list of one for each, from the seat
            after the learner's on. A callable gets an observation and returns an action; an agent answers
            a `DecisionBatch` of one decision; a name, such as "heuristic", is that of an agent of the package
            canasta_agents. Uniformly random if None.
        seat: The learner's seat. The dealer is drawn for every episode.
        episode: "deal" or "match"; see `Episode`, as for the arguments down to `max_cycles`.
        render_mode: "ansi": `render` returns a text of what the learner sees. "rgb_array": a picture,
            `(800, 1280, 3) uint8`. "human": every step is shown in a window, or printed without a display.
        rules: House rules, in place of `game`, `players` and `target`.
        scores: "zero", "drawn" or one number a side.
        reward: "points" or "win".
        illegal: "raise" or "forfeit", for the learner; an opponent's illegal action always raises.
        max_cycles: Decisions, of all seats together, after which an episode is truncated. An episode that
            ends before the learner's first decision is never begun: another is dealt in its place.
        observation: "dict". Or "flat": the learner observes the array of features alone, and its mask stands
            in every info, as `action_mask`. Opponents that are callables get dicts all the same.

    Raises:
        ValueError: Names the argument that does not fit.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": PICTURES_PER_S}

    def __init__(
        self,
        game: str | None = None,
        players: int | None = None,
        target: int | None = None,
        *,
        opponents: Opponent | Sequence[Opponent | None] | None = None,
        seat: int = 0,
        episode: Length = "deal",
        render_mode: str | None = None,
        rules: Rules | None = None,
        scores: Scores = "zero",
        reward: Reward = "points",
        illegal: Illegal = "raise",
        max_cycles: int | None = None,
        observation: Form = "dict",
    ) -> None:
        self.rules = choose_rules(game, players, target, rules)
        self.seat = check_seat(seat, self.rules)
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
        self._opponents = seat_opponents(opponents, self.seat, self.rules)
        self.observation_space = self.episode.observation_space()
        self.action_space = self.episode.action_space()
        self._has_begun = False
        self._reward = 0.0
        self._news: dict[str, Any] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Presented, dict[str, Any]]:
        """Deal for a new episode and let the others act until it is the learner's turn.

        Args:
            seed: Fixes this episode and all that are begun without a seed after it, the random opponents too.
            options: Not used.

        Returns:
            The learner's observation, and a dict that is empty unless the mask stands in it.

        Raises:
            ValueError: If `seed` is not a whole number of at least 0, or `options` no dict.
        """
        check_options(options)
        super().reset(seed=None if seed is None else whole_number(seed, "seed", 0, None))
        self._begin()
        while self.episode.is_over:
            self._begin()
        self._has_begun = True
        if self.render_mode == "human":
            self.render()
        return self.episode.present(self.seat)

    def step(self, action: Any) -> tuple[Presented, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, and let the others act until the learner is to act or the episode ends.

        Raises:
            IllegalActionError: If the action is not legal, unless it forfeits, or if an opponent's is not.
            ResetNeeded: Before the first `reset`.
        """
        if not self._has_begun:
            raise ResetNeeded("reset() begins the first episode; step() before it has none to go on with")
        episode = self.episode
        if episode.play(action):
            self._hear()
        self._let_others_act()
        reward, news = self._reward, self._news
        self._reward, self._news = 0.0, {}
        if self.render_mode == "human":
            self.render()
        observation, info = episode.present(self.seat)
        return observation, reward, episode.is_terminated, episode.is_truncated, news | info

    def action_masks(self) -> NDArray[np.bool_]:
        """The learner's legal actions, `(NUM_ACTIONS,) bool`; sb3-contrib's MaskablePPO asks for them so."""
        mask: NDArray[np.bool_] = self.episode.action_mask(self.seat).astype(np.bool_)
        return mask

    def render(self) -> Any:
        """What the learner sees in the mode chosen: a text, a picture, or None for "human"."""
        return self._display.render(self._text, self._picture)

    def close(self) -> None:
        """Close the window of "human", if it is open."""
        self._display.close()

    def _text(self) -> str:
        return view_picture(self.rules, self.episode.view(self.seat))

    def _picture(self) -> NDArray[np.uint8]:
        from canasta_env.rendering import image

        return image.view_picture(self.rules, self.episode.view(self.seat))

    def _begin(self) -> None:
        """Deal for an episode and let the others act, until the learner is to act or it has ended."""
        episode_seed, self._agents_seed = draw_seeds(self.np_random)
        self.episode.begin(episode_seed)
        for number, opponent in enumerate(distinct_agents(self._opponents)):
            opponent.reset(1, self._agents_seed + number)
            tell_of_deals(opponent, _ONLY_TABLE, first=True)
        self._reward, self._news = 0.0, {}
        self._let_others_act()

    def _let_others_act(self) -> None:
        episode = self.episode
        while episode.seat != self.seat and not episode.is_over:
            action = self._ask(self._opponents[episode.seat])
            episode.check(action, f"opponent in seat {episode.seat}")
            if episode.play(action):
                self._hear()

    def _ask(self, opponent: Any) -> Any:
        episode = self.episode
        if opponent is None:
            random = np.uint64(mix(np.uint64(self._agents_seed + episode.cycles)))
            return batch.choose_one(episode.observe(episode.seat)["action_mask"], random)
        if not hasattr(opponent, "act"):
            return opponent(episode.observe(episode.seat))
        seat = episode.seat
        mask = episode.observe(seat)["action_mask"]
        decision = DecisionBatch.single(self.rules, seat, episode.view(seat), mask)
        return ask_agent(opponent, decision)[0]

    def _hear(self) -> None:
        self._reward += self.episode.rewards[self.seat]
        self._news |= self.episode.news
        if self.episode.has_dealt_again:
            for opponent in distinct_agents(self._opponents):
                tell_of_deals(opponent, _ONLY_TABLE, first=False)


def draw_seeds(rng: np.random.Generator) -> tuple[int, int]:
    """Two seeds for an episode, of the cards and of the opponents, 62 bits each."""
    return int(rng.integers(_SEEDS)), int(rng.integers(_SEEDS))
