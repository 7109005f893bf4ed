"""What agents say they would do."""

from __future__ import annotations

import numpy as np
import pytest

from canasta_agents import registry
from canasta_agents.play.agent_calls import advise, decision
from canasta_agents.play.messages import PlayError
from canasta_env import Table, classic
from canasta_env.actions import NOTATIONS
from canasta_env.agent import Agent
from tests.play.seated import Broken, Chance, Stubborn

RULES = classic(players=2)


def deciding() -> Table:
    """A table at which there is a choice."""
    table = Table(RULES, seed=3)
    table.play("draw")
    assert len(table.legal()) > 3
    return table


def test_a_rule_based_player_says_its_action_only() -> None:
    agent, table = Chance(), deciding()
    agent.reset(1, 0)
    told = advise(agent, table)
    assert set(told) == {"agent", "action"} and told["action"] in table.legal()


def test_faults_and_decisions_that_are_none_are_named() -> None:
    with pytest.raises(PlayError, match=r"broken failed in seat .*: out of luck"):
        advise(Broken(), deciding())
    with pytest.raises(PlayError, match=r"stubborn chose draw in seat .*, which is not legal"):
        advise(Stubborn(), deciding())
    over = Table.from_position({"game": "classic", "players": 2, "phase": "over"}, partial=True)
    with pytest.raises(PlayError, match="the deal is over"):
        advise(Chance(), over)


@pytest.mark.parametrize("critic", ["shared", "separate", "privileged"])
def test_a_policy_says_how_likely_each_action_is_and_what_it_expects(critic: str) -> None:
    torch = pytest.importorskip("torch", reason="neural agents need PyTorch (extra `train`)")
    from canasta_agents.neural.agent import NeuralAgent
    from canasta_agents.neural.network import FlatNetwork, Network
    from canasta_env.engine.layout import critic_size, observation_size

    form = Network(kind="flat", width=16, layers=2, critic=critic)  # type: ignore[arg-type]
    network = FlatNetwork(form, observation_size(RULES), critic_size(RULES))
    network.rescale_values(250.0)
    agent, table = NeuralAgent.of(network, "fresh"), deciding()
    told = advise(agent, table)
    actions, chances = zip(*told["likely"], strict=True)
    assert told["action"] == actions[0]
    assert set(actions) <= set(table.legal())
    assert list(chances) == sorted(chances, reverse=True)
    assert len(actions) <= 3
    assert (told["value"] is None) == (critic == "privileged")
    assert told["unit"] == "points"

    asked = decision(table)
    probabilities, values = agent.judge(asked)
    assert probabilities.sum() == pytest.approx(1)
    assert not probabilities[asked.masks == 0].any()
    if values is not None:
        inputs = torch.from_numpy(asked.observations)
        with torch.inference_mode():
            expected = network(inputs, inputs)[1].numpy() * 250
        np.testing.assert_allclose(values, expected, rtol=1e-5)


def searching() -> Agent:
    agent = registry.make("search:watcher?worlds=4", RULES)
    agent.reset(1, 5)
    return agent


def test_a_search_says_what_its_best_actions_are_worth() -> None:
    table = deciding()
    told = advise(searching(), table)
    actions, ahead = zip(*told["tried"], strict=True)
    assert 1 < len(actions) <= 3 and set(actions) <= set(table.legal())
    assert list(ahead) == sorted(ahead, reverse=True)
    assert told["action"] == NOTATIONS[searching().act(decision(table))[0]]


@pytest.mark.parametrize("spec", ["watcher", "search:watcher?worlds=4", "neural:classic_2"])
def test_a_hint_is_computed_from_what_the_seat_sees(spec: str) -> None:
    if spec.startswith("neural"):
        pytest.importorskip("torch", reason="neural agents need PyTorch (extra `train`)")
    table = deciding()
    assert table.to_play is not None
    other = table.redeal(table.to_play, np.random.default_rng(1))
    hidden = 1 - table.to_play
    assert other.hand(hidden) != table.hand(hidden)
    told = []
    for one in (table, other):
        agent = registry.make(spec, RULES)
        agent.reset(1, 5)
        told.append(advise(agent, one))
    assert told[0] == told[1]
