"""The vector environment does what a loop over one-seat environments does, in both ways to begin anew."""

from __future__ import annotations

import copy
import pickle
import warnings
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import env_checker
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from numpy.typing import NDArray

from canasta_env import IllegalActionError, classic
from canasta_env.actions import NUM_ACTIONS
from canasta_env.decisions import DecisionBatch
from canasta_env.seat import CanastaSeatEnv
from canasta_env.seat_vector import CanastaSeatVectorEnv
from tests.env.environments import GAMES, IDS

NUM_ENVS = 5
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]

each_game = pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)
each_mode = pytest.mark.parametrize("mode", MODES, ids=["next", "same"])


class Fixed:
    """An agent whose answer is a function of the view and the mask, and that remembers what it was asked."""

    def __init__(self, shift: int = 0) -> None:
        self.shift = shift
        self.resets: list[int] = []
        self.batches: list[tuple[set[int], int]] = []

    def reset(self, num_tables: int, seed: int) -> None:
        self.resets.append(num_tables)

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        assert (batch.views["seat"] == batch.seats).all()
        self.batches.append((set(batch.seats.tolist()), len(batch)))
        actions = np.empty(len(batch), np.int64)
        for row, (mask, features) in enumerate(zip(batch.masks, batch.observations, strict=True)):
            legal = np.flatnonzero(mask)
            actions[row] = legal[(int(features.sum()) + self.shift) % len(legal)]
        return actions


def fixed_callable(observation: dict[str, Any]) -> int:
    legal = np.flatnonzero(observation["action_mask"])
    return int(legal[int(observation["observation"].sum()) % len(legal)])


def both(game: str, players: int, mode: AutoresetMode, **options: Any) -> tuple[Any, Any]:
    """The vector environment, and the loop over one-seat environments."""
    fast = CanastaSeatVectorEnv(game, players, num_envs=NUM_ENVS, autoreset_mode=mode, **options)
    slow = SyncVectorEnv([lambda: CanastaSeatEnv(game, players, **options)] * NUM_ENVS, autoreset_mode=mode)
    return fast, slow


def draw(observations: dict[str, Any], rng: Random, illegal_share: float = 0.0) -> NDArray[np.int64]:
    """A random legal action for each table; 0 where none is legal, and illegal ones now and then."""
    actions = np.zeros(len(observations["action_mask"]), np.int64)
    for table, mask in enumerate(observations["action_mask"]):
        is_wanted = mask if rng.random() >= illegal_share else 1 - mask
        legal = np.flatnonzero(is_wanted)
        actions[table] = legal[int(rng.random() * len(legal))] if len(legal) else 0
    return actions


def assert_agree(fast: Any, slow: Any, steps: int, seed: Any = 7, illegal_share: float = 0.0) -> int:
    """Step both with the same actions and compare all that they return; returns the episodes ended."""
    rng, ended = Random(1), 0
    now = fast.reset(seed=seed)
    assert env_checker.data_equivalence(now, slow.reset(seed=seed), exact=True)
    for _ in range(steps):
        actions = draw(now[0], rng, illegal_share)
        now = fast.step(actions)
        assert env_checker.data_equivalence(now, slow.step(actions), exact=True)
        ended += int((now[2] | now[3]).sum())
    return ended


@each_mode
@each_game
def test_it_agrees_with_the_loop_against_chance(game: str, players: int, mode: AutoresetMode) -> None:
    assert assert_agree(*both(game, players, mode, scores="drawn"), steps=250) > NUM_ENVS


@each_mode
@each_game
def test_it_agrees_against_an_agent_from_every_seat(game: str, players: int, mode: AutoresetMode) -> None:
    for seat in range(players):
        assert assert_agree(*both(game, players, mode, seat=seat, opponents=Fixed()), steps=80)


@each_mode
def test_it_agrees_against_a_mixed_company(mode: AutoresetMode) -> None:
    company = [Fixed(), fixed_callable, Fixed(1)]
    assert assert_agree(*both("classic", 4, mode, seat=2, opponents=company), steps=150)


@each_mode
def test_it_agrees_on_matches_with_points_and_wins(mode: AutoresetMode) -> None:
    for reward in ("points", "win"):
        envs = both("classic", 2, mode, rules=classic(2, target=700), episode="match", reward=reward)
        assert assert_agree(*envs, steps=400)


@each_mode
def test_it_agrees_on_forfeits_and_truncations(mode: AutoresetMode) -> None:
    envs = both("modern_american", 4, mode, illegal="forfeit", max_cycles=60)
    assert assert_agree(*envs, steps=200, illegal_share=0.02) > NUM_ENVS


@each_mode
def test_it_agrees_on_seeds_given_one_by_one_and_on_later_resets(mode: AutoresetMode) -> None:
    envs = both("classic", 3, mode)
    assert_agree(*envs, steps=30, seed=[5, 1, 1, 9, 2])
    assert_agree(*envs, steps=30, seed=None)
    assert_agree(*envs, steps=30, seed=[None, 4, None, None, 5])


def test_an_agent_is_asked_once_for_all_tables_that_wait_for_it() -> None:
    agent = Fixed()
    env = CanastaSeatVectorEnv("classic", 4, num_envs=20, opponents=agent, seat=1)
    observations, _ = env.reset(seed=1)
    rng = Random(1)
    for _ in range(60):
        observations, *_ = env.step(draw(observations, rng))
    assert agent.resets == [20]
    seats, sizes = zip(*agent.batches, strict=True)
    assert set().union(*seats) == {0, 2, 3}
    assert max(map(len, seats)) > 1
    assert max(sizes) > 10


def test_next_step_ignores_the_action_that_begins_an_episode() -> None:
    env = CanastaSeatVectorEnv("classic", 2, num_envs=2, max_cycles=1)
    observations, _ = env.reset(seed=3)
    *_, terminations, truncations, _ = env.step(draw(observations, Random(1)))
    assert truncations.any() and not terminations.any()
    began = env.step(
        np.where(truncations, 10**6, 0) + np.where(truncations, 0, draw(observations, Random(1)))
    )
    assert began[1][truncations].tolist() == [0.0] * truncations.sum()


@each_mode
@pytest.mark.parametrize("num_envs", [1, 3])
def test_the_checks_of_gymnasium(mode: AutoresetMode, num_envs: int) -> None:
    name = "canasta_env:canasta/ClassicSeat-v0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec(name, num_envs, autoreset_mode=mode, illegal="forfeit")
        env_checker.check_reset_seed_determinism(env)
        env_checker.check_reset_options(env)
        env_checker.check_reset_return_type(env)
        if num_envs == 1:  # this check reads a step's ends as one truth value
            env_checker.check_returned_data_not_reused(env)
    assert isinstance(env.unwrapped, CanastaSeatVectorEnv)
    assert env.metadata["autoreset_mode"] is mode
    observations, rewards, terminations, truncations, _ = env.step(env.action_space.sample())
    assert observations in env.observation_space
    assert (rewards.dtype, terminations.dtype, truncations.dtype) == (np.float64, np.bool_, np.bool_)
    env.close()


def test_wrappers_of_gymnasium_read_its_infos() -> None:
    env: Any = gymnasium.make_vec("canasta/ModernAmericanSeat-v0", 4, vectorization_mode=None)
    env = DictInfoToList(RecordEpisodeStatistics(env))
    observations, _ = env.reset(seed=2)
    rng, ended = Random(2), []
    while len(ended) < 4:
        observations, rewards, terminations, _, infos = env.step(draw(observations, rng))
        for table in np.flatnonzero(terminations):
            points = infos[table]["points"]
            assert rewards[table] == infos[table]["episode"]["r"] == points[0] - points[1]
            ended.append(table)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_as_the_original_would(clone: Any) -> None:
    env = CanastaSeatVectorEnv("classic", 4, num_envs=3, autoreset_mode="SameStep")
    observations, _ = env.reset(seed=4)
    rng = Random(3)
    for _ in range(20):
        observations, *_ = env.step(draw(observations, rng))
    twin, twins_rng, now = clone(env), Random(8), observations
    for _ in range(80):
        now = twin.step(draw(now, twins_rng))[0]
    rng = Random(8)
    for _ in range(80):
        observations = env.step(draw(observations, rng))[0]
    assert env_checker.data_equivalence(now, observations, exact=True)


def test_an_illegal_action_plays_nothing_anywhere() -> None:
    env = CanastaSeatVectorEnv("classic", 4, num_envs=3)
    before, _ = env.reset(seed=1)
    legal = draw(before, Random(1))
    for wrong in (NUM_ACTIONS - 1, NUM_ACTIONS, -1):
        with pytest.raises(IllegalActionError, match=r"^table 1: "):
            env.step(np.where(np.arange(3) == 1, wrong, legal))
    once = env.step(legal)
    env.reset(seed=1)
    assert env_checker.data_equivalence(once, env.step(legal), exact=True)


def test_an_opponents_illegal_action_is_named() -> None:
    env = CanastaSeatVectorEnv("classic", 2, num_envs=8, opponents=lambda observation: 95)
    with pytest.raises(IllegalActionError, match='opponent in seat 1: illegal action "discard A"'):
        env.reset(seed=1)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"num_envs": 0}, "num_envs: 0"),
        ({"autoreset_mode": "Disabled"}, "autoreset_mode: 'Disabled' must be one of 'NextStep', 'SameStep'"),
        ({"autoreset_mode": AutoresetMode.DISABLED}, "autoreset_mode: "),
        ({"opponents": [fixed_callable]}, "opponents: 1 of them"),
        ({"seat": 4}, "seat: 4"),
    ],
)
def test_what_does_not_fit_is_named(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        CanastaSeatVectorEnv("classic", 4, **options)


def test_actions_and_seeds_of_another_number_are_refused() -> None:
    env = CanastaSeatVectorEnv("classic", 4, num_envs=3)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="seed: 2 of them; there are 3 tables"):
        env.reset(seed=[1, 2])
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions: int64\(2,\) must be integers of \(3,\)"):
        env.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match=r"actions: float64\(3,\)"):
        env.step(np.zeros(3))


def test_rendering_shows_every_table() -> None:
    env = CanastaSeatVectorEnv("classic", 2, num_envs=2, render_mode="ansi")
    env.reset(seed=1)
    single = CanastaSeatEnv("classic", 2, render_mode="ansi")
    single.reset(seed=2)
    texts = env.render()
    assert texts is not None and texts[1] == single.render()
    assert CanastaSeatVectorEnv().render() is None
