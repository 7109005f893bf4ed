"""A table that is played at: messages in, messages out. It knows nothing of browsers and sockets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env import IllegalActionError, NotationError, Rules
from canasta_env.records import Record

from ..base import Agent
from .advice import advise, choose
from .course import Course, Episode
from .errors import PlayError, choice_of, text_of, whole_number_of
from .seeing import open_hands, what_seat_sees

_LOG = logging.getLogger(__name__)
YOU = "you"
MAX_PACE_S = 10.0
_PACE_S = 0.8
_MAX_MOVES = 100_000
Make = Callable[[str], Agent]


class Session:
    """A table with agents, and perhaps one person, in its seats.

    Without a person the table is watched: all hands are open, or what one seat sees.

    Args:
        rules: The game.
        seats: Who sits where: a spec of the roster, or YOU for the person.
        make: Makes an agent of a spec; raises PlayError if it cannot.
        seed: Fixes the cards and the chance of the agents.
        episode: "deal" or "match".

    Raises:
        PlayError: If the seats do not fit the game.
    """

    def __init__(
        self, rules: Rules, seats: Sequence[str], make: Make, seed: int, episode: Episode = "match"
    ) -> None:
        if len(seats) != rules.players:
            raise PlayError(f"seats: {len(seats)} of them; the game has {rules.players}")
        if list(seats).count(YOU) > 1:
            raise PlayError(f"seats: only one of them can be {YOU!r}")
        self.rules, self.seats = rules, tuple(seats)
        self.own_seat = seats.index(YOU) if YOU in seats else None
        self._make, self._seed = make, seed
        self._agents = {seat: make(spec) for seat, spec in enumerate(seats) if spec != YOU}
        self._advisers: dict[str, Agent] = {}
        self._course = Course(rules, seed, episode)
        self._seen_from: int | None = self.own_seat
        self._pace_s = _PACE_S
        self._is_paused = False
        self._fault: str | None = None
        self._wake()

    def handle(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Follow a message: `play`, `next`, `undo`, `advise`, `pace`, `pause` or `look`.

        Returns:
            The replies: the state of the table, or the advice.

        Raises:
            PlayError: If it cannot be followed; nothing has changed then.
        """
        follow = {
            "play": self._play,
            "next": self._next,
            "undo": self._undo,
            "pace": self._set_pace,
            "pause": self._pause,
            "look": self._look,
        }
        kind = choice_of(message, "type", [*follow, "advise"])
        if kind == "advise":
            return [{"type": "advice", **self._advise(text_of(message, "agent"))}]
        follow[kind](message)
        return [self.state()]

    @property
    def waits_s(self) -> float | None:
        """Seconds until `advance` is due; None: it waits for a person."""
        is_due = not self._course.table.is_over and self._course.table.to_play != self.own_seat
        return None if not is_due or self._is_paused or self._fault is not None else self._pace_s

    def advance(self) -> dict[str, Any]:
        """Let the agent that is to move play; returns the state after it.

        An agent that fails stops the table, and the state says so under `fault`.
        """
        table = self._course.table
        seat = table.to_play
        if seat is None or seat == self.own_seat:
            return self.state()
        try:
            self._course.play(choose(self._agents[seat], table))
        except PlayError as error:
            _LOG.warning("%s", error)
            # what it tried, or what it complains of, may tell of its hand
            hides = self.own_seat is not None
            self._fault = (
                f"{self.seats[seat]} failed in seat {seat}; the log says how" if hides else str(error)
            )
        return self.state()

    def state(self) -> dict[str, Any]:
        """Everything a browser shows, from what the seat knows; all hands only where nobody plays."""
        course, table = self._course, self._course.table
        shown_seat = self._seen_from or 0
        is_open = self.own_seat is None and self._seen_from is None
        told = what_seat_sees(self.rules, table.view(shown_seat))
        if is_open:
            told["hands"] = open_hands(table)
        is_own_turn = self.own_seat is not None and table.to_play == self.own_seat
        return {
            "type": "state",
            "kind": "table",
            **told,
            "game": self.rules.game,
            "target": self.rules.target,
            "episode": course.episode,
            "deal": len(course.finished) + 1,
            "names": list(self.seats),
            "own_seat": self.own_seat,
            "seen_from": self._seen_from,
            "legal": table.legal() if is_own_turn else [],
            "moves": [{"seat": seat, "action": notation} for seat, notation in course.moves],
            "score": [vars(score) for score in table.score()] if table.is_over else None,
            "totals": course.totals,
            "winner": course.winner,
            "is_over": course.is_over,
            "pace_s": self._pace_s,
            "is_paused": self._is_paused,
            "fault": self._fault,
        }

    def view(self) -> NDArray[np.void]:
        """What the person's seat knows, or seat 0 where nobody plays: `(1,) VIEW`."""
        return self._course.table.view(self._seen_from or 0)

    def record(self) -> Record:
        """What was played, to be saved; of a person's deal nothing until it is over, as it holds every card.

        Raises:
            PlayError: If there is nothing that may be saved yet.
        """
        if self.own_seat is None or self._course.table.is_over:
            return self._course.record()
        if not self._course.finished:
            raise PlayError("the first deal is not over: its record would show the hidden cards")
        return self._course.record(with_this_deal=False)

    def _play(self, message: Mapping[str, Any]) -> None:
        course = self._course
        at = whole_number_of(message, "at", 0, _MAX_MOVES)
        action = text_of(message, "action")
        if course.table.is_over:
            raise PlayError("the deal is over")
        if self.own_seat is None or course.table.to_play != self.own_seat:
            raise PlayError("it is not your turn")
        if at != len(course.moves):
            raise PlayError(f"at: {at}, but the table stands at move {len(course.moves)}")
        try:
            course.play(action)
        except (IllegalActionError, NotationError) as error:
            raise PlayError(str(error)) from None

    def _next(self, message: Mapping[str, Any]) -> None:
        if not self._course.table.is_over:
            raise PlayError("the deal is not over")
        if self._course.is_over:
            raise PlayError("no deal follows: the game is over")
        self._course.next_deal()
        self._wake()

    def _undo(self, message: Mapping[str, Any]) -> None:
        self._course.undo()
        self._wake()

    def _set_pace(self, message: Mapping[str, Any]) -> None:
        pace_s = message.get("pace_s")
        is_number = isinstance(pace_s, (int, float)) and not isinstance(pace_s, bool)
        if not is_number or not 0 <= pace_s <= MAX_PACE_S:  # type: ignore[operator]
            raise PlayError(f"pace_s: {pace_s!r} must be seconds from 0 to {MAX_PACE_S:g}")
        self._pace_s = float(pace_s)  # type: ignore[arg-type]

    def _pause(self, message: Mapping[str, Any]) -> None:
        is_paused = message.get("is_paused")
        if not isinstance(is_paused, bool):
            raise PlayError(f"is_paused: {is_paused!r} must be true or false")
        self._is_paused = is_paused

    def _look(self, message: Mapping[str, Any]) -> None:
        if self.own_seat is not None:
            raise PlayError("who plays sees the table from the own seat")
        self._seen_from = seat_to_look_from(message, self.rules)

    def _advise(self, spec: str) -> dict[str, Any]:
        """What an agent would do in the person's place; where nobody plays, in that of the seat to move."""
        table = self._course.table
        if self.own_seat is not None and table.to_play != self.own_seat:
            raise PlayError("it is not your turn")
        return advise(adviser(self._advisers, spec, self._make), table)

    def _wake(self) -> None:
        """Let the agents begin this deal as they would have in any case: the same again after an undo."""
        self._fault = None
        for seat, agent in self._agents.items():
            agent.reset(1, self._seed + len(self._course.finished) * self.rules.players + seat)


def seat_to_look_from(message: Mapping[str, Any], rules: Rules) -> int | None:
    """The seat of a message `look`; None: all hands are open."""
    if message.get("seat") is None:
        return None
    return whole_number_of(message, "seat", 0, rules.players - 1)


def adviser(made: dict[str, Agent], spec: str, make: Make) -> Agent:
    """The agent to be asked for advice: one of its own, so that asking changes no opponent."""
    if spec not in made:
        made[spec] = make(spec)
        made[spec].reset(1, 0)
    return made[spec]
