"""Canasta inside OpenSpiel: its checks of Python games pass, and its algorithms and tools run."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="these tests need OpenSpiel: pip install open_spiel")

import pyspiel

from canasta_env.openspiel import register

GAMES = ["game=classic,players=2", "game=classic,players=3", "game=modern_american,players=4"]


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Any:
    return pyspiel.load_game(f"{register()}({request.param})")


def dealt(game: Any, seed: int = 3) -> Any:
    rng, state = np.random.RandomState(seed), game.new_initial_state()
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=chances)))
    return state


def test_random_sim_test(game: Any) -> None:
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_it_is_loaded_by_name_once_and_again() -> None:
    assert register() == register() == "python_canasta"
    game = pyspiel.load_game("python_canasta")
    assert (game.num_players(), game.get_parameters()["game"]) == (4, "modern_american")
    assert (
        pyspiel.load_game("python_canasta(game=classic,players=2,target=7500)").canasta.rules.target == 7_500
    )


def test_states_are_pickled_and_serialised_with_their_game_resampled_ones_too(game: Any) -> None:
    state = dealt(game)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    for each in (state, state.resample_from_infostate(state.current_player(), sampler)):
        _, back = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, each))
        for again in (back, pickle.loads(pickle.dumps(each)), each.clone()):
            assert (str(again), again.history()) == (str(each), each.history())
            assert again.information_state_string(0) == each.information_state_string(0)
            assert again.observation_tensor(0) == each.observation_tensor(0)


def test_resampling_keeps_the_information_state(game: Any) -> None:
    state, sampler = dealt(game), pyspiel.UniformProbabilitySampler(0.0, 1.0)
    for _ in range(20):
        seat = state.current_player()
        other = state.resample_from_infostate(seat, sampler)
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
        assert other.canasta.table.position() != state.canasta.table.position()
        state.apply_action(state.legal_actions()[0])


def test_its_search_bot_its_solver_and_its_playthrough_run() -> None:
    from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts, outcome_sampling_mccfr

    game = pyspiel.load_game(f"{register()}(game=classic,players=2)")
    state, random = dealt(game), np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, random), 2_000, 5, random_state=random)
    assert bot.step(state) in state.legal_actions()
    np.random.seed(1)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
    solver.iteration()
    state = dealt(game)
    policy = solver.average_policy().action_probabilities(state, state.current_player())
    assert sum(policy.values()) == pytest.approx(1.0)
    text = generate_playthrough.playthrough("python_canasta(game=classic,players=2)", None, seed=1)
    assert "Returns() = [" in text and 'InformationStateString(0) = "{' in text


def test_an_observer_with_parameters_is_refused_and_one_of_another_kind_is_none(game: Any) -> None:
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(None, {"x": 1})
    public = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    assert game.make_py_observer(public) is None
