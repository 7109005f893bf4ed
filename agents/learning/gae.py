"""Advantages over each seat's own decisions (generalised advantage estimation, Schulman et al. 2016).

A seat's next value is the one at its *own* next decision in the deal, however many decisions of others lie
between; a deal's end pays the last decision of every seat with that seat's points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.buffer import DEAL_ENDED, PENDING
from canasta_agents.learning.config import Ppo
from canasta_agents.learning.distributed import SINGLE, ProcessGroup
from canasta_agents.learning.jit import kernel
from canasta_agents.learning.rollout import RolloutCollector


@kernel
def compute_gae(
    next_row: NDArray[np.int32],
    turns: NDArray[np.int16],
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    gamma: float,
    gae_lambda: float,
    over_turns: bool,
    advantages: NDArray[np.float32],
) -> None:
    """Estimate the advantage of every decision, in one pass backwards.

    With i' the seat's next decision after i:
    delta_i = r_i + gamma V_i' - V_i and A_i = delta_i + gamma lambda A_i'.

    A pending decision has no estimate; its value stands for all that follows it, so the decisions before it
    are estimated exactly as in a trajectory cut there.

    Args:
        next_row: `(n,) int32`, row of the seat's next decision (a later row), `PENDING` or `DEAL_ENDED`.
        turns: `(n,) int16`, number of the turn in which the decision was made.
        rewards: `(n,) float32`, points that came after the decision.
        values: `(n,) float32`, values (points) when it was taken.
        gamma: Worth of a point one step later.
        gae_lambda: lambda.
        over_turns: Whether a step is one from turn to turn (gamma and lambda are 1 within) or a decision.
        advantages: `(n,) float32` points, overwritten; 0 for pending decisions.
    """
    for row in range(len(next_row) - 1, -1, -1):
        after = next_row[row]
        if after == PENDING:
            advantages[row] = 0.0
        elif after == DEAL_ENDED:
            advantages[row] = rewards[row] - values[row]
        else:
            is_step = not over_turns or turns[after] != turns[row]
            discount = gamma if is_step else 1.0
            decay = gamma * gae_lambda if is_step else 1.0
            advantages[row] = (
                rewards[row] + discount * values[after] - values[row] + decay * advantages[after]
            )


@dataclass(frozen=True)
class RolloutTargets:
    """What a rollout's decisions turned out to be worth: a number for each row of the rollout's arrays.

    Only those of `rows` mean something.
    """

    rows: NDArray[np.int64]  # (m,) rows to learn from: decisions that are not pending any more
    advantages: NDArray[np.float32]  # (n,) points
    returns: NDArray[np.float32]  # (n,) points

    def normalised_advantages(self, group: ProcessGroup = SINGLE) -> NDArray[np.float32]:
        """`(n,) float32` with mean 0 and deviation 1 over the `rows` of all processes of the group."""
        used = self.advantages[self.rows].astype(np.float64)
        num, total = group.all_gather(np.array([len(used), used.sum()])).sum(axis=0)
        mean = total / num
        squares = group.all_gather(np.array([((used - mean) ** 2).sum()])).sum()
        return np.asarray((self.advantages - mean) / (np.sqrt(squares / num) + 1e-8), np.float32)

    def mean_square_return(self, group: ProcessGroup = SINGLE) -> float:
        """Mean square of the returns (points squared) over the `rows` of all processes; 0 without any."""
        used = self.returns[self.rows].astype(np.float64)
        num, total = group.all_gather(np.array([len(used), (used**2).sum()])).sum(axis=0)
        return float(total / num) if num else 0.0

    def explained_variance(self, values: NDArray[np.float32]) -> float:
        """Share of the returns' variance that `values` (`(n,)`, points) explain; 1 is all of it."""
        returns = self.returns[self.rows]
        variance = float(returns.var()) if len(returns) else 0.0
        return 1 - float((returns - values[self.rows]).var()) / variance if variance > 0 else 0.0


def compute_targets(collector: RolloutCollector, config: Ppo) -> RolloutTargets:
    """Advantages and returns of the decisions that the workers hold."""
    arrays = collector.arrays
    advantages = np.zeros(len(arrays.actions), np.float32)
    for worker, start in collector.sections():
        size = worker.buffer.size
        own = worker.buffer.arrays[:size]
        compute_gae(
            own.next_row,
            own.turns,
            own.rewards,
            own.values,
            config.gamma,
            config.gae_lambda,
            config.gae_step == "turns",
            advantages[start : start + size],
        )
    rows = np.concatenate([start + worker.buffer.finished_rows for worker, start in collector.sections()])
    return RolloutTargets(rows, advantages, advantages + arrays.values)
