"""The agents in the seats of a table: which is asked now, what each has been told, and who has failed."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from canasta_agents.play.agent_calls import CallTimeoutError, begin_deal, choose, tell_news
from canasta_agents.play.game import GameProgress
from canasta_agents.play.messages import PlayError
from canasta_agents.play.news import TableNews
from canasta_agents.play.offered import Make
from canasta_env import Table
from canasta_env.agent import Agent, Heard, can_hear, remembers

_LOG = logging.getLogger(__name__)


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


class SeatedAgents:
    """The agents at a table.

    Args:
        game: What is played; this class plays the agents' moves in it, and no others.
        specs: The agent of each seat that has one, as a spec of the registry.
        make: Makes an agent of a spec; raises PlayError if it cannot.

    Attributes:
        specs: The agent of each seat that has one.
        fault: Why the agent to move has failed; the table stands still then. None: it has not.
    """

    def __init__(self, game: GameProgress, specs: Mapping[int, str], make: Make) -> None:
        self._game, self._make = game, make
        self.specs = dict(specs)
        self._agents = {seat: make(spec) for seat, spec in specs.items()}
        self.fault: PlayError | None = None
        self._asked: Question | None = None
        self._thinking: set[int] = set()  # seats whose agent has been asked and has not answered
        self._to_catch_up: set[int] = set()  # seats whose agent, made anew, has not seen this deal
        self._to_tell: set[int] = set()  # seats whose agent does not know yet that this deal has begun
        self._news = TableNews()
        self.reset()

    @property
    def is_due(self) -> bool:
        """Whether an agent is to move, and none has failed."""
        table = self._game.table
        return not table.is_over and table.to_play in self.specs and self.fault is None

    def is_asking(self, question: Question) -> bool:
        """Whether the answer to a question is still wanted."""
        return question is self._asked

    def ask(self) -> Question | None:
        """What the agent to move is to be asked, for `apply_answer`; None if it is no agent's turn."""
        if not self.is_due:
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

        An agent that fails stops the table, which `fault` says. Its error may be that it has not answered at
        all: whatever it says later is not heard.
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
            self.fault = answer
        else:
            self._game.play(answer)
        return True

    def make_anew(self, seat: int) -> None:
        """Put an agent that knows nothing into a seat; what the one before answers is not heard."""
        self._begin(seat, self._make(self.specs[seat]))
        self._asked, self.fault = None, None

    def sit_down(self, seat: int, spec: str) -> None:
        """Put an agent into a seat from now on; raises PlayError if it cannot be made."""
        agent = self._make(spec)
        self._void_question(seat)
        self.specs[seat] = spec
        self._begin(seat, agent)

    def leave(self, seat: int) -> None:
        """Let no agent play a seat any more; what one still answers is not heard."""
        self._void_question(seat)
        self._news.forget(seat)
        for seats in (self._thinking, self._to_catch_up, self._to_tell):
            seats.discard(seat)
        self.specs.pop(seat, None)
        self._agents.pop(seat, None)

    def _begin(self, seat: int, agent: Agent) -> None:
        agent.reset(1, self._seed_of(seat))
        self._agents[seat] = agent
        self._thinking.discard(seat)
        self._news.forget(seat)
        self._to_catch_up.add(seat)
        self._to_tell.add(seat)

    def _void_question(self, seat: int) -> None:
        """Whatever the agent of a seat was asked, it is asked no more."""
        if self._game.table.to_play == seat:
            self._asked, self.fault = None, None

    def catch_up(self) -> None:
        """Let all see what was played of this deal before they are asked: the table was taken up again."""
        self._to_catch_up = set(self.specs)

    def end_deal(self) -> None:
        """The deal is over, and another follows: who has listened will be told how it ended."""
        self._news.end_deal(self._game)

    def reset(self, is_going_on: bool = False) -> None:
        """Reset the agents for this deal: after an undo they play the same again.

        Args:
            is_going_on: Whether the deal before has just ended: who has a memory keeps it for the match.
        """
        for seat in self._thinking:
            self._agents[seat] = self._make(self.specs[seat])  # the old one may still be thinking
        for seat, agent in self._agents.items():
            if seat in self._thinking or not (is_going_on and remembers(agent)):
                agent.reset(1, self._seed_of(seat))
                self._news.forget(seat)
        self._thinking.clear()
        self._to_catch_up.clear()
        self._to_tell = set(self.specs)
        self._asked, self.fault = None, None

    def _seed_of(self, seat: int) -> int:
        """What fixes the chance of an agent in this deal."""
        game = self._game
        return game.seed + len(game.finished) * game.rules.players + seat
