"""The parallel environment is the AEC environment, seen by all agents at once."""

from __future__ import annotations

import copy
from random import Random

import numpy as np
import pytest

import canasta_env
from canasta_env import IllegalActionError
from tests.env.environments import GAMES, IDS, fresh, legal

each_game = pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)


@each_game
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_the_same_game_as_in_the_aec_environment(game: str, players: int, episode: str) -> None:
    aec = fresh(game, players, seed=3, episode=episode)
    parallel = canasta_env.parallel_env(game, players, episode=episode)
    observations, infos = parallel.reset(seed=3)
    assert infos == {agent: {} for agent in parallel.possible_agents}
    rng = Random(3)
    for _ in range(400):
        agent = aec.agent_selection
        for other in parallel.agents:
            seen = aec.observe(other)
            assert all((observations[other][key] == seen[key]).all() for key in seen)
        action = rng.choice(legal(observations[agent]))
        aec.step(action)
        observations, rewards, terminations, truncations, infos = parallel.step({agent: action})
        assert rewards == aec.rewards
        assert terminations == aec.terminations
        assert truncations == aec.truncations
        assert infos == aec.infos
        assert (parallel.state() == aec.state()).all()
        if any(terminations.values()):
            assert not parallel.agents
            assert parallel.step({}) == ({}, {}, {}, {}, {})
            return


def test_actions_of_agents_that_are_not_to_act_are_not_looked_at() -> None:
    env = canasta_env.parallel_env("classic", 2)
    observations, _ = env.reset(seed=1)
    (agent,) = [agent for agent in env.agents if observations[agent]["action_mask"].any()]
    (other,) = set(env.agents) - {agent}
    env.step({agent: legal(observations[agent])[0], other: "nonsense"})


def test_the_action_of_the_agent_to_act_must_be_there() -> None:
    env = canasta_env.parallel_env("classic", 2)
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"actions: player_\d is to act"):
        env.step({})


def test_an_illegal_action_raises_or_forfeits() -> None:
    env = canasta_env.parallel_env("classic", 4)
    env.reset(seed=1)
    actions = dict.fromkeys(env.agents, 95)
    with pytest.raises(IllegalActionError):
        env.step(actions)
    env = canasta_env.parallel_env("classic", 4, illegal="forfeit")
    env.reset(seed=1)
    _, rewards, terminations, _, infos = env.step(actions)
    assert sorted(rewards.values()) == [-2_000, -2_000, 2_000, 2_000]
    assert all(terminations.values())
    assert all("forfeit" in info for info in infos.values())


def test_observations_are_new_on_each_step_and_copies_go_their_own_way() -> None:
    env = canasta_env.parallel_env("classic", 3)
    observations, _ = env.reset(seed=2)
    kept = copy.deepcopy(observations)
    twin = copy.deepcopy(env)
    agent = f"player_{env.episode.seat}"
    env.step({agent: 0})
    assert all((observations[a]["observation"] == kept[a]["observation"]).all() for a in kept)
    assert (twin.episode.observe(0)["observation"] == kept["player_0"]["observation"]).all()
    assert all(isinstance(array, np.ndarray) for array in observations[agent].values())
