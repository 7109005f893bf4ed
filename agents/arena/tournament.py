"""Tournament: matchups between entrants, played block by block until there are boards enough."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from canasta_agents.arena.blocks import Block, BlockResult, Episode
from canasta_agents.arena.forfeits import Fault
from canasta_agents.arena.journal import Journal, Place
from canasta_agents.arena.pairing import BoardTable, Pairing, Plan, measure
from canasta_agents.arena.schedule import (
    FORMATS,
    MAX_SEED,
    ArenaError,
    Matchup,
    Scores,
    Team,
    check_scores,
    matchup,
)
from canasta_agents.arena.statistics import MIN_PILOT, boards_needed
from canasta_agents.arena.workers import Task, check_entrants, play_on_ray, play_tasks
from canasta_agents.processes import available_cores
from canasta_agents.registry import code_fingerprint, fingerprint, short_name
from canasta_env.rules import Rules

Format = Literal["round-robin", "one-against-all", "partners"]
Keep = Literal["all", "sample", "none"]

BLOCK_BOARDS = 50
MAX_BOARDS = 10_000_000  # of a matchup; its blocks are listed before any is played
MAX_PLANNED = 100_000  # of a matchup that plays until its interval is narrow
MAX_DECISION_S = 86_400


@dataclass(frozen=True)
class Settings:
    """What to play. See `cli.Arguments` for the meaning of each.

    Raises:
        ArenaError: If a value does not fit, with what would.
    """

    rules: Rules
    agents: tuple[str, ...]  # specs
    format: Format = "round-robin"
    episode: Episode = "deal"
    boards: int = 100
    until: float | None = None
    scores: Scores = "zero"
    seed: int = 0
    decision_time_s: float = 1.0
    records: Keep = "sample"

    def __post_init__(self) -> None:
        check_scores(self.rules, self.scores)
        if len(self.agents) < 2:
            raise ArenaError(f"agents: {len(self.agents)} given; a tournament needs at least two")
        if not 1 <= self.boards <= MAX_BOARDS:
            raise ArenaError(f"boards: {self.boards} must be from 1 to {MAX_BOARDS:,}")
        if self.until is not None and not self.until > 0:
            raise ArenaError(f"until: {self.until} must be a positive number of points a deal")
        if self.until is not None and self.boards < MIN_PILOT:
            raise ArenaError(
                f"boards: {self.boards} say too little of the spread to plan with; "
                f"with --until play at least {MIN_PILOT} first"
            )
        if not 0 <= self.seed <= MAX_SEED:
            raise ArenaError(f"seed: {self.seed} must be a whole number from 0 to 2^128 - 1")
        if not 0 < self.decision_time_s <= MAX_DECISION_S:
            raise ArenaError(
                f"decision-time-s: {self.decision_time_s} must be a positive number of seconds, "
                f"at most {MAX_DECISION_S:,}"
            )

    def digest(self) -> str:
        """A short name of these settings, the same for the same tournament."""
        content = dataclasses.asdict(self) | {"rules": self.rules.to_dict()}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Entrant:
    """Who takes part: a name for tables and reports, and how to make the agent."""

    name: str
    spec: str  # as `registry` knows it
    plays_as: str = ""  # the agent's own name


@dataclass
class MatchupRun:
    """A matchup while it is played: its blocks in order, and what they say."""

    matchup: Matchup
    first: str
    second: str
    wanted: int  # boards
    blocks: dict[int, BlockResult] = field(default_factory=dict)  # by first board
    plan: Plan | None = None

    @property
    def played(self) -> list[BlockResult]:
        """The finished blocks, in order of boards."""
        return [self.blocks[start] for start in sorted(self.blocks)]

    @property
    def table(self) -> BoardTable:
        """The boards of the finished blocks."""
        return BoardTable.of(self.played)

    @property
    def faults(self) -> list[Fault]:
        """The forfeits of the finished blocks."""
        return [fault for block in self.played for fault in block.faults]

    @property
    def pairing(self) -> Pairing:
        """What the finished blocks say."""
        return measure(self.first, self.second, self.table, self.faults, self.plan)


Progress = Callable[[int, int, MatchupRun | None], None]
"""Called with boards finished, boards wanted in all, and the matchup that has just got further."""


Play = Callable[[Sequence[Task]], Iterator[tuple[int, BlockResult]]]


@dataclass
class Tournament:
    """A tournament and, once `run`, its results."""

    settings: Settings
    entrants: list[Entrant]
    runs: list[MatchupRun]
    code: str  # fingerprints: of the code, and of each entrant
    fingerprints: list[str]

    @classmethod
    def prepare(cls, settings: Settings) -> Tournament:
        """Name the entrants, see that each can be made, and draw up the matchups.

        Raises:
            ArenaError: If an entrant cannot be made, or the format does not fit the game.
        """
        names = check_entrants(settings.agents, settings.rules)
        entrants = name_entrants(settings.agents, names)
        wanted = settings.boards
        if settings.until is not None:
            wanted = _whole_blocks(wanted)
        runs = [
            MatchupRun(
                matchup(settings.rules, first, second),
                _team_name(entrants, first, settings.format),
                _team_name(entrants, second, settings.format),
                wanted,
            )
            for first, second in FORMATS[settings.format](len(entrants))
        ]
        prints = {spec: fingerprint(spec) for spec in settings.agents}
        return cls(settings, entrants, runs, code_fingerprint(), [prints[spec] for spec in settings.agents])

    def run(
        self,
        folder: Path,
        workers: int | None = None,
        progress: Progress | None = None,
        ray_address: str | None = None,
    ) -> None:
        """Play what is not yet in the journal.

        Args:
            folder: The journal's folder.
            workers: Number of processes; all cores if None.
            progress: Told of every finished block.
            ray_address: Play on this Ray cluster instead of in processes of our own.

        Raises:
            ArenaError: If the journal is damaged, or there is no such cluster.
        """
        report = progress or (lambda done, wanted, run: None)
        journal = Journal(folder, self.code)

        def play(tasks: Sequence[Task]) -> Iterator[tuple[int, BlockResult]]:
            if ray_address is not None:
                return play_on_ray(tasks, ray_address, workers)
            return play_tasks(tasks, workers or available_cores())

        while True:
            self._play_wanted(journal, play, report)
            if not self._want_more():
                return

    def _play_wanted(self, journal: Journal, play: Play, report: Progress) -> None:
        missing: list[tuple[MatchupRun, Block, Place]] = []
        for run in self.runs:
            for block in self._blocks(run):
                place = journal.place(block, self._prints(run))
                if block.start in run.blocks:
                    continue
                if (played := journal.read(place)) is not None:
                    run.blocks[block.start] = played
                else:
                    missing.append((run, block, place))
        report(*self._boards_done(), None)
        tasks = [self._task(number, run, block) for number, (run, block, _) in enumerate(missing)]
        for number, played in play(tasks):
            run, block, place = missing[number]
            journal.write(place, played)
            run.blocks[block.start] = played
            report(*self._boards_done(), run)

    def digest(self) -> str:
        """A short name of these settings with these entrants, as their files and the code are now."""
        content = [self.settings.digest(), self.code, *self.fingerprints]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    def finished(self, run: MatchupRun) -> list[tuple[Block, BlockResult]]:
        """The blocks of a matchup that are finished, with their results."""
        return [(block, run.blocks[block.start]) for block in self._blocks(run) if block.start in run.blocks]

    def _want_more(self) -> bool:
        """Plan further boards where the interval is still too wide; whether there are any."""
        until, pilot = self.settings.until, _whole_blocks(self.settings.boards)
        if until is None:
            return False
        for run in self.runs:
            table = run.table
            needed = _whole_blocks(boards_needed(table.points, table.deals, pilot, until))
            run.wanted = max(run.wanted, min(needed, MAX_PLANNED))
            run.plan = Plan(pilot, until, is_reached=needed <= MAX_PLANNED)
        return any(run.wanted > len(run.table) for run in self.runs)

    def _blocks(self, run: MatchupRun) -> list[Block]:
        settings = self.settings
        return [
            Block(
                rules=settings.rules,
                matchup=run.matchup,
                start=start,
                stop=min(start + BLOCK_BOARDS, run.wanted),
                seed=settings.seed,
                episode=settings.episode,
                scores=settings.scores,
                decision_time_s=settings.decision_time_s,
            )
            for start in range(0, run.wanted, BLOCK_BOARDS)
        ]

    def _task(self, number: int, run: MatchupRun, block: Block) -> Task:
        specs = tuple(self.entrants[entrant].spec for entrant in run.matchup.slots)
        return Task(number, block, specs, self._prints(run), self.settings.records)

    def _prints(self, run: MatchupRun) -> tuple[str, ...]:
        return tuple(self.fingerprints[entrant] for entrant in run.matchup.slots)

    def _boards_done(self) -> tuple[int, int]:
        done = sum(len(block.points) for run in self.runs for block in run.blocks.values())
        return done, sum(run.wanted for run in self.runs)


def _whole_blocks(boards: int) -> int:
    return -(-boards // BLOCK_BOARDS) * BLOCK_BOARDS


def _team_name(entrants: Sequence[Entrant], team: Team, format: Format) -> str:
    """Its entrant, or its two partners: in "partners" an entrant by itself is a pair of its own."""
    names = [entrants[entrant].name for entrant in team]
    return " + ".join(names * 2 if format == "partners" and len(names) == 1 else names)


def name_entrants(specs: Sequence[str], agent_names: Sequence[str]) -> list[Entrant]:
    """Give every entrant a name of its own: its spec, shortened where that is clear.

    Args:
        specs: Their specs; the same one may stand twice.
        agent_names: What the agents call themselves.
    """
    short = {spec: short_name(spec) for spec in specs}
    taken = list(short.values())
    names = [short[spec] if taken.count(short[spec]) == 1 else spec for spec in specs]
    copies = [names[:place].count(name) + 1 for place, name in enumerate(names)]
    numbered = [name if copy == 1 else f"{name} #{copy}" for name, copy in zip(names, copies, strict=True)]
    return [Entrant(*entrant) for entrant in zip(numbered, specs, agent_names, strict=True)]
