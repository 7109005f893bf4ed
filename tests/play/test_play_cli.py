"""The command line of the table."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

pytest.importorskip("tyro", reason="the command line needs tyro (extra `play`)")

from canasta_agents.play.cli import main

TEXT = ["--text", "--game", "classic", "--players", "2", "--seed", "3"]


def test_a_deal_in_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("draw\nquit\n"))
    agents = [
        "--agents",
        "python:tests.play.seated:Chance",
        "--seats",
        "you",
        "python:tests.play.seated:Chance",
    ]
    assert main([*TEXT, *agents]) == 0
    assert "  you: draw" in capsys.readouterr().out


def test_a_target_of_the_match(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    assert main([*TEXT, "--target", "7500"]) == 0
    assert ", to 7,500" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--seats", "you", "nobody"], "'nobody' is not offered"),
        (["--target", "0"], "target: 0 must be a whole number of at least 1"),
        (["--seats", "you"], "the game has 2"),
        (["--seed", "-1"], "seed: -1 must be a whole number from 0 to"),
        (["--seed", "99999999999999999999"], "seed: 99999999999999999999 must be"),
        (["--agents", "python:nowhere:Player", "--seats", "you", "python:nowhere:Player"], "cannot import"),
    ],
    ids=["unknown", "target", "short", "negative seed", "long seed", "import"],
)
def test_what_cannot_be_played_is_named(
    options: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*TEXT, *options]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("port", ["-1", "0", "99999"])
def test_a_port_that_is_none_is_named(
    port: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--no-open-browser", "--port", port]) == 2
    assert f"port: {port} must be a whole number from 1 to 65535" in capsys.readouterr().err


def test_what_the_page_asks_for_is_not_silently_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-open-browser", "--game", "classic"]) == 2
    assert "game: belongs to --text" in capsys.readouterr().err
    assert main(["--no-open-browser", "--target", "2500"]) == 2
    assert "target: belongs to --text" in capsys.readouterr().err
    assert main(["--no-open-browser", "--seed", "0"]) == 2
    assert "seed: belongs to --text" in capsys.readouterr().err


def test_a_missing_library_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "canasta_agents.play.server", raising=False)
    assert main(["--no-open-browser", "--runs", str(tmp_path)]) == 2
    assert "pip install 'canasta-env[play]'" in capsys.readouterr().err
