"""The Gymnasium vector environment: one learner at many tables, the others asked in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import DecisionBatch, remembers, tell_of_deals
from canasta_env.engine.batch import observe_everywhere, play_at, play_by_chance, view_at
from canasta_env.engine.layout import observation_size
from canasta_env.engine.state import PHASE_OVER, allocate, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.envs.episode import Episode, Form, Illegal, Length, Presented, Reward, Scores
from canasta_env.envs.opponents import Opponent, ask_agent, distinct_agents, seat_opponents
from canasta_env.envs.single_agent import draw_seeds
from canasta_env.rendering.text import view_picture
from canasta_env.rules import Rules
from canasta_env.validation import (
    RENDER_MODES,
    check_options,
    check_render_mode,
    check_seat,
    choose_rules,
    integers,
    is_listed,
    shown,
    whole_number,
)
from canasta_env.vector import MAX_CYCLES, MAX_TABLES

Rows = NDArray[np.int64]
NO_CAP = -1


class CanastaSeatVectorEnv(VectorEnv[Any, Any, Any]):
    """Canasta for one learner at many tables; a step is one decision of the learner at each.

    It does what Gymnasium's `SyncVectorEnv` does with as many `CanastaSeatEnv`, step by step and number by
    number, for the same `reset(seed=...)`: tables have the seeds `seed`, `seed + 1`, ... The exception are
    opponents with chance of their own, or with a memory that outlasts a match: an agent is reset once for all
    tables, in `reset` only. It is told of every episode that begins: see `canasta_env.agent.AgentWithMemory`.

    Observations are dicts of `observation`, `(num_envs, num_features) float32`, and `action_mask`,
    `(num_envs, 96) int8`, new arrays; rewards are `(num_envs,) float64`. With `observation="flat"` they are
    the first array alone, and the masks stand in `infos`.

    Args:
        game: "modern_american" or "classic"; Modern American if None.
        players: Number of seats; 4 if None.
        target: Match score to reach; the game's own if None (R-MATCH-1).
        num_envs: How many tables.
        autoreset_mode: "NextStep": the step after an episode's end begins the next one and ignores its
            action. "SameStep": the next one begins at once; `infos` hold the end's `final_obs`, `final_info`.
            "Disabled": `reset(options={"reset_mask": terminations | truncations})` begins it.
        opponents: As for `CanastaSeatEnv`; an agent answers one `DecisionBatch` for all tables that wait
            for it.
        seat: The learner's seat at every table.
        episode: As for `CanastaSeatEnv`, like the arguments that follow.
        render_mode: "ansi": `render` returns a text of each table. "rgb_array": a picture of each, as
            `CanastaSeatEnv` draws it. "human": it prints the texts.
        rules: House rules, in place of `game`, `players` and `target`.
        scores: "zero", "drawn" or one number a side.
        reward: "points" or "win".
        illegal: "raise" or "forfeit", for the learner.
        max_cycles: Decisions, of all seats together, after which an episode is truncated.
        max_episode_steps: Decisions of the learner after which an episode is truncated; never if None or −1.
            `gymnasium.make_vec` passes it on; `gymnasium.make` puts a TimeLimit around one table for it.
        observation: "dict" or "flat"; as for `CanastaSeatEnv`.

    Raises:
        ValueError: Names the argument that does not fit.
    """

    def __init__(
        self,
        game: str | None = None,
        players: int | None = None,
        target: int | None = None,
        *,
        num_envs: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        opponents: Opponent | Sequence[Opponent | None] | None = None,
        seat: int = 0,
        episode: Length = "deal",
        render_mode: str | None = None,
        rules: Rules | None = None,
        scores: Scores = "zero",
        reward: Reward = "points",
        illegal: Illegal = "raise",
        max_cycles: int | None = None,
        max_episode_steps: int | None = None,
        observation: Form = "dict",
    ) -> None:
        self.rules = choose_rules(game, players, target, rules)
        self.num_envs = whole_number(num_envs, "num_envs", 1, MAX_TABLES)
        self.autoreset_mode = _check_autoreset(autoreset_mode)
        self.seat = check_seat(seat, self.rules)
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {"render_modes": list(RENDER_MODES), "autoreset_mode": self.autoreset_mode}
        self._opponents = seat_opponents(opponents, self.seat, self.rules)
        self._told = [agent for agent in distinct_agents(self._opponents) if remembers(agent)]
        self._is_chance = np.zeros(self.rules.players, np.int8)
        for each, opponent in self._opponents.items():
            self._is_chance[each] = opponent is None
        self._rules = rules_record(self.rules)
        self._states = allocate(self.num_envs)
        self._masks = np.zeros((self.num_envs, NUM_ACTIONS), np.int8)
        self._view = allocate(1, VIEW)
        self._episodes = [
            Episode(
                self.rules,
                episode=episode,
                scores=scores,
                reward=reward,
                illegal=illegal,
                max_cycles=max_cycles,
                observation=observation,
            )
            for _ in range(self.num_envs)
        ]
        self._share()
        self._is_flat = self._episodes[0].is_flat
        self._max_cycles = self._episodes[0].max_cycles or NO_CAP
        self._cycles = np.zeros(self.num_envs, np.int64)
        self._max_steps = NO_CAP if max_episode_steps is None else _check_max_steps(max_episode_steps)
        self._steps = np.zeros(self.num_envs, np.int64)
        self._agents_seeds = np.zeros(self.num_envs, np.uint64)
        self._is_over = np.zeros(self.num_envs, np.bool_)
        self._rewards = np.zeros(self.num_envs, np.float64)
        self._news: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._generators: list[np.random.Generator] = []
        self.single_observation_space = self._episodes[0].observation_space()
        self.single_action_space = self._episodes[0].action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | np.integer[Any] | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Presented, dict[str, Any]]:
        """Deal for new episodes at every table and let the others act until it is the learner's turn.

        Args:
            seed: Fixes all that follows: table i gets `seed + i`, or the i-th of a sequence. A table whose
                seed is None goes on with its random numbers.
            options: `reset_mask`, `(num_envs,) bool`, names the tables that begin a new episode; the others,
                and opponents that are agents, stay as they are. All tables begin without it.

        Returns:
            The learner's observations at every table, and a dict that is empty unless masks stand in it.

        Raises:
            ValueError: If `seed` or `reset_mask` does not fit the tables.
            ResetNeeded: If the first reset leaves tables out.
        """
        rows = self._choose_rows(check_options(options))
        seeds = self._read_seeds(seed)
        super().reset(seed=seeds[0] if isinstance(seed, (int, np.integer)) else None)
        self._reseed(seeds, rows)
        self._begin(rows, resets_agents=rows.size == self.num_envs)
        self._let_others_act(rows)
        self._deal_again(rows)
        return self._observe(), self._masks_in_infos(rows)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Presented, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play the learner's actions, and let the others act until the learner is to act everywhere again.

        Args:
            actions: `(num_envs,)` integer action ids; not read where a step begins a new episode.

        Raises:
            ValueError: If `actions` has another shape or type.
            IllegalActionError: If an action is not legal, unless it forfeits (nothing has been played then),
                or if an opponent's is not.
            ResetNeeded: Before the first `reset`; with "Disabled", if an episode is over.
        """
        if not self._generators:
            raise ResetNeeded("reset() begins the first episodes; step() before it has none to go on with")
        actions = integers(actions, self.num_envs, "actions")
        begun = np.flatnonzero(self._is_over)
        if begun.size and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"the episodes of tables {begun.tolist()} are over, and autoreset_mode is 'Disabled': "
                "reset(options={'reset_mask': terminations | truncations}) begins the next ones"
            )
        legal, illegal = self._sort_out(actions, np.flatnonzero(~self._is_over))
        self._begin(begun)
        for table in illegal:
            self._episodes[table].seat = self.seat
            self._episodes[table].play(actions[table])
            self._hear(table)
        self._play(legal, actions[legal].astype(np.int64))
        self._let_others_act(np.arange(self.num_envs))
        self._deal_again(begun)
        return self._outcome(begun)

    def render(self) -> tuple[Any, ...] | None:
        """What the learner sees at each table, in the mode chosen; None for "human" and for no mode."""
        if self.render_mode is None:
            return None
        views = [episode.view(self.seat) for episode in self._episodes]
        if self.render_mode == "rgb_array":
            from canasta_env.rendering import image

            return tuple(image.view_picture(self.rules, view) for view in views)
        texts = tuple(view_picture(self.rules, view) for view in views)
        if self.render_mode == "ansi":
            return texts
        print("\n\n".join(texts))
        return None

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._share()  # a copied or unpickled part of an array is no part of it any more

    def _share(self) -> None:
        for table, episode in enumerate(self._episodes):
            episode.share(self._states[table : table + 1], self._masks[table])

    def _outcome(
        self, begun: Rows
    ) -> tuple[Presented, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """What a step returns that began episodes at some tables; with "SameStep", the next follow at once.

        What the others' first decisions earned in an episode that began is of its first step, the next one.
        """
        stepped = np.ones(self.num_envs, np.bool_)
        stepped[begun] = False
        terminations = np.array([episode.is_terminated for episode in self._episodes])
        truncations = np.array([episode.is_truncated for episode in self._episodes])
        self._steps[stepped] += 1
        truncations |= stepped & (self._steps == self._max_steps)
        self._is_over |= truncations
        rewards = np.where(stepped, self._rewards, 0.0)
        infos: dict[str, Any] = {}
        is_same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        for table in np.flatnonzero(stepped):
            news = self._news[table]
            if is_same_step and self._is_over[table]:
                observation, mask = self._last_observation(int(table))
                final = {"final_obs": observation, "final_info": news | mask}
                infos = self._add_info(infos, final, int(table))
            elif news:
                infos = self._add_info(infos, news, int(table))
        self._forget_news(np.flatnonzero(stepped))
        if is_same_step:
            over = np.flatnonzero(self._is_over)
            self._begin(over)
            self._let_others_act(over)
            self._deal_again(over)
        infos |= self._masks_in_infos(np.arange(self.num_envs))
        return self._observe(), rewards, terminations, truncations, infos

    def _last_observation(self, table: int) -> tuple[Presented, dict[str, Any]]:
        """What the learner observes at the end of an episode, also of one that only its steps have ended."""
        episode = self._episodes[table]
        if not episode.is_over:
            episode.seat = self.seat
        return episode.present(self.seat)

    def _choose_rows(self, options: Mapping[str, Any]) -> Rows:
        """The tables that a reset is for."""
        if "reset_mask" not in options:
            return np.arange(self.num_envs)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(f"reset_mask: {shown(mask)} must be a bool array of ({self.num_envs},)")
        if not mask.any():
            raise ValueError("reset_mask: names no table")
        if not self._generators and not mask.all():
            raise ResetNeeded("the first reset() begins an episode at every table: leave reset_mask out")
        return np.flatnonzero(mask)

    def _read_seeds(self, seed: Any) -> list[int | None]:
        """The seed of each table, from one for all or a sequence."""
        if seed is None:
            return [None] * self.num_envs
        if not is_listed(seed):
            first = whole_number(seed, "seed", 0, None)
            return [first + table for table in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"seed: {len(seed)} of them; there are {self.num_envs} tables")
        return [
            None if each is None else whole_number(each, f"seed[{table}]", 0, None)
            for table, each in enumerate(seed)
        ]

    def _reseed(self, seeds: Sequence[int | None], rows: Rows) -> None:
        """Give those tables that have a seed their random numbers."""
        if not self._generators:
            self._generators = [seeding.np_random()[0] for _ in range(self.num_envs)]
        for table in rows:
            each = seeds[table]
            if each is not None:
                self._generators[table] = seeding.np_random(each)[0]

    def _begin(self, rows: Rows, resets_agents: bool = False) -> None:
        """Deal for new episodes at some tables, and tell the agents."""
        for table in rows:
            episode_seed, self._agents_seeds[table] = draw_seeds(self._generators[table])
            self._episodes[table].begin(episode_seed)
        self._cycles[rows] = 0
        self._steps[rows] = 0
        self._is_over[rows] = False
        self._forget_news(rows)
        if resets_agents:
            for number, opponent in enumerate(distinct_agents(self._opponents)):
                opponent.reset(self.num_envs, int(self._agents_seeds[0]) + number)
        self._tell_of_deals(rows, first=True)

    def _tell_of_deals(self, rows: Rows, first: bool) -> None:
        for opponent in self._told:
            tell_of_deals(opponent, rows, first=first)

    def _deal_again(self, rows: Rows) -> None:
        """Replace episodes that have ended before the learner's first decision."""
        over = rows[self._is_over[rows]]
        while over.size:
            self._begin(over)
            self._let_others_act(over)
            over = over[self._is_over[over]]

    def _sort_out(self, actions: NDArray[Any], rows: Rows) -> tuple[Rows, Rows]:
        """Which of the learner's actions are legal and which are not; raises, unless those forfeit."""
        is_legal = self._are_legal(rows, actions[rows])
        for table in rows[~is_legal]:
            is_action = 0 <= actions[table] < NUM_ACTIONS
            if not (is_action and self._episodes[table].forfeits):
                self._episodes[table].check(actions[table], f"table {table}")
        return rows[is_legal], rows[~is_legal]

    def _are_legal(self, rows: Rows, actions: NDArray[Any]) -> NDArray[np.bool_]:
        are_actions = (actions >= 0) & (actions < NUM_ACTIONS)
        legal: NDArray[np.bool_] = are_actions & (self._masks[rows, np.where(are_actions, actions, 0)] == 1)
        return legal

    def _play(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        """Play legal actions, and settle what they end."""
        play_at(self._rules, self._states, rows, actions, self._masks)
        self._cycles[rows] += 1
        self._settle(rows)

    def _play_by_chance(self, rows: Rows) -> None:
        play_by_chance(
            self._rules,
            self._states,
            rows,
            self._is_chance,
            self._agents_seeds,
            self._cycles,
            self._max_cycles,
            self._masks,
        )
        self._settle(rows)

    def _settle(self, rows: Rows) -> None:
        """Close the episodes and deals that have come to an end at some tables."""
        is_end = (self._states["phase"][rows] == PHASE_OVER) | (self._cycles[rows] == self._max_cycles)
        ended = rows[is_end]
        for table in ended:
            self._episodes[table].close(int(self._cycles[table]))
            self._hear(table)
        if self._told and ended.size:
            dealt = [self._episodes[table].has_dealt_again for table in ended]
            self._tell_of_deals(ended[dealt], first=False)

    def _let_others_act(self, rows: Rows) -> None:
        while True:
            rows = rows[(self._states["to_play"][rows] != self.seat) & ~self._is_over[rows]]
            if not rows.size:
                return
            seats = self._states["to_play"][rows]
            are_chance = self._is_chance[seats] == 1
            asked, seats = rows[~are_chance], seats[~are_chance]
            if are_chance.any():
                self._play_by_chance(rows[are_chance])
            if asked.size:
                self._play(asked, self._ask(asked, seats))

    def _ask(self, rows: Rows, seats: NDArray[np.int8]) -> NDArray[np.int64]:
        """The opponents' actions at some tables: each opponent is asked once for all its decisions."""
        actions = np.empty(rows.size, np.int64)
        players = np.array([id(self._opponents.get(seat)) for seat in range(self.rules.players)])[seats]
        for player in np.unique(players):
            places = np.flatnonzero(players == player)
            opponent = self._opponents[int(seats[places[0]])]
            if hasattr(opponent, "act"):
                actions[places] = self._ask_agent(opponent, rows[places], seats[places])
            else:
                actions[places] = [
                    self._ask_callable(opponent, int(rows[place]), int(seats[place])) for place in places
                ]
        return actions

    def _ask_agent(self, agent: Any, rows: Rows, seats: NDArray[np.int8]) -> NDArray[Any]:
        views = allocate(rows.size, VIEW)
        view_at(self._rules, self._states, rows, views)
        asked = DecisionBatch(
            self.rules, rows.copy(), seats.copy(), views, self._masks[rows]
        )  # may be written to
        actions = ask_agent(agent, asked)
        for place in np.flatnonzero(~self._are_legal(rows, actions)):
            self._episodes[rows[place]].check(actions[place], f"opponent in seat {seats[place]}")
        return actions

    def _ask_callable(self, opponent: Any, table: int, seat: int) -> int:
        episode = self._episodes[table]
        episode.seat = seat
        action = opponent(episode.observe(seat))
        episode.check(action, f"opponent in seat {seat}")
        return int(action)

    def _forget_news(self, rows: Rows) -> None:
        self._rewards[rows] = 0
        for table in rows:
            self._news[table] = {}

    def _hear(self, table: int) -> None:
        episode = self._episodes[table]
        self._rewards[table] += episode.rewards[self.seat]
        self._news[table] |= episode.news
        self._is_over[table] = episode.is_over

    def _observe(self) -> Presented:
        observations = np.empty((self.num_envs, observation_size(self.rules)), np.float32)
        observe_everywhere(self._rules, self._states, self.seat, self._masks, self._view, observations)
        if self._is_flat:
            return observations
        return {"observation": observations, "action_mask": self._masks.copy()}

    def _masks_in_infos(self, rows: Rows) -> dict[str, Any]:
        """Where observations are flat: the masks of some tables, as Gymnasium's vector infos hold arrays."""
        if not self._is_flat:
            return {}
        are_told = np.zeros(self.num_envs, np.bool_)
        are_told[rows] = True
        return {"action_mask": self._masks * are_told[:, None], "_action_mask": are_told}


def _check_autoreset(mode: str | AutoresetMode) -> AutoresetMode:
    choices = {each.value: each for each in AutoresetMode}
    chosen = mode if isinstance(mode, AutoresetMode) else None
    if isinstance(mode, str):
        chosen = choices.get(mode)
    if chosen is None:
        raise ValueError(f"autoreset_mode: {shown(mode)} must be one of {', '.join(map(repr, choices))}")
    return chosen


def _check_max_steps(steps: Any) -> int:
    """A cap on steps; Gymnasium writes −1 for none."""
    is_none = isinstance(steps, (int, np.integer)) and steps == NO_CAP
    return NO_CAP if is_none else whole_number(steps, "max_episode_steps", 1, MAX_CYCLES)
