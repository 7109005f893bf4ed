"""The layout of observations, as printed and as documented."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from canasta_env.__main__ import main
from canasta_env.cards import NUM_RANKS
from canasta_env.engine.layout import layout, observation_size, row_size
from canasta_env.rules import standard_rules
from tests.env.environments import GAMES, IDS

DOCS = Path(__file__).parents[2] / "docs"


def test_docs_layout_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["layout"]) == 0
    printed = capsys.readouterr().out
    written = (DOCS / "layout.md").read_text(encoding="utf-8")
    assert written == printed, "run: python -m canasta_env layout > docs/layout.md"


@pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)
def test_every_feature_has_its_place(game: str, players: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["layout", game, "--players", str(players)]) == 0
    rules, printed = standard_rules(game, players), capsys.readouterr().out
    end, size = 0, row_size(rules)
    for block in layout(rules):
        assert block.start == end
        end += block.size
        is_of_later_rank = size <= block.start < NUM_RANKS * size
        is_printed = f"| {block.start}:{end} | {block.size} | `{block.name}` |" in printed
        assert is_printed != is_of_later_rank
    assert end == observation_size(rules)
    assert f"{end} features" in printed


def test_a_game_for_which_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["layout", "modern_american", "--players", "2"]) == 1
    assert "players: 2 cannot play modern_american" in capsys.readouterr().err


def test_a_reader_that_stops_reading_is_no_error() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "canasta_env", "layout", "classic"]
    try:
        done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, text=True, timeout=120)
    finally:
        os.close(write_end)
    assert done.stderr == ""
    assert done.returncode == 0


def test_players_without_a_game_were_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["layout", "--players", "9"]) == 1
    assert capsys.readouterr().err.startswith("players: 9 must go with a game")
