"""Caps on episodes: of decisions in every form of the environment, and of steps as Gymnasium has them."""

from __future__ import annotations

from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

import canasta_env
from canasta_env import CanastaSeatEnv, CanastaSeatVectorEnv
from tests.env.environments import GAMES, IDS, fresh, legal
from tests.env.test_seat_vector import Fixed, assert_agree, both, each_mode

each_game = pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)
each_cap = pytest.mark.parametrize("cap", [1, 2, 3, 4, 7])


@each_cap
@each_game
def test_a_reset_never_returns_an_ended_episode(game: str, players: int, cap: int) -> None:
    env = CanastaSeatEnv(game, players, max_cycles=cap)
    rng = Random(1)
    for seed in range(30):
        observation, _ = env.reset(seed=seed)
        assert legal(observation)
        steps, is_over = 0, False
        while not is_over:
            observation, _, terminated, truncated, _ = env.step(rng.choice(legal(observation)))
            is_over = terminated or truncated
            steps += 1
        assert truncated and env.episode.cycles == cap and steps <= cap


@each_mode
@each_cap
def test_the_loop_and_the_vector_form_agree_on_a_small_cap(mode: AutoresetMode, cap: int) -> None:
    assert assert_agree(*both("classic", 4, mode, max_cycles=cap), steps=60) > 10
    assert assert_agree(*both("classic", 3, mode, max_cycles=cap, opponents=Fixed()), steps=40) > 10


@each_mode
def test_a_vector_reset_never_returns_an_ended_episode(mode: AutoresetMode) -> None:
    env = CanastaSeatVectorEnv("classic", 4, num_envs=32, autoreset_mode=mode, max_cycles=1)
    observations, _ = env.reset(seed=1)
    assert observations["action_mask"].any(axis=1).all()
    observations, *_, truncations, _ = env.step(observations["action_mask"].argmax(axis=1))
    assert truncations.all()
    assert observations["action_mask"].any() == (mode is AutoresetMode.SAME_STEP)


@each_game
def test_max_cycles_counts_the_decisions_of_all_seats_in_every_form(game: str, players: int) -> None:
    cap = 25
    aec = fresh(game, players, max_cycles=cap)
    decisions, rng = 0, Random(3)
    while aec.agents and not any(aec.truncations.values()):
        aec.step(rng.choice(legal(aec.observe(aec.agent_selection))))
        decisions += 1
    assert decisions == cap
    parallel = canasta_env.parallel_env(game, players, max_cycles=cap)
    observations, _ = parallel.reset(seed=1)
    decisions = 0
    while parallel.agents:
        actions = {agent: rng.choice(legal(seen) or [0]) for agent, seen in observations.items()}
        observations, *_ = parallel.step(actions)
        decisions += 1
    assert decisions == cap
    seen: list[Any] = []

    def opponent(observation: dict[str, Any]) -> int:
        seen.append(observation)
        return legal(observation)[0]

    seat = CanastaSeatEnv(game, players, max_cycles=cap, opponents=opponent)
    observation, _ = seat.reset(seed=1)
    steps, is_over = 0, False
    while not is_over:
        observation, _, _, is_over, _ = seat.step(legal(observation)[0])
        steps += 1
    assert steps + len(seen) == cap


@each_mode
def test_make_vec_takes_max_episode_steps_as_make_and_sync_do(mode: AutoresetMode) -> None:
    name = "canasta_env:canasta/ClassicSeat-v1"
    fast = gymnasium.make_vec(name, num_envs=4, max_episode_steps=20, autoreset_mode=mode)
    slow = gymnasium.make_vec(
        name,
        num_envs=4,
        max_episode_steps=20,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
    )
    assert isinstance(fast.unwrapped, CanastaSeatVectorEnv)
    assert assert_agree(fast, slow, steps=120) > 10


@each_mode
def test_max_episode_steps_against_callables(mode: AutoresetMode) -> None:
    """A callable is shown its own seat, and the learner's last observation has the learner's mask."""

    def first(observation: dict[str, Any]) -> int:
        return legal(observation)[0]

    fast = CanastaSeatVectorEnv(
        "classic", 2, num_envs=3, autoreset_mode=mode, max_episode_steps=3, opponents=first
    )
    slow = gymnasium.vector.SyncVectorEnv(
        [lambda: gymnasium.wrappers.TimeLimit(CanastaSeatEnv("classic", 2, opponents=first), 3)] * 3,
        autoreset_mode=mode,
    )
    assert assert_agree(fast, slow, steps=30) > 10


def test_make_truncates_after_max_episode_steps() -> None:
    env = gymnasium.make("canasta_env:canasta/ClassicSeat-v1", max_episode_steps=2)
    observation, _ = env.reset(seed=1)
    observation, *_ = env.step(legal(observation)[0])
    assert env.step(legal(observation)[0])[3]


def test_no_cap_on_steps_is_spelled_minus_one() -> None:
    env = CanastaSeatVectorEnv("classic", max_episode_steps=-1)
    observations, _ = env.reset(seed=1)
    observations, *_, truncations, _ = env.step(observations["action_mask"].argmax(axis=1))
    assert not truncations.any()


def test_a_step_before_the_first_reset_asks_for_it() -> None:
    with pytest.raises(ResetNeeded, match="reset"):
        CanastaSeatEnv().step(0)


def test_what_is_earned_before_the_first_decision_belongs_to_the_first_step() -> None:
    """In a match the others can end a deal before the learner has acted; the next step pays it."""
    rules = canasta_env.classic(2)
    env = CanastaSeatVectorEnv(rules=rules, num_envs=2, episode="match")
    env.reset(seed=1)
    env._rewards[:] = (5.0, 0.0)
    env._news[0] = {"points": (5, 0)}
    observations = env._observe()
    _, rewards, _, _, infos = env.step(observations["action_mask"].argmax(axis=1))
    assert rewards.tolist() == [5.0, 0.0]
    assert infos["_points"].tolist() == [True, False]
    assert np.array_equal(env._rewards, [0.0, 0.0])
