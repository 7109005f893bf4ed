"""Cross-play: the matrix of partners, its gap, what is written, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from canasta_agents.__main__ import main
from canasta_agents.arena.pairing import compare
from canasta_agents.arena.statistics import Interval
from canasta_agents.arena.suite.cross_play import CrossPlayFigures, cross_play_figures, plan_cross_play
from canasta_agents.arena.suite.cross_play_cli import show_cross_play
from canasta_env import classic

BOARDS, SEED = 4, 5

pytestmark = pytest.mark.usefixtures("forked_processes")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results" / "mine"


def cross_play(*arguments: str, boards: int = BOARDS) -> int:
    options = ("--game", "classic", "--boards", str(boards), "--seed", str(SEED), "--workers", "1")
    return main(["cross-play", *options, "--name", "mine", "--agents", *arguments])


def result_of(folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / "cross_play.json").read_text())
    return result


def test_an_agent_crossed_with_itself_has_no_gap(folder):
    assert cross_play("closer", "closer", "--opponents", "watcher", "eager") == 0
    result = result_of(folder)
    assert result["agents"] == ["closer", "closer #2"]
    assert result["gap"] == {"estimate": 0, "low": 0, "high": 0}
    cells = [cell["estimate"] for row in result["matrix"] for cell in row]
    assert cells == [cells[0]] * 4 != [0] * 4


def test_the_matrix_and_the_gap_are_of_the_boards_that_tournaments_play(folder, capsys):
    assert cross_play("closer", "eager", "--opponents", "watcher") == 0
    result = result_of(folder)
    matrix = np.array([[cell["estimate"] for cell in row] for row in result["matrix"]])
    for number, name in enumerate(result["agents"]):
        alone = compare(name, "watcher", classic(4), boards=BOARDS, seed=SEED, scores="drawn")
        assert matrix[number, number] == pytest.approx(alone.points_a_deal, abs=1e-4)
    assert matrix[0, 1] == matrix[1, 0] != matrix[0, 0]
    assert result["self_play"]["estimate"] == pytest.approx(matrix.diagonal().mean(), abs=1e-4)
    assert result["cross_play"]["estimate"] == pytest.approx(matrix[0, 1], abs=1e-4)
    assert result["gap"]["estimate"] == pytest.approx(matrix.diagonal().mean() - matrix[0, 1], abs=1e-4)
    assert result["gap"]["low"] < result["gap"]["estimate"] < result["gap"]["high"]
    assert [row["estimate"] for row in result["with_others"]] == pytest.approx([matrix[0, 1]] * 2)
    printed = " ".join(capsys.readouterr().out.split())
    assert f"gap: what they lose with each other {result['gap']['estimate']:+,.0f} ±" in printed
    rows = list(csv.DictReader((folder / "cross_play.csv").open()))
    assert [(row["first"], row["second"]) for row in rows] == [
        ("closer", "closer"),
        ("closer", "eager"),
        ("eager", "eager"),
    ]
    assert [int(row["deals"]) for row in rows] == [2 * BOARDS, 4 * BOARDS, 2 * BOARDS]
    assert float(rows[1]["estimate"]) == matrix[0, 1]


def test_opponents_count_alike_and_may_be_among_the_agents(folder):
    assert cross_play("closer", "eager", "--opponents", "eager") == 0
    against_eager = result_of(folder)["matrix"]
    assert against_eager[1][1]["estimate"] == 0  # against itself
    assert cross_play("closer", "eager", "--opponents", "watcher") == 0
    against_watcher = result_of(folder)["matrix"]
    assert cross_play("closer", "eager", "--opponents", "eager", "watcher") == 0
    both = result_of(folder)["matrix"]
    for one, two, mean in zip(against_eager[0], against_watcher[0], both[0], strict=True):
        assert mean["estimate"] == pytest.approx((one["estimate"] + two["estimate"]) / 2, abs=1e-4)


def test_finished_boards_are_not_played_again(folder, monkeypatch):
    assert cross_play("closer", "eager") == 0
    before = _without_origin(folder)

    def fail(*arguments):
        raise AssertionError("a block was played again")

    monkeypatch.setattr("canasta_agents.arena.journal.Journal.write", fail)
    assert cross_play("closer", "eager") == 0
    assert _without_origin(folder) == before


def _without_origin(folder: Path) -> str:
    text = (folder / "cross_play.json").read_text()
    return re.sub(r'\n "origin": \{.*', "", text, flags=re.DOTALL)


@pytest.mark.parametrize("num", [2, 4, 5])
def test_the_matrix_has_80_columns_whatever_the_names_and_numbers(num):
    wide = Interval(-1234.5, -1300.0, -1169.0)
    played = plan_cross_play(classic(4), ["closer"] * num, ["watcher"], 2, 0)
    played = replace(played, agents=tuple(f"neural:partners/classic_4_{n}" for n in range(num)))
    figures = CrossPlayFigures(((wide,) * num,) * num, (wide,) * num, (wide,) * num, wide, wide, wide)
    text = io.StringIO()
    show_cross_play(Console(file=text, width=80, highlight=False), played, figures)
    lines = [line for line in text.getvalue().splitlines() if "-1,23" in line]
    assert max(map(len, text.getvalue().splitlines())) <= 80
    rows = [line for line in lines if line.lstrip()[0].isdigit()]
    assert [row.count("-1,234") + row.count("-1,235") for row in rows] == [num + 2] * num
    assert all(re.match(r" ?\d +neural:\S*_4_\d", row) for row in rows)
    assert text.getvalue().count("± 66") == num * (num + 2) + 3


def test_a_board_alone_says_nothing_of_the_spread(folder):
    assert cross_play("closer", "eager", boards=1) == 0
    gap = result_of(folder)["gap"]
    assert gap["low"] is None and gap["estimate"] is not None


def test_figures_are_means_over_pairs_by_hand():
    """Three agents whose pairs score 1 to 6 points a deal on every board."""
    played = plan_cross_play(classic(4), ["closer", "eager", "weigher"], ["watcher"], 2, 0)
    scores = {(0, 0): 1.0, (0, 1): 2.0, (0, 2): 3.0, (1, 1): 4.0, (1, 2): 5.0, (2, 2): 6.0}

    class Played:
        def __init__(self, first: int, second: int) -> None:
            self.first, self.second, self.points = first, second, np.full(2, scores[first, second])

    pairs = tuple(Played(pair.first, pair.second) for pair in played.pairs)
    figures = cross_play_figures(replace(played, pairs=pairs))
    assert figures.self_play.estimate == pytest.approx(11 / 3)
    assert figures.cross_play.estimate == pytest.approx(10 / 3)
    assert figures.gap.estimate == pytest.approx(1 / 3)
    assert [each.estimate for each in figures.with_others] == [2.5, 3.5, 4.0]
    gaps = [(1 + 5) / 2 - 2.5, (4 + 3.5) / 2 - 3.5, (6 + 2.5) / 2 - 4]
    assert [each.estimate for each in figures.gaps] == pytest.approx(gaps)
    assert np.mean(gaps) == pytest.approx(figures.gap.estimate)
    assert [cell.estimate for cell in figures.matrix[2]] == [3, 5, 6]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("closer", "eager", "--players", "3"), "players: with 3 nobody has a partner; cross-play needs 4"),
        (("closer",), "agents: 1 given; cross-play needs at least two"),
        (("closer", "nobody"), "no agent 'nobody' for classic"),
        (("closer", "eager", "--opponents", "eager", "eager"), "opponents: eager eager names one twice"),
        (("closer", "eager", "--workers", "0"), "workers: 0 must be at least 1"),
        (("closer", "eager", "--boards", "0"), "boards: 0 must be from 1 to 10,000,000"),
        (("closer", "eager", "--name", "../mine"), "name: '../mine' must be the name of one folder"),
    ],
    ids=["players", "one", "unknown", "twice", "workers", "boards", "name"],
)
def test_what_cannot_be_played_is_refused(folder, capsys, arguments, says):
    assert cross_play(*arguments) != 0
    assert says in capsys.readouterr().err
    assert not folder.exists()
