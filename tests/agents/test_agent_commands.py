"""train.py, evaluate.py and play.py where a library is missing, and when they are interrupted."""

from __future__ import annotations

from importlib import import_module

import pytest

from canasta_agents import commands

COMMANDS = {
    commands.train: ("canasta_agents.learning.cli", "train.py", "train"),
    commands.evaluate: ("canasta_agents.arena.cli", "evaluate.py", "arena"),
    commands.play: ("canasta_agents.play.cli", "play.py", "play"),
}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
@pytest.mark.parametrize(
    ("missing", "hint"),
    [
        (ModuleNotFoundError("No module named 'tyro'", name="tyro"), True),
        (ImportError("needs more: pip install 'canasta-env[onnx]'"), False),
    ],
    ids=["not named", "named"],
)
def test_a_missing_library_is_named_with_what_to_install(command, missing, hint, monkeypatch, capsys):
    module, script, extra = COMMANDS[command]

    def fail(name: str) -> None:
        assert name == module
        raise missing

    monkeypatch.setattr(commands, "import_module", fail)
    assert command() == 2
    expected = f"{missing}: pip install 'canasta-env[{extra}]'" if hint else str(missing)
    assert capsys.readouterr().err == f"{script}: {expected}\n"


def test_a_fault_of_ours_is_not_taken_for_a_missing_library(monkeypatch):
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        commands._run("evaluate.py", "canasta_agents.nowhere", "arena")


def test_a_file_that_cannot_be_written_is_named_in_one_line(monkeypatch, capsys):
    def fail(name: str) -> None:
        raise OSError(28, "No space left on device", "runs/x/metrics.jsonl")

    monkeypatch.setattr(commands, "import_module", fail)
    assert commands.train() == 2
    assert capsys.readouterr().err == "train.py: runs/x/metrics.jsonl: No space left on device\n"


def test_an_interrupt_ends_a_command_in_one_line(monkeypatch, capsys):
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "import_module", interrupted)
    assert commands.evaluate() == 130
    assert capsys.readouterr().err == "evaluate.py: interrupted\n"


@pytest.mark.parametrize("module", [module for module, _, _ in COMMANDS.values()])
def test_the_commands_lead_to_a_main(module):
    for library in ("tyro", "scipy", "choix", "rich"):
        pytest.importorskip(library)
    assert callable(import_module(module).main)


def test_every_class_exists_once_since_the_folder_has_one_import_name():
    with pytest.raises(ImportError, match="import canasta_agents, not agents"):
        import_module("agents")
