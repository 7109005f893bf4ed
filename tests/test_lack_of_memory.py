"""Sizes that no machine can hold, and memory that runs out: one line says so, and no traceback."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="extra `train`")

import numpy as np
import torch

from canasta_agents import commands
from canasta_agents.__main__ import main as agents_main
from canasta_agents.config_checks import ConfigError
from canasta_agents.learning import session
from canasta_agents.learning.buffer import RolloutArrays
from canasta_agents.neural.config import Network
from canasta_agents.neural.network import build_network
from canasta_agents.processes import REFUSED
from canasta_env.__main__ import main as env_main


@pytest.mark.parametrize("num", [10**12, 10**20, 10**400 // 10**300])
def test_a_rollout_that_no_machine_holds_is_refused_by_its_size(num: int) -> None:
    """`--rollout.steps 1000000000000` ended in a MemoryError, or with a machine without memory."""
    with pytest.raises(
        ConfigError, match=rf"^rollout: needs [\d,]+ GB of .*; it has {num:,} decisions: give"
    ):
        RolloutArrays.allocate(num, 1_000, 0)


@pytest.mark.parametrize("kind", ["flat", "rank"])
def test_a_network_that_no_machine_holds_is_refused_before_hours_of_drawing_weights(kind: str) -> None:
    with pytest.raises(
        ConfigError, match=r"^network: needs [\d,]+ GB .*; it has [\d,]+ weights: give a smaller"
    ):
        build_network(Network(kind=kind, width=16_384, layers=256), 1_017, row_size=40)  # type: ignore[arg-type]


@pytest.mark.parametrize("allocate", [lambda: np.zeros((10**9, 10**9)), lambda: torch.zeros(10**9, 10**6)])
def test_a_command_that_lacks_memory_says_so_in_one_line(
    allocate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "run", lambda config, resume: allocate())
    monkeypatch.setattr("sys.argv", ["train.py"])
    assert commands.train() == REFUSED
    said = capsys.readouterr().err
    assert said.startswith("train.py: there is not enough memory (") and said.count("\n") == 1
    assert "alloc" in said


def test_other_runtime_errors_are_faults_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("shape mismatch")

    monkeypatch.setattr(session, "run", fails)
    monkeypatch.setattr("sys.argv", ["train.py"])
    with pytest.raises(RuntimeError, match="shape mismatch"):
        commands.train()


@pytest.mark.parametrize(
    ("main", "where", "words"),
    [
        (agents_main, "canasta_agents.__main__.standard_rules", ["equity"]),
        (env_main, "canasta_env.__main__.standard_rules", ["layout", "classic"]),
    ],
)
def test_modules_that_lack_memory_say_so(main, where, words, monkeypatch, capsys) -> None:
    monkeypatch.setattr(where, lambda *_: np.zeros(10**15, [("a", "i8"), ("b", "i8")]))
    assert main(words) == 1
    assert (
        capsys.readouterr().err == "there is not enough memory (Unable to allocate 14.2 PiB for an array)\n"
    )
