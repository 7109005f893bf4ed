"""The policies of the package load by name, belong to the game of that name, and play it."""

from __future__ import annotations

import pytest

from canasta_agents import registry
from canasta_agents.learning.evaluation import BoardEvaluator
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.policy_file import load_policy
from canasta_agents.policies import FOLDER, bundled_policies, bundled_policy, policy_name
from canasta_env import classic, modern_american


def test_the_games_have_their_names() -> None:
    every = [modern_american(), *(classic(players) for players in (2, 3, 4))]
    assert [policy_name(rules) for rules in every] == [
        "modern_american",
        "classic_2",
        "classic_3",
        "classic_4",
    ]


def test_an_unknown_policy_is_refused_with_the_names_there_are() -> None:
    assert bundled_policy("nonsense") is None
    with pytest.raises(CheckpointError, match="nonsense: holds no policy"):
        registry.make("neural:nonsense", classic())


def test_a_policy_at_a_table_of_another_game_is_refused_before_anything_is_played() -> None:
    with pytest.raises(registry.RegistryError, match="has learnt classic with 2 players; this table plays"):
        registry.make("neural:classic_2", classic(4))


@pytest.mark.parametrize("name", bundled_policies())
def test_a_policy_plays_its_game_better_than_random(name: str) -> None:
    rules = load_policy(FOLDER / name).rules
    assert policy_name(rules) == name.partition("@")[0]  # "classic_4@1" is the first one of its game
    agent, random = registry.make(f"neural:{name}", rules), registry.make("random", rules)
    measured = BoardEvaluator(rules, "zero").points(agent, random, boards=20, seed=4)
    assert measured.low > 0
