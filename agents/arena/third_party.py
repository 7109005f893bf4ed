"""Agents that are not ours, each in a process of its own.

What such an agent gets are copies of what it may know; what comes back are action ids, in a form that can
mean nothing else. Tables, other entrants and results are in other processes. An entrant may hence raise,
hang, end or copy its process, write where it likes, answer twice, or use up its memory: it forfeits, or
nothing happens. It is not kept from the user's files or the network (docs/arena.md).
"""

from __future__ import annotations

import itertools
import json
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.forfeits import (
    WARM_UP_S,
    EntrantError,
    TimeLimitError,
    guarded_act,
    guarded_call,
)
from canasta_agents.arena.guarded import GuardedProcess, LostProcessError
from canasta_agents.processes import machine_memory, use_one_core
from canasta_agents.registry import FILE_PREFIX, RegistryError, make_agent, specs_in_file
from canasta_env.agent import Agent, DecisionBatch, Heard, can_hear, remembers
from canasta_env.rules import Rules

GRACE_S = 5.0  # beyond an entrant's time, for one that can be interrupted
MEMORY_BYTES = 8 << 30  # that an entrant's process may allocate
_MOST_BYTES = 1 << 20  # of an answer
_MOST_TEXT = 4_096  # characters of a reason or a spec
_LARGE = 1 << 62
_ANSWER = "answer"


class EntrantProcess:
    """The process of one entrant. Every method asks it something.

    Each raises LostProcessError if the process ended, hung, or gave an answer that cannot be read; it is over
    then, and `is_lost`.
    """

    def __init__(self) -> None:
        self._process = GuardedProcess.start("canasta-entrant", _Desk, _MOST_BYTES)
        self._numbers = itertools.count(1)
        self.is_lost = False
        self.has_memory = False  # whether the agent wants to be told when deals begin
        self.can_hear = False  # ... and of events

    def make(self, spec: str, rules: Rules) -> str:
        """Make the agent; what it calls itself. `has_memory` and `can_hear` say from then on what it wants.

        Raises:
            RegistryError: If it cannot be made, with the reason.
        """
        answer = self._ask("make", (spec, rules), WARM_UP_S, RegistryError)
        with self._reading():
            name, has_memory, can_hear = _list(answer)
            if type(has_memory) is not bool or type(can_hear) is not bool:
                raise ValueError
            self.has_memory, self.can_hear = has_memory, can_hear
            return _text(name)

    def specs_in_file(self, path: Path) -> list[str]:
        """See `registry.specs_in_file`."""
        answer = self._ask("specs_in_file", (path,), WARM_UP_S, RegistryError)
        beginning = f"{FILE_PREFIX}{path.resolve()}:"
        with self._reading():
            specs = [_text(spec) for spec in _list(answer)]
            if not all(spec.startswith(beginning) for spec in specs):
                raise ValueError
        return specs

    def reset(self, num_tables: int, seed: int) -> None:
        """Reset the agent.

        Raises:
            EntrantError: If it raised, with what it said.
            TimeLimitError: If it took longer than `WARM_UP_S`.
        """
        self._ask("reset", (num_tables, seed), WARM_UP_S, EntrantError, TimeLimitError)

    def begin_deals(self, tables: NDArray[np.int64], are_first: NDArray[np.bool_], seconds: float) -> None:
        """Tell the agent that deals begin; it has `seconds`.

        Raises:
            EntrantError: If it raised, with what it said.
            TimeLimitError: If it took longer.
        """
        content = (tables, are_first, seconds)
        self._ask("begin_deals", content, seconds, EntrantError, TimeLimitError)

    def hear(self, events: Sequence[Heard], seconds: float) -> None:
        """Tell the agent of events; it has `seconds`.

        Raises:
            EntrantError: If it raised, with what it said.
            TimeLimitError: If it took longer.
        """
        self._ask("hear", (events, seconds), seconds, EntrantError, TimeLimitError)

    def act(self, batch: DecisionBatch, seconds: float) -> tuple[NDArray[np.int64], dict[int, str]]:
        """Ask for decisions; as `forfeits.guarded_act`, each having `seconds`."""
        content = (batch.tables, batch.seats, batch.views, batch.masks, seconds)
        # A batch that fails is asked again, one by one.
        answer = self._ask("act", content, 2 * seconds * len(batch))
        with self._reading():
            return _decisions(answer, len(batch))

    def end(self) -> None:
        """End the process."""
        self.is_lost = True
        self._process.end()

    def _ask(self, what: str, content: Sequence[Any], seconds: float, *raises: type[BaseException]) -> Any:
        """The answer to a question; raises one of `raises` if the process says so."""
        number, seconds = next(self._numbers), seconds + GRACE_S
        try:
            self._process.ask(number, pickle.dumps((what, content)), seconds)
            received = self._process.answer(number, seconds)
        except LostProcessError:
            self.end()
            raise
        with self._reading():
            kind, answer = _list(json.loads(received))
            error = next((error for error in raises if error.__name__ == kind), None)
            if error is None and kind != _ANSWER:
                raise ValueError
        if error is not None:
            raise error(_text(answer))
        return answer

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """End a process whose answer has another form than it should."""
        try:
            yield
        except (TypeError, ValueError, RecursionError) as error:
            self.end()
            raise LostProcessError("gave an answer that cannot be read") from error


def _decisions(answer: Any, decisions: int) -> tuple[NDArray[np.int64], dict[int, str]]:
    """The actions, and the reasons by row, in an answer.

    Raises:
        ValueError: If it has another form.
    """
    actions, reasons = map(_list, _list(answer))
    rows = dict(map(_list, reasons))
    if len(actions) != decisions or not all(type(action) is int for action in actions):
        raise ValueError
    if not all(type(row) is int and 0 <= row < decisions for row in rows):
        raise ValueError
    # Of numbers that are no actions, one is as good as another.
    within = [action if abs(action) < _LARGE else _LARGE for action in actions]
    return np.array(within, np.int64), {row: _text(reason) for row, reason in rows.items()}


def _list(part: Any) -> list[Any]:
    if not isinstance(part, list):
        raise ValueError
    return part


def _text(part: Any) -> str:
    if not isinstance(part, str):
        raise ValueError
    return part[:_MOST_TEXT].encode("utf-8", "replace").decode()


@dataclass
class ThirdPartyAgent:
    """An agent whose process is another one; see `EntrantProcess` for what methods raise."""

    process: EntrantProcess
    name: str

    def reset(self, num_tables: int, seed: int) -> None:
        """See `Agent.reset`."""
        self.process.reset(num_tables, seed)

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """See `Agent.act`. Raises EntrantError where a decision failed; `decide` says which."""
        actions, reasons = self.decide(batch, WARM_UP_S)
        for reason in reasons.values():
            raise EntrantError(reason)
        return actions

    @property
    def has_memory(self) -> bool:
        """Whether it wants to be told when deals begin."""
        return self.process.has_memory

    def hear_of_deals(self, tables: NDArray[np.int64], are_first: NDArray[np.bool_], seconds: float) -> None:
        """See `EntrantProcess.begin_deals`."""
        self.process.begin_deals(tables, are_first, seconds)

    @property
    def can_hear(self) -> bool:
        """Whether it wants to be told of events."""
        return self.process.can_hear

    def hear_of_events(self, events: Sequence[Heard], seconds: float) -> None:
        """See `EntrantProcess.hear`."""
        self.process.hear(events, seconds)

    def decide(self, batch: DecisionBatch, seconds: float) -> tuple[NDArray[np.int64], dict[int, str]]:
        """See `forfeits.guarded_act`."""
        return self.process.act(batch, seconds)


@dataclass
class _Desk:
    """In the entrant's process: hands questions to the agent, and its answers back as JSON."""

    agent: Agent | None = None
    rules: Rules | None = None

    def __post_init__(self) -> None:
        use_one_core()
        _be_silent()
        _limit_memory()

    def __call__(self, question: bytes) -> bytes:
        what, content = pickle.loads(question)  # of the tournament's own process
        try:
            answer = (_ANSWER, getattr(self, what)(*content))
        except (EntrantError, TimeLimitError, RegistryError) as error:
            answer = (type(error).__name__, str(error))
        return json.dumps(answer).encode()

    def make(self, spec: str, rules: Rules) -> tuple[str, bool, bool]:
        self.rules = rules
        self.agent = make_agent(spec, rules)
        return self.agent.name, remembers(self.agent), can_hear(self.agent)

    def specs_in_file(self, path: Path) -> list[str]:
        return specs_in_file(path)

    def reset(self, num_tables: int, seed: int) -> None:
        agent = self.agent
        assert agent is not None
        guarded_call(lambda: agent.reset(num_tables, seed), WARM_UP_S)

    def begin_deals(self, tables: NDArray[np.int64], are_first: NDArray[np.bool_], seconds: float) -> None:
        agent = self.agent
        assert agent is not None
        assert remembers(agent)
        guarded_call(lambda: agent.begin_deals(tables, are_first), seconds)

    def hear(self, events: Sequence[Heard], seconds: float) -> None:
        agent = self.agent
        assert agent is not None
        assert can_hear(agent)
        guarded_call(lambda: agent.hear(events), seconds)

    def act(self, *content: Any) -> tuple[list[int], list[tuple[int, str]]]:
        assert self.agent is not None
        assert self.rules is not None
        *arrays, seconds = content
        actions, reasons = guarded_act(self.agent, DecisionBatch(self.rules, *arrays), seconds)
        return actions.tolist(), list(reasons.items())


def _be_silent() -> None:
    """What an entrant prints goes nowhere, and nothing comes in."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)


def _limit_memory() -> None:
    """Let an entrant's allocations fail before the machine's memory is used up, where the system can."""
    if sys.platform == "linux":
        import resource

        set_already = resource.getrlimit(resource.RLIMIT_DATA)
        finite = [limit for limit in set_already if limit != resource.RLIM_INFINITY]
        limit = min(MEMORY_BYTES, machine_memory() // 2, *finite)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
