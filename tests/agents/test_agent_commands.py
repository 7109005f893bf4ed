"""train.py, evaluate.py and play.py where a library is missing, and when they are interrupted."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from canasta_agents import commands
from canasta_agents.programs import command_of, program_name

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


WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
sys.argv = {words}
from canasta_agents import commands
sys.exit(commands.{command}())
"""
EXTRAS = {
    "train": ("train", "matplotlib, rich, safetensors, scipy, tensorboard, torch, tyro"),
    "evaluate": ("arena", "choix, jinja2, matplotlib, openskill, rich, scipy, tyro"),
    "play": ("play", "aiohttp, tyro"),
}


@pytest.mark.parametrize("command", EXTRAS)
@pytest.mark.parametrize("called", ["canasta-{}", "canasta-{}.exe", "{}.py"])
def test_without_an_extra_all_its_libraries_are_named_at_once_by_the_program_s_own_name(command, called):
    """canasta-train --help named one library at a time, and itself train.py."""
    extra, missing = EXTRAS[command]
    words = [f"/usr/bin/{called.format(command)}", "--help"]
    script = WITHOUT.format(missing=missing.split(", "), words=words, command=command)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    name = called.format(command).removesuffix(".exe")
    assert done.stderr == f"{name}: {missing} are not installed: pip install 'canasta-env[{extra}]'\n"
    assert (done.returncode, done.stdout) == (2, "")


def test_one_library_that_is_missing_is_named_alone():
    pytest.importorskip("tyro")
    pytest.importorskip("matplotlib")
    script = WITHOUT.format(missing=["choix"], words=["evaluate.py"], command="evaluate")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == "evaluate.py: choix is not installed: pip install 'canasta-env[arena]'\n"


@pytest.mark.parametrize("command", EXTRAS)
def test_the_help_of_an_installed_program_names_it(command):
    for library in ("tyro", "scipy", "choix", "rich"):
        pytest.importorskip(library)
    script = WITHOUT.format(missing=[], words=[f"/bin/canasta-{command}", "--help"], command=command)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert f"usage: canasta-{command}" in done.stdout
    assert f"{command}.py" not in done.stdout


def test_a_program_is_called_again_as_it_was_called(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/canasta-train"])
    assert (program_name("train.py"), command_of("train.py")) == ("canasta-train", ["canasta-train"])
    monkeypatch.setattr(sys, "argv", ["train.py"])
    assert (program_name("train.py"), command_of("train.py")) == ("train.py", ["python", "train.py"])


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
