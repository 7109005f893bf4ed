"""The tournament of an entrant in one game: which meetings the protocol asks for, on how many boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from canasta_agents.arena.suite.meetings import Meetings
from canasta_agents.arena.suite.protocol import (
    DECISION_TIME_S,
    RANDOM,
    Form,
    GameProtocol,
    Protocol,
    playable_spec,
)
from canasta_agents.arena.tournament import MatchupRun, Progress, Settings, Tournament
from canasta_agents.registry import RegistryError

ENTRANT = 0  # its number among a tournament's entrants


@dataclass(frozen=True)
class PartnerRuns:
    """A frozen partner against one opponent: with the entrant, and with a second of its own kind."""

    partner: str
    opponent: str
    mixed: MatchupRun
    alone: MatchupRun


@dataclass
class GamePlan:
    """All meetings of an entrant in one game; the results are in the runs once the tournament is played."""

    game: GameProtocol
    tournament: Tournament
    against: dict[str, MatchupRun] = field(default_factory=dict)  # by the opponent's frozen spec
    partners: list[PartnerRuns] = field(default_factory=list)
    itself: MatchupRun | None = None
    random: MatchupRun | None = None


def _numbers(game: GameProtocol, form: Form) -> dict[str, int]:
    """The frozen players by their number among the entrants, that of the benchmark's own entrant being 0."""
    frozen = [opponent.spec for opponent in game.opponents]
    frozen += [game.searcher] if form.searcher_boards else []
    frozen += game.partners if form.partner_boards else ()
    return {name: place for place, name in enumerate(dict.fromkeys(frozen), start=1)}


def _meetings(
    game: GameProtocol, protocol: Protocol, form: Form, spec: str, numbers: Sequence[str]
) -> Meetings:
    settings = Settings(
        game.rules,
        (spec, *(playable_spec(game, name) for name in numbers)),
        format="one-against-all",
        episode="match",
        boards=form.boards,
        seed=protocol.seed,
        decision_time_s=DECISION_TIME_S,
        records="none",
    )
    return Meetings(settings, ["entrant", *numbers])


def plan_game(game: GameProtocol, protocol: Protocol, form: Form, spec: str) -> GamePlan:
    """Draw up what an entrant plays of a game.

    Args:
        game: The game.
        protocol: That it is part of.
        form: How many boards; see `Form.of`.
        spec: Of the entrant.

    Raises:
        RegistryError: If the entrant cannot play this game, with the reason.
        ArenaError: If a frozen policy is not in this package.
    """
    numbers = _numbers(game, form)
    meetings = _meetings(game, protocol, form, spec, list(numbers))
    plan = GamePlan(game, meetings.tournament)
    for opponent in (*(opponent.spec for opponent in game.opponents), game.searcher):
        if opponent in numbers:
            boards = form.searcher_boards if opponent == game.searcher else form.boards
            plan.against[opponent] = meetings.meet((ENTRANT,), (numbers[opponent],), boards)
    for partner in game.partners if form.partner_boards else ():
        for opponent in game.partners_meet:
            if partner != opponent:
                at, against = numbers[partner], (numbers[opponent],)
                mixed = meetings.meet((ENTRANT, at), against, form.partner_boards)
                alone = meetings.meet((at,), against, form.partner_boards)
                plan.partners.append(PartnerRuns(partner, opponent, mixed, alone))
    random = numbers[RANDOM]
    plan.itself = meetings.meet((ENTRANT,), (ENTRANT,), form.check_boards)
    plan.random = meetings.meet((random,), (random,), form.check_boards)
    return plan


def plan_games(
    protocol: Protocol, games: Sequence[GameProtocol], form: Form, spec: str
) -> tuple[list[GamePlan], dict[str, str]]:
    """The plans of all games that an entrant can play.

    Returns:
        The plans, and why each other game is left out, by its name.

    Raises:
        RegistryError: If it can play none of them, with the first reason.
    """
    plans, reasons = [], {}
    for game in games:
        try:
            plans.append(plan_game(game, protocol, form.of(game.rules), spec))
        except RegistryError as error:
            reasons[game.name] = str(error)
    if not plans:
        raise RegistryError(next(iter(reasons.values())))
    return plans, reasons


def play_games(
    plans: Sequence[GamePlan], journal: Path, workers: int | None, report: Progress
) -> Iterator[GamePlan]:
    """Play every game, and yield each when it is finished.

    Args:
        plans: What to play.
        journal: Folder of the finished blocks; those of frozen players serve every entrant.
        workers: Number of processes; all cores if None.
        report: Told of every finished block, counted over all games.
    """
    totals = [sum(run.wanted for run in plan.tournament.runs) for plan in plans]
    for number, plan in enumerate(plans):
        plan.tournament.run(journal, workers, _counted(report, sum(totals[:number]), sum(totals)))
        yield plan


def _counted(report: Progress, before: int, total: int) -> Callable[[int, int, MatchupRun | None], None]:
    return lambda done, wanted, run: report(before + done, total, run)
