"""What a tournament shows in a terminal of 80 columns."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from canasta_agents.arena.ratings import Ladder
from canasta_agents.arena.terminal import show_ladder, show_results

RUNS = [f"neural:runs/modern_american-20261202-10150{run}" for run in range(3)]
POINTS = {"estimate": -1234.5, "low": -1368.0, "high": -1101.0}
WINS = {"estimate": 0.512, "low": 0.47, "high": 0.55}


def printed(show, *what, width: int = 80) -> list[str]:
    text = io.StringIO()
    show(Console(file=text, width=width, highlight=False), *what)
    return text.getvalue().splitlines()


def results(names, match_wins=WINS):
    return {
        "pairings": [
            {
                "first": names[place],
                "second": names[place - 1],
                "boards": 12_000,
                "points": POINTS,
                "deal_wins": WINS,
                "match_wins": match_wins,
            }
            for place in range(len(names))
        ],
        "standings": [
            {
                "entrant": name,
                "rating": {"estimate": 1.0, "low": -200.0, "high": 100.0},
                "points_against_the_field": -1234.5,
            }
            for name in names
        ],
        "forfeits": [],
    }


@pytest.mark.parametrize("match_wins", [WINS, None], ids=["matches", "deals"])
def test_long_names_do_not_fold_over_several_lines(match_wins):
    """neural:runs/modern_american-20261202-... stood on four lines, a few characters on each."""
    lines = printed(show_results, results(RUNS, match_wins))
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if "…" in line]
    assert len(rows) == 2 * len(RUNS)
    pairings, standings = rows[: len(RUNS)], rows[len(RUNS) :]
    for place, row in enumerate(pairings):
        for name, run in zip(row, (RUNS[place], RUNS[place - 1]), strict=False):
            beginning, end = name.split("…")
            assert run.startswith(beginning) and run.endswith(end)
        assert row[2:5] == ["-1234", "±", "134"]
    for row, run in zip(standings, RUNS, strict=True):
        assert row[0].startswith("neural:r") and row[0].endswith(run[-8:])
        assert row[-1] == "-1234.5"


def test_names_that_fit_are_shown_whole():
    lines = printed(show_results, results(["closer", "weigher"]))
    assert any(line.split()[:2] == ["closer", "weigher"] for line in lines)
    lines = printed(show_results, results(RUNS), width=160)
    assert any(RUNS[0] in line and RUNS[1] in line for line in lines)


def test_boards_are_told_once_where_all_pairings_have_as_many():
    """At 80 columns names of policies were cut to ten characters beside a column of equal numbers."""
    played = results(["neural:classic_4", "watcher"])
    lines = printed(show_results, played)
    assert any("12,000 boards" in line for line in lines)
    assert any(line.split()[:2] == ["neural:classic_4", "watcher"] for line in lines)
    played["pairings"][0]["boards"] = 11_999
    lines = printed(show_results, played)
    assert [line.split()[2] for line in lines if "-1234 ±" in line] == ["11,999", "12,000"]


def test_partners_stand_on_a_line_each_where_there_is_no_room_for_both():
    lines = printed(show_results, results(["closer + neural:runs/x", "watcher + weigher"]))
    first = [line.strip().split("  ")[0] for line in lines]
    assert first[first.index("closer") + 1] == "+ neural:runs/x"
    lines = printed(show_results, results([f"closer + {RUNS[0]}", "x"]), width=200)
    assert any(f"closer + {RUNS[0]}" in line for line in lines)


def test_the_ladder_shows_a_line_for_an_entrant():
    ladder = Ladder()
    names = [f"python:{'a' * 70}:First", f"python:{'a' * 70}:Last"]
    ladder.play([[names[0]], [names[1]]], [1, 0])
    lines = printed(show_ladder, ladder)
    (first,) = [line for line in lines if "python:aaa" in line and "aaa:First " in line]
    assert "…" in first and len(first) <= 80
    assert first.split()[-1] == "1"


def test_a_name_is_neither_markup_nor_control_characters():
    lines = printed(show_results, results(["[red]x[/]", "clear\x1b[2J"]))
    assert any(line.split()[:1] == ["[red]x[/]"] for line in lines)
    assert not any("\x1b" in line for line in lines)
