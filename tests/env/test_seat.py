"""The one-seat Gymnasium environment: the others act in between, whoever they are."""

from __future__ import annotations

import copy
import pickle
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from canasta_env import IllegalActionError, classic
from canasta_env.agent import DecisionBatch
from canasta_env.envs.single_agent import CanastaSeatEnv
from canasta_env.rendering.text import view_picture
from tests.env.environments import GAMES, IDS, legal

each_game = pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)


class FirstLegal:
    """An agent that plays the first legal action and remembers what it was asked."""

    def __init__(self) -> None:
        self.resets: list[tuple[int, int]] = []
        self.seats: list[int] = []

    def reset(self, num_tables: int, seed: int) -> None:
        self.resets.append((num_tables, seed))

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        assert len(batch) == 1
        assert batch.observations.shape[0] == 1
        assert batch.views["seat"][0] == batch.seats[0]
        assert (batch.tables == 0).all()
        self.seats.append(int(batch.seats[0]))
        return batch.masks.argmax(axis=1).astype(np.int64)


def first_legal(observation: dict[str, Any]) -> int:
    return legal(observation)[0]


def play(
    env: Any, rng: Random, seed: int | None = None
) -> list[tuple[int, float, bool, bool, dict[str, Any]]]:
    observation, info = env.reset(seed=seed)
    assert info == {}
    steps, is_over = [], False
    while not is_over:
        assert env.unwrapped.episode.seat == env.unwrapped.seat
        action = rng.choice(legal(observation))
        observation, reward, terminated, truncated, info = env.step(action)
        assert type(terminated) is bool and type(truncated) is bool and type(reward) is float
        steps.append((action, reward, terminated, truncated, info))
        is_over = terminated or truncated
    return steps


@each_game
def test_a_deal_from_every_seat(game: str, players: int) -> None:
    for seat in range(players):
        env = CanastaSeatEnv(game, players, seat=seat)
        *before, (_, reward, terminated, truncated, info) = play(env, Random(seat), seed=seat)
        assert all(step[1:] == (0.0, False, False, {}) for step in before)
        assert terminated and not truncated
        points, side = info["points"], env.rules.side_of(seat)
        others = sum(points) - points[side]
        assert reward == points[side] - others / (len(points) - 1)


@each_game
def test_agents_and_callables_take_the_other_seats(game: str, players: int) -> None:
    agent = FirstLegal()
    by_agent = CanastaSeatEnv(game, players, seat=1, opponents=agent)
    by_callable = CanastaSeatEnv(game, players, seat=1, opponents=first_legal)
    assert play(by_agent, Random(1), seed=5) == play(by_callable, Random(1), seed=5)
    assert set(agent.seats) == set(range(players)) - {1}
    assert [tables for tables, _ in agent.resets] == [1]


def test_each_seat_may_have_its_own_opponent() -> None:
    agents = [FirstLegal(), FirstLegal(), FirstLegal()]
    env = CanastaSeatEnv("classic", 4, seat=2, opponents=agents)
    play(env, Random(2), seed=2)
    assert [set(agent.seats) for agent in agents] == [{3}, {0}, {1}]


@pytest.mark.parametrize(
    ("opponents", "reason"),
    [([first_legal], "opponents: 1 of them; there are 3"), (5, "opponents: 5 is neither")],
)
def test_opponents_are_checked(opponents: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        CanastaSeatEnv("classic", 4, opponents=opponents)


def test_a_seat_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="seat: 2"):
        CanastaSeatEnv("classic", 2, seat=2)


def test_an_opponent_that_plays_an_illegal_action_is_named() -> None:
    env = CanastaSeatEnv("classic", 2, opponents=lambda observation: 95, illegal="forfeit")
    with pytest.raises(IllegalActionError, match=r'opponent in seat 1: illegal action "discard A"'):
        for seed in range(10):  # in half of the deals the opponent is first
            env.reset(seed=seed)


def test_an_illegal_action_of_the_learner_raises_or_forfeits() -> None:
    env = CanastaSeatEnv("classic", 4)
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="for seat 0"):
        env.step(95)
    env = CanastaSeatEnv("classic", 4, illegal="forfeit")
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(95)
    assert reward == -2_000
    assert terminated
    assert "forfeit" in info
    with pytest.raises(IllegalActionError, match="the episode is over"):
        env.step(0)


@each_game
def test_a_seed_fixes_cards_and_random_opponents(game: str, players: int) -> None:
    def two_deals(seed: int) -> list[Any]:
        env = CanastaSeatEnv(game, players)
        return [play(env, Random(1), seed=seed), play(env, Random(2))]

    assert two_deals(3) == two_deals(3)
    assert two_deals(3) != two_deals(4)


def test_a_match_pays_at_the_end_of_each_deal() -> None:
    env = CanastaSeatEnv(rules=classic(2, target=1_500), episode="match")
    steps = play(env, Random(6), seed=6)
    paid = [step for step in steps if step[4]]
    assert len(paid) > 1
    total = sum(step[1] for step in steps)
    scores = steps[-1][4]["scores"]
    assert total == scores[0] - scores[1]
    assert max(scores) >= 1_500


def test_a_copy_in_mid_game_goes_its_own_way() -> None:
    for clone in (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
        env = CanastaSeatEnv("classic", 4)
        observation, _ = env.reset(seed=4)
        for _ in range(5):
            observation, *_ = env.step(legal(observation)[-1])
        twin = clone(env)
        lines = []
        for each in (env, twin):
            rng, line, now = Random(1), [], observation
            for _ in range(8):
                now, reward, *_ = each.step(rng.choice(legal(now)))
                line.append((reward, now["observation"].tobytes()))
            lines.append(line)
        assert lines[0] == lines[1]


@pytest.mark.parametrize("name", ["ModernAmericanSeat", "ClassicSeat"])
def test_registered_names(name: str) -> None:
    env = gymnasium.make(f"canasta_env:canasta/{name}-v1", max_cycles=30)
    *_, (_, reward, terminated, truncated, _) = play(env, Random(1), seed=1)
    assert (reward, terminated, truncated) == (0.0, False, True)


def test_action_masks_are_the_mask_of_the_observation() -> None:
    env = CanastaSeatEnv("classic", 2)
    observation, _ = env.reset(seed=5)
    for _ in range(10):
        masks = env.action_masks()
        assert masks.dtype == np.bool_ and (masks == observation["action_mask"]).all()
        observation, *_ = env.step(legal(observation)[-1])


def test_rendering_shows_what_the_learner_sees(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    env = CanastaSeatEnv("classic", 4, seat=1, render_mode="ansi")
    env.reset(seed=1)
    text = view_picture(env.rules, env.episode.table().view(1))
    assert env.render() == text
    env = CanastaSeatEnv("classic", 4, seat=1, render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    assert capsys.readouterr().out == f"{text}\n" * 2  # after the reset, and when asked
    assert CanastaSeatEnv().render() is None
