"""Asking an entrant, and what happens when it does not answer as it should.

An entrant that raises, answers in a wrong shape, plays an illegal action or thinks too long forfeits the
board, in all its arrangements: a lost match, and a lost deal by FORFEIT_POINTS in each. The tournament
goes on, and the results name entrant, board and reason. What an entrant does to its process is seen to in
`workers`.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterator, MutableSequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from canasta_agents.registry import describe
from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.rules import Game

FORFEIT_POINTS: dict[Game, int] = {"classic": 2_000, "modern_american": 5_000}  # as a very bad deal loses
MAX_LEGAL_SHOWN = 8

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Fault:
    """Why an entrant forfeits a board."""

    slot: int
    board: int
    reason: str


class TimeLimitError(BaseException):
    """A call took longer than it has time. An entrant's `except Exception` does not hold it up."""


class EntrantError(Exception):
    """What an entrant raised, in words."""


@contextmanager
def time_limits() -> Iterator[None]:
    """Let `ask` interrupt agents that think too long, where the system has such an alarm.

    Elsewhere (Windows, threads) their time is only looked at when they have answered.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(_signal: int, _frame: FrameType | None) -> None:
    raise TimeLimitError("interrupted")


def guarded_call(entrant: Callable[[], _Answer], seconds: float) -> _Answer:
    """Let an entrant do something.

    Args:
        entrant: What it does.
        seconds: The time it has.

    Raises:
        TimeLimitError: If it takes longer.
        EntrantError: If it raises anything, or asks its process to end.
    """
    has_alarm = signal.getsignal(signal.SIGALRM) is _ring if hasattr(signal, "SIGALRM") else False
    started = time.monotonic()
    try:
        try:
            if has_alarm:
                signal.setitimer(signal.ITIMER_REAL, seconds)
            answer = entrant()
        finally:
            if has_alarm:
                signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeLimitError:
        raise
    except BaseException as error:
        # Worker processes ignore Ctrl-C, so there it is the entrant's own doing.
        if isinstance(error, KeyboardInterrupt) and multiprocessing.parent_process() is None:
            raise
        raise EntrantError(describe(error)) from error
    if time.monotonic() - started > seconds:
        raise TimeLimitError("late")
    return answer


def guarded_act(
    agent: Agent, batch: DecisionBatch, seconds: float
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Ask an agent for its decisions.

    A batch that fails as a whole is asked again one decision at a time, so that a fault costs only the
    boards where it shows. Whether the actions are legal is not looked at here.

    Args:
        agent: The agent. It gets copies, so that what it writes there changes nothing.
        batch: Its decisions.
        seconds: Time for one decision; a batch has that much for each.

    Returns:
        The `(n,)` actions, and why each row that has none fails, by row.
    """
    decisions = len(batch)
    try:
        own = _rows(batch, slice(None))
        return guarded_call(lambda: _in_form(agent.act(own), decisions), seconds * decisions), {}
    except TimeLimitError:
        reason = f"thought longer than {seconds * decisions:.3g} s about {decisions} decisions"
        return np.zeros(decisions, np.int64), dict.fromkeys(range(decisions), reason)
    except EntrantError as error:
        if decisions == 1:
            return np.zeros(1, np.int64), {0: str(error)}
    actions = np.zeros(decisions, np.int64)
    faults = {}
    for row in range(decisions):
        answer, fault = guarded_act(agent, _rows(batch, slice(row, row + 1)), seconds)
        actions[row] = answer[0]
        if fault:
            faults[row] = fault[0]
    return actions, faults


def _rows(batch: DecisionBatch, rows: slice) -> DecisionBatch:
    """Some decisions of a batch, copied."""
    return DecisionBatch(
        batch.rules,
        batch.tables[rows].copy(),
        batch.seats[rows].copy(),
        batch.views[rows].copy(),
        batch.masks[rows].copy(),
    )


def _in_form(answer: object, decisions: int) -> NDArray[np.int64]:
    actions = np.asarray(answer)
    if actions.shape != (decisions,) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"answered with {actions.dtype} of shape {actions.shape}; "
            f"an action id for each of {decisions} decisions is right"
        )
    return actions.astype(np.int64)


def describe_illegal(action: int, seat: int, mask: NDArray[np.int8]) -> str:
    """Why an action is not accepted: what it is, and some of what would be legal."""
    name = f'"{NOTATIONS[action]}"' if 0 <= action < NUM_ACTIONS else str(action)
    legal = [NOTATIONS[index] for index in np.flatnonzero(mask)]
    shown = ", ".join(legal[:MAX_LEGAL_SHOWN]) + (", …" if len(legal) > MAX_LEGAL_SHOWN else "")
    return f"illegal action {name} at seat {seat}; legal: {shown}"


# Who is at work in a worker process, and until when: its parent's only heartbeat if it dies or hangs there.


NOBODY = -1.0
GRACE_S = 5.0  # beyond an entrant's time, for one that can be interrupted

Heartbeat = MutableSequence[float]
"""Two numbers that both processes see: the slot at work, and when it has to be done (monotonic seconds)."""

_heartbeat: Heartbeat = [NOBODY, 0.0]


def report_to(heartbeat: Heartbeat) -> None:
    """Report from now on to the process that shares these two numbers."""
    global _heartbeat
    _heartbeat = heartbeat


@contextmanager
def busy(slot: int, seconds: float) -> Iterator[None]:
    """Report that the entrant in a slot is at work, and has so many seconds."""
    _heartbeat[1] = time.monotonic() + seconds + GRACE_S
    _heartbeat[0] = float(slot)
    try:
        yield
    finally:
        _heartbeat[0] = NOBODY


def slot_at_work(heartbeat: Heartbeat) -> int | None:
    """The slot that another process reported last, if it has not ended."""
    return None if heartbeat[0] == NOBODY else int(heartbeat[0])


def is_stuck(heartbeat: Heartbeat) -> bool:
    """Whether an entrant has been at work for longer than it has time."""
    return heartbeat[0] != NOBODY and time.monotonic() > heartbeat[1]
