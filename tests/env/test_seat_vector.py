"""The vector environment does what a loop over one-seat environments does, in every way to begin anew."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import env_checker
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from numpy.typing import NDArray

from canasta_env import IllegalActionError, classic
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.envs.single_agent import CanastaSeatEnv
from canasta_env.envs.single_agent_vector import CanastaSeatVectorEnv
from tests.env.environments import GAMES, IDS, needs_gymnasium_1_4

NUM_ENVS = 5
MODES = list(AutoresetMode)

each_game = pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)
each_mode = pytest.mark.parametrize("mode", MODES, ids=["next", "same", "disabled"])


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
    """Step both with the same actions and compare all that they return; returns the episodes ended.

    Where nothing begins an episode by itself, both are reset at the tables where one is over, every other
    time with new seeds.
    """
    rng, ended = Random(1), 0
    now = fast.reset(seed=seed)
    assert env_checker.data_equivalence(now, slow.reset(seed=seed), exact=True)
    masks = masks_of(now, np.zeros((fast.num_envs, NUM_ACTIONS), np.int8))
    for _ in range(steps):
        actions = draw({"action_mask": masks}, rng, illegal_share)
        now = fast.step(actions)
        assert env_checker.data_equivalence(now, slow.step(actions), exact=True)
        masks = masks_of(now, masks)
        is_over = now[2] | now[3]
        ended += int(is_over.sum())
        if fast.autoreset_mode is AutoresetMode.DISABLED and is_over.any():
            seed = ended if ended % 2 else None
            # each gets options of its own: Gymnasium's loop takes the mask out of them
            now, expected = (
                env.reset(seed=seed, options={"reset_mask": is_over.copy()}) for env in (fast, slow)
            )
            assert env_checker.data_equivalence(now, expected, exact=True)
            masks = masks_of(now, masks)
    return ended


def masks_of(now: tuple[Any, ...], before: NDArray[np.int8]) -> NDArray[np.int8]:
    """The masks that a step or a reset returned; where observations are flat, the infos have what is new."""
    observations, infos = now[0], now[-1]
    if isinstance(observations, dict):
        return observations["action_mask"]
    return np.where(infos["_action_mask"][:, None], infos["action_mask"], before)


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


@each_mode
def test_a_reset_with_a_mask_leaves_the_other_tables_as_they_are(mode: AutoresetMode) -> None:
    fast, slow = both("classic", 3, mode)
    mask = np.array([True, False, False, True, False])
    for seed in (None, 40, [8, 8, 8, None, 8]):
        assert_agree(fast, slow, steps=3)
        now, expected = (env.reset(seed=seed, options={"reset_mask": mask.copy()}) for env in (fast, slow))
        assert env_checker.data_equivalence(now, expected, exact=True)
        for _ in range(3):
            actions = draw(now[0], Random(2))
            now = fast.step(actions)
            assert env_checker.data_equivalence(now, slow.step(actions), exact=True)
        # the random numbers of the other tables go on where they were
        assert env_checker.data_equivalence(fast.reset(), slow.reset(), exact=True)


def test_disabled_waits_for_a_reset_and_says_so() -> None:
    agent = Fixed()
    env = CanastaSeatVectorEnv(
        "classic", 2, num_envs=3, autoreset_mode="Disabled", max_cycles=20, opponents=agent
    )
    observations, _ = env.reset(seed=3)
    truncations = np.zeros(3, np.bool_)
    while not truncations.any():
        observations, _, _, truncations, _ = env.step(draw(observations, Random(1)))
    over = np.flatnonzero(truncations).tolist()
    with pytest.raises(gymnasium.error.ResetNeeded, match=re.escape(f"tables {over} are over")):
        env.step(draw(observations, Random(1)))
    observations, _ = env.reset(options={"reset_mask": truncations})
    env.step(draw(observations, Random(1)))
    assert agent.resets == [3]  # once for all tables: it may remember things of those that play on


@pytest.mark.parametrize(
    ("mask", "reason"),
    [
        ([True, False, False], r"reset_mask: \[True, False, False\] must be a bool array of \(3,\)"),
        (np.array([1, 0, 0]), "reset_mask: "),
        (np.array([True, False]), "reset_mask: "),
        (np.zeros(3, np.bool_), "reset_mask: names no table"),
    ],
)
def test_a_reset_mask_that_does_not_fit_is_refused(mask: Any, reason: str) -> None:
    env = CanastaSeatVectorEnv("classic", 4, num_envs=3)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=reason):
        env.reset(options={"reset_mask": mask})


def test_the_first_reset_is_for_every_table() -> None:
    env = CanastaSeatVectorEnv("classic", 4, num_envs=2)
    with pytest.raises(gymnasium.error.ResetNeeded, match="first reset"):
        env.reset(options={"reset_mask": np.array([True, False])})
    assert env.reset(options={"reset_mask": np.array([True, True])})[0]["action_mask"].any(axis=1).all()


def test_next_step_ignores_the_action_that_begins_an_episode() -> None:
    env = CanastaSeatVectorEnv("classic", 2, num_envs=2, max_cycles=1)
    observations, _ = env.reset(seed=3)
    *_, terminations, truncations, _ = env.step(draw(observations, Random(1)))
    assert truncations.any() and not terminations.any()
    began = env.step(
        np.where(truncations, 10**6, 0) + np.where(truncations, 0, draw(observations, Random(1)))
    )
    assert began[1][truncations].tolist() == [0.0] * truncations.sum()


@needs_gymnasium_1_4
@each_mode
@pytest.mark.parametrize("num_envs", [1, 3])
def test_the_checks_of_gymnasium(mode: AutoresetMode, num_envs: int) -> None:
    name = "canasta_env:canasta/ClassicSeat-v1"
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


@needs_gymnasium_1_4
@each_mode
def test_record_episode_statistics_and_dict_info_to_list(mode: AutoresetMode) -> None:
    env: Any = CanastaSeatVectorEnv("modern_american", 4, num_envs=4, autoreset_mode=mode)
    env = DictInfoToList(RecordEpisodeStatistics(env))
    observations, _ = env.reset(seed=2)
    rng, ended, lengths = Random(2), 0, np.zeros(4, np.int64)
    is_over = np.zeros(4, np.bool_)
    while ended < 8:
        counts = mode is AutoresetMode.SAME_STEP or ~is_over  # the step that begins an episode is none of it
        observations, rewards, terminations, truncations, infos = env.step(draw(observations, rng))
        lengths += counts
        is_over = terminations | truncations
        for table in np.flatnonzero(is_over):
            info = infos[table]
            points = info.get("final_info", info)["points"]
            assert rewards[table] == info["episode"]["r"] == points[0] - points[1]
            assert info["episode"]["l"] == lengths[table]
            lengths[table] = 0
        ended += int(is_over.sum())
        if mode is AutoresetMode.DISABLED and is_over.any():
            observations, _ = env.reset(options={"reset_mask": is_over})
            is_over = np.zeros(4, np.bool_)


WRAPPERS: dict[str, Any] = {
    "NormalizeReward": wrappers.NormalizeReward,
    "TransformReward": lambda env: wrappers.TransformReward(env, lambda points: points / 1_000),
    "ClipReward": lambda env: wrappers.ClipReward(env, -1, 1),
    "FilterObservation": lambda env: wrappers.FilterObservation(env, ["observation", "action_mask"]),
    "FlattenObservation": lambda env: wrappers.FlattenObservation(env),
    "TransformAction": lambda env: wrappers.TransformAction(env, lambda actions: actions),
}


# Gymnasium itself refuses to wrap the observations of an environment that begins anew in the same step.
WRAPPED = [
    (name, mode)
    for name in WRAPPERS
    for mode in MODES
    if not (name.endswith("Observation") and mode is AutoresetMode.SAME_STEP)
]


@pytest.mark.parametrize(("name", "mode"), WRAPPED)
def test_a_wrapper_of_gymnasium_gives_what_it_gives_around_the_loop(name: str, mode: AutoresetMode) -> None:
    bare = CanastaSeatVectorEnv("classic", 2, num_envs=NUM_ENVS, autoreset_mode=mode)
    fast, slow = (WRAPPERS[name](env) for env in both("classic", 2, mode))
    rng = Random(1)
    observations, _ = bare.reset(seed=5)
    assert env_checker.data_equivalence(fast.reset(seed=5), slow.reset(seed=5), exact=True)
    for _ in range(90):
        actions = draw(observations, rng)
        observations, _, terminations, truncations, _ = bare.step(actions)
        assert env_checker.data_equivalence(fast.step(actions), slow.step(actions), exact=True)
        is_over = terminations | truncations
        if mode is AutoresetMode.DISABLED and is_over.any():
            for env in (fast, slow, bare):
                observations, _ = env.reset(options={"reset_mask": is_over.copy()})
    assert fast.observation_space == slow.observation_space


def test_an_episode_is_the_same_in_every_mode() -> None:
    def episodes(mode: AutoresetMode) -> list[list[tuple[int, float]]]:
        """The actions and rewards of the first two episodes at each table."""
        env = CanastaSeatVectorEnv("classic", 4, num_envs=3, autoreset_mode=mode, scores="drawn")
        now, _ = env.reset(seed=6)
        played: list[list[list[tuple[int, float]]]] = [[[]] for _ in range(3)]
        is_over = np.zeros(3, np.bool_)
        while min(map(len, played)) < 3:
            begins = is_over & (mode is AutoresetMode.NEXT_STEP)
            actions = np.array([fixed_choice(now, table) for table in range(3)])
            now, rewards, terminations, truncations, _ = env.step(actions)
            is_over = terminations | truncations
            for table in np.flatnonzero(~begins):
                played[table][-1].append((int(actions[table]), float(rewards[table])))
                if is_over[table]:
                    played[table].append([])
            if mode is AutoresetMode.DISABLED and is_over.any():
                now, _ = env.reset(options={"reset_mask": is_over})
        return [episode for each in played for episode in each[:2]]

    next_step, same_step, disabled = map(episodes, AutoresetMode)
    assert next_step == same_step == disabled
    assert all(episode[-1][1] for episode in disabled)


def fixed_choice(observations: dict[str, Any], table: int) -> int:
    mask = observations["action_mask"][table]
    return fixed_callable({key: observations[key][table] for key in observations}) if mask.any() else 0


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
        (
            {"autoreset_mode": "Off"},
            "autoreset_mode: 'Off' must be one of 'NextStep', 'SameStep', 'Disabled'",
        ),
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


def test_rgb_array_is_a_picture_of_every_table() -> None:
    env = CanastaSeatVectorEnv("classic", 2, num_envs=2, render_mode="rgb_array")
    env.reset(seed=1)
    pictures = env.render()
    assert pictures is not None and [picture.shape for picture in pictures] == [(800, 1280, 3)] * 2
    single = CanastaSeatEnv("classic", 2, render_mode="rgb_array")
    single.reset(seed=2)
    assert (pictures[1] == single.render()).all()
