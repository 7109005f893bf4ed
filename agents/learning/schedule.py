"""How far a run is, and where that puts its schedules."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from canasta_agents.learning.config import Run


@dataclass
class Progress:
    """Counters of a run; they go on after a resume.

    Schedules follow a position that goes from 0 to 1 in a straight line and never back: where a resumed run
    is given another length, the line goes on from where it is to 1 at the new end.

    Raises:
        ValueError: If a number is none that a run can have.
    """

    updates: int = 0
    decisions: int = 0  # of the learner, each learnt from
    seconds: float = 0.0  # of training, measurements included
    measured: int = 0  # measurements made, of those that the run's length has
    begun_at: float = 0.0  # decisions or seconds of the run when it was last given another length
    begun_position: float = 0.0  # of the schedules at that time

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            kinds = int if isinstance(field.default, int) else (int, float)
            is_number = isinstance(value, kinds) and not isinstance(value, bool)
            if not is_number or not 0 <= value < float("inf"):
                raise ValueError(f"progress.{field.name}: {value!r} must be a number of at least 0")
        if self.begun_position > 1:
            raise ValueError(f"progress.begun_position: {self.begun_position!r} must be at most 1")

    def fraction(self, run: Run) -> float:
        """Part of the run that is done, 0 to 1: of its decisions if they are given, else of its minutes."""
        return min(1.0, self._done(run) / _length(run))

    def position(self, run: Run) -> float:
        """Where the schedules are, 0 to 1."""
        left = _length(run) - self.begun_at
        if left <= 0:
            return self.begun_position
        part = (1 - self.begun_position) * (self._done(run) - self.begun_at) / left
        return min(1.0, self.begun_position + part)

    def go_on(self, before: Run, now: Run, measurements: int) -> None:
        """Follow the length that a resumed run has now; measurements that lie before it are not due again.

        Args:
            before: Length until now.
            now: Length from now on.
            measurements: How many are made over the whole length.
        """
        if (before.decisions, _length(before)) != (now.decisions, _length(now)):
            self.begun_position = self.position(before)
            self.begun_at = self._done(now)
        self.measured = min(self.measured, int(self.fraction(now) * measurements))

    def _done(self, run: Run) -> float:
        return self.decisions if run.decisions else self.seconds


def _length(run: Run) -> float:
    """Decisions, or seconds."""
    return run.decisions or 60 * run.minutes


def linear_schedule(start: float, end: float, position: float) -> float:
    """The number at `position` (0 to 1) of the straight way from `start` to `end`."""
    return start + (end - start) * min(1.0, max(0.0, position))
