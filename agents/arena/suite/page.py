"""The benchmark's page: the same tables as HTML and Markdown, and a CSV with a row for each meeting."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from canasta_agents.arena.deal_stats import STATISTICS
from canasta_agents.arena.suite.protocol import NAME, VERSION
from canasta_agents.files import write_file
from canasta_env.validation import printable

_CSS = Path(__file__).parents[1] / "templates" / "report.css"
_INTERVALS = ("points", "match_wins")
_CSV_COLUMNS = ["game", "players", "kind", "opponent", "partner", "boards"] + [
    name + bound for name in _INTERVALS for bound in ("", "_low", "_high")
]


@dataclass(frozen=True)
class PageTable:
    """A table under a title, with a line that says how to read it; the first column is text."""

    title: str
    note: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def write_pages(folder: Path, result: dict[str, Any]) -> None:
    """Write page.html, page.md and result.csv beside a result."""
    tables = tables_of(result)
    write_file(folder / "page.html", _html(result, tables))
    write_file(folder / "page.md", _markdown(result, tables))
    write_file(folder / "result.csv", _csv(result))


def title_of(result: dict[str, Any]) -> str:
    """What the page is headed with."""
    return f"{printable(result['entrant']['spec'])} in {NAME} {VERSION}"


def facts_of(result: dict[str, Any]) -> str:
    """When, where and with what it was played, in a line."""
    origin, hardware = result["origin"], result["origin"]["hardware"]
    versions = ", ".join(f"{name} {version}" for name, version in origin["packages"].items() if version)
    return (
        f"Form {result['form']['name']}, {origin['date']}, {hardware['processor']} with {hardware['cores']} "
        f"cores, Python {origin['python']}, {versions}. Entrant {result['entrant']['fingerprint']}, "
        f"protocol {result['protocol']['digest']}. Intervals are at 95% over boards."
    )


def tables_of(result: dict[str, Any]) -> list[PageTable]:
    """All tables of a page, game by game."""
    tables = [_ratings(result)]
    for part in result["games"]:
        name = f"{part['game']} {part['players']}"
        tables.append(_against(name, part["summary"]["against"]))
        if part["summary"]["partners"]:
            tables.append(_partners(name, part["summary"]))
        tables += [_style(name, part["style"]), _checks(name, part)]
    return tables


def _ratings(result: dict[str, Any]) -> PageTable:
    speeds = result["origin"]["decisions_a_second"]
    rows = []
    for part in result["games"]:
        name = f"{part['game']} {part['players']}"
        deals = sum(row["deals"] for row in part["summary"]["against"])
        figures = (f"{deals:,}", str(len(part["forfeits"])), f"{speeds[name]:,}")
        rows.append((name, number(part["summary"]["rating"]), *figures))
    return PageTable(
        "Rating",
        "Random is 0, the best rule-based player of the game 1,000.",
        ("game", "rating", "deals", "forfeits", "decisions a second"),
        tuple(rows),
    )


def _against(name: str, rows: Sequence[dict[str, Any]]) -> PageTable:
    return PageTable(
        f"{name}: against each opponent",
        "Points a deal are the entrant's minus the opponent's. The sign test counts boards, two-sided.",
        ("opponent", "its rating", "boards", "points a deal", "matches won", "boards + / −", "p"),
        tuple(
            (
                row["opponent"],
                "–" if row["opponent_rating"] is None else f"{row['opponent_rating']:,.0f}",
                f"{row['boards']:,}",
                number(row["points"], 1),
                share(row["match_wins"]),
                f"{row['sign_test']['boards_better']} / {row['sign_test']['boards_worse']}",
                f"{row['sign_test']['p']:.2g}",
            )
            for row in rows
        ),
    )


def _partners(name: str, summary: Mapping[str, Any]) -> PageTable:
    rows = [
        (
            row["partner"],
            row["opponent"],
            number(row["with_entrant"]["points"], 1),
            number(row["with_itself"]["points"], 1),
            number(row["gain"], 1),
            share(row["with_entrant"]["match_wins"]),
            share(row["with_itself"]["match_wins"]),
        )
        for row in summary["partners"]
    ]
    all_of_them = ("all", "", "", "", number(summary["mean_gain"], 1), "", "")
    return PageTable(
        f"{name}: with a strange partner",
        "The gain is what the partner scores with the entrant less what it scores with itself, in points a "
        "deal, on the same boards.",
        (
            "partner",
            "against",
            "points with the entrant",
            "with itself",
            "gain",
            "matches won",
            "with itself",
        ),
        (*rows, all_of_them),
    )


def _style(name: str, style: dict[str, Any]) -> PageTable:
    shown = [statistic for statistic in STATISTICS if statistic.label]
    rows = ((statistic.meaning, statistic.text(style)) for statistic in shown)
    return PageTable(
        f"{name}: style",
        "Means over the entrant's deals against all opponents.",
        ("", "mean"),
        tuple(rows),
    )


def _checks(name: str, part: dict[str, Any]) -> PageTable:
    rows = [
        (row["check"], f"{number(row['points'], 1)}, {row['boards']} boards", verdict(row))
        for row in part["summary"]["checks"]
    ]
    unchanged = "passed" if part["frozen_players_are_unchanged"] else "FAILED: they play otherwise"
    rows.append(("frozen rule-based players", "their boards as when they were frozen", unchanged))
    return PageTable(
        f"{name}: the evaluator's own checks",
        "Equal players must come out even: exactly where no chance is in them, else within a 99.9% interval.",
        ("check", "found", ""),
        tuple(rows),
    )


def verdict(row: Mapping[str, Any]) -> str:
    """What came of a check that equal players come out even."""
    if row["passed"]:
        return "passed: exactly 0" if row["is_exact"] else "passed: the interval holds 0"
    return "FAILED: not even"


def number(interval: dict[str, float | None], digits: int = 0) -> str:
    """An estimate with its interval."""
    low, high = interval["low"], interval["high"]
    text = f"{interval['estimate']:,.{digits}f}"
    if low is not None and high is not None:
        text += f" ({low:,.{digits}f} to {high:,.{digits}f})"
    return text.replace("-", "−")


def share(interval: dict[str, float]) -> str:
    """A share of wins with its interval."""
    return f"{interval['estimate']:.1%} ({interval['low']:.1%} to {interval['high']:.1%})"


def _markdown(result: dict[str, Any], tables: Sequence[PageTable]) -> str:
    parts = [f"# {title_of(result)}", facts_of(result)]
    for table in tables:
        parts += [f"## {table.title}", table.note, markdown_table(table)]
    return "\n\n".join(parts + _left_out(result)) + "\n"


def markdown_table(table: PageTable) -> str:
    """A table in Markdown."""
    rule = ("---", *["---:"] * (len(table.head) - 1))
    cells = ((printable(cell).replace("|", "\\|") for cell in row) for row in (table.head, rule, *table.rows))
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _html(result: dict[str, Any], tables: Sequence[PageTable]) -> str:
    title = html.escape(title_of(result))
    sections = "\n".join(_section(table) for table in tables)
    left_out = "\n".join(f"<p class='note'>{html.escape(line)}</p>" for line in _left_out(result))
    return (
        f"<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n<title>{title}</title>\n"
        f"<style>\n{_CSS.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n<header>\n"
        f"<p class='kicker'>Benchmark</p>\n<h1>{title}</h1>\n"
        f"<p class='lead'>{html.escape(facts_of(result))}</p>\n</header>\n"
        f"{sections}\n{left_out}\n</body>\n</html>\n"
    )


def _section(table: PageTable) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.head)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(printable(cell))}</td>" for cell in row) + "</tr>"
        for row in table.rows
    )
    return (
        f"<section>\n<h2>{html.escape(table.title)}</h2>\n<div class='scroll'><table>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>\n"
        f"<p class='note'>{html.escape(table.note)}</p>\n</section>"
    )


def _left_out(result: dict[str, Any]) -> list[str]:
    return [f"Not played: {name} ({printable(reason)})" for name, reason in result["left_out"].items()]


def _csv(result: dict[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for part in result["games"]:
        game = {"game": part["game"], "players": part["players"]}
        for row in part["summary"]["against"]:
            own = {"kind": "opponent", "opponent": row["opponent"], "partner": ""}
            writer.writerow(game | own | _columns(row))
        for row in part["summary"]["partners"]:
            own = {"kind": "partner", "opponent": row["opponent"], "partner": row["partner"]}
            writer.writerow(game | own | _columns(row["with_entrant"]))
    return text.getvalue()


def _columns(figures: dict[str, Any]) -> dict[str, Any]:
    """The columns of a meeting's figures."""
    intervals = {
        name + ending: figures[name][bound]
        for name in _INTERVALS
        for ending, bound in (("", "estimate"), ("_low", "low"), ("_high", "high"))
    }
    return {"boards": figures["boards"]} | intervals
