"""result.json of the benchmark: the numbers of every board, and what is computed from nothing but them."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from canasta_agents.arena.blocks import Block
from canasta_agents.arena.deal_stats import team_stats, total
from canasta_agents.arena.pairing import BoardTable, Pairing, measure
from canasta_agents.arena.results import origin_of
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.statistics import Interval, points_interval
from canasta_agents.arena.suite.plan import ENTRANT, GamePlan
from canasta_agents.arena.suite.protocol import (
    NAME,
    RANDOM,
    VERSION,
    Form,
    GameProtocol,
    Protocol,
    behaviour,
    rule_based,
)
from canasta_agents.arena.suite.rating import DealsWon, anchored_rating
from canasta_agents.arena.tournament import MatchupRun
from canasta_agents.arena.workers import Task, play_tasks

FORMAT = "canasta-bench-result"
ENTRANT_NAME = "entrant"
CHECK_LEVEL = 0.999  # of the checks' intervals: an honest evaluator fails one in a thousand
_SPEED_BOARDS = 25
TALLIES = ("points", "deals", "deal_wins", "match_wins")


def collect(
    plans: Sequence[GamePlan],
    left_out: Mapping[str, str],
    protocol: Protocol,
    form: Form,
    command: str,
    seconds: float,
) -> dict[str, Any]:
    """Everything that the benchmark found of an entrant, as what JSON holds.

    Args:
        plans: Of its games, played.
        left_out: Why each other game was not played.
        protocol: What was played.
        form: How many boards.
        command: The command line.
        seconds: How long it took this time.
    """
    entrant, first = plans[0].tournament.entrants[ENTRANT], plans[0].tournament
    return {
        "format": FORMAT,
        "protocol": {"name": NAME, "version": VERSION, "digest": protocol.digest},
        "form": asdict(form),
        "entrant": {
            "spec": entrant.spec,
            "plays_as": entrant.plays_as,
            "fingerprint": first.fingerprints[ENTRANT],
        },
        "games": [_game(plan, protocol) for plan in plans],
        "left_out": dict(left_out),
        "origin": origin_of(first.code, command, seconds)
        | {
            "hardware": {"processor": _processor(), "cores": os.cpu_count()},
            "date": datetime.now(UTC).date().isoformat(),
            "decisions_a_second": {plan.game.name: round(decisions_a_second(plan)) for plan in plans},
        },
    }


def _game(plan: GamePlan, protocol: Protocol) -> dict[str, Any]:
    game = plan.game
    meetings = [meeting(run) for run in plan.tournament.runs]
    is_unchanged = behaviour(game.rules, rule_based(game), protocol.seed) == game.behaviour
    return {
        "game": game.game,
        "players": game.players,
        "meetings": meetings,
        "frozen_players_are_unchanged": is_unchanged,
        "summary": summarise(game, meetings),
        "style": _style(plan),
        "forfeits": [
            {"first": run.first, "second": run.second, "board": fault.board, "reason": fault.reason}
            for run in plan.tournament.runs
            for fault in run.faults
            if run.matchup.slots[fault.slot] == ENTRANT
        ],
    }


def meeting(run: MatchupRun) -> dict[str, Any]:
    """What was played in one meeting, by board, from the first team's side."""
    table = run.table
    return {
        "first": run.first,
        "second": run.second,
        "games": table.games,
        "per_board": {name: _numbers(getattr(table, name)) for name in TALLIES},
    }


def _numbers(array: np.ndarray[Any, Any]) -> list[float | int]:
    return [int(number) if number == int(number) else round(number, 6) for number in array.tolist()]


def summarise(game: GameProtocol, meetings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rating, opponents, partners and checks, from the numbers of the boards alone.

    Raises:
        ArenaError: If a meeting of the protocol is missing, or lacks boards.
    """
    tables = {(each["first"], each["second"]): _table(each) for each in meetings}
    rated = [
        DealsWon(float(opponent.rating), table.deal_wins, table.deals.astype(np.float64))
        for opponent in game.opponents
        if opponent.rating is not None
        for table in [_of(tables, ENTRANT_NAME, opponent.spec)]
    ]
    ratings = {opponent.spec: opponent.rating for opponent in game.opponents}
    against = [
        _against(second, ratings.get(second), table)
        for (first, second), table in tables.items()
        if first == ENTRANT_NAME != second
    ]
    pairs = [
        (partner, second, table, _of(tables, partner, second))
        for (first, second), table in tables.items()
        if first.startswith(f"{ENTRANT_NAME} + ")
        for partner in [first.removeprefix(f"{ENTRANT_NAME} + ")]
    ]
    if len({len(table) for _, _, *both in pairs for table in both}) > 1:
        raise ArenaError("suite: the meetings with partners and of partners alone are not of the same boards")
    gains = [_gain(mixed, alone) for _, _, mixed, alone in pairs]
    return {
        "rating": interval_entry(anchored_rating(rated, game.points_per_logit)),
        "against": against,
        "partners": [_partner(*pair) for pair in pairs],
        "mean_gain": _points(np.mean(gains, axis=0)) if gains else None,
        "checks": [
            _even("the entrant against itself", _of(tables, ENTRANT_NAME, ENTRANT_NAME)),
            _even("random against random", _of(tables, RANDOM, RANDOM)),
        ],
    }


def _table(content: Mapping[str, Any]) -> BoardTable:
    boards = content["per_board"]
    points, deal_wins, match_wins = (
        np.asarray(boards[name], np.float64) for name in ("points", "deal_wins", "match_wins")
    )
    return BoardTable(content["games"], points, np.asarray(boards["deals"], np.int64), deal_wins, match_wins)


def _of(tables: Mapping[tuple[str, str], BoardTable], first: str, second: str) -> BoardTable:
    if (first, second) not in tables:
        raise ArenaError(f"suite: the result lacks the meeting of {first} with {second}")
    return tables[first, second]


def _against(opponent: str, rating: float | None, table: BoardTable) -> dict[str, Any]:
    better, worse = int((table.points > 0).sum()), int((table.points < 0).sum())
    decided = max(1, better + worse)
    return {
        "opponent": opponent,
        "opponent_rating": rating,
        **_figures(measure(ENTRANT_NAME, opponent, table)),
        "sign_test": {
            "boards_better": better,
            "boards_worse": worse,
            "p": float(binomtest(better if better + worse else 1, decided).pvalue),
        },
    }


def _figures(pairing: Pairing) -> dict[str, Any]:
    assert pairing.match_wins is not None  # matches are played
    return {
        "boards": pairing.boards,
        "deals": pairing.deals,
        "points": interval_entry(pairing.points),
        "deal_wins": interval_entry(pairing.deal_wins),
        "match_wins": interval_entry(pairing.match_wins),
    }


def _partner(partner: str, opponent: str, mixed: BoardTable, alone: BoardTable) -> dict[str, Any]:
    """A strange partner: with the entrant, with itself, and the difference on the same boards."""
    return {
        "partner": partner,
        "opponent": opponent,
        "with_entrant": _figures(measure(ENTRANT_NAME, opponent, mixed)),
        "with_itself": _figures(measure(partner, opponent, alone)),
        "gain": _points(_gain(mixed, alone)),
    }


def _gain(mixed: BoardTable, alone: BoardTable) -> NDArray[np.float64]:
    """What a partner scores with the entrant less what it scores with itself, `(boards,)` points a deal.

    The mixed pair's deals stand for four seatings, the partner's own for two.
    """
    return mixed.points / mixed.deals - alone.points / alone.deals


def _points(a_deal: NDArray[np.float64]) -> dict[str, float | None]:
    """The interval of points a deal, of which each board has one number."""
    return interval_entry(points_interval(a_deal, np.ones(len(a_deal))))


def _even(name: str, table: BoardTable) -> dict[str, Any]:
    """A check that equal players come out even: exactly, or within an interval."""
    interval = points_interval(table.points, table.deals, CHECK_LEVEL)
    return {
        "check": name,
        "boards": len(table),
        "points": interval_entry(interval),
        "is_exact": not table.points.any(),
        "passed": bool(interval.low <= 0 <= interval.high),
    }


def interval_entry(interval: Interval) -> dict[str, float | None]:
    """An interval as results hold it, rounded; bounds are null where there are none."""
    return {
        name: round(float(number), 6) if np.isfinite(number) else None
        for name, number in (("estimate", interval.estimate), ("low", interval.low), ("high", interval.high))
    }


def _style(plan: GamePlan) -> dict[str, Any]:
    """The entrant's deals against its opponents, counted."""
    parts = [
        team_stats(played.outcomes, run.matchup.team_of_side)[0]
        for run in plan.against.values()
        for _, played in plan.tournament.finished(run)
    ]
    stats = total(parts)
    return {"deals": stats.deals, **{name: round(mean, 4) for name, mean in stats.means().items()}}


def decisions_a_second(plan: GamePlan) -> float:
    """Decisions that the entrant makes in a second against itself, on one core, the engine included."""
    tournament = plan.tournament
    entrant, print_ = tournament.entrants[ENTRANT], tournament.fingerprints[ENTRANT]
    assert plan.itself is not None
    blocks = [
        Block(plan.game.rules, plan.itself.matchup, start, start + _SPEED_BOARDS, tournament.settings.seed)
        for start in (0, _SPEED_BOARDS)
    ]
    tasks = [Task(n, block, (entrant.spec,) * 2, (print_,) * 2, "none") for n, block in enumerate(blocks)]
    playing = play_tasks(tasks, workers=1)
    next(playing)  # loads and compiles
    started = time.perf_counter()
    _, played = next(playing)
    seconds = time.perf_counter() - started
    playing.close()  # type: ignore[attr-defined]
    return float(played.outcomes["decisions"].sum()) / seconds


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
