"""Asking an entrant, and what happens when it does not answer as it should.

An entrant that raises, answers in a wrong shape, plays an illegal action or thinks too long forfeits the
board, in all its arrangements: a lost match, and a lost deal by FORFEIT_POINTS in each. The tournament
goes on, and the results name entrant, board and reason.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.rules import Game

from ..base import Agent, DecisionBatch

FORFEIT_POINTS: dict[Game, int] = {"classic": 2_000, "modern_american": 5_000}  # as a very bad deal loses
MAX_LEGAL_SHOWN = 8


@dataclass(frozen=True)
class Fault:
    """Why an entrant forfeits a board."""

    slot: int
    board: int
    reason: str


class ThoughtTooLongError(Exception):
    """A call took longer than its decisions have time."""


@contextmanager
def watching() -> Iterator[None]:
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
    raise ThoughtTooLongError("interrupted")


def ask(agent: Agent, batch: DecisionBatch, seconds: float) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Ask an agent for its decisions.

    A batch that fails as a whole is asked again one decision at a time, so that a fault costs only the
    boards where it shows. Whether the actions are legal is not looked at here.

    Args:
        agent: The agent.
        batch: Its decisions.
        seconds: Time for one decision; a batch has that much for each.

    Returns:
        The `(n,)` actions, and why each row that has none fails, by row.
    """
    try:
        return _in_form(_in_time(agent, batch, seconds * len(batch)), len(batch)), {}
    except ThoughtTooLongError:
        reason = f"thought longer than {seconds * len(batch):.3g} s about {len(batch)} decisions"
        return np.zeros(len(batch), np.int64), dict.fromkeys(range(len(batch)), reason)
    except Exception as error:
        if len(batch) == 1:
            return np.zeros(1, np.int64), {0: _describe(error)}
        return _ask_one_by_one(agent, batch, seconds)


def _ask_one_by_one(
    agent: Agent, batch: DecisionBatch, seconds: float
) -> tuple[NDArray[np.int64], dict[int, str]]:
    actions = np.zeros(len(batch), np.int64)
    faults = {}
    for row in range(len(batch)):
        one = slice(row, row + 1)
        decision = DecisionBatch(
            batch.rules, batch.tables[one], batch.seats[one], batch.views[one], batch.masks[one]
        )
        actions[one], fault = ask(agent, decision, seconds)
        if fault:
            faults[row] = fault[0]
    return actions, faults


def _in_time(agent: Agent, batch: DecisionBatch, seconds: float) -> object:
    has_alarm = signal.getsignal(signal.SIGALRM) is _ring if hasattr(signal, "SIGALRM") else False
    started = time.monotonic()
    if has_alarm:
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        answer = agent.act(batch)
    finally:
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
    if time.monotonic() - started > seconds:
        raise ThoughtTooLongError("late")
    return answer


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


def _describe(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
