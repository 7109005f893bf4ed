"""A table that is played at: messages in, messages out. It knows nothing of browsers and sockets."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.play.agent_calls import CallTimeoutError, begin_deal, choose
from canasta_agents.play.game import DealSoFar, Episode, GameProgress
from canasta_agents.play.messages import (
    PlayError,
    choice_of,
    illegal_reasons,
    open_hands,
    points_on_table,
    quoted,
    text_of,
    view_message,
    whole_number_of,
)
from canasta_agents.play.offered import Make
from canasta_agents.play.portraits import portrait, seat_names
from canasta_env import IllegalActionError, NotationError, Rules, Table
from canasta_env.agent import Agent, remembers
from canasta_env.records import Record
from canasta_env.validation import check_seed

_LOG = logging.getLogger(__name__)
YOU = "you"
MAX_PACE_S = 10.0
_PACE_S = 0.8
_MAX_MOVES = 100_000
MAX_DEALS = 1_000  # of a match: far more than one takes to its target


@dataclass(frozen=True, eq=False)
class Question:
    """What an agent is asked. To answer may take long, and changes no table.

    Attributes:
        missed: Tables at which the agent was asked before in this deal, if it has not seen them: one that was
            made anew is asked again, so that it remembers what the first one knew.
        is_first: Whether this deal is the first of its match, if the agent is to be told that it begins.
    """

    agent: Agent
    table: Table
    missed: tuple[Table, ...] = ()
    is_first: bool | None = None

    def answer(self) -> str:
        """The action it chooses; raises PlayError as `choose`."""
        if self.is_first is not None:
            begin_deal(self.agent, self.is_first)
        for table in self.missed:
            with contextlib.suppress(PlayError):
                choose(self.agent, table)
        return choose(self.agent, self.table)


class Session:
    """A table with agents, and perhaps one person, in its seats.

    Without a person the table is watched: all hands are open, or what one seat sees.

    Args:
        rules: The game.
        seats: Who sits where: a spec of the registry, or YOU for the person.
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
        self._game = GameProgress(rules, seed, episode)
        self._seen_from: int | None = self.own_seat
        self._pace_s = _PACE_S
        self._is_paused = False
        self._fault: str | None = None
        self._asked: Question | None = None
        self._thinking: set[int] = set()  # seats whose agent has been asked and has not answered
        self._to_catch_up: set[int] = set()  # seats whose agent, made anew, has not seen this deal
        self._to_tell: set[int] = set()  # seats whose agent does not know yet that this deal has begun
        self._reset_agents()

    @classmethod
    def restored(cls, kept: Mapping[str, Any], make: Make) -> Session:
        """The table of which `kept` was kept.

        Raises:
            Exception: Of many kinds, if it is not what `kept` returns, or an agent is not there any more.
        """
        rules = Rules.from_dict(kept["rules"])
        seed = check_seed(kept["seed"])
        session = cls(rules, kept["seats"], make, seed, choice_of(kept, "episode", ["deal", "match"]))  # type: ignore[arg-type]
        game = session._game
        for number, actions in enumerate(kept["deals"]):
            if number:
                game.next_deal()
            for action in actions:
                game.play(action)
        if session.own_seat is None:
            session._seen_from = seat_to_look_from({"seat": kept["seen_from"]}, rules)
        session._set_pace(kept)
        session._pause(kept)
        session._reset_agents()
        session._to_catch_up = set(session._agents)
        return session

    def kept(self) -> dict[str, Any]:
        """The table in plain values, every card of it: for `restored`, not for a browser."""
        game = self._game
        return {
            "rules": self.rules.to_dict(),
            "seats": list(self.seats),
            "seed": self._seed,
            "episode": game.episode,
            "deals": [
                *(list(deal.actions) for deal in game.finished),
                [move.action for move in game.moves],
            ],
            "seen_from": self._seen_from,
            "pace_s": self._pace_s,
            "is_paused": self._is_paused,
        }

    def handle(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Follow a message: `play`, `next`, `undo`, `again`, `why`, `pace`, `pause` or `look`.

        Returns:
            The replies: the state of the table, or the reasons.

        Raises:
            PlayError: If it cannot be followed; nothing has changed then.
        """
        follow = {
            "play": self._play,
            "next": self._next,
            "undo": self._undo,
            "again": self._try_again,
            "pace": self._set_pace,
            "pause": self._pause,
            "look": self._look,
        }
        kind = choice_of(message, "type", [*follow, "why"])
        if kind == "why":
            return [self._why(text_of(message, "target"))]
        follow[kind](message)
        return [self.state()]

    @property
    def waits_s(self) -> float | None:
        """Seconds until an agent is due to play; None: the table waits for a person."""
        return None if self._is_paused or not self._is_due else self._pace_s

    @property
    def _is_due(self) -> bool:
        table = self._game.table
        return not table.is_over and table.to_play != self.own_seat and self._fault is None

    def is_asking(self, question: Question) -> bool:
        """Whether the answer to a question is still wanted."""
        return question is self._asked

    def ask(self) -> Question | None:
        """What the agent to move is to be asked, for `apply_answer`; None if it is no agent's turn."""
        if not self._is_due:
            return None
        table = self._game.table
        seat = table.to_play
        assert seat is not None
        missed = tuple(self._game.so_far().tables_of(seat)) if seat in self._to_catch_up else ()
        is_first = not self._game.finished if seat in self._to_tell else None
        self._asked = Question(self._agents[seat], table.copy(), missed, is_first)
        self._thinking.add(seat)
        self._to_catch_up.discard(seat)
        self._to_tell.discard(seat)
        return self._asked

    def apply_answer(self, question: Question, answer: str | PlayError) -> bool:
        """Play what an agent has answered; returns False if the table has gone another way since.

        An agent that fails stops the table, and the state says so under `fault`. Its error may be that it has
        not answered at all: whatever it says later is not heard.
        """
        if not self.is_asking(question):
            return False
        seat = question.table.to_play
        assert seat is not None
        self._asked = None
        if not isinstance(answer, CallTimeoutError):
            self._thinking.discard(seat)
        if isinstance(answer, PlayError):
            _LOG.warning("%s", answer)
            # what it tried, or what it complains of, may tell of its hand
            hides = self.own_seat is not None and not isinstance(answer, CallTimeoutError)
            who = seated(self.rules, self.seats)[seat]
            failed = f"{who['name']}, {who['title']}, failed; the log says how"
            self._fault = failed if hides else str(answer)
        else:
            self._game.play(answer)
        return True

    def advance(self) -> dict[str, Any]:
        """Let the agent that is to move play, however long it thinks; returns the state after it."""
        question = self.ask()
        if question is not None:
            try:
                self.apply_answer(question, question.answer())
            except PlayError as error:
                self.apply_answer(question, error)
        return self.state()

    @property
    def place(self) -> dict[str, int]:
        """Where the table stands, to tell what an answer was about: the deal, and the moves played in it."""
        return {"deal": len(self._game.finished) + 1, "at": len(self._game.moves)}

    def table_for_advice(self) -> Table:
        """The table of which an agent may be asked what it would do in the place of the seat to move.

        Raises:
            PlayError: If another is to move.
        """
        table = self._game.table
        if self.own_seat is not None and not table.is_over and table.to_play != self.own_seat:
            raise PlayError("it is not your turn")
        return table.copy()

    def so_far(self) -> DealSoFar:
        """The deal until now: what an agent that is asked for advice has to catch up with."""
        return self._game.so_far()

    def state(self) -> dict[str, Any]:
        """Everything a browser shows, from what the seat knows.

        All hands are open only where nobody plays, or the deal is over.
        """
        game, table = self._game, self._game.table
        shown_seat = self._seen_from or 0
        is_open = self.own_seat is None and self._seen_from is None
        told = view_message(self.rules, table.view(shown_seat))
        if is_open or (self.own_seat is not None and table.is_over):
            told["hands"] = open_hands(table)
        is_own_turn = self.own_seat is not None and table.to_play == self.own_seat
        return {
            "type": "state",
            "kind": "table",
            **told,
            "game": self.rules.game,
            "target": self.rules.target,
            "episode": game.episode,
            "deal": len(game.finished) + 1,
            "names": list(self.seats),
            "seated": seated(self.rules, self.seats),
            "own_seat": self.own_seat,
            "seen_from": self._seen_from,
            "legal": table.legal() if is_own_turn else [],
            "moves": [move.seen_by(None if is_open else shown_seat) for move in game.moves],
            "on_table": points_on_table(table),
            "score": [vars(score) for score in table.score()] if table.is_over else None,
            "totals": game.totals,
            "course": game.course,
            "winner": game.winner,
            "is_over": game.is_over,
            "pace_s": self._pace_s,
            "is_paused": self._is_paused,
            "fault": self._fault,
        }

    def view(self) -> NDArray[np.void]:
        """What the person's seat knows, or seat 0 where nobody plays: `(1,) VIEW`."""
        return self._game.table.view(self._seen_from or 0)

    def record(self) -> Record:
        """What was played, to be saved; of a person's deal nothing until it is over, as it holds every card.

        Raises:
            PlayError: If there is nothing that may be saved yet.
        """
        if self.own_seat is None or self._game.table.is_over:
            return replace(self._game.record(), agents=self.seats)
        if not self._game.finished:
            raise PlayError("the first deal is not over: its record would show the hidden cards")
        return replace(self._game.record(with_this_deal=False), agents=self.seats)

    def _play(self, message: Mapping[str, Any]) -> None:
        game = self._game
        at = whole_number_of(message, "at", 0, _MAX_MOVES)
        action = text_of(message, "action")
        if game.table.is_over:
            raise PlayError("the deal is over")
        if self.own_seat is None or game.table.to_play != self.own_seat:
            raise PlayError("it is not your turn")
        if at != len(game.moves):
            raise PlayError(f"at: {at}, but the table stands at move {len(game.moves)}")
        try:
            game.play(action)
        except (IllegalActionError, NotationError) as error:
            raise PlayError(str(error)) from None

    def _next(self, message: Mapping[str, Any]) -> None:
        if not self._game.table.is_over:
            raise PlayError("the deal is not over")
        if self._game.is_over:
            raise PlayError("no deal follows: the game is over")
        if len(self._game.finished) >= MAX_DEALS - 1:
            raise PlayError(f"a match has at most {MAX_DEALS:,} deals; open a new table")
        self._game.next_deal()
        self._reset_agents(is_going_on=True)

    def _undo(self, message: Mapping[str, Any]) -> None:
        self._game.undo()
        self._reset_agents()

    def _set_pace(self, message: Mapping[str, Any]) -> None:
        pace_s = message.get("pace_s")
        is_number = isinstance(pace_s, (int, float)) and not isinstance(pace_s, bool)
        if not is_number or not 0 <= pace_s <= MAX_PACE_S:  # type: ignore[operator]
            raise PlayError(f"pace_s: {quoted(pace_s)} must be seconds from 0 to {MAX_PACE_S:g}")
        self._pace_s = float(pace_s)  # type: ignore[arg-type]

    def _pause(self, message: Mapping[str, Any]) -> None:
        is_paused = message.get("is_paused")
        if not isinstance(is_paused, bool):
            raise PlayError(f"is_paused: {quoted(is_paused)} must be true or false")
        self._is_paused = is_paused

    def _look(self, message: Mapping[str, Any]) -> None:
        if self.own_seat is not None:
            raise PlayError("who plays sees the table from the own seat")
        self._seen_from = seat_to_look_from(message, self.rules)

    def _try_again(self, message: Mapping[str, Any]) -> None:
        """Give the agent that failed another try, made anew."""
        if self._fault is None:
            raise PlayError("no agent has failed")
        seat = self._game.table.to_play
        assert seat is not None
        self._agents[seat] = self._make(self.seats[seat])
        self._agents[seat].reset(1, self._seed_of(seat))
        self._thinking.discard(seat)
        self._to_catch_up.add(seat)
        self._to_tell.add(seat)
        self._fault = None

    def _why(self, target: str) -> dict[str, Any]:
        """Why what a target suggests is not offered to the person."""
        table = self._game.table
        if self.own_seat is None or table.to_play != self.own_seat:
            raise PlayError("it is not your turn")
        return {"type": "why", "target": target, **self.place, "refused": illegal_reasons(table, target)}

    def _reset_agents(self, is_going_on: bool = False) -> None:
        """Reset the agents for this deal: after an undo they play the same again.

        Args:
            is_going_on: Whether the deal before has just ended: who has a memory keeps it for the match.
        """
        for seat in self._thinking:
            self._agents[seat] = self._make(self.seats[seat])  # the old one may still be thinking
        for seat, agent in self._agents.items():
            if seat in self._thinking or not (is_going_on and remembers(agent)):
                agent.reset(1, self._seed_of(seat))
        self._thinking.clear()
        self._to_catch_up.clear()
        self._to_tell = set(self._agents)
        self._asked, self._fault = None, None

    def _seed_of(self, seat: int) -> int:
        """What fixes the chance of an agent in this deal."""
        return self._seed + len(self._game.finished) * self.rules.players + seat


def seated(rules: Rules, seats: Sequence[str | None]) -> list[dict[str, str | None]]:
    """Each seat as people are shown it: its `name`, and `title` and `how` of an agent in it."""
    return [
        {"name": name, **({} if spec is None or spec == YOU else portrait(spec, rules.game).message())}
        for name, spec in zip(seat_names(rules.players), seats, strict=True)
    ]


def seat_to_look_from(message: Mapping[str, Any], rules: Rules) -> int | None:
    """The seat of a message `look`; None: all hands are open."""
    if message.get("seat") is None:
        return None
    return whole_number_of(message, "seat", 0, rules.players - 1)
