"""The command line: what `python play.py` runs."""

from __future__ import annotations

import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from canasta_agents.play.hosts import accepted_names, is_any_address, name_for_friends
from canasta_agents.play.lobby import Lobby, seed_of, warm_up_players
from canasta_agents.play.messages import PlayError, whole_number_of
from canasta_agents.play.session import YOU
from canasta_agents.play.terminal import play_in_terminal
from canasta_agents.processes import wait_passively
from canasta_agents.programs import explain_import_error, program_name
from canasta_env.rules import Game, RulesError, standard_rules

_SCRIPT = "play.py"
_MAX_PORT = 2**16 - 1


@dataclass(frozen=True)
class Arguments:
    """Sit down at a table of Canasta, in the browser on this machine, against any agents, or watch them.

    The page offers the games, the rule-based players, the trained policies of the package and of runs/, and
    the agents given here.
    """

    agents: tuple[str, ...] = ()
    """Further agents to offer: python:module:Class, neural:PATH, "process:COMMAND"."""
    port: int = 8765
    """Where the page is served."""
    host: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 lets others on the network play, too. There are no passwords: who has the
    link of a seat plays it."""
    allowed_host: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A further name by which browsers may call this server, such as that of a proxy; may be repeated."""
    open_browser: bool = True
    """Open the page in a browser."""
    runs: Path = Path("runs")
    """Folder whose runs offer their policies."""
    records: Path = Path("records")
    """Folder for records that are saved and loaded."""
    tables: Path = Path("records/tables")
    """Folder in which tables are kept, so that they can be taken up again when the server is. Its files hold
    every card."""
    agent_timeout_s: float = 60.0
    """Seconds that an agent may think about a move before its table stops."""
    text: bool = False
    """Play one deal in the terminal instead, with the game and the seats below."""
    game: Game | None = None
    """Game of --text: modern_american if not given."""
    players: Literal[2, 3, 4] | None = None
    """Players of --text."""
    target: int | None = None
    """Match score to reach in --text, such as 2,500, 5,000, 7,500 or 10,000; the game's own if not given."""
    seats: tuple[str, ...] = ()
    """Who sits where in --text, such as: you heuristic heuristic random. You in seat 0 if not given."""
    seed: int | None = None
    """Fixes the cards of --text."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted, or play in the terminal; the process's exit code.

    Args:
        argv: Arguments; the command line's if None.
    """
    wait_passively()
    arguments = tyro.cli(Annotated[Arguments, tyro.conf.arg(name="")], args=argv, prog=program_name(_SCRIPT))
    friends_host = None if arguments.text else name_for_friends(arguments.host)
    lobby = Lobby(arguments.runs, arguments.records, arguments.agents, arguments.tables, friends_host)
    try:
        return _play_text(arguments, lobby) if arguments.text else _serve(arguments, lobby, friends_host)
    except (PlayError, RulesError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0


def _play_text(arguments: Arguments, lobby: Lobby) -> int:
    rules = standard_rules(arguments.game or "modern_american", arguments.players, arguments.target)
    seats = arguments.seats or (YOU, *["heuristic"] * (rules.players - 1))
    play_in_terminal(rules, seats, lobby.agents.maker(rules), seed_of({"seed": arguments.seed}))
    return 0


def _serve(arguments: Arguments, lobby: Lobby, friends_host: str | None) -> int:
    try:
        from aiohttp import web

        from canasta_agents.play.server import Server
    except ImportError as missing:
        print(f"{program_name(_SCRIPT)}: {explain_import_error(missing, 'play')}", file=sys.stderr)
        return 2
    whole_number_of({"port": arguments.port}, "port", 1, _MAX_PORT)
    for option in ("game", "players", "target", "seats", "seed"):
        if getattr(arguments, option) not in (None, ()):
            raise PlayError(f"{option}: belongs to --text; in the browser the page asks for it")
    host = arguments.host.strip("[]")
    address = _address(host, arguments.port)
    if friends_host is not None:
        at = _address(friends_host, arguments.port)
        print(f"Listening on {arguments.host}: whoever can reach this machine at {at} can play.")

    def announce(_: object) -> None:
        print(f"Canasta is served at {address} (Ctrl+C ends)", flush=True)
        if arguments.open_browser:
            webbrowser.open(address)

    num_kept, faults = lobby.look_for_kept_tables()
    for fault in faults:
        print(f"{program_name(_SCRIPT)}: left aside: {fault}", file=sys.stderr)
    if num_kept:
        print(f"Tables kept in {arguments.tables}, to be taken up again: {num_kept}.")
    threading.Thread(target=warm_up_players, name="canasta-play: warm-up", daemon=True).start()
    app = Server(lobby, accepted_names(host, arguments.allowed_host), arguments.agent_timeout_s).app()
    try:
        web.run_app(app, host=host, port=arguments.port, print=announce)
    except OSError as error:
        print(f"error: port {arguments.port} of {arguments.host}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def _address(host: str, port: int) -> str:
    """Where the page is, as a browser on this machine calls it."""
    if is_any_address(host):
        host = "::1" if ":" in host else "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
