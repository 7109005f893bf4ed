"""A table that is played at: messages in, messages out. It knows nothing of browsers and sockets."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.play.agent_calls import CallTimeoutError, begin_deal, choose, tell_news
from canasta_agents.play.game import DealSoFar, Episode, GameProgress
from canasta_agents.play.messages import (
    PlayError,
    choice_of,
    illegal_reasons,
    open_hands,
    points_on_table,
    quoted,
    reason_in_words,
    text_of,
    truth_of,
    whole_number_of,
)
from canasta_agents.play.news import TableNews
from canasta_agents.play.offered import Make
from canasta_agents.play.portraits import portrait, seat_names
from canasta_agents.play.prompt import prompt
from canasta_agents.play.proposal import cheapest_opening
from canasta_agents.play.selection import LAYING, Selection, meaning_of, meanings, selection_message
from canasta_agents.short_names import shortened
from canasta_env import IllegalActionError, NotationError, Rules, Table
from canasta_env.agent import Agent, Heard, can_hear, remembers
from canasta_env.events import view_message
from canasta_env.records import LONGEST_AGENT, Record
from canasta_env.validation import check_seed

_LOG = logging.getLogger(__name__)
YOU = "you"
MAX_PACE_S = 10.0
_PACE_S = 0.8
_MAX_MOVES = 100_000
_MAX_LAID = 108  # actions of one turn that lay cards
MAX_DEALS = 1_000  # of a match: far more than one takes to its target


@dataclass(frozen=True, eq=False)
class Question:
    """What an agent is asked. To answer may take long, and changes no table.

    Attributes:
        missed: Tables at which the agent was asked before in this deal, if it has not seen them: one that was
            made anew is asked again, so that it remembers what the first one knew.
        is_first: Whether this deal is the first of its match, if the agent is to be told that it begins.
        news: What happened since it was told last, if it wants to hear. Such an agent has missed nothing.
    """

    agent: Agent
    table: Table
    missed: tuple[Table, ...] = ()
    is_first: bool | None = None
    news: tuple[Heard, ...] = ()

    def answer(self) -> str:
        """The action it chooses; raises PlayError as `choose`."""
        if self.is_first is not None:
            begin_deal(self.agent, self.is_first)
        tell_news(self.agent, self.news)
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
        self._news = TableNews()
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
        """Follow a message.

        `play`, `lay` and `take_back` are moves and their undoing within a turn, `next`, `undo` (to the deal's
        start), `again`, `pace`, `pause` and `look` change the table otherwise; `why`, `select` and `propose`
        only ask.

        Returns:
            The replies: the state of the table, or the reasons, or what a selection means.

        Raises:
            PlayError: If it cannot be followed; nothing has changed then.
        """
        follow = {
            "play": self._play,
            "lay": self._lay,
            "take_back": self._take_back,
            "next": self._next,
            "undo": self._undo,
            "again": self._try_again,
            "pace": self._set_pace,
            "pause": self._pause,
            "look": self._look,
        }
        answer = {"why": self._why, "select": self._select, "propose": self._propose}
        kind = choice_of(message, "type", [*follow, *answer])
        if kind in answer:
            return [{"type": kind, **self.place, **answer[kind](message)}]
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
        agent, hears = self._agents[seat], can_hear(self._agents[seat])
        has_missed = seat in self._to_catch_up and not hears
        missed = tuple(self._game.so_far().tables_of(seat)) if has_missed else ()
        news = self._news.take(self._game, seat) if hears else ()
        is_first = not self._game.finished if seat in self._to_tell else None
        self._asked = Question(agent, table.copy(), missed, is_first, news)
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
            "prompt": prompt(table) if is_own_turn else None,
            "takes_back": self._takes_back,
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
        agents = tuple(shortened(seat, LONGEST_AGENT) for seat in self.seats)
        if self.own_seat is None or self._game.table.is_over:
            return replace(self._game.record(), agents=agents)
        if not self._game.finished:
            raise PlayError("the first deal is not over: its record would show the hidden cards")
        return replace(self._game.record(with_this_deal=False), agents=agents)

    def _play(self, message: Mapping[str, Any]) -> None:
        at = whole_number_of(message, "at", 0, _MAX_MOVES)
        action = text_of(message, "action")
        self._play_together([action], at)

    def _lay(self, message: Mapping[str, Any]) -> None:
        """Play the actions that a selection means, to be taken back together."""
        at = whole_number_of(message, "at", 0, _MAX_MOVES)
        actions = message.get("actions")
        is_laying = isinstance(actions, list) and all(action in LAYING for action in actions)
        if not is_laying or not actions or len(actions) > _MAX_LAID:
            raise PlayError(f"actions: {quoted(actions)} must be a list of takes, melds and additions")
        self._play_together(actions, at)

    def _play_together(self, actions: Sequence[str], at: int) -> None:
        game = self._game
        if game.table.is_over:
            raise PlayError("the deal is over")
        self._check_own_turn()
        self._check_place(at)
        try:
            game.play_together(actions)
        except (IllegalActionError, NotationError) as error:
            raise PlayError(str(error)) from None

    def _check_own_turn(self) -> None:
        if self.own_seat is None or self._game.table.to_play != self.own_seat:
            raise PlayError("it is not your turn")

    def _check_place(self, at: int) -> None:
        if at != len(self._game.moves):
            stands = f"the table stands at move {len(self._game.moves)}, not at {at}"
            raise PlayError(f"{stands}: it has gone on since, perhaps in another window")

    @property
    def _takes_back(self) -> list[str]:
        """The person's actions that `take_back` would take back."""
        game = self._game
        is_own = bool(game.moves) and game.moves[-1].seat == self.own_seat
        return game.taken_back_next if is_own else []

    def _take_back(self, message: Mapping[str, Any]) -> None:
        at = whole_number_of(message, "at", 0, _MAX_MOVES)
        self._check_place(at)
        if not self._takes_back:
            raise PlayError("there is nothing to take back: a card that was drawn or discarded stays so")
        asked = self._game.table.to_play
        self._game.take_back()
        if asked is not None and asked in self._agents:  # the partner, who has not answered
            self._make_anew(asked)

    def _next(self, message: Mapping[str, Any]) -> None:
        if not self._game.table.is_over:
            raise PlayError("the deal is not over")
        if self._game.is_over:
            raise PlayError("no deal follows: the game is over")
        if len(self._game.finished) >= MAX_DEALS - 1:
            raise PlayError(f"a match has at most {MAX_DEALS:,} deals; open a new table")
        self._news.end_deal(self._game)
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
        self._is_paused = truth_of(message, "is_paused")

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
        self._make_anew(seat)

    def _make_anew(self, seat: int) -> None:
        """Put an agent that knows nothing into a seat; what the one before answers is not heard."""
        self._agents[seat] = self._make(self.seats[seat])
        self._agents[seat].reset(1, self._seed_of(seat))
        self._thinking.discard(seat)
        self._news.forget(seat)
        self._to_catch_up.add(seat)
        self._to_tell.add(seat)
        self._asked, self._fault = None, None

    def _why(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Why what a target suggests is not offered to the person."""
        target = text_of(message, "target")
        self._check_own_turn()
        return {"target": target, "refused": illegal_reasons(self._game.table, target)}

    def _select(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """What the selected cards mean."""
        self._check_own_turn()
        table = self._game.table
        selection = Selection.of_message(message, table)
        return selection_message(table, selection, meanings(table, selection))

    def _propose(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The cheapest selection that opens; as `select`, or only `why_not`."""
        self._check_own_turn()
        table = self._game.table
        with_pile = truth_of({"pile": False, **message}, "pile")
        try:
            selection, actions = cheapest_opening(table, with_pile)
        except PlayError as error:
            return {"why_not": reason_in_words(table, str(error))}
        return selection_message(table, selection, [meaning_of(table, actions)])

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
                self._news.forget(seat)
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
