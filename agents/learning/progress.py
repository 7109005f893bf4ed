"""How far a run has come, and the numbers that change on the way."""

from __future__ import annotations

from dataclasses import dataclass

from canasta_agents.learning.config import Run


@dataclass
class Progress:
    """Counters of a run; they go on after a resume."""

    updates: int = 0
    decisions: int = 0  # of the learner, each learnt from
    seconds: float = 0.0  # of training, measurements included
    measured: int = 0  # measurements made

    def share(self, run: Run) -> float:
        """Part of the run that is done, 0 to 1: of its decisions if they are given, else of its minutes."""
        done = self.decisions / run.decisions if run.decisions else self.seconds / (60 * run.minutes)
        return min(1.0, done)


def straight(start: float, end: float, share: float) -> float:
    """The number at `share` (0 to 1) of the straight way from `start` to `end`."""
    return start + (end - start) * min(1.0, max(0.0, share))
