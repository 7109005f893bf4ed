"""A table that is played at: messages in, messages out. It knows nothing of browsers and sockets."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.play.agent_calls import CallTimeoutError
from canasta_agents.play.friends import FRIEND, Friends
from canasta_agents.play.game import DealSoFar, Episode, GameProgress
from canasta_agents.play.messages import (
    MAX_SPEC,
    AgentError,
    PlayError,
    choice_of,
    points_on_table,
    quoted,
    text_of,
    truth_of,
    whole_number_of,
)
from canasta_agents.play.offered import Make
from canasta_agents.play.portraits import portrait, seat_names
from canasta_agents.play.seat_view import SeatView, place_of, seat_to_look_from
from canasta_agents.play.seated_agents import Question, SeatedAgents
from canasta_agents.short_names import shortened
from canasta_env import Rules, Table
from canasta_env.records import LONGEST_AGENT, Record
from canasta_env.validation import check_seed

YOU = "you"
MAX_PACE_S = 10.0
MAX_SEED = 2**53 - 1  # what JSON numbers hold exactly
_PACE_S = 0.8
MAX_DEALS = 1_000  # of a match: far more than one takes to its target
_OF_THE_OPENER = ("undo", "rematch", "pace", "pause", "seat")  # messages that a friend may not send


class Session:
    """A table with agents and people in its seats.

    Without a person the table is watched: all hands are open, or what one seat sees. With friends several
    people share it: each sees and plays the own seat only.

    Args:
        rules: The game.
        seats: Who sits where: a spec of the registry, YOU for who opens the table, or FRIEND for another.
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
        if FRIEND in seats and YOU not in seats:
            raise PlayError(f"seats: who plays with friends has a seat as well: one must be {YOU!r}")
        self.rules, self.seats = rules, tuple(seats)
        self.own_seat = seats.index(YOU) if YOU in seats else None
        self._game = GameProgress(rules, seed, episode)
        specs = {seat: spec for seat, spec in enumerate(seats) if spec not in (YOU, FRIEND)}
        self._agents = SeatedAgents(self._game, specs, make)
        self._view = SeatView(self._game, self.own_seat)
        invited = [seat for seat, spec in enumerate(seats) if spec == FRIEND]
        self.friends = Friends(self._view.shown_seat, invited) if invited else None
        self._pace_s = _PACE_S
        self._is_paused = False

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
            session._view.seen_from = seat_to_look_from({"seat": kept["seen_from"]}, rules)
        session._set_pace(kept)
        session._pause(kept)
        if "friends" in kept:
            people = [seat for seat, spec in enumerate(session.seats) if spec in (YOU, FRIEND)]
            session.friends = Friends.restored(session._view.shown_seat, kept["friends"])
            session.friends.check_seats(people, rules.players)
        session._agents.reset()
        session._agents.catch_up()
        return session

    def kept(self) -> dict[str, Any]:
        """The table in plain values, every card of it: for `restored`, not for a browser."""
        game = self._game
        return {
            "rules": self.rules.to_dict(),
            "seats": list(self.seats),
            "seed": game.seed,
            "episode": game.episode,
            "deals": [
                *(list(deal.actions) for deal in game.finished),
                [move.action for move in game.moves],
            ],
            "seen_from": self._view.seen_from,
            "pace_s": self._pace_s,
            "is_paused": self._is_paused,
            **({} if self.friends is None else {"friends": self.friends.kept()}),
        }

    def handle(self, message: Mapping[str, Any], seat: int | None = None) -> list[dict[str, Any]]:
        """Follow a message.

        `play`, `lay` and `take_back` are moves and their undoing within a turn, `next`, `undo` (to the deal's
        start), `rematch`, `again`, `pace`, `pause`, `look`, `name` and `seat` change the table otherwise;
        `why`, `select` and `propose` only ask.

        Args:
            message: What is to be done.
            seat: The seat of the person who sends it; None: of who opened the table.

        Returns:
            The replies: the state of the table as that person sees it, or the reasons, or what a selection
            means.

        Raises:
            PlayError: If it cannot be followed; nothing has changed then.
        """
        view = self._view_of(seat)
        follow: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "play": view.play,
            "lay": view.lay,
            "take_back": functools.partial(self._take_back, view),
            "next": self._next,
            "undo": self._undo,
            "again": self._try_again,
            "pace": self._set_pace,
            "pause": self._pause,
            "look": view.look,
            "rematch": self._rematch,
            "name": functools.partial(self._choose_name, view),
            "seat": self._seat_somebody,
        }
        answer = {"why": view.why, "select": view.select, "propose": view.propose}
        kind = choice_of(message, "type", [*follow, *answer])
        if kind in answer:
            return [{"type": kind, **self.place, **answer[kind](message)}]
        if kind in _OF_THE_OPENER and view is not self._view:
            raise PlayError(f"{kind}: that is for who opened the table")
        follow[kind](message)
        return [self.state(seat)]

    def _view_of(self, seat: int | None) -> SeatView:
        return self._view if seat in (None, self.own_seat) else SeatView(self._game, seat)

    @property
    def waits_s(self) -> float | None:
        """Seconds until an agent is due to play; None: the table waits for a person."""
        return None if self._is_paused or not self._agents.is_due else self._pace_s

    def is_asking(self, question: Question) -> bool:
        """Whether the answer to a question is still wanted."""
        return self._agents.is_asking(question)

    def ask(self) -> Question | None:
        """What the agent to move is to be asked, for `apply_answer`; None if it is no agent's turn."""
        return self._agents.ask()

    def apply_answer(self, question: Question, answer: str | PlayError) -> bool:
        """As `SeatedAgents.apply_answer`; the state says under `fault` if the agent has failed."""
        return self._agents.apply_answer(question, answer)

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

    def table_for_advice(self, seat: int | None = None) -> Table:
        """As `SeatView.table_for_advice`, for the person in a seat; None: who opened the table."""
        return self._view_of(seat).table_for_advice()

    def so_far(self) -> DealSoFar:
        """The deal until now: what an agent that is asked for advice has to catch up with."""
        return self._game.so_far()

    def state(self, seat: int | None = None) -> dict[str, Any]:
        """Everything a browser shows, from what the seat knows.

        Args:
            seat: The seat of the person who is told; None: of who opened the table.
        """
        game, table, view = self._game, self._game.table, self._view_of(seat)
        return {
            "type": "state",
            "kind": "table",
            **view.told(),
            "game": self.rules.game,
            "target": self.rules.target,
            "episode": game.episode,
            "deal": len(game.finished) + 1,
            "names": list(self.seats),
            "seated": self._seated(view.seat),
            "takes_back": [] if self._is_shared else view.taken_back_next,
            "on_table": points_on_table(table),
            "score": [vars(score) for score in table.score()] if table.is_over else None,
            "totals": game.totals,
            "course": game.course,
            "winner": game.winner,
            "is_over": game.is_over,
            "pace_s": self._pace_s,
            "is_paused": self._is_paused,
            "fault": self._fault,
            **({} if self.friends is None else {"friends": self.friends.message(view.shown_seat)}),
        }

    @property
    def _is_shared(self) -> bool:
        """Whether somebody else plays, who sees every move at once."""
        return FRIEND in self.seats

    def _seated(self, viewer: int | None) -> list[dict[str, str | None]]:
        """As `seated`, with the other people as the viewer is shown them."""
        told = seated(self.rules, self.seats)
        for seat, spec in enumerate(self.seats):
            if self.friends is not None and spec in (YOU, FRIEND) and seat != viewer:
                told[seat]["title"] = self.friends.title(seat)
        return told

    def view(self) -> NDArray[np.void]:
        """What the person's seat knows, or seat 0 where nobody plays: `(1,) VIEW`."""
        return self._game.table.view(self._view.shown_seat)

    def record(self) -> Record:
        """What was played, to be saved; of a person's deal nothing until it is over, as it holds every card.

        Raises:
            PlayError: If there is nothing that may be saved yet.
        """
        agents = tuple(shortened(seat, LONGEST_AGENT) for seat in self.seats)
        if self.own_seat is None or self._game.table.is_over:
            return replace(self._game.record(), agents=agents)
        if not self._game.finished:
            raise PlayError("the first deal is not over: its record would show the hidden cards")
        return replace(self._game.record(with_this_deal=False), agents=agents)

    @property
    def _fault(self) -> str | None:
        """That an agent has failed, as people are told it."""
        fault, seat = self._agents.fault, self._game.table.to_play
        if fault is None or seat is None:
            return None
        # what it tried, or what it complains of, may tell of its hand
        hides = self.own_seat is not None and not isinstance(fault, CallTimeoutError)
        who = seated(self.rules, self.seats)[seat]
        what = fault.what if isinstance(fault, AgentError) else f"failed: {fault}"
        return f"{who['name']}, {who['title']}, {'failed; the log says how' if hides else what}"

    def _take_back(self, view: SeatView, message: Mapping[str, Any]) -> None:
        view.check_place(place_of(message))
        self._check_not_shared()
        if not view.taken_back_next:
            raise PlayError("there is nothing to take back: a card that was drawn or discarded stays so")
        asked = self._game.table.to_play
        self._game.take_back()
        if asked is not None and asked in self._agents.specs:  # the partner, who has not answered
            self._agents.make_anew(asked)

    def _next(self, message: Mapping[str, Any]) -> None:
        if not self._game.table.is_over:
            raise PlayError("the deal is not over")
        if self._game.is_over:
            raise PlayError("no deal follows: the game is over")
        if len(self._game.finished) >= MAX_DEALS - 1:
            raise PlayError(f"a match has at most {MAX_DEALS:,} deals; open a new table")
        self._agents.end_deal()
        self._game.next_deal()
        self._agents.reset(is_going_on=True)

    def _check_not_shared(self) -> None:
        if self._is_shared:
            raise PlayError("with friends nothing is taken back: they have seen it at once")

    def _undo(self, message: Mapping[str, Any]) -> None:
        self._check_not_shared()
        self._game.undo()
        self._agents.reset()

    def _rematch(self, message: Mapping[str, Any]) -> None:
        """Begin a new game at a shared table, with other cards: the links stay as they are."""
        self._shared_with()
        if not self._game.is_over:
            raise PlayError("the game is not over")
        self._game.begin(draw_seed())
        self._agents.reset()

    def _set_pace(self, message: Mapping[str, Any]) -> None:
        pace_s = message.get("pace_s")
        is_number = isinstance(pace_s, (int, float)) and not isinstance(pace_s, bool)
        if not is_number or not 0 <= pace_s <= MAX_PACE_S:  # type: ignore[operator]
            raise PlayError(f"pace_s: {quoted(pace_s)} must be seconds from 0 to {MAX_PACE_S:g}")
        self._pace_s = float(pace_s)  # type: ignore[arg-type]

    def _pause(self, message: Mapping[str, Any]) -> None:
        self._is_paused = truth_of(message, "is_paused")

    def _try_again(self, message: Mapping[str, Any]) -> None:
        """Give the agent that failed another try, made anew."""
        if self._agents.fault is None:
            raise PlayError("no agent has failed")
        seat = self._game.table.to_play
        assert seat is not None
        self._agents.make_anew(seat)

    def _choose_name(self, view: SeatView, message: Mapping[str, Any]) -> None:
        """Call a person by the name it chose, for as long as the server runs."""
        self._shared_with().call(view.shown_seat, message.get("name"))

    def _seat_somebody(self, message: Mapping[str, Any]) -> None:
        """Give a friend's seat to an agent, or to a friend who gets a new link."""
        friends = self._shared_with()
        seat = whole_number_of(message, "seat", 0, self.rules.players - 1)
        friends.check_invited(seat)
        player = text_of(message, "player", MAX_SPEC)
        if player == YOU:
            raise PlayError(f"player: {player!r} has a seat already")
        if player == FRIEND:
            self._agents.leave(seat)
            friends.invite(seat)
        else:
            self._agents.sit_down(seat, player)
            friends.give_away(seat)
        self.seats = (*self.seats[:seat], player, *self.seats[seat + 1 :])

    def _shared_with(self) -> Friends:
        if self.friends is None:
            raise PlayError("the table was opened without friends")
        return self.friends


def draw_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbelow(MAX_SEED)


def seated(rules: Rules, seats: Sequence[str | None]) -> list[dict[str, str | None]]:
    """Each seat as people are shown it: its `name`, and `title` and `how` of an agent in it."""
    nobody = (None, YOU, FRIEND)
    return [
        {"name": name, **({} if spec in nobody or spec is None else portrait(spec, rules.game).message())}
        for name, spec in zip(seat_names(rules.players), seats, strict=True)
    ]
