"""Agents with a memory are told when deals begin at the tables of the one-seat environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from canasta_env import CanastaSeatEnv, CanastaSeatVectorEnv, classic
from canasta_env.agent import remembers
from tests.card_counter import CardCounter, ContractError, MatchCardCounter

RULES = {"rules": classic(2, target=1_500)}


def lay(mask: Any) -> int:
    return int(
        np.argmax((np.arange(96, 0, -1) + 1_000 * ((np.arange(96) >= 8) & (np.arange(96) < 82))) * mask)
    )


def play_one_table(counter: CardCounter, episodes: int, **options: Any) -> int:
    """Deals that were begun; every other episode is given up in its middle."""
    env = CanastaSeatEnv(opponents=counter, **RULES, **options)
    deals = 0
    for number in range(episodes):
        observation, _ = env.reset(seed=number)
        deals += 1
        steps, is_over = 0, False
        while not is_over and not (number % 2 and steps > 30):
            observation, _, terminated, truncated, news = env.step(lay(observation["action_mask"]))
            is_over = terminated or truncated
            steps += 1
            deals += "points" in news and not is_over
    return deals


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_a_card_counter_counts_whole_deals_at_one_table(episode: str) -> None:
    counter = MatchCardCounter()
    deals = play_one_table(counter, 6, episode=episode)
    assert counter.told == [1] * deals
    assert deals > 6 if episode == "match" else deals == 6


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=["next", "same", "disabled"])
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_a_card_counter_counts_whole_deals_at_many_tables(episode: str, mode: AutoresetMode) -> None:
    counter = MatchCardCounter()
    options = {"episode": episode, "autoreset_mode": mode, "max_episode_steps": 150}
    envs = CanastaSeatVectorEnv(num_envs=5, opponents=counter, **RULES, **options)
    observations, _ = envs.reset(seed=1)
    for step in range(400):
        actions = np.array([lay(mask) for mask in observations["action_mask"]])
        observations, _, terminations, truncations, _ = envs.step(actions)
        over = terminations | truncations
        if mode is AutoresetMode.DISABLED and over.any():
            observations, _ = envs.reset(options={"reset_mask": over})
        if step == 200:  # deals that are given up
            observations, _ = envs.reset(options={"reset_mask": np.arange(5) < 2})
    assert counter.resets == 1
    assert counter.tables_told == set(range(5))
    assert sum(counter.told) > 10


def test_the_card_counter_notices_what_it_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = CardCounter()
    tell, calls = counter.begin_deals, []

    def tell_once(*arguments: Any) -> None:
        if not calls:
            tell(*arguments)
        calls.append(arguments)

    monkeypatch.setattr(counter, "begin_deals", tell_once)
    with pytest.raises(ContractError, match="not told of a new deal at table 0"):
        play_one_table(counter, 1, episode="match")


@pytest.mark.parametrize("count", [2, 30])
def test_the_card_counter_notices_that_it_is_told_in_the_middle(count: int) -> None:
    class Interrupted(CardCounter):
        asked = 0

        def act(self, batch: Any) -> Any:
            self.asked += 1
            if self.asked == count:
                self.begin_deals(np.zeros(1, np.int64), np.ones(1, np.bool_))
            return super().act(batch)

    with pytest.raises(ContractError, match=r"told (in the middle|of a new deal at table 0 where)"):
        play_one_table(Interrupted(), 1)


def test_the_card_counter_notices_that_it_is_told_twice_or_of_another_table() -> None:
    counter = CardCounter()
    counter.reset(2, 0)
    counter.begin_deals(np.array([0]), np.array([True]))
    with pytest.raises(ContractError, match="told twice of a deal at table 0"):
        counter.begin_deals(np.array([0]), np.array([True]))
    with pytest.raises(ContractError, match="told of table 2 of 2"):
        counter.begin_deals(np.array([2]), np.array([True]))


def test_an_agent_without_a_memory_is_not_told() -> None:
    class Plain:
        name = "plain"

        def reset(self, num_tables: int, seed: int) -> None: ...

        def act(self, batch: Any) -> Any:
            return batch.masks.argmax(axis=1)

    assert not remembers(Plain())
    env = CanastaSeatVectorEnv("classic", 2, num_envs=2, opponents=Plain())
    assert env._told == []
    env.reset(seed=1)
