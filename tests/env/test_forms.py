"""Flat observations with the mask in the infos, and an idle action for agents that wait."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import canasta_env
from canasta_env import CanastaSeatEnv, IllegalActionError
from canasta_env.actions import NUM_ACTIONS
from tests.env.environments import GAMES, IDS
from tests.env.test_checkers import SEAT_IDS, warnings_of
from tests.env.test_seat_vector import assert_agree, both, each_mode, fixed_callable

IDLE = 96
each_game = pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)


@each_game
def test_flat_aec_observations_are_the_arrays_of_the_dicts_and_infos_hold_the_masks(
    game: str, players: int
) -> None:
    flat = canasta_env.raw_env(game, players, observation="flat", episode="match", max_cycles=600)
    dicts = canasta_env.raw_env(game, players, episode="match", max_cycles=600)
    flat.reset(seed=3)
    dicts.reset(seed=3)
    rng = Random(3)
    while flat.agents:
        for agent in flat.agents:
            seen = dicts.observe(agent)
            assert flat.observe(agent).dtype == np.float32
            assert (flat.observe(agent) == seen["observation"]).all()
            info = dict(flat.infos[agent])
            assert (info.pop("action_mask") == seen["action_mask"]).all()
            assert info == dicts.infos[agent]
        *_, info = flat.last()
        is_over = flat.terminations[flat.agent_selection] or flat.truncations[flat.agent_selection]
        action = None if is_over else rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        flat.step(action)
        dicts.step(action)
        assert flat.rewards == dicts.rewards
    assert not dicts.agents


@each_game
def test_flat_environments_pass_the_checkers_without_a_warning_of_dicts(game: str, players: int) -> None:
    assert not warnings_of(
        lambda: api_test(canasta_env.env(game, players, observation="flat", illegal="forfeit"), 200)
    )
    env = canasta_env.parallel_env(game, players, observation="flat", illegal="forfeit")
    assert not warnings_of(lambda: parallel_api_test(env, 200))
    assert not warnings_of(
        lambda: seed_test(
            lambda: canasta_env.env(game, players, observation="flat", illegal="forfeit"), num_cycles=50
        )
    )
    seat = gymnasium.make(SEAT_IDS[game], players=players, observation="flat", illegal="forfeit")
    assert not warnings_of(lambda: check_env(seat.unwrapped))


@each_mode
@each_game
def test_the_flat_vector_form_agrees_with_the_flat_loop(game: str, players: int, mode: AutoresetMode) -> None:
    fast, slow = both(game, players, mode, scores="drawn", observation="flat", max_cycles=150)
    assert fast.single_observation_space == slow.single_observation_space
    assert isinstance(fast.single_observation_space, gymnasium.spaces.Box)
    assert assert_agree(fast, slow, steps=120) > 2


@each_mode
def test_the_flat_vector_form_agrees_with_the_dict_form(mode: AutoresetMode) -> None:
    flat, _ = both("classic", 2, mode, observation="flat")
    dicts, _ = both("classic", 2, mode)
    observations, infos = flat.reset(seed=5)
    seen, _ = dicts.reset(seed=5)
    for _ in range(60):
        assert (observations == seen["observation"]).all()
        assert (infos["action_mask"] == seen["action_mask"]).all() and infos["_action_mask"].all()
        actions = infos["action_mask"].argmax(axis=1)
        observations, _, terminations, _, infos = flat.step(actions)
        seen, *_ = dicts.step(actions)
        if mode is AutoresetMode.DISABLED and terminations.any():
            return


def test_gymnasium_makes_flat_environments_by_name_with_a_cap_on_steps_in_every_vector_form() -> None:
    for form in ("vector_entry_point", "sync"):
        env = gymnasium.make_vec(
            "canasta_env:canasta/ClassicSeat-v1",
            num_envs=3,
            vectorization_mode=form,
            players=2,
            observation="flat",
            max_episode_steps=5,
        )
        _, infos = env.reset(seed=1)
        for step in range(1, 6):
            _, _, terminations, truncations, infos = env.step(infos["action_mask"].argmax(axis=1))
            assert truncations.all() == (step == 5) and not terminations.any()


def test_opponents_that_are_callables_get_dicts_in_the_flat_form_too() -> None:
    env = CanastaSeatEnv("classic", 2, observation="flat", opponents=fixed_callable)
    _, info = env.reset(seed=1)
    for _ in range(20):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))


def test_the_mask_of_the_one_seat_form_is_that_of_action_masks_and_stands_beside_the_news() -> None:
    env = CanastaSeatEnv("classic", 2, observation="flat")
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    is_over = False
    while not is_over:
        assert (info["action_mask"] == env.action_masks()).all()
        observation, _, is_over, _, info = env.step(int(info["action_mask"].argmax()))
    assert sorted(info) == ["action_mask", "points", "scores"]
    assert not info["action_mask"].any()


def waiting(env: Any) -> tuple[str, list[str]]:
    """The agent to act, and those that wait."""
    actor = env.possible_agents[env.episode.seat]
    return actor, [agent for agent in env.possible_agents if agent != actor]


@each_game
@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_with_an_idle_action_no_mask_is_empty_and_all_play_by_their_masks(
    game: str, players: int, observation: str
) -> None:
    env = canasta_env.parallel_env(game, players, observation=observation, idle_action=True)
    plain = canasta_env.parallel_env(game, players)
    rng, (observations, infos), (seen, _) = Random(1), env.reset(seed=2), plain.reset(seed=2)
    while env.agents:
        masks = {
            agent: infos[agent]["action_mask"]
            if observation == "flat"
            else observations[agent]["action_mask"]
            for agent in env.possible_agents
        }
        actor, others = waiting(env)
        assert masks[actor].tolist() == [*seen[actor]["action_mask"].tolist(), 0]
        assert all(np.flatnonzero(masks[other]).tolist() == [IDLE] for other in others)
        assert all(env.observation_space(agent).contains(observations[agent]) for agent in env.agents)
        actions = {agent: rng.choice(np.flatnonzero(masks[agent]).tolist()) for agent in env.agents}
        assert all(env.action_space(agent).contains(actions[agent]) for agent in env.agents)
        observations, rewards, terminations, _, infos = env.step(actions)
        seen, expected, ended, _, _ = plain.step({actor: actions[actor]})
        assert (rewards, terminations) == (expected, ended)
    last = infos if observation == "flat" else observations
    assert all(np.flatnonzero(last[agent]["action_mask"]).tolist() == [IDLE] for agent in last)
    assert (env.state() == plain.state()).all()


def test_the_idle_action_of_the_agent_to_act_raises_or_forfeits() -> None:
    env = canasta_env.parallel_env("classic", 2, idle_action=True)
    env.reset(seed=1)
    actor, _ = waiting(env)
    with pytest.raises(IllegalActionError, match=r"96 does nothing.*seat \d is to act"):
        env.step({actor: IDLE})
    with pytest.raises(IllegalActionError, match="97 is not an action id; ids run from 0 to 96"):
        env.step({actor: 97})
    env = canasta_env.parallel_env("classic", 2, idle_action=True, illegal="forfeit")
    env.reset(seed=1)
    actor, _ = waiting(env)
    _, rewards, terminations, _, infos = env.step({actor: IDLE})
    assert rewards[actor] == -2_000 and all(terminations.values())
    assert "96 does nothing" in infos[actor]["forfeit"]


def test_without_the_option_there_is_no_idle_action() -> None:
    env = canasta_env.parallel_env("classic", 2)
    env.reset(seed=1)
    actor, _ = waiting(env)
    assert env.action_space(actor).n == NUM_ACTIONS
    with pytest.raises(IllegalActionError, match="96 is not an action id; ids run from 0 to 95"):
        env.step({actor: IDLE})


@each_game
def test_the_idle_form_passes_the_checkers(game: str, players: int) -> None:
    def make() -> Any:
        return canasta_env.parallel_env(game, players, idle_action=True, illegal="forfeit")

    assert not warnings_of(lambda: parallel_api_test(make(), 200))
    assert not warnings_of(lambda: parallel_seed_test(make, num_cycles=50))


def test_a_copy_of_an_idle_environment_goes_on_in_mid_game() -> None:
    env = canasta_env.parallel_env("classic", 3, idle_action=True, observation="flat")
    _, infos = env.reset(seed=1)
    for _ in range(10):
        _, _, _, _, infos = env.step(
            {agent: int(infos[agent]["action_mask"].argmax()) for agent in env.agents}
        )
    twin = pickle.loads(pickle.dumps(env))
    actions = {agent: int(infos[agent]["action_mask"].argmax()) for agent in env.agents}
    assert all((twin.step(actions)[0][a] == env.step(actions)[0][a]).all() for a in env.agents[:1])
