"""The command line: what `python play.py` runs."""

from __future__ import annotations

import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from canasta_agents.play.agent_calls import advise
from canasta_agents.play.lobby import Hall, rehearse_players, seed_of
from canasta_agents.play.messages import PlayError, whole_number_of
from canasta_agents.play.session import YOU, Make, Session
from canasta_agents.processes import wait_passively
from canasta_env.rendering.text import view_picture
from canasta_env.rules import Game, Rules, RulesError, standard_rules

_MISSING = "playing in the browser needs {0}: pip install 'canasta-env[play]'"
_MAX_PORT = 2**16 - 1


@dataclass(frozen=True)
class Arguments:
    """Sit down at a table of Canasta, in the browser on this machine, against any agents, or watch them.

    The page offers the games, the rule-based players, the trained policies of the package and of runs/, and
    the agents given here.
    """

    agents: tuple[str, ...] = ()
    """Further agents to offer: python:module:Class, neural:PATH."""
    port: int = 8765
    """Where the page is served."""
    host: str = "127.0.0.1"
    """Address to listen on. Any other than this machine's own lets others play: there are no passwords."""
    open_browser: bool = True
    """Open the page in a browser."""
    runs: Path = Path("runs")
    """Folder whose runs offer their policies."""
    records: Path = Path("records")
    """Folder for records that are saved and loaded."""
    tables: Path = Path("records/tables")
    """Folder in which tables are kept, so that they can be taken up again when the server is. Its files hold
    every card."""
    patience_s: float = 60.0
    """Seconds that an agent may think about a move before its table stops."""
    text: bool = False
    """Play one deal in the terminal instead, with the game and the seats below."""
    game: Game | None = None
    """Game of --text: modern_american if not given."""
    players: Literal[2, 3, 4] | None = None
    """Players of --text."""
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
    try:
        import tyro
    except ImportError:
        print(_MISSING.format("tyro"), file=sys.stderr)
        return 2
    arguments = tyro.cli(Annotated[Arguments, tyro.conf.arg(name="")], args=argv, prog="play.py")
    hall = Hall(arguments.runs, arguments.records, arguments.agents, arguments.tables)
    try:
        return _play_in_terminal(arguments, hall) if arguments.text else _serve(arguments, hall)
    except (PlayError, RulesError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0


def _play_in_terminal(arguments: Arguments, hall: Hall) -> int:
    rules = standard_rules(arguments.game or "modern_american", arguments.players)
    seats = arguments.seats or (YOU, *["heuristic"] * (rules.players - 1))
    play(rules, seats, hall.maker(rules), seed_of({"seed": arguments.seed}))
    return 0


def _serve(arguments: Arguments, hall: Hall) -> int:
    try:
        from aiohttp import web

        from canasta_agents.play.server import Server, is_loopback
    except ImportError:
        print(_MISSING.format("aiohttp"), file=sys.stderr)
        return 2
    whole_number_of({"port": arguments.port}, "port", 1, _MAX_PORT)
    for option in ("game", "players", "seats", "seed"):
        if getattr(arguments, option) not in (None, ()):
            raise PlayError(f"{option}: belongs to --text; in the browser the page asks for it")
    shown_host = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
    address = f"http://{shown_host}:{arguments.port}/"
    if not is_loopback(arguments.host):
        print(f"Listening on {arguments.host}: whoever can reach this machine can play.")

    def announce(_: object) -> None:
        print(f"Canasta is served at {address} (Ctrl+C ends)", flush=True)
        if arguments.open_browser:
            webbrowser.open(address)

    num_kept, faults = hall.look_for_kept_tables()
    for fault in faults:
        print(f"canasta-play: left aside: {fault}", file=sys.stderr)
    if num_kept:
        print(f"Tables kept in {arguments.tables}, to be taken up again: {num_kept}.")
    threading.Thread(target=rehearse_players, name="canasta-play: warm-up", daemon=True).start()
    app = Server(hall, arguments.host, arguments.patience_s).app()
    try:
        web.run_app(app, host=arguments.host, port=arguments.port, print=announce)
    except OSError as error:
        print(f"error: port {arguments.port} of {arguments.host}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


# A game in the terminal: the table in text, actions by number or notation.


_HELP = "a number or a notation plays; ? AGENT asks what it would do; undo, help, quit"


def play(
    rules: Rules,
    seats: Sequence[str],
    make: Make,
    seed: int,
    *,
    read: Callable[[str], str] = input,
    show: Callable[[str], None] = print,
) -> None:
    """Play one deal, or watch one if no seat is "you".

    Args:
        rules: The game.
        seats: As for `Session`.
        make: Makes an agent of a spec.
        seed: Fixes the cards.
        read: Asks for a line.
        show: Shows a text.
    """
    session = Session(rules, seats, make, seed, "deal")
    show(_HELP)
    shown = 0
    while True:
        state = session.state()
        for move in state["moves"][shown:]:
            show(f"  {state['names'][move['seat']]} (seat {move['seat']}): {move['action']}")
        shown = len(state["moves"])
        if state["fault"]:
            show(state["fault"])
            return
        if state["is_over"]:
            _show_score(state, show)
            return
        if not state["legal"]:
            session.advance()
            continue
        show("\n" + view_picture(rules, session.view()) + "\n")
        for number, action in enumerate(state["legal"], start=1):
            show(f"  {number:2} {action}")
        try:
            line = read("> ").strip()
        except EOFError:
            return
        if line == "quit":
            return
        try:
            _follow(session, line, state["legal"], make, show)
        except PlayError as error:
            show(str(error))
        if line == "undo":
            shown = 0


def _follow(
    session: Session, line: str, legal: Sequence[str], make: Make, show: Callable[[str], None]
) -> None:
    if line == "help":
        show(_HELP)
    elif line == "undo":
        session.handle({"type": "undo"})
    elif line.startswith("?"):
        agent = make(line[1:].strip() or "heuristic")
        agent.reset(1, 0)
        advice = advise(agent, session.asked_for_advice())
        show(f"{advice['agent']} would {advice['action']}")
        for action, probability in advice.get("likely", ()):
            show(f"  {probability:6.1%} {action}")
        if advice.get("value") is not None:
            show(f"  it expects {advice['value']:+.0f} {advice['unit']} of this deal")
    else:
        is_number = line.isdecimal() and 1 <= int(line) <= len(legal)
        action = legal[int(line) - 1] if is_number else line
        session.handle({"type": "play", "action": action, "at": session.place["at"]})


def _show_score(state: dict[str, object], show: Callable[[str], None]) -> None:
    scores: list[dict[str, int]] = state["score"]  # type: ignore[assignment]
    show("\nthe deal is over")
    for clause in scores[0]:
        numbers = "".join(f"{score[clause]:>9,}" for score in scores)
        show(f"  {clause.replace('_', ' '):<16}{numbers}")
