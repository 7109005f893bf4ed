"""From a text to an agent, and the errors of texts that name none."""

import sys
from pathlib import Path

import numpy as np
import pytest

from canasta_agents.asking import ask
from canasta_agents.config_checks import ConfigError
from canasta_agents.policies import policy_folder
from canasta_agents.registry import RegistryError, make, names
from canasta_env import Table, classic, modern_american
from canasta_env.agent import DecisionBatch
from tests.agents.deciding import GAMES, decide
from tests.rules import positions


class Drawing:
    """An outsider made with the rules."""

    name = "drawing"

    def __init__(self, rules):
        self.rules = rules

    def reset(self, num_tables, seed):
        self.num_tables = num_tables

    def act(self, batch):
        return np.argmax(batch.masks, axis=1).astype(np.int64)


class Nameless:
    """An outsider made with nothing, and without a name."""

    def reset(self, num_tables, seed):
        pass

    def act(self, batch):
        return np.argmax(batch.masks, axis=1).astype(np.int64)


class Leaving:
    def __init__(self):
        raise SystemExit(3)


def broken(rules):
    return 1 / 0


class Half:
    """No agent."""

    def reset(self, num_tables, seed):
        pass


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_every_name_makes_an_agent_of_that_name(rules):
    for name in names(rules):
        assert make(name, rules).name == name


def test_the_players_of_the_games():
    assert {"random", "closer", "closer_plain", "weigher", "builder", "gambler", "greedy", "eager"} <= set(
        names(classic())
    )
    assert {"random", "simple", "keeper"} <= set(names(modern_american()))


def test_heuristic_is_the_strongest_of_its_game():
    assert make("heuristic", classic()).name == "watcher"
    assert make("heuristic", modern_american()).name == "keeper"
    assert make("closer", modern_american()).name == "keeper"


@pytest.mark.parametrize("spec", ["nobody", "", "Closer", 7, None])
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(spec):
    with pytest.raises(
        RegistryError, match=r"closer, closer_plain, weigher.*heuristic, neural:PATH, onnx:FILE, python:"
    ):
        make(spec, classic())


def test_players_of_the_other_game_are_unknown():
    with pytest.raises(RegistryError, match=r"no agent 'weigher' for modern_american; .* simple, keeper"):
        make("weigher", modern_american())


def test_python_entrants():
    rules = classic()
    agent = make("python:tests.agents.test_registry:Drawing", rules)
    assert (agent.name, agent.rules) == ("drawing", rules)
    assert decide(agent, positions.classic("4 5 6", phase="draw")) == "draw"
    assert make("python:tests.agents.test_registry:Nameless", rules).name == "Nameless"


def test_without_pytorch_a_trained_policy_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "canasta_agents.neural.agent", None)
    with pytest.raises(
        ImportError, match=r"a neural agent needs PyTorch: pip install 'canasta-env\[train\]'"
    ):
        make("neural:classic_2", classic(2))


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("python:", "should read python:module:Class"),
        ("python:tests.agents.test_registry", "should read python:module:Class"),
        ("python:a:b:c", "should read python:module:Class"),
        ("python:no_such_module:Agent", "cannot import 'no_such_module'"),
        ("python:tests.agents.test_registry:Missing", "has no class 'Missing'"),
        ("python:tests.agents.test_registry:Half", "has no method 'act'"),
        (
            "python:tests.agents.test_registry:Leaving",
            r"cannot be made: SystemExit: 3 \(test_registry.py, line",
        ),
        ("python:tests.agents.test_registry:broken", "cannot be made: ZeroDivisionError"),
        ("python:antigravity\0:x", "cannot import"),
        ("neural:", "lacks the folder of a checkpoint"),
    ],
)
def test_what_is_no_entrant_says_why(spec, says):
    with pytest.raises(RegistryError, match=says):
        make(spec, classic())


@pytest.mark.parametrize("path", [".", "/", "..", ""])
def test_a_folder_without_a_name_is_looked_into_like_any_other(path, tmp_path, monkeypatch):
    """`neural:.` in a run's folder said "PosixPath('.') has an empty name"."""
    pytest.importorskip("torch", reason="neural agents need PyTorch (extra `train`)")
    from canasta_agents.neural.policy_file import find_policy

    monkeypatch.chdir(tmp_path)
    assert policy_folder(Path(path)) is None
    (tmp_path / "best").mkdir()
    (tmp_path / "best" / "policy.safetensors").touch()
    assert find_policy(Path()) == Path("best")


def test_a_program_that_fails_is_named_where_no_forfeits_are_counted():
    """`equity --agent process:false`, and a run with it among its players, ended in a traceback."""
    table = Table(classic(2), seed=1)
    batch = DecisionBatch.single(table.rules, table.to_play, table.view(table.to_play), table.action_mask())
    with pytest.raises(ConfigError, match=r"^false: ended with exit status 1 in place of hello"):
        ask(make("process:false", table.rules), batch)
