"""The tournament of an entrant in one game: which meetings the protocol asks for, on how many boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from canasta_agents.arena.schedule import Team, matchup
from canasta_agents.arena.suite.protocol import (
    DECISION_TIME_S,
    RANDOM,
    Form,
    GameProtocol,
    Protocol,
    playable_spec,
)
from canasta_agents.arena.tournament import Entrant, MatchupRun, Progress, Settings, Tournament
from canasta_agents.arena.workers import check_entrants
from canasta_agents.registry import RegistryError, code_fingerprint, fingerprint

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


class _Planner:
    """Collects the meetings of a game; the same one is played once."""

    def __init__(self, game: GameProtocol, protocol: Protocol, form: Form, spec: str) -> None:
        self.game = game
        frozen = [opponent.spec for opponent in game.opponents]
        frozen += [game.searcher] if form.searcher_boards else []
        self.numbers = {name: place for place, name in enumerate(dict.fromkeys(frozen), start=1)}
        specs = (spec, *(playable_spec(game, name) for name in self.numbers))
        settings = Settings(
            game.rules,
            specs,
            format="one-against-all",
            episode="match",
            boards=form.boards,
            seed=protocol.seed,
            decision_time_s=DECISION_TIME_S,
            records="none",
        )
        own_names = check_entrants(specs, game.rules)
        names = ["entrant", *self.numbers]
        entrants = [Entrant(*entry) for entry in zip(names, specs, own_names, strict=True)]
        prints = [fingerprint(each) for each in specs]
        self.tournament = Tournament(settings, entrants, [], code_fingerprint(), prints)
        self._runs: dict[tuple[Team, Team], MatchupRun] = {}

    def meet(self, first: Team, second: Team, boards: int) -> MatchupRun:
        key = (first, second)
        if key not in self._runs:
            names = [" + ".join(self.tournament.entrants[each].name for each in team) for team in key]
            run = MatchupRun(matchup(self.game.rules, first, second), names[0], names[1], boards)
            self._runs[key] = run
            self.tournament.runs.append(run)
        return self._runs[key]


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
    planner = _Planner(game, protocol, form, spec)
    plan = GamePlan(game, planner.tournament)
    for opponent, number in planner.numbers.items():
        boards = form.searcher_boards if opponent == game.searcher else form.boards
        plan.against[opponent] = planner.meet((ENTRANT,), (number,), boards)
    for partner in game.partners if form.partner_boards else ():
        for opponent in game.partners_meet:
            if partner != opponent:
                plan.partners.append(_partner_runs(planner, partner, opponent, form.partner_boards))
    random = planner.numbers[RANDOM]
    plan.itself = planner.meet((ENTRANT,), (ENTRANT,), form.check_boards)
    plan.random = planner.meet((random,), (random,), form.check_boards)
    return plan


def _partner_runs(planner: _Planner, partner: str, opponent: str, boards: int) -> PartnerRuns:
    at, against = planner.numbers[partner], (planner.numbers[opponent],)
    mixed = planner.meet((ENTRANT, at), against, boards)
    return PartnerRuns(partner, opponent, mixed, planner.meet((at,), against, boards))


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
