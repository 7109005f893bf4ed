"""Asking an entrant, and what happens when it does not answer as it should.

An entrant that raises, answers in a wrong shape, plays an illegal action or thinks too long forfeits the
board, in all its arrangements: a lost match, and a lost deal by FORFEIT_POINTS in each. The tournament
goes on, and the results name entrant, board and reason. What an entrant does to its process is seen to in
`third_party`.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from canasta_agents.registry import describe
from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch

MAX_LEGAL_SHOWN = 8
WARM_UP_S = 300.0  # for a reset; added to an agent's first call in a process, which may load and compile

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
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer, where the system has such an alarm.

    Elsewhere (Windows, threads) the time is only looked at afterwards.

    Raises:
        TimeLimitError: If it took longer.
    """
    is_main = threading.current_thread() is threading.main_thread()
    has_alarm = is_main and hasattr(signal, "setitimer")
    started = time.monotonic()
    if has_alarm:  # anew each time: an entrant may have set another
        before = signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
    if time.monotonic() - started > seconds:
        raise TimeLimitError("late")


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
    try:
        with time_limit(seconds):
            return entrant()
    except TimeLimitError:
        raise
    except BaseException as error:
        # Worker processes ignore Ctrl-C, so there it is the entrant's own doing.
        if isinstance(error, KeyboardInterrupt) and multiprocessing.parent_process() is None:
            raise
        raise EntrantError(describe(error)) from error


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
    if actions.dtype.kind == "u":  # a number that int64 does not hold would be told as a negative one
        actions = np.minimum(actions, np.iinfo(np.int64).max)
    return actions.astype(np.int64)


def describe_illegal(action: int, seat: int, mask: NDArray[np.int8]) -> str:
    """Why an action is not accepted: what it is, and some of what would be legal."""
    name = f'"{NOTATIONS[action]}"' if 0 <= action < NUM_ACTIONS else str(action)
    legal = [NOTATIONS[index] for index in np.flatnonzero(mask)]
    shown = ", ".join(legal[:MAX_LEGAL_SHOWN]) + (", …" if len(legal) > MAX_LEGAL_SHOWN else "")
    return f"illegal action {name} at seat {seat}; legal: {shown}"
