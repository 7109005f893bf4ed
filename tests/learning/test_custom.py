"""Networks and losses from a user's own file: trained, saved, loaded, and refused with what they lack."""

from __future__ import annotations

import ast
import json
import sys

import numpy as np
import pytest
import torch

from canasta_agents.__main__ import main as agents_command
from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.checkpoint import save
from canasta_agents.learning.config import Ppo, from_dict
from canasta_agents.learning.distributed import Device
from canasta_agents.learning.ppo import load_loss, ppo_loss
from canasta_agents.learning.trainer import build_trainer
from canasta_agents.neural.agent import NeuralAgent
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.config import Network
from canasta_agents.neural.network import ActorCritic, FlatNetwork, build_network
from canasta_agents.neural.policy_file import load_policy, policy_card
from canasta_agents.registry import make
from canasta_env import classic
from canasta_env.actions import DRAW, NUM_ACTIONS
from canasta_env.engine.layout import observation_size
from tests.document_blocks import ROOT, blocks

from .fake import FakeTables, share_right
from .test_losses import minibatch

NETWORK = "examples.custom_network:MaxoutNetwork"
LOSS = "examples.custom_loss:ppo_with_pull"
MINE = """
from torch import nn
from canasta_agents.neural.network import FlatNetwork

class Mine(FlatNetwork):
    pass
"""


class FewLogits(FlatNetwork):
    """Has forgotten an action."""

    def forward(self, observations, critic_states):
        logits, values = super().forward(observations, critic_states)
        return logits[:, 1:], values


class NoValueHead(ActorCritic):
    """Cannot change the unit of its values."""

    def forward(self, observations, critic_states):
        return torch.zeros(len(observations), NUM_ACTIONS), torch.zeros(len(observations))


class NothingToLearn(FlatNetwork):
    """Has no parameter that a step of training could change."""

    def __init__(self, config, observation_size, critic_size=0):
        super().__init__(config, observation_size, critic_size)
        self.requires_grad_(False)


class OneOutput(FlatNetwork):
    """Has no values."""

    def forward(self, observations, critic_states):
        return super().forward(observations, critic_states)[0]


class OtherLogits(FlatNetwork):
    """Plays by other outputs than it learns."""

    def logits(self, observations):
        return super().logits(observations)[:, :3]


class Fails(FlatNetwork):
    """Raises as soon as it is asked."""

    def forward(self, observations, critic_states):
        raise KeyError("no such layer")


def number_loss(logits, values, batch, config, entropy_coef):
    return 1.0, {}


def loss_of_many(logits, values, batch, config, entropy_coef):
    return logits, {"kl": values.mean()}


def loss_with_plain_metrics(logits, values, batch, config, entropy_coef):
    return logits.mean(), {"kl": 0.5}


def loss_of_nothing(logits, values, batch, config, entropy_coef):
    return logits.detach().mean(), {"kl": values.mean()}


def loss_without_kl(logits, values, batch, config, entropy_coef):
    loss, metrics = ppo_loss(logits, values, batch, config, entropy_coef)
    return loss, {"policy_loss": metrics["policy_loss"]}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A network in a file of its own that can be imported until the fixture's path is taken away."""
    (tmp_path / "my_network.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "my_network:Mine"
    sys.modules.pop("my_network", None)


def test_the_examples_solve_a_tiny_game_and_play_from_their_folder(make_trainer, small_config):
    config = small_config(network={"custom": NETWORK}, ppo={"loss": LOSS})
    trainer = make_trainer(config)
    while not trainer.is_over:
        metrics = trainer.advance()
    trainer.save()
    assert metrics["ppo/pull"] > 0
    card = json.loads((trainer.folder / "best" / "policy.json").read_text())
    assert card["network"]["custom"] == NETWORK
    tables = FakeTables(500, seed=9)
    tables.step(np.full(500, DRAW))
    assert share_right(NeuralAgent(trainer.folder), tables) > 0.95


def test_a_run_with_a_network_of_its_own_resumes_to_the_bit(whole_and_resumed, small_config):
    config = small_config(network={"custom": NETWORK}, run={"decisions": 5_000})
    whole, second = whole_and_resumed(config)
    expected = whole.network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in second.network.state_dict().items())


def test_a_network_of_its_own_learns_canasta_and_sits_down_by_its_name(tmp_path):
    config = from_dict(
        {
            "game": {"name": "classic", "players": 2},
            "network": {"custom": NETWORK, "width": 16},
            "rollout": {"tables": 16, "steps": 32, "workers": 1},
            "imitation": {"share": 0},
            "ppo": {"loss": LOSS},
            "evaluation": {"measurements": 0},
            "run": {"decisions": 500},
        }
    )
    device = Device(cores=1, torch_device=torch.device("cpu"), precision=torch.float32)
    trainer = build_trainer(config, tmp_path / "run", device)
    while not trainer.is_over:
        trainer.advance()
    trainer.save()
    trainer.close()
    rules = classic(2)
    agent, plain = make(f"neural:{tmp_path / 'run'}", rules), make("random", rules)
    measured = trainer.evaluator.points(agent, plain, boards=2, seed=1)
    assert np.isfinite(measured.estimate)


def test_a_network_of_its_own_is_exported(tmp_path):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")
    rules = classic(2)
    network = build_network(Network(width=8, custom=NETWORK), observation_size(rules))
    save(tmp_path / "run", network, policy_card(network, rules))
    assert agents_command(["export", str(tmp_path / "run"), str(tmp_path / "policy.onnx")]) == 0
    onnx.checker.check_model(onnx.load(tmp_path / "policy.onnx"))


def test_a_policy_whose_network_is_not_there_says_what_is_missing(
    make_trainer, small_config, mine, monkeypatch
):
    trainer = make_trainer(small_config(network={"custom": mine}))
    trainer.save()
    assert type(load_policy(trainer.folder).network).__name__ == "Mine"
    sys.modules.pop("my_network")
    monkeypatch.setattr(sys, "path", sys.path[1:])
    missing = (
        r"latest: its network cannot be made here: network.custom: 'my_network:Mine' cannot be imported \(No "
    )
    with pytest.raises(CheckpointError, match=missing + r"module named 'my_network'\); .* PYTHONPATH"):
        load_policy(trainer.folder)


def test_a_file_in_the_folder_one_starts_from_is_found(mine, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[1:])
    monkeypatch.chdir(tmp_path)
    assert type(build_network(Network(custom=mine), 12)).__name__ == "Mine"


def test_policies_without_a_network_of_their_own_are_written_as_ever(make_trainer, small_config):
    trainer = make_trainer(small_config())
    trainer.save()
    card = json.loads((trainer.folder / "latest" / "policy.json").read_text())
    assert card["network"] == {"kind": "flat", "width": 32, "layers": 2, "row_width": 64, "critic": "shared"}


@pytest.mark.parametrize(
    ("custom", "says"),
    [
        ("my_file", "'my_file' should read module:Name"),
        ("no_such_file:Mine", "cannot be imported .*no_such_file.* start from the folder that holds"),
        ("examples.custom_network:Nothing", "has no 'Nothing'"),
        ("examples.custom_network:PIECES", r"must be a subclass of canasta_agents\.neural\.network\.ActorC"),
        (f"{__name__}:FewLogits", r"shapes \(\(2, 95\), \(2,\), .* must be floats of \(\(2, 96\), \(2,\), "),
        (f"{__name__}:OtherLogits", r"shapes \(\(2, 96\), \(2,\), \(2, 3\)\)"),
        ("os:getcwd", "is none; it must be a subclass"),
        ("canasta_agents.neural.network:ActorCritic", r"fails \(NotImplementedError: ActorCritic needs"),
        (
            "canasta_agents.neural.network:RankNetwork",
            r"fails \(TypeError: .*missing 1 .*row_size'\); it must",
        ),
        (f"{__name__}:OneOutput", r"shapes \(\(96,\), \(96,\), \(2, 96\)\)"),
        (f"{__name__}:Fails", r"fails \(KeyError: 'no such layer'\)"),
        (f"{__name__}:NothingToLearn", "has no parameters that could be learnt"),
        (f"{__name__}:NoValueHead", r"NoValueHead needs an nn\.Linear `value_head`, or a `rescale"),
    ],
)
def test_what_is_no_network_says_why(custom, says):
    with pytest.raises(ConfigError, match=rf"network\.custom: .*{says}"):
        build_network(Network(custom=custom), 12)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def (", r"fails \(SyntaxError: .*; my_network must be a module"),
        ("1 / 0", r"fails \(ZeroDivisionError: division by zero\)"),
        ("raise SystemExit(0)", r"fails \(SystemExit: 0\)"),
    ],
)
def test_a_file_that_does_not_run_is_refused_by_its_key(source, says, mine, tmp_path):
    (tmp_path / "my_network.py").write_text(source)
    with pytest.raises(ConfigError, match=rf"network\.custom: 'my_network:Mine' {says}"):
        build_network(Network(custom=mine), 12)


@pytest.mark.parametrize(
    ("loss", "says"),
    [
        ("examples.custom_loss:", "should read module:Name"),
        ("examples.custom_loss:PULL_COEF", r"must be a function with the arguments of .*\.ppo\.ppo_loss"),
        ("examples.custom_loss:nothing", "has no 'nothing'"),
    ],
)
def test_what_is_no_loss_says_why(loss, says):
    with pytest.raises(ConfigError, match=rf"ppo\.loss: .*{says}"):
        load_loss(loss)


@pytest.mark.parametrize(
    ("loss", "says"),
    [
        (
            "os:getcwd",
            r"fails \(TypeError: .*takes no keyword arguments\); it must be a function with the arg",
        ),
        ("builtins:dict", r"fails \(TypeError: "),
        (f"{__name__}:number_loss", r"fails \(AttributeError: "),
        (f"{__name__}:loss_of_many", "are not tensors of one number each"),
        (f"{__name__}:loss_with_plain_metrics", r"fails \(AttributeError: "),
        (f"{__name__}:loss_of_nothing", "does not depend on the network's outputs"),
    ],
)
def test_a_function_that_is_no_loss_ends_in_no_traceback(loss, says, make_trainer, small_config):
    """It was called for the first time after a rollout, and raised what it raised."""
    with pytest.raises(ConfigError, match=rf"ppo\.loss: '{loss}' .*{says}"):
        make_trainer(small_config(ppo={"loss": loss}))


def test_a_loss_that_does_not_report_how_far_the_policy_moves_is_refused(make_trainer, small_config):
    loss = f"{__name__}:loss_without_kl"
    with pytest.raises(ConfigError, match=r"ppo\.loss: its metrics are policy_loss; ppo\.target_kl needs"):
        make_trainer(small_config(ppo={"loss": loss})).advance()
    make_trainer(small_config(ppo={"loss": loss, "target_kl": 0})).advance()


def code_of(source: str, name: str) -> str:
    """A class or function of a source without annotations and docstrings."""
    (found,) = [node for node in ast.walk(ast.parse(source)) if getattr(node, "name", None) == name]
    for node in ast.walk(found):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.body = node.body[ast.get_docstring(node) is not None :]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(found)


@pytest.mark.parametrize("spec", [NETWORK, LOSS])
def test_the_page_on_training_shows_the_examples(spec):
    module, name = spec.split(":")
    example = (ROOT / module.replace(".", "/")).with_suffix(".py").read_text()
    (shown,) = [block.text for block in blocks() if block.language == "python" and f" {name}(" in block.text]
    assert code_of(shown, name) == code_of(example, name)


def test_the_pull_of_the_example_by_hand():
    batch = minibatch([0], log_probs=torch.log(torch.tensor([0.8])))
    logits = torch.log(torch.tensor([[0.8, 0.2]]))
    plain, _ = ppo_loss(logits, torch.zeros(1), batch, Ppo(), 0.0)
    loss, metrics = load_loss(LOSS)(logits, torch.zeros(1), batch, Ppo(), 0.0)
    pull = 0.5 * np.log(0.5 / 0.8) + 0.5 * np.log(0.5 / 0.2)
    assert metrics["pull"].item() == pytest.approx(pull, rel=1e-5)
    assert loss.item() == pytest.approx(plain.item() + 0.01 * pull, rel=1e-5)
