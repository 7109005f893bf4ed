"""results.json: everything a tournament found, complete enough to compute it all again.

Version 1. Intervals are `{"estimate", "low", "high"}` at 95%, bounds null where there are none. Pairings
and ratings are from the first entrant's side. `per_board` has a number a board, summed over arrangements.
`sign_test.p_holm` is its p-value adjusted for the number of pairings.
"""

from __future__ import annotations

import csv
import importlib.metadata
import io
import json
import math
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from canasta_agents.arena.blocks import MAX_DEALS
from canasta_agents.arena.deal_stats import DealStats, team_stats, total
from canasta_agents.arena.forfeits import Fault
from canasta_agents.arena.pairing import Pairing
from canasta_agents.arena.ratings import Ladder, Results, against_the_field, rate
from canasta_agents.arena.records import KeptDeal, notable_deals
from canasta_agents.arena.statistics import LEVEL, Interval, holm_adjusted
from canasta_agents.arena.tournament import MatchupRun, Tournament
from canasta_agents.files import write_file

FORMAT = "canasta-arena-results"
VERSION = 1


def collect(tournament: Tournament, command: str = "", seconds: float = 0.0) -> dict[str, Any]:
    """Everything a tournament found, as what JSON holds.

    Args:
        tournament: One that has been run.
        command: The command line that ran it.
        seconds: How long it took.
    """
    stats = {id(run): _team_stats(tournament, run) for run in tournament.runs}
    pairings = [run.pairing for run in tournament.runs]
    adjusted = holm_adjusted([pairing.sign_test.p_value for pairing in pairings]).tolist()
    return {
        "format": FORMAT,
        "version": VERSION,
        "settings": _settings(tournament),
        "origin": origin_of(tournament.code, command, seconds),
        "entrants": [
            {
                "name": entrant.name,
                "spec": entrant.spec,
                "plays_as": entrant.plays_as,
                "fingerprint": fingerprint,
            }
            for entrant, fingerprint in zip(tournament.entrants, tournament.fingerprints, strict=True)
        ],
        "standings": standings(tournament),
        "pairings": [
            _pairing(run, pairing, p_holm, stats[id(run)])
            for run, pairing, p_holm in zip(tournament.runs, pairings, adjusted, strict=True)
        ],
        "anatomy": _stats_by_entrant(tournament, stats),
        "forfeits": [_forfeit(tournament, run, fault) for run in tournament.runs for fault in run.faults],
        "notable": [
            {
                "reason": notable.reason,
                "measure": notable.measure,
                "deal": _deal(notable.deal),
                "twin": None if notable.twin is None else _deal(notable.twin),
            }
            for notable in notable_deals(tournament)
        ],
    }


def save(path: Path, results: dict[str, Any]) -> None:
    """Write results.json, as a whole or not at all."""
    write_file(path, json.dumps(results, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def save_statistics(path: Path, results: dict[str, Any]) -> None:
    """Write statistics.csv: a row for each entrant, with its mean of each statistic."""
    _save_table(path, results["anatomy"])


def save_pairings(path: Path, results: dict[str, Any]) -> None:
    """Write pairings.csv: a row for each pairing, with its intervals and its sign test."""
    _save_table(path, [_row_of(pairing) for pairing in results["pairings"]])


def _row_of(pairing: dict[str, Any]) -> dict[str, Any]:
    """A pairing without the numbers of its boards; cells are empty where there is no match, or no bound."""
    row = {name: pairing[name] for name in ("first", "second", "boards", "deals")}
    for name in ("points", "deal_wins", "match_wins"):
        interval = pairing[name] or {}
        row |= {name: interval.get("estimate")}
        row |= {f"{name}_{bound}": interval.get(bound) for bound in ("low", "high")}
    test = pairing["sign_test"]
    row |= {f"boards_{outcome}": test[outcome] for outcome in ("won", "lost", "tied")}
    return row | {"p_value": test["p_value"], "p_holm": test["p_holm"], "forfeits": pairing["forfeits"]}


def _save_table(path: Path, rows: list[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_file(path, text.getvalue())


def standings(tournament: Tournament) -> list[dict[str, Any]]:
    """A row for each entrant, best first; without ratings where entrants play in mixed partnerships."""
    if tournament.settings.format == "partners":
        return []
    runs = tournament.runs
    entrants = range(len(tournament.entrants))
    tables = [run.table for run in runs]
    ends = [(run.matchup.slots[0], run.matchup.slots[1]) for run in runs]
    ratings = rate(
        len(tournament.entrants),
        [Results(*pair, table.credits, table.games) for pair, table in zip(ends, tables, strict=True)],
    )
    means = {pair: run.pairing.points.estimate for pair, run in zip(ends, runs, strict=True)}
    field = against_the_field(len(tournament.entrants), means)
    rows = [
        {
            "entrant": tournament.entrants[entrant].name,
            "rating": _interval(ratings[entrant]),
            "points_against_the_field": field[entrant],
            "deal_wins": _mean_share(entrant, runs, "deal_wins"),
            "match_wins": _mean_share(entrant, runs, "match_wins"),
        }
        for entrant in entrants
    ]
    return sorted(rows, key=lambda row: -row["rating"]["estimate"])


def add_to_ladder(ladder: Ladder, tournament: Tournament) -> bool:
    """Bring a running ladder up to date with a tournament, board by board; False if it has been counted."""
    digest = tournament.digest()
    if digest in ladder.tournaments:
        return False
    shares = [run.table.credits for run in tournament.runs]
    for board in range(max(map(len, shares))):
        for run, credits in zip(tournament.runs, shares, strict=True):
            if board < len(credits):
                teams = [[tournament.entrants[each].name for each in team] for team in run.matchup.teams]
                ladder.play(teams, (credits[board], 1 - credits[board]))
    ladder.tournaments.append(digest)
    return True


def _mean_share(entrant: int, runs: list[MatchupRun], name: str) -> float | None:
    """An entrant's share of wins, all opponents alike."""
    shares = []
    for run in runs:
        interval = getattr(run.pairing, name)
        if interval is not None and entrant in run.matchup.slots:
            is_first = run.matchup.slots[0] == entrant
            shares.append(interval.estimate if is_first else 1 - interval.estimate)
    return float(np.mean(shares)) if shares else None


def _settings(tournament: Tournament) -> dict[str, Any]:
    settings = tournament.settings
    return {
        "game": settings.rules.game,
        "players": settings.rules.players,
        "rules": settings.rules.to_dict(),
        "format": settings.format,
        "episode": settings.episode,
        "boards": settings.boards,
        "until": settings.until,
        "scores": settings.scores if isinstance(settings.scores, str) else list(settings.scores),
        "seed": settings.seed,
        "decision_time_s": settings.decision_time_s,
        "records": settings.records,
        "level": LEVEL,
        "max_deals_a_match": MAX_DEALS,
    }


def origin_of(code: str, command: str, seconds: float) -> dict[str, Any]:
    """Where results come from.

    Args:
        code: Fingerprint of the code.
        command: The command line.
        seconds: How long it took.
    """
    return {
        "command": command,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "code_fingerprint": code,
        "python": platform.python_version(),
        "platform": f"{sys.platform} {platform.machine()}",
        "packages": {name: _version(name) for name in ("canasta-env", "numpy", "numba", "scipy", "torch")},
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _pairing(
    run: MatchupRun, pairing: Pairing, p_holm: float, stats: tuple[DealStats, DealStats]
) -> dict[str, Any]:
    table = run.table
    return {
        "first": run.first,
        "second": run.second,
        "boards": pairing.boards,
        "arrangements": table.games,
        "deals": pairing.deals,
        "points": _interval(pairing.points),
        "deal_wins": _interval(pairing.deal_wins),
        "match_wins": _interval(pairing.match_wins) if pairing.match_wins else None,
        "sign_test": {**vars(pairing.sign_test), "p_holm": p_holm},
        "plan": vars(pairing.plan) if pairing.plan else None,
        "forfeits": len(pairing.faults),
        "anatomy": {"first": _stats(stats[0]), "second": _stats(stats[1])},
        "per_board": {
            "points": _numbers(table.points),
            "deals": table.deals.tolist(),
            "deal_wins": _numbers(table.deal_wins),
            "match_wins": _numbers(table.match_wins) if table.has_matches else None,
        },
    }


def _numbers(array: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | int]:
    return [int(number) if number.is_integer() else round(number, 6) for number in array.tolist()]


def _interval(interval: Interval) -> dict[str, float | None]:
    return {
        name: number if math.isfinite(number) else None
        for name, number in (("estimate", interval.estimate), ("low", interval.low), ("high", interval.high))
    }


def _team_stats(tournament: Tournament, run: MatchupRun) -> tuple[DealStats, DealStats]:
    team_of_side = run.matchup.team_of_side
    parts = [team_stats(played.outcomes, team_of_side) for _, played in tournament.finished(run)]
    return total([first for first, _ in parts]), total([second for _, second in parts])


def _stats_by_entrant(
    tournament: Tournament, stats: dict[int, tuple[DealStats, DealStats]]
) -> list[dict[str, Any]]:
    """An entrant's stats over all matchups in which it was a team by itself."""
    rows = []
    for number, entrant in enumerate(tournament.entrants):
        parts = [
            stats[id(run)][place]
            for run in tournament.runs
            for place, team in enumerate(run.matchup.teams)
            if team == (number,)
        ]
        rows.append({"entrant": entrant.name, **_stats(total(parts))})
    return rows


def _stats(stats: DealStats) -> dict[str, Any]:
    return {"deals": stats.deals, **{name: round(mean, 4) for name, mean in stats.means().items()}}


def _forfeit(tournament: Tournament, run: MatchupRun, fault: Fault) -> dict[str, Any]:
    return {
        "entrant": tournament.entrants[run.matchup.slots[fault.slot]].name,
        "first": run.first,
        "second": run.second,
        "board": fault.board,
        "reason": fault.reason,
    }


def _deal(deal: KeptDeal) -> dict[str, Any]:
    return {
        "first": deal.run.first,
        "second": deal.run.second,
        "board": deal.board.index,
        "seed": deal.board.seed,
        "arrangement": deal.arrangement,
        "deal": deal.deal,
        "dealer": deal.dealer,
        "scores": list(deal.scores),
        "totals": list(deal.totals),
        "seats": list(deal.seats),
        "actions": list(deal.actions),
    }
