"""A deal in the terminal: the table as text, actions by number or notation."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from canasta_agents.play.agent_calls import advise, prepare_for_advice
from canasta_agents.play.friends import FRIEND
from canasta_agents.play.messages import AgentError, PlayError, with_names
from canasta_agents.play.offered import Make
from canasta_agents.play.portraits import portrait
from canasta_agents.play.session import Session
from canasta_agents.short_names import shortened
from canasta_env.rendering.text import view_picture
from canasta_env.rules import Rules

_HELP = """a number or a notation plays; ? AGENT asks what it would do; help, quit
undo takes back what was laid in this turn; restart begins the deal again"""
_WIDTH = 80
_MAX_NAME = 50  # characters: a move and who plays it fit on a line of 80


def play_in_terminal(
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
    if FRIEND in seats:
        raise PlayError(f"seats: {FRIEND!r} plays in the browser; in the terminal one person does")
    session = Session(rules, seats, make, seed, "deal")
    show(_HELP)
    shown = 0
    while True:
        state = session.state()
        for move in state["moves"][shown:]:
            who = shortened(_seat_and_agent(state, move["seat"]), _MAX_NAME)
            show(f"  {who}: {move['action']}")
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
        names = [_seat_name(state, seat) for seat in range(rules.players)]
        show("\n" + with_names(view_picture(rules, session.view()), names) + "\n")
        for number, action in enumerate(state["legal"], start=1):
            show(f"  {number:2} {action}")
        show(textwrap.fill(state["prompt"]["text"], _WIDTH))
        try:
            line = read("> ").strip()
        except EOFError:
            return
        if line == "quit":
            return
        try:
            _follow(session, line, state["legal"], make, show)
        except PlayError as error:
            show(textwrap.fill(str(error), _WIDTH))
        if line == "restart":
            shown = 0
        elif line == "undo":
            shown = min(shown, session.place["at"])


def _seat_name(state: dict[str, Any], seat: int) -> str:
    """As the page calls it: "you", "West"."""
    return "you" if seat == state["own_seat"] else str(state["seated"][seat]["name"])


def _seat_and_agent(state: dict[str, Any], seat: int) -> str:
    title = state["seated"][seat].get("title")
    return f"{_seat_name(state, seat)}, {title}" if title else _seat_name(state, seat)


def _follow(
    session: Session, line: str, legal: Sequence[str], make: Make, show: Callable[[str], None]
) -> None:
    if line == "help":
        show(_HELP)
    elif line == "undo":
        taken_back = " ".join(session.state()["takes_back"])
        session.handle({"type": "take_back", "at": session.place["at"]})
        show(f"  taken back: {taken_back}")
    elif line == "restart":
        session.handle({"type": "undo"})
    elif line.startswith("?"):
        spec = line[1:].strip() or "heuristic"
        agent = make(spec)
        title = shortened(portrait(spec, session.rules.game).title, _MAX_NAME)
        table = session.table_for_advice()
        try:
            prepare_for_advice(agent, table, session.so_far())
            advice = advise(agent, table)
        except AgentError as error:
            raise PlayError(f"{title} {error.what}") from error
        show(f"{title} would {advice['action']}")
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
