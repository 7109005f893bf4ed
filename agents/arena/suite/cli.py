"""`evaluate.py --suite AGENT` and `evaluate.py --verify RESULT.json`."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.suite.page import write_pages
from canasta_agents.arena.suite.plan import ENTRANT, GamePlan, plan_games, play_games
from canasta_agents.arena.suite.protocol import FORMS, NAME, VERSION, Form, GameProtocol, load_protocol
from canasta_agents.arena.suite.result import collect
from canasta_agents.arena.suite.terminal import show_result
from canasta_agents.arena.suite.verify import verify
from canasta_agents.arena.terminal import progress_bar, shown
from canasta_agents.files import FolderInUseError, claim_folder, write_file
from canasta_agents.processes import REFUSED
from canasta_agents.registry import fingerprint

RESULT = "result.json"
_MOST_PROBLEMS = 20  # that are printed


@dataclass(frozen=True)
class SuiteRequest:
    """What a command line asks of the benchmark.

    Args:
        spec: Of the entrant; None to verify with the one that the result names.
        game: None: every game that the entrant can play.
        players: Likewise.
        is_quick: Whether in the quick form.
        workers: Number of processes; all cores if None.
        name: Of the folder; made from the spec if None.
    """

    spec: str | None
    game: str | None
    players: int | None
    is_quick: bool
    workers: int | None
    name: str | None


def run_suite(request: SuiteRequest, results: Path, command: str, console: Console) -> int:
    """Play the benchmark and write its result and pages; the process's exit code.

    Args:
        request: What to play.
        results: Folder below which everything is written.
        command: The command line.
        console: Where to print.

    Raises:
        ArenaError: If something does not fit, another process plays into the same folder, or the folder
            holds the result of another entrant, form or choice of games.
        RegistryError: If the entrant cannot be made.
    """
    assert request.spec is not None
    protocol = load_protocol()
    form = FORMS["quick" if request.is_quick else "full"]
    plans, left_out = plan_games(protocol, _games(request), form, request.spec)
    for name, reason in left_out.items():
        console.print(f"Left out {name}: {shown(reason)}", soft_wrap=True)
    home = results / f"{NAME}-{VERSION}"
    folder = home / (request.name or _folder_name(request, form.name))
    started = time.monotonic()
    try:
        with claim_folder(folder):
            _refuse_other_result(folder / RESULT, plans, form)
            with progress_bar(console) as progress:
                for _ in play_games(plans, home / "blocks", request.workers, progress):
                    pass
            result = collect(plans, left_out, protocol, form, command, time.monotonic() - started)
            text = json.dumps(result, ensure_ascii=False, allow_nan=False, indent=1)
            write_file(folder / RESULT, text + "\n")
            write_pages(folder, result)
    except FolderInUseError as error:
        raise ArenaError(
            f"suite: another benchmark is being played into {folder}; wait for it, or give another --name"
        ) from error
    show_result(console, result)
    console.print(f"Page: {shown(str(folder / 'page.html'))}", soft_wrap=True)
    return 0


def _refuse_other_result(path: Path, plans: Sequence[GamePlan], form: Form) -> None:
    """See that what is written here before is replaced only by the same played again.

    Raises:
        ArenaError: If it is another's result, names whose.
    """
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        entrant, form_name = result["entrant"], result["form"]["name"]
        there = (
            entrant["fingerprint"],
            form_name,
            [(part["game"], part["players"]) for part in result["games"]],
        )
        what = f"{entrant['spec']} ({form_name})"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # nothing that could be lost
        return
    tournament = plans[0].tournament
    games = [(plan.game.game, plan.game.players) for plan in plans]
    if there != (tournament.fingerprints[ENTRANT], form.name, games):
        raise ArenaError(
            f"name: {path} is the result of {what}, of other files, games or form than this one; "
            "give another --name, or move it"
        )


def run_verify(path: Path, request: SuiteRequest, console: Console) -> int:
    """Verify a result; the process's exit code: 0 if nothing is wrong with it.

    Raises:
        ArenaError: If the file is no result of this protocol.
        RegistryError: If its entrant cannot be made.
    """
    problems = 0
    for problem in verify(path, load_protocol(), request.spec, random.SystemRandom()):
        problems += 1
        if problems <= _MOST_PROBLEMS:
            console.print(f"[red]wrong[/] {shown(problem)}", soft_wrap=True)
    if problems:
        console.print(f"{shown(str(path))}: {problems} figures are not what they should be.", soft_wrap=True)
        return REFUSED
    console.print(f"{shown(str(path))}: figures and the boards that were played again are the same.")
    return 0


def _games(request: SuiteRequest) -> Sequence[GameProtocol]:
    """The games of the protocol that are asked for."""
    protocol = load_protocol()
    games = [
        part
        for part in protocol.games
        if request.game in (None, part.game) and request.players in (None, part.players)
    ]
    if not games:
        protocol.game(str(request.game), request.players or 0)
    return games


def _folder_name(request: SuiteRequest, form: str) -> str:
    """From the entrant, its files and the games: another entrant's result is never written over."""
    spec = str(request.spec)
    short = re.sub(r"[^A-Za-z0-9_.@+-]+", "-", spec).strip("-.")[-60:]
    chosen = [str(part) for part in (request.game, request.players) if part is not None]
    return "-".join([short, fingerprint(spec)[:6], *chosen, form])
