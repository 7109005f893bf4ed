"""The benchmark on the terminal: tables of at most 80 columns; the page has all of their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from canasta_agents.arena.suite.page import facts_of, number, verdict
from canasta_agents.arena.terminal import plain_table, shown
from canasta_agents.short_names import ShortName


def show_result(console: Console, result: dict[str, Any]) -> None:
    """Print a result: ratings, then each game's opponents, partners and checks.

    Args:
        console: Where to.
        result: What `result.collect` gathered.
    """
    console.print(_ratings(result))
    for part in result["games"]:
        name, summary = f"{part['game']} {part['players']}", part["summary"]
        console.print(_against(name, summary["against"]))
        if summary["partners"]:
            console.print(_partners(name, summary))
        console.print(_checks(name, part))
    console.print(facts_of(result), markup=False)


def _ratings(result: dict[str, Any]) -> Table:
    table = _table("Rating (random 0, the best rule-based player 1,000)", "game")
    _add_numbers(table, "rating", "deals", "forfeits", "decisions/s")
    for part in result["games"]:
        name = f"{part['game']} {part['players']}"
        table.add_row(
            name,
            number(part["summary"]["rating"]),
            f"{sum(row['deals'] for row in part['summary']['against']):,}",
            f"{len(part['forfeits']):,}",
            f"{result['origin']['decisions_a_second'][name]:,}",
        )
    return table


def _against(name: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    table = _table(f"{name}: against each opponent (+ / −: boards won, lost)", "opponent")
    _add_numbers(table, "rating", "points a deal", "matches won", "+ / −")
    for row in rows:
        test = row["sign_test"]
        table.add_row(
            ShortName(row["opponent"]),
            "–" if row["opponent_rating"] is None else f"{row['opponent_rating']:,.0f}",
            _points(row["points"]),
            _share(row["match_wins"]),
            f"{test['boards_better']:,}/{test['boards_worse']:,}",
        )
    return table


def _partners(name: str, summary: Mapping[str, Any]) -> Table:
    table = _table(f"{name}: with a strange partner (points a deal)", "partner", "against")
    _add_numbers(table, "with it", "two partners", "gain")
    for row in summary["partners"]:
        points = (row["with_entrant"]["points"], row["with_itself"]["points"], row["gain"])
        table.add_row(ShortName(row["partner"]), ShortName(row["opponent"]), *map(_points, points))
    table.add_row("all", "", "", "", _points(summary["mean_gain"]))
    return table


def _checks(name: str, part: Mapping[str, Any]) -> Table:
    table = _table(f"{name}: the evaluator's own checks", "check")
    _add_numbers(table, "points a deal", "")
    for row in part["summary"]["checks"]:
        table.add_row(shown(row["check"]), _points(row["points"]), verdict(row))
    unchanged = "passed" if part["frozen_players_are_unchanged"] else "FAILED: they play otherwise"
    table.add_row("frozen rule-based players", "", unchanged)
    return table


def _table(title: str, *texts: str) -> Table:
    table = plain_table(title)
    for text in texts:
        table.add_column(text)
    return table


def _add_numbers(table: Table, *heads: str) -> None:
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)


def _points(interval: Mapping[str, float | None]) -> str:
    """Points with half the width of their interval, in whole points."""
    estimate, low, high = interval["estimate"], interval["low"], interval["high"]
    text = f"{estimate:+,.0f}"
    return text if low is None or high is None else f"{text} ± {(high - low) / 2:,.0f}"


def _share(interval: Mapping[str, float]) -> str:
    return f"{interval['estimate']:.1%} [dim]({100 * interval['low']:.0f}–{100 * interval['high']:.0f})[/]"
