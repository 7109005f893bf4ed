"""`python -m canasta_agents cross-play`: plays the pairs, shows the matrix, writes it as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from canasta_agents.arena.pairing import measure
from canasta_agents.arena.results import origin_of
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.statistics import Interval
from canasta_agents.arena.suite.cross_play import (
    CrossPlay,
    CrossPlayFigures,
    cross_play_figures,
    plan_cross_play,
)
from canasta_agents.arena.suite.result import interval_entry
from canasta_agents.arena.terminal import plain_table, progress_bar, shown
from canasta_agents.files import FolderInUseError, claim_folder, is_folder_name, write_file
from canasta_agents.short_names import ShortName
from canasta_env.rules import Game, standard_rules

FORMAT = "canasta-cross-play"
VERSION = 1
RESULTS = Path("results")


@dataclass(frozen=True)
class CrossPlayRequest:
    """What a command line asks for.

    Args:
        agents: Specs of those who play together.
        opponents: Specs of those whom each pair plays against.
        game: The game.
        players: How many play it.
        boards: Of each pair against each opponent.
        seed: Draws the boards.
        workers: Number of processes; all cores if None.
        name: Of the folder under results/; made from the settings if None.
    """

    agents: Sequence[str]
    opponents: Sequence[str]
    game: Game
    players: int
    boards: int
    seed: int
    workers: int | None
    name: str | None


def run_cross_play(request: CrossPlayRequest, command: str, console: Console) -> None:
    """Play every pair, write cross_play.json and cross_play.csv, and show the matrix.

    Finished boards are kept: the same command goes on where it was.

    Args:
        request: What to play.
        command: The command line.
        console: Where to print.

    Raises:
        ArenaError: If something does not fit, or another process plays into the same folder.
        RegistryError: If there is no such agent.
        RulesError: If there is no such game.
    """
    if request.name is not None and not is_folder_name(request.name):
        raise ArenaError(f"name: {request.name!r} must be the name of one folder, without slashes")
    if request.workers is not None and request.workers < 1:
        raise ArenaError(f"workers: {request.workers} must be at least 1")
    rules = standard_rules(request.game, request.players)
    played = plan_cross_play(rules, request.agents, request.opponents, request.boards, request.seed)
    folder = RESULTS / (request.name or f"cross-play-{played.tournament.settings.digest()}")
    started = time.monotonic()
    try:
        with claim_folder(folder):
            with progress_bar(console) as progress:
                played.tournament.run(folder / "blocks", request.workers, progress)
            figures = cross_play_figures(played)
            result = cross_play_result(played, figures)
            result["origin"] = origin_of(played.tournament.code, command, time.monotonic() - started)
            write_file(folder / "cross_play.json", json.dumps(result, ensure_ascii=False, indent=1) + "\n")
            write_file(folder / "cross_play.csv", _csv(result))
    except FolderInUseError as error:
        raise ArenaError(
            f"name: cross-play is being played into {folder}; wait for it, or give another --name"
        ) from error
    show_cross_play(console, played, figures)
    console.print(f"Results: {shown(str(folder))}", soft_wrap=True)


def cross_play_result(played: CrossPlay, figures: CrossPlayFigures) -> dict[str, Any]:
    """What cross_play.json holds, but for its origin; the matrix is in points a deal."""
    settings = played.tournament.settings
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": settings.rules.game,
        "players": settings.rules.players,
        "boards": settings.boards,
        "seed": settings.seed,
        "agents": list(played.agents),
        "opponents": list(played.opponents),
        "matrix": [[interval_entry(cell) for cell in row] for row in figures.matrix],
        "with_others": [interval_entry(interval) for interval in figures.with_others],
        "gaps": [interval_entry(interval) for interval in figures.gaps],
        "self_play": interval_entry(figures.self_play),
        "cross_play": interval_entry(figures.cross_play),
        "gap": interval_entry(figures.gap),
        "pairs": _rows(played),
    }


def _rows(played: CrossPlay) -> list[dict[str, Any]]:
    """A row for each pair against each opponent."""
    rows = []
    for pair in played.pairs:
        for opponent, run in zip(played.opponents, pair.runs, strict=True):
            points = measure(run.first, run.second, run.table).points
            names = {"first": played.agents[pair.first], "second": played.agents[pair.second]}
            rows.append(names | {"opponent": opponent, "deals": int(run.table.deals.sum())})
            rows[-1] |= interval_entry(points) | {"forfeits": len(run.faults)}
    return rows


def _csv(result: dict[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(result["pairs"][0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(result["pairs"])
    return text.getvalue()


def show_cross_play(console: Console, played: CrossPlay, figures: CrossPlayFigures) -> None:
    """Print the matrix and what its diagonal and the rest of it come to."""
    console.print(_matrix(played, figures))
    table = plain_table(f"Against {shown(', '.join(played.opponents))}")
    table.add_column("")
    table.add_column("points a deal", justify="right", no_wrap=True)
    for name, interval in (
        ("self-play: with themselves", figures.self_play),
        ("cross-play: with each other", figures.cross_play),
        ("gap: what they lose with each other", figures.gap),
    ):
        table.add_row(name, _points(interval))
    console.print(table)
    forfeits = sum(len(run.faults) for pair in played.pairs for run in pair.runs)
    if forfeits:
        console.print(f"[yellow]{forfeits:,} games were forfeited[/]; cross_play.csv says by which pairs.")


def _matrix(played: CrossPlay, figures: CrossPlayFigures) -> Table:
    table = plain_table("Points a deal of each pair of partners")
    table.add_column("")
    table.add_column("agent")
    for number in range(1, len(played.agents) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for name in ("others", "gap"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, row in enumerate(figures.matrix):
        cells = (*row, figures.with_others[number], figures.gaps[number])
        # Intervals stand on a line of their own: so five agents have room in 80 columns.
        texts = [_points(cell).replace(" ± ", "\n± ") for cell in cells]
        texts[number] = f"[bold]{texts[number]}[/]"
        table.add_row(str(number + 1), ShortName(played.agents[number]), *texts)
    return table


def _points(interval: Interval) -> str:
    text = f"{interval.estimate:+,.0f}"
    return text if interval.half_width == float("inf") else f"{text} ± {interval.half_width:,.0f}"
