"""Who is at work in a worker process, and until when: its parent's only witness if it dies or hangs there."""

from __future__ import annotations

import time
from collections.abc import Iterator, MutableSequence
from contextlib import contextmanager

NOBODY = -1.0
GRACE_S = 5.0  # beyond an entrant's time, for one that can be interrupted

Witness = MutableSequence[float]
"""Two numbers that both processes see: the slot at work, and when it has to be done (monotonic seconds)."""

_witness: Witness = [NOBODY, 0.0]


def report_to(witness: Witness) -> None:
    """Report from now on to the process that shares these two numbers."""
    global _witness
    _witness = witness


@contextmanager
def at_work(slot: int, seconds: float) -> Iterator[None]:
    """Report that the entrant in a slot is at work, and has so many seconds."""
    _witness[1] = time.monotonic() + seconds + GRACE_S
    _witness[0] = float(slot)
    try:
        yield
    finally:
        _witness[0] = NOBODY


def slot_at_work(witness: Witness) -> int | None:
    """The slot that another process reported last, if it has not ended."""
    return None if witness[0] == NOBODY else int(witness[0])


def is_stuck(witness: Witness) -> bool:
    """Whether an entrant has been at work for longer than it has time."""
    return witness[0] != NOBODY and time.monotonic() > witness[1]
