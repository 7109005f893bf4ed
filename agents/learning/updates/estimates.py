"""What a rollout's decisions turned out to be worth: advantages and returns over all actors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.config import Ppo
from canasta_agents.learning.group import ALONE, Group
from canasta_agents.learning.rollouts.rollout import Rollouts
from canasta_agents.learning.updates.advantages import estimate_advantages


@dataclass(frozen=True)
class Estimates:
    """A number for each row of the columns; only those of `rows` mean something."""

    rows: NDArray[np.int64]  # (m,) rows to learn from: decisions that are not open any more
    advantages: NDArray[np.float32]  # (n,) points
    returns: NDArray[np.float32]  # (n,) points

    def normalised_advantages(self, group: Group = ALONE) -> NDArray[np.float32]:
        """`(n,) float32` with mean 0 and deviation 1 over the `rows` of all processes of the group."""
        used = self.advantages[self.rows].astype(np.float64)
        num, total = group.gather(np.array([len(used), used.sum()])).sum(axis=0)
        mean = total / num
        squares = group.gather(np.array([((used - mean) ** 2).sum()])).sum()
        return np.asarray((self.advantages - mean) / (np.sqrt(squares / num) + 1e-8), np.float32)

    def mean_square_return(self, group: Group = ALONE) -> float:
        """Mean square of the returns (points squared) over the `rows` of all processes; 0 without any."""
        used = self.returns[self.rows].astype(np.float64)
        num, total = group.gather(np.array([len(used), (used**2).sum()])).sum(axis=0)
        return float(total / num) if num else 0.0

    def explained_variance(self, values: NDArray[np.float32]) -> float:
        """Share of the returns' variance that `values` (`(n,)`, points) explain; 1 is all of it."""
        returns = self.returns[self.rows]
        variance = float(returns.var())
        return 1 - float((returns - values[self.rows]).var()) / variance if variance > 0 else 0.0


def estimate(rollouts: Rollouts, settings: Ppo) -> Estimates:
    """Advantages and returns of the decisions that the actors hold."""
    columns = rollouts.columns
    advantages = np.zeros(len(columns.actions), np.float32)
    for actor, start in rollouts.sections():
        size = actor.decisions.size
        own = actor.decisions.columns[:size]
        estimate_advantages(
            own.following,
            own.turns,
            own.rewards,
            own.values,
            settings.discount,
            settings.trace,
            settings.trace_over == "turns",
            advantages[start : start + size],
        )
    rows = np.concatenate([start + actor.decisions.closed_rows for actor, start in rollouts.sections()])
    return Estimates(rows, advantages, advantages + columns.values)
