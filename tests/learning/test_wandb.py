"""Weights & Biases get what metrics.jsonl gets; what keeps them from it is said before anything is played."""

import sys
from types import ModuleType

import pytest

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.metrics import read_metrics
from canasta_agents.learning.session import run
from canasta_agents.learning.wandb_run import ID_FILE
from canasta_agents.processes import REFUSED

from .fake_wandb import FakeWandb

TWICE = {"decisions": 3_000, "wandb": "cards"}


def play_out(trainer):
    while not trainer.is_over:
        trainer.advance()
    trainer.save()
    trainer.close()


def test_every_line_of_the_metrics_arrives_with_the_config(make_trainer, small_config, monkeypatch, tmp_path):
    wandb = FakeWandb()
    wandb.install(monkeypatch)
    config = small_config(run=TWICE)
    play_out(make_trainer(config, tmp_path / "mine"))
    (begun,) = wandb.begun
    assert begun["project"] == "cards"
    assert begun["name"] == "mine"
    assert begun["config"] == config.to_dict()
    assert begun["dir"] == str(tmp_path / "mine")
    expected = [(line.pop("update"), line) for line in read_metrics(tmp_path / "mine")]
    assert wandb.lines == expected and len(expected) > 2
    assert wandb.num_finished == 1


def test_a_resumed_run_goes_on_as_the_same_run(make_trainer, small_config, monkeypatch, tmp_path):
    wandb = FakeWandb()
    wandb.install(monkeypatch)
    config = small_config(run=TWICE)
    trainer = make_trainer(config, tmp_path / "mine")
    trainer.advance()
    trainer.save()
    trainer.close()
    again = make_trainer(config, tmp_path / "mine")
    again.resume()
    play_out(again)
    first, second = wandb.begun
    assert first["id"] == second["id"] == (tmp_path / "mine" / ID_FILE).read_text()
    assert {first["resume"], second["resume"]} == {"allow"}
    assert [update for update, _ in wandb.lines] == list(range(1, len(wandb.lines) + 1))
    assert wandb.num_finished == 2


def test_a_run_without_it_does_not_load_it(make_trainer, small_config, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "wandb", None)  # importing it raises
    play_out(make_trainer(small_config(run={"decisions": 2_000}), tmp_path / "mine"))
    assert not (tmp_path / "mine" / ID_FILE).exists()


@pytest.mark.parametrize("present", [None, ModuleType("wandb")], ids=["missing", "a folder of its files"])
def test_without_the_library_nothing_begins(present, small_config, monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "wandb", present)
    config = small_config(run={**TWICE, "folder": str(tmp_path)}, evaluation={"player": "heuristic"})
    assert run(config, None) == REFUSED
    assert "run.wandb: Weights & Biases is not installed: pip install wandb" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_what_it_refuses_is_passed_on(make_trainer, small_config, monkeypatch):
    FakeWandb(refuses="no API key").install(monkeypatch)
    with pytest.raises(ConfigError, match=r"run.wandb: 'cards': Weights & Biases refused: no API key"):
        make_trainer(small_config(run=TWICE)).advance()
