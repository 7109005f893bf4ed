"""An agent that asks a program (docs/protocol.md): one program for each seat that it plays."""

from __future__ import annotations

import json
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.process.options import ProcessOptions
from canasta_agents.process.program import Program, ProgramError, shown
from canasta_env.actions import ID_OF, NOTATIONS
from canasta_env.agent import DecisionBatch, Heard
from canasta_env.events import question_view
from canasta_env.rules import Rules

PROTOCOL = 1  # counts up when a program that was right before may not be any more


class ProcessAgent:
    """Plays as a program says.

    A program is started when its seat is first heard of, and again after a fault at the next reset; until
    then every decision of the seat fails with the same error. All programs end when the agent does.

    Args:
        name: What the agent calls itself.
        command: The program and its arguments.
        options: Its time.
        rules: The game.
    """

    def __init__(self, name: str, command: Sequence[str], options: ProcessOptions, rules: Rules) -> None:
        self.name = name
        self._command, self._options, self._rules = list(command), options, rules
        self._seats: dict[int, _SeatProgram] = {}
        self._at_end = weakref.finalize(self, _end, self._seats)
        self.reset(1, 0)

    def reset(self, num_tables: int, seed: int) -> None:
        """See `Agent.reset`."""
        for seat in [seat for seat, program in self._seats.items() if program.fault is not None]:
            del self._seats[seat]
        self._reset = {"type": "reset", "tables": num_tables, "seed": seed}
        self._first: dict[int, bool] = {}  # by table whose deal has begun: whether a match began, too
        self._told: dict[int, set[int]] = {}  # by such a table, the seats that know of the deal
        for program in self._seats.values():
            program.send(self._reset)

    def begin_deals(self, tables: NDArray[np.int64], are_first: NDArray[np.bool_]) -> None:
        """See `AgentWithMemory.begin_deals`. A seat is told of a deal with the first other thing there."""
        for table, is_first in zip(tables.tolist(), are_first.tolist(), strict=True):
            self._first[table], self._told[table] = is_first, set()

    def hear(self, events: Sequence[Heard]) -> None:
        """See `AgentThatHears.hear`. That a program cannot be started shows at its first decision."""
        for table, seat, event in events:
            self._tell(seat, table, event)

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """See `Agent.act`. The questions of a batch are sent together.

        Raises:
            ProgramError: If a program failed at one of them. The other seats' programs go on.
        """
        seats = batch.seats.tolist()
        try:
            for row, seat in enumerate(seats):
                self._ask(seat, batch, row)
            actions = np.array([self._seats[seat].answer() for seat in seats], np.int64)
        except BaseException:  # such as that the time of a tournament's decision is up
            for program in self._seats.values():
                program.interrupt()
            raise
        for seat in seats:
            if (fault := self._seats[seat].fault) is not None:
                raise ProgramError(str(fault))
        return actions

    def close(self) -> None:
        """End the programs. The agent can be reset, and then starts others."""
        _end(self._seats)

    def _ask(self, seat: int, batch: DecisionBatch, row: int) -> None:
        legal = [NOTATIONS[action] for action in np.flatnonzero(batch.masks[row])]
        view = question_view(self._rules, batch.views[row : row + 1])
        self._tell(seat, int(batch.tables[row]), {"type": "question", "legal": legal, "view": view})

    def _tell(self, seat: int, table: int, message: Mapping[str, Any]) -> None:
        program = self._seats.get(seat)
        if program is None:
            program = self._seats[seat] = _SeatProgram(self._command, self._options, self._rules, seat)
            program.send(self._reset)
        begins_here = message["type"] in ("deal", "question")  # not at the end of the deal before
        if begins_here and seat not in self._told.get(table, {seat}):
            self._told[table].add(seat)
            program.send({"type": "begin", "table": table, "first": self._first[table]})
        program.send({"type": message["type"], "table": table, **message})


class _SeatProgram:
    """The program of a seat: what it is told and asked. It never raises; `fault` says what went wrong."""

    def __init__(self, command: Sequence[str], options: ProcessOptions, rules: Rules, seat: int) -> None:
        self.fault: ProgramError | None = None
        self._options = options
        self._asked: list[tuple[int, float]] = []  # questions without an answer: number, when it was sent
        self._num_questions = 0
        self._came = 0.0  # when the last answer did
        self._program: Program | None = None
        try:
            self._program = Program(command)
            self._greet(self._program, rules, seat)
        except ProgramError as error:
            self.fault = error
        except BaseException:
            self.end()
            raise

    def _greet(self, program: Program, rules: Rules, seat: int) -> None:
        started = time.monotonic()
        hello = {"type": "hello", "protocol": PROTOCOL, "seat": seat, "rules": rules.to_dict()}
        program.send(hello)
        answer, _ = program.receive(started, self._options.hello, "hello")
        right = {"type": "hello", "protocol": PROTOCOL}
        if {key: answer.get(key) for key in right} != right:
            raise program.failed(f"{shown(answer)} in place of hello, such as {json.dumps(right)}")

    def send(self, message: Mapping[str, Any]) -> None:
        """Tell the program something; a question gets its number."""
        if self.fault is not None or self._program is None:
            return
        if message["type"] == "question":
            self._num_questions += 1
            self._asked.append((self._num_questions, time.monotonic()))
            message = {"type": "question", "id": self._num_questions, **message}
        self._program.send(message)

    def answer(self) -> int:
        """The answer to the first question that has none; 0 where there is a fault."""
        if self.fault is not None or self._program is None:
            return 0
        number, sent = self._asked[0]
        wanted = f"answer to question {number}"
        try:
            since = max(sent, self._came)
            message, self._came = self._program.receive(since, self._options.move, wanted)
            action = self._action(self._program, message, number)
        except ProgramError as error:
            self.fault = error
            return 0
        del self._asked[0]
        return action

    def _action(self, program: Program, message: Mapping[str, Any], number: int) -> int:
        action = message.get("action")
        if message.get("type") != "answer" or message.get("id") != number:
            right = f'{{"type": "answer", "id": {number}, "action": …}}'
            raise program.failed(f"{shown(dict(message))} in place of {right}")
        if not isinstance(action, str) or action not in ID_OF:
            raise program.failed(f"answered question {number} with {shown(action)}, which is no action")
        return ID_OF[action]

    def interrupt(self) -> None:
        """End a program that still has to answer: what it says later would be taken for other answers."""
        if self._asked and self.fault is None:
            self.fault = ProgramError("was interrupted at a decision")
            self.end()

    def end(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.end()


def _end(seats: dict[int, _SeatProgram]) -> None:
    """End all programs, each by itself; forget them."""
    for program in seats.values():
        program.end()
    seats.clear()
