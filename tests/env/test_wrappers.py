"""What people put around the environments: PettingZoo's wrappers and conversions, pickles, processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import (
    aec_to_parallel,
    parallel_to_aec,
    turn_based_aec_to_parallel,
)

import canasta_env
from tests.env.environments import legal, needs_pettingzoo_s_make, play_on

WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "OrderEnforcing": wrappers.OrderEnforcingWrapper,
    "AssertOutOfBounds": wrappers.AssertOutOfBoundsWrapper,
    "TerminateIllegal": lambda env: wrappers.TerminateIllegalWrapper(env, illegal_reward=-1),
    "Base": wrappers.BaseWrapper,
}
CLONES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}
each_wrapper = pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
each_clone = pytest.mark.parametrize("clone", CLONES.values(), ids=CLONES)
Story = list[tuple[str, Any]]


def story(env: Any, seed: int = 3) -> Story:
    """Who plays what to the end of a deal, by random choice."""
    env.reset(seed=seed)
    return list(play_on(env, Random(seed)))


@each_wrapper
def test_a_wrapper_of_pettingzoo_changes_no_game(wrap: Callable[[Any], Any]) -> None:
    wrapped = wrap(canasta_env.env("classic", 2))
    assert story(wrapped) == story(canasta_env.env("classic", 2))
    api_test(wrapped, num_cycles=30)


@each_clone
@each_wrapper
def test_a_copy_of_a_wrapped_environment_goes_on_in_mid_game(
    wrap: Callable[[Any], Any], clone: Callable[[Any], Any]
) -> None:
    env = wrap(canasta_env.env("classic", 3))
    env.reset(seed=1)
    for _ in play_on(env, Random(1), 40):
        pass
    twin = clone(env)
    assert list(play_on(twin, Random(2))) == list(play_on(env, Random(2)))


def test_terminate_illegal_ends_the_deal_where_ours_would_raise() -> None:
    env = wrappers.TerminateIllegalWrapper(canasta_env.env("classic", 2), illegal_reward=-1)
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(95)
    assert all(env.terminations.values())
    assert env.rewards[agent] == -1


def test_assert_out_of_bounds_refuses_what_is_no_action() -> None:
    env = wrappers.AssertOutOfBoundsWrapper(canasta_env.env("classic", 2))
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(96)


def test_capture_stdout_returns_the_text_that_human_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    env = wrappers.CaptureStdoutWrapper(canasta_env.env("classic", 2, render_mode="human"))
    env.reset(seed=1)
    assert env.render() == f"{env.unwrapped.episode.table()}\n"


def test_the_turn_based_conversion_plays_the_parallel_form() -> None:
    converted = turn_based_aec_to_parallel(canasta_env.raw_env("classic", 2))
    ours = canasta_env.parallel_env("classic", 2)
    rng, now = Random(4), (ours.reset(seed=4), converted.reset(seed=4))
    while ours.agents:
        observations = now[0][0]
        actions = {agent: rng.choice(legal(observations[agent]) or [0]) for agent in ours.agents}
        now = ours.step(actions), converted.step(actions)
        for agent, seen in now[1][0].items():
            assert all((seen[key] == now[0][0][agent][key]).all() for key in seen)
        assert now[1][1:4] == now[0][1:4]
    assert not converted.agents
    parallel_api_test(turn_based_aec_to_parallel(canasta_env.raw_env("classic", 2)), num_cycles=50)


def test_the_conversion_for_simultaneous_games_refuses_a_game_of_turns() -> None:
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(canasta_env.env("classic", 2))


def test_the_parallel_form_converts_to_one_that_asks_all_agents_in_every_step() -> None:
    env = parallel_to_aec(canasta_env.parallel_env("classic", 2))
    env.reset(seed=5)
    rng = Random(5)
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        env.step(None if termination or truncation else rng.choice(legal(observation) or [0]))
    assert not env.agents
    api_test(parallel_to_aec(canasta_env.parallel_env("classic", 2)), num_cycles=30)


@needs_pettingzoo_s_make
@each_clone
def test_a_made_environment_can_be_copied(clone: Callable[[Any], Any]) -> None:
    for name in ("ModernAmerican", "Classic"):
        assert story(clone(pettingzoo.make("aec", f"canasta/{name}-v1")))
        assert clone(pettingzoo.make("parallel", f"canasta/{name}-v1")).reset(seed=1)
        assert clone(gymnasium.make(f"canasta/{name}Seat-v1")).reset(seed=1)
        spec = clone(gymnasium.make(f"canasta/{name}Seat-v1").spec)
        assert gymnasium.make(spec).reset(seed=1)
        assert clone(gymnasium.make_vec(f"canasta/{name}Seat-v1", 2)).reset(seed=1)


def finish(frozen: bytes) -> Story:
    """Play a pickled environment to its end (in another process)."""
    return list(play_on(pickle.loads(frozen), Random(6)))


@pytest.mark.slow
def test_an_environment_goes_on_in_a_spawned_process() -> None:
    env = canasta_env.env("classic", 2)
    env.reset(seed=6)
    for _ in play_on(env, Random(7), 20):
        pass
    frozen = pickle.dumps(env)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(finish, (frozen,)) == finish(frozen)
        assert pool.apply(story, (canasta_env.env("classic", 2),)) == story(canasta_env.env("classic", 2))


@pytest.mark.slow
def test_gymnasium_steps_it_in_spawned_processes() -> None:
    name, options = "canasta_env:canasta/ClassicSeat-v1", {"players": 2}
    env = gymnasium.make_vec(name, 2, "async", {"context": "spawn"}, **options)
    ours = gymnasium.make_vec(name, 2, **options)
    observations, _ = env.reset(seed=1)
    expected = ours.reset(seed=1)[0]
    assert all((observations[key] == expected[key]).all() for key in expected)
    actions = np.asarray(observations["action_mask"]).argmax(axis=1)
    stepped, expected = env.step(actions)[0], ours.step(actions)[0]
    env.close()
    assert all((stepped[key] == expected[key]).all() for key in expected)
