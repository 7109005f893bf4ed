"""The checkers of PettingZoo and Gymnasium pass, with no other warnings than those named here."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.state_test import state_test

import canasta_env
from tests.env.environments import GAMES, IDS

# PettingZoo knows its own environments with dict observations by name, and warns of every other one.
DICT_OBSERVATIONS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}
SEAT_IDS = {"modern_american": "canasta/ModernAmericanSeat-v1", "classic": "canasta/ClassicSeat-v1"}
each_game = pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)
each_length = pytest.mark.parametrize("episode", ["deal", "match"])


def warnings_of(check: Callable[[], object]) -> set[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check()
    return {str(warning.message) for warning in caught}


@each_game
@each_length
def test_api_test(game: str, players: int, episode: str) -> None:
    env = canasta_env.env(game, players, episode=episode)
    assert warnings_of(lambda: api_test(env, num_cycles=300)) == DICT_OBSERVATIONS


@each_game
@each_length
def test_seed_test(game: str, players: int, episode: str) -> None:
    assert not warnings_of(
        lambda: seed_test(lambda: canasta_env.env(game, players, episode=episode), num_cycles=100)
    )


@each_game
@each_length
def test_parallel_api_test(game: str, players: int, episode: str) -> None:
    env = canasta_env.parallel_env(game, players, episode=episode)
    assert not warnings_of(lambda: parallel_api_test(env, num_cycles=300))


@each_game
def test_parallel_seed_test(game: str, players: int) -> None:
    def make() -> object:  # the test samples without a mask
        return canasta_env.parallel_env(game, players, illegal="forfeit")

    assert not warnings_of(lambda: parallel_seed_test(make, num_cycles=100))


@each_game
def test_state_test(game: str, players: int) -> None:
    env = canasta_env.env(game, players, illegal="forfeit")  # the test samples without a mask
    parallel = canasta_env.parallel_env(game, players)
    assert not warnings_of(lambda: state_test(env, parallel, num_cycles=100))


@each_game
def test_render_test(game: str, players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    assert not warnings_of(
        lambda: render_test(lambda render_mode: canasta_env.env(game, players, render_mode=render_mode))
    )


@each_game
def test_check_env(game: str, players: int) -> None:
    env = gymnasium.make(
        SEAT_IDS[game], players=players, illegal="forfeit"
    )  # the check samples without a mask
    assert not warnings_of(lambda: check_env(env.unwrapped))
