"""The command line of tournaments: what `python evaluate.py` runs."""

from __future__ import annotations

import secrets
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console

from canasta_agents import registry
from canasta_agents.arena.blocks import Episode
from canasta_agents.arena.events import STANDARD_OUTPUT, check_events, write_events
from canasta_agents.arena.ratings import Ladder
from canasta_agents.arena.records import write_games
from canasta_agents.arena.report import write_report
from canasta_agents.arena.results import add_to_ladder, collect, save, save_pairings, save_statistics
from canasta_agents.arena.schedule import MAX_SEED, ArenaError, Scores
from canasta_agents.arena.suite.cli import SuiteRequest, run_suite, run_verify
from canasta_agents.arena.terminal import progress_bar, show_ladder, show_results, shown
from canasta_agents.arena.tournament import Format, Keep, Settings, Tournament
from canasta_agents.arena.workers import agents_in_file
from canasta_agents.files import FolderInUseError, claim_folder, is_folder_name, write_file
from canasta_agents.heuristics.jit import kernel as player_kernel
from canasta_agents.policies import playable_policy
from canasta_agents.processes import INTERRUPTED, REFUSED, wait_passively
from canasta_agents.programs import command_of, program_name
from canasta_agents.registry import RegistryError, is_third_party
from canasta_env.files import from_json
from canasta_env.rules import Game, Rules, RulesError, standard_rules
from canasta_env.validation import explain_error

RUNS = Path("runs")
RESULTS = Path("results")
ALL_BUNDLED = "all"
_SCRIPT = "evaluate.py"
_WITH_SUITE = {"suite", "quick", "game", "players", "workers", "name"}
_WITH_VERIFY = {"suite", "verify"}


@dataclass(frozen=True)
class Arguments:
    """Play a tournament on duplicate boards: every board with the same cards in every seating.

    Without arguments: random, the strongest rule-based player, the trained policy that comes with the
    package and the newest checkpoint under runs/, if there is one, play matches of Modern American Canasta.
    Finished boards are kept: the same command goes on where it was, with more boards it plays only those.
    """

    agents: tuple[str, ...] = ()
    """Who plays: names of bundled players, "heuristic" (the strongest of them), "all" (each of them),
    neural:PATH (a run, a checkpoint, or a policy of the package such as neural:modern_american), onnx:FILE,
    python:module:Class, search:AGENT (one of these that looks ahead), "process:COMMAND" (a program in any
    language: docs/protocol.md). One entrant can be named twice."""
    agents_from: Path | None = None
    """A Python file whose agents take part as well: classes with reset() and act()."""
    game: Game | None = None
    """Which game; modern_american if not given. With --suite: every game that the agent can play."""
    players: Literal[2, 3, 4] | None = None
    """How many play it; 4 if not given. Modern American is for four. With --suite as with --game."""
    target: int | None = None
    """Match score to reach; the game's own if not given."""
    format: Format = "round-robin"
    """Who meets whom: everybody everybody; the first agent all others; or all pairs of partners a pair of
    the first agent (how well does A play with B?)."""
    episode: Episode = "match"
    """Whether a board is one deal or a whole match."""
    boards: int = 100
    """Boards of each pairing. With --until: those played first, to see how many are needed."""
    until: float | None = None
    """Play on until each pairing's 95 percent interval is at most this many points a deal to either side."""
    scores: tuple[str, ...] = ("zero",)
    """Match scores to begin with: zero, drawn (with each board), or one number a side."""
    seed: int | None = None
    """Draws the boards, and all chance of the agents. If not given it is 0, or, where somebody else's agent
    plays, a number that nobody can know: printed, and kept with the results."""
    workers: int | None = None
    """Processes to play on; all cores if not given. The results are the same."""
    name: str | None = None
    """Folder of the results under results/; made from the settings if not given."""
    records: Keep = "sample"
    """Games to keep as records that can be verified: all, a sample or none. Notable deals are always kept."""
    events: str | None = None
    """A file for the events of the games that are kept, every hand open, as lines of JSON; "-": standard
    output (docs/protocol.md). Written when all is played; all games are in it with --records all."""
    decision_time_s: float = 1.0
    """Seconds that an agent has for a decision, on average over those it is asked at once."""
    ray: str | None = None
    """Address of a Ray cluster to play on (extra `cluster`); "local" starts one here."""
    ladder: Path | None = None
    """A JSON file of running OpenSkill ratings to bring up to date with this tournament."""
    suite: str | None = None
    """Play the benchmark with this agent instead of a tournament: fixed opponents, boards and figures
    (docs/benchmark.md). Only --quick, --game, --players, --workers and --name go with it."""
    quick: bool = False
    """With --suite: fewer boards, minutes instead of half an hour."""
    verify: Path | None = None
    """A result.json of --suite to check: its figures are computed, and a sample of its boards played, again.
    With --suite AGENT the agent is that one."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a tournament; the process's exit code.

    Args:
        argv: Arguments; the command line's if None.
    """
    wait_passively()
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = tyro.cli(
        Annotated[Arguments, tyro.conf.arg(name="")],
        args=given,
        prog=program_name(_SCRIPT),
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    console = Console(highlight=False, stderr=arguments.events == STANDARD_OUTPUT)
    try:
        return _run(arguments, shlex.join([*command_of(_SCRIPT), *given]), console)
    except (ArenaError, RegistryError, RulesError, OSError, MemoryError) as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            f"error: {explain_error(error)}", markup=False
        )
        return REFUSED
    except KeyboardInterrupt:
        console.print("Interrupted. Finished boards are kept: the same command goes on from there.")
        return INTERRUPTED


def _run(arguments: Arguments, command: str, console: Console) -> int:
    if arguments.workers is not None and arguments.workers < 1:
        raise ArenaError(f"workers: {arguments.workers} must be at least 1")
    if arguments.name is not None and not is_folder_name(arguments.name):
        raise ArenaError(f"name: {arguments.name!r} must be the name of one folder, without slashes")
    if arguments.suite is not None or arguments.verify is not None:
        return _run_benchmark(arguments, command, console)
    if arguments.quick:
        raise ArenaError("quick: goes with --suite only; give --boards for fewer boards of a tournament")
    if arguments.events is not None:
        check_events(arguments.events)
    settings = read_settings(arguments)
    ladder = Ladder.load(arguments.ladder) if arguments.ladder else None
    tournament = Tournament.prepare(settings)
    has_secret_seed = arguments.seed is None and any(map(is_third_party, settings.agents))
    folder = RESULTS / (arguments.name or _default_name(settings, has_secret_seed))
    try:
        with claim_folder(folder):
            if has_secret_seed:
                tournament.settings = replace(settings, seed=_secret_seed(folder))
                console.print(f"Seed {tournament.settings.seed}, drawn for this tournament.", soft_wrap=True)
            _play(tournament, folder, arguments, command, console)
    except FolderInUseError as error:
        raise ArenaError(
            f"name: another tournament is being played into {folder}; wait for it, or give another --name"
        ) from error
    if ladder is not None and arguments.ladder is not None:
        if not add_to_ladder(ladder, tournament):
            console.print(f"{shown(str(arguments.ladder))} has counted this tournament before.")
        ladder.save(arguments.ladder)
        show_ladder(console, ladder)
    console.print(f"Report: {shown(str(folder / 'report.html'))}", soft_wrap=True)
    return 0


def _run_benchmark(arguments: Arguments, command: str, console: Console) -> int:
    """The benchmark: everything that its protocol, or the result to verify, fixes cannot be given."""
    usual = Arguments()
    fixed = "--suite, whose protocol" if arguments.verify is None else "--verify, whose result"
    for name in vars(arguments).keys() - (_WITH_SUITE if arguments.verify is None else _WITH_VERIFY):
        if getattr(arguments, name) != getattr(usual, name):
            raise ArenaError(f"{name.replace('_', '-')}: cannot be given with {fixed} fixes it")
    request = SuiteRequest(
        arguments.suite,
        arguments.game,
        arguments.players,
        arguments.quick,
        arguments.workers,
        arguments.name,
    )
    if arguments.verify is not None:
        return run_verify(arguments.verify, request, console)
    return run_suite(request, RESULTS, command, console)


def _play(tournament: Tournament, folder: Path, arguments: Arguments, command: str, console: Console) -> None:
    """Play a tournament, write all of its results, and show them."""
    if player_kernel.is_cold:
        console.print("Compiling the players for this machine; this happens once.")
    started = time.monotonic()
    with progress_bar(console) as progress:
        tournament.run(folder / "blocks", arguments.workers, progress, arguments.ray)
    results = collect(tournament, command, time.monotonic() - started)
    save(folder / "results.json", results)
    save_statistics(folder / "statistics.csv", results)
    save_pairings(folder / "pairings.csv", results)
    write_games(folder / "games", tournament)
    write_report(folder / "report.html", results)
    if arguments.events is not None:
        write_events(arguments.events, tournament)
    show_results(console, results)


def _secret_seed(folder: Path) -> int:
    """The seed that was drawn for the tournament in a folder, now if it has none."""
    path = folder / "seed"
    if not path.exists():
        write_file(path, f"{secrets.randbelow(MAX_SEED + 1)}\n", mode=0o600)
    text = path.read_text(encoding="utf-8", errors="replace").strip()
    digits = len(str(MAX_SEED))
    if not (text.isascii() and text.isdigit() and len(text) <= digits and int(text) <= MAX_SEED):
        raise ArenaError(f"{path}: {text[:50]!r} is no seed; delete it to draw another")
    return int(text)


def read_settings(arguments: Arguments) -> Settings:
    """The tournament that a command line asks for.

    Raises:
        ArenaError: If something does not fit, with what would.
        RulesError: If there is no such game.
    """
    rules = standard_rules(arguments.game or "modern_american", arguments.players or 4, arguments.target)
    return Settings(
        rules=rules,
        agents=_agents(arguments, rules),
        format=arguments.format,
        episode=arguments.episode,
        boards=arguments.boards,
        until=arguments.until,
        scores=_scores(arguments.scores),
        seed=0 if arguments.seed is None else arguments.seed,
        decision_time_s=arguments.decision_time_s,
        records=arguments.records,
    )


def _agents(arguments: Arguments, rules: Rules) -> tuple[str, ...]:
    specs = [
        spec
        for name in arguments.agents
        for spec in (registry.names(rules) if name == ALL_BUNDLED else (name,))
    ]
    if arguments.agents_from is not None:
        specs += agents_in_file(arguments.agents_from)
    return tuple(specs) if arguments.agents else (*_default_agents(rules), *specs)


def _default_agents(rules: Rules) -> list[str]:
    learned = [newest_checkpoint(RUNS, rules)]
    if (name := playable_policy(rules)) is not None:
        learned.insert(0, Path(name))
    return ["random", "heuristic", *(f"neural:{policy}" for policy in learned if policy)]


def newest_checkpoint(runs: Path, rules: Rules) -> Path | None:
    """The run whose policy for this game was written last; its path, or None.

    A run holds policies as `best/policy.json` and `latest/policy.json` (see `canasta_agents.learning`).
    """
    found = []
    for path in runs.glob("*/*/policy.json"):
        try:
            about = from_json(path.read_text(encoding="utf-8"))["rules"]
            fits = (about["game"], about["players"]) == (rules.game, rules.players)
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if fits:
            found.append((path.stat().st_mtime, path.parent.parent))
    return max(found)[1] if found else None


def _scores(words: tuple[str, ...]) -> Scores:
    if words in (("zero",), ("drawn",)):
        return "zero" if words == ("zero",) else "drawn"
    try:
        return tuple(int(word) for word in words)
    except ValueError:
        raise ArenaError(f"scores: {' '.join(words)!r} must be zero, drawn or one number a side") from None


def _default_name(settings: Settings, has_secret_seed: bool) -> str:
    name = f"{settings.rules.game}-{settings.rules.players}p-{settings.episode}-{settings.digest()}"
    return f"{name}-drawn" if has_secret_seed else name
