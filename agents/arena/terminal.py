"""What a tournament shows on the terminal: a bar while it is played, then tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from canasta_agents.arena.ratings import Ladder
from canasta_agents.arena.tournament import MatchupRun
from canasta_agents.arena.tournament import Progress as ProgressCall
from canasta_agents.short_names import ShortName, shortened
from canasta_env.validation import printable

MAX_FORFEITS_SHOWN = 10
MAX_NAME_BESIDE_BAR = 20  # characters
TENTHS_MEAN_NOTHING = 10  # points: from such a half-width on, points are shown whole


def shown(text: str) -> str:
    """Anybody's text as it can stand in what is printed: neither markup nor control characters."""
    return escape(printable(text))


@contextmanager
def progress_bar(console: Console) -> Iterator[ProgressCall]:
    """A bar over all boards, with the pairing that has just got further."""
    columns = (
        TextColumn("boards"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(done: int, wanted: int, run: MatchupRun | None) -> None:
            bar.update(task, completed=done, total=wanted)
            if run is not None:
                bar.update(task, description=f"[dim]{shown(_so_far(run))}[/]")

        yield report


def _so_far(run: MatchupRun) -> str:
    points = run.pairing.points
    first, second = (shortened(name, MAX_NAME_BESIDE_BAR) for name in (run.first, run.second))
    return f"{first} – {second}: {points.estimate:+.0f} ± {points.half_width:.0f}"


def show_results(console: Console, results: dict[str, Any]) -> None:
    """Pairings, standings and forfeits, from what `results.collect` gathered."""
    console.print(_pairings(results))
    if results["standings"]:
        console.print(_standings(results))
    _show_forfeits(console, results["forfeits"])


def _pairings(results: dict[str, Any]) -> Table:
    """What all pairings share stands in the title: at 80 columns the names need the room."""
    has_matches = any(pairing["match_wins"] for pairing in results["pairings"])
    boards = {pairing["boards"] for pairing in results["pairings"]}
    has_boards = len(boards) > 1
    each = "" if has_boards else "".join(f"{number:,} boards, " for number in boards)
    table = plain_table(f"Pairings ({each}95% intervals over boards)")
    for name in ("first", "second"):
        table.add_column(name)
    columns = [*["boards"] * has_boards, "points a deal", "deals won", *["matches won"] * has_matches]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for pairing in results["pairings"]:
        table.add_row(
            ShortName(pairing["first"]),
            ShortName(pairing["second"]),
            *[f"{pairing['boards']:,}"] * has_boards,
            _points(pairing["points"]),
            _wins(pairing["deal_wins"]),
            *[_wins(pairing["match_wins"])] * has_matches,
        )
    return table


def _standings(results: dict[str, Any]) -> Table:
    table = plain_table("Standings")
    table.add_column("entrant")
    for name in ("rating", "interval", "points a deal against the field"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in results["standings"]:
        rating = row["rating"]
        field = row["points_against_the_field"]
        table.add_row(
            ShortName(row["entrant"]),
            f"{rating['estimate']:+.0f}",
            f"{rating['low']:+.0f} to {rating['high']:+.0f}",
            "–" if field is None else f"{field:+.1f}",
        )
    return table


def plain_table(title: str) -> Table:
    """A table with a title and no frame."""
    return Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0), pad_edge=False)


def _points(interval: dict[str, float | None]) -> str:
    estimate, low, high = interval["estimate"], interval["low"], interval["high"]
    if low is None or high is None:
        return f"{estimate:+.1f}"
    half_width = (high - low) / 2
    decimals = 0 if half_width >= TENTHS_MEAN_NOTHING else 1
    return f"{estimate:+.{decimals}f} ± {half_width:.{decimals}f}"


def _wins(interval: dict[str, float] | None) -> str:
    if interval is None:
        return "–"
    return f"{interval['estimate']:.1%} [dim]({100 * interval['low']:.0f}–{100 * interval['high']:.0f})[/]"


def _show_forfeits(console: Console, forfeits: list[dict[str, Any]]) -> None:
    """A line for each entrant, pairing and reason, with the boards that it cost."""
    boards: dict[tuple[str, ...], list[int]] = {}
    for forfeit in forfeits:
        key = tuple(forfeit[name] for name in ("entrant", "first", "second", "reason"))
        boards.setdefault(key, []).append(forfeit["board"])
    for entrant, first, second, reason in list(boards)[:MAX_FORFEITS_SHOWN]:
        lost = boards[entrant, first, second, reason]
        which = f"board {lost[0]}" if len(lost) == 1 else f"{len(lost)} boards from {lost[0]} on"
        where = shown(f"{which} of {first} – {second}")
        console.print(f"[yellow]forfeit[/] {shown(entrant)}, {where}: {shown(reason)}", soft_wrap=True)
    if len(boards) > MAX_FORFEITS_SHOWN:
        console.print(
            f"[yellow]{len(boards) - MAX_FORFEITS_SHOWN} more kinds of forfeits[/] are in the report."
        )


def show_ladder(console: Console, ladder: Ladder) -> None:
    """The standings of a running ladder."""
    table = plain_table("Ladder (OpenSkill)")
    table.add_column("entrant")
    for name in ("skill", "±", "games"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, mu, sigma, games in ladder.standings():
        table.add_row(ShortName(name), f"{mu:.2f}", f"{sigma:.2f}", f"{games:,}")
    console.print(table)
