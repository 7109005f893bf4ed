"""Statistics of deals: a further row of the table is all that a further one takes."""

from __future__ import annotations

import csv
import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from canasta_agents.arena import deal_stats
from canasta_agents.arena.deal_stats import STATISTICS, Statistic, columns, no_deals, team_stats, total
from canasta_agents.arena.kernels import OUTCOME
from canasta_agents.arena.report import render, write_report
from canasta_agents.arena.results import collect, save, save_statistics
from canasta_agents.arena.tournament import Settings, Tournament
from canasta_env.engine.scoring import SCORE_FIELDS, TOTAL
from canasta_env.rules import Rules, classic, modern_american
from docs.tabulate import pages

BOTH_SEATINGS = np.array([[0, 1], [1, 0]])  # teams of sides in the two arrangements
OPENED_LATE = Statistic(
    "opened_late",
    "whether the side opened after the eighth turn",
    "opening",
    "opened late",
    "{:.3%}",
    count=lambda outcomes, num_sides: outcomes["opened_turn"][:, :num_sides] > 8,
)


@pytest.fixture(scope="module")
def tournament(tmp_path_factory) -> Tournament:
    played = Tournament.prepare(Settings(classic(), ("random", "greedy", "eager"), boards=4))
    played.run(tmp_path_factory.mktemp("blocks"), 1)
    return played


def written(tournament: Tournament, folder: Path) -> tuple[dict, list[dict[str, str]], str]:
    """What results.json, statistics.csv and report.html hold."""
    results = collect(tournament)
    save(folder / "results.json", results)
    save_statistics(folder / "statistics.csv", results)
    write_report(folder / "report.html", results)
    with (folder / "statistics.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    page = (folder / "report.html").read_text(encoding="utf-8")
    return json.loads((folder / "results.json").read_text(encoding="utf-8")), rows, page


def test_one_more_row_is_in_json_csv_report_and_docs(tournament, tmp_path, monkeypatch):
    monkeypatch.setattr(deal_stats, "STATISTICS", (*STATISTICS, OPENED_LATE))
    monkeypatch.setattr("docs.tabulate.STATISTICS", deal_stats.STATISTICS)
    results, rows, page = written(tournament, tmp_path)
    late = [row["opened_late"] for row in results["anatomy"]]
    assert 0 < max(late) < 1
    assert all("opened_late" in stats for pair in results["pairings"] for stats in pair["anatomy"].values())
    assert [float(row["opened_late"]) for row in rows] == late
    assert '<th class="n">opened late</th>' in page
    assert all(f'<td class="n">{share:.3%}</td>' in page for share in late)
    line = "| `opened_late` | whether the side opened after the eighth turn | deal | opening: opened late |"
    assert line in pages()["statistics.md"]


def test_the_csv_holds_the_statistics_of_every_entrant(tournament, tmp_path):
    results, rows, _ = written(tournament, tmp_path)
    assert [row["entrant"] for row in rows] == ["random", "greedy", "eager"]
    for row, stats in zip(rows, results["anatomy"], strict=True):
        assert list(row) == ["entrant", "deals", *(statistic.name for statistic in STATISTICS)]
        assert row == {name: str(number) for name, number in stats.items()}


def test_results_from_before_a_statistic_was_counted_show_a_dash(tournament, monkeypatch):
    results = collect(tournament)
    before = render(results).count('<td class="n">–</td>')
    monkeypatch.setattr(deal_stats, "STATISTICS", (*STATISTICS, OPENED_LATE))
    assert render(results).count('<td class="n">–</td>') - before == len(results["anatomy"])


def test_every_row_can_be_counted_divided_and_shown():
    names = [row.name for row in STATISTICS]
    assert len(set(names)) == len(names)
    assert {row.per for row in STATISTICS} <= {"", *names}
    assert {row.needs for row in STATISTICS} <= {"", *(field.name for field in fields(Rules))}
    own = {row.name for row in STATISTICS if row.dtype is not None}
    assert {row.name for row in STATISTICS if row.count is None} <= own <= set(OUTCOME.names or ())
    assert names[: len(SCORE_FIELDS)] == list(SCORE_FIELDS)
    assert all(bool(row.group) <= bool(row.label) for row in STATISTICS)


def test_the_report_shows_what_the_game_has():
    shown = {
        rules.game: {row.name for group in columns(rules).values() for row in group}
        for rules in (classic(), modern_american())
    }
    assert shown["classic"] - shown["modern_american"] == {"concealed"}
    assert shown["modern_american"] - shown["classic"] == {"clean_sevens_or_aces", "wild_canastas"}


def test_counts_go_to_the_team_that_sat_there():
    outcomes = np.zeros(2, OUTCOME)  # one board in both arrangements: the first team is side 0, then side 1
    outcomes["table"] = 0, 1
    outcomes["points"][:, :2, TOTAL] = (300, -20), (55, 1_000)
    outcomes["opened_turn"][:, :2] = (4, 0), (0, 9)
    outcomes["went_out"] = 2, -1  # of side 0; nobody
    outcomes["concealed"] = 1, 0
    outcomes["turns"] = 30, 40
    outcomes["asked"][0, 1] = 4
    outcomes["answered_no"][0, 1] = 3
    first, second = (stats.means() for stats in team_stats(outcomes, BOTH_SEATINGS))
    assert (first["total"], second["total"]) == (650.0, 17.5)
    assert (first["opened"], first["opened_turn"]) == (1.0, 6.5)
    assert (second["opened"], second["opened_turn"]) == (0.0, 0.0)
    assert (first["went_out"], first["concealed"], second["went_out"]) == (0.5, 0.5, 0.0)
    assert first["turns"] == second["turns"] == 35.0
    assert (second["asked"], second["answered_yes"], second["answered_no"]) == (2.0, 0.0, 0.75)


def test_stats_of_several_lots_are_weighed_by_their_deals():
    outcomes = np.zeros(3, OUTCOME)
    outcomes["points"][:, :2, TOTAL] = (10, 0), (20, 0), (60, 0)
    one, two = (team_stats(lot, BOTH_SEATINGS)[0] for lot in (outcomes[2:], outcomes[:2]))
    together = total([one, two])
    assert (together.deals, together.means()["total"]) == (3, 30.0)
    assert total([]) == no_deals()
    assert no_deals().means()["total"] == 0.0
