"""Advantages over each seat's own decisions (generalised advantage estimation, Schulman et al. 2016).

A seat's next value is the one at its *own* next decision in the deal, however many decisions of others lie
between; a deal's end closes the last decision of every seat with that seat's points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.compiled import kernel
from canasta_agents.learning.rollouts.decisions import CLOSED, OPEN


@kernel
def estimate_advantages(
    following: NDArray[np.int32],
    turns: NDArray[np.int16],
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    discount: float,
    trace: float,
    over_turns: bool,
    advantages: NDArray[np.float32],
) -> None:
    """Estimate the advantage of every decision, in one pass backwards.

    With i' the seat's next decision after i:
    delta_i = r_i + gamma V_i' - V_i and A_i = delta_i + gamma lambda A_i'.

    An open decision has no estimate; its value stands for all that follows it, so the decisions before it are
    estimated exactly as in a trace cut there.

    Args:
        following: `(n,) int32`, row of the seat's next decision (a later row), `OPEN` or `CLOSED`.
        turns: `(n,) int16`, number of the turn in which the decision was made.
        rewards: `(n,) float32`, points that came after the decision.
        values: `(n,) float32`, values (points) when it was taken.
        discount: gamma, worth of a point one step later.
        trace: lambda.
        over_turns: Whether a step is one from turn to turn (gamma and lambda are 1 within) or a decision.
        advantages: `(n,) float32` points, overwritten; 0 for open decisions.
    """
    for row in range(len(following) - 1, -1, -1):
        after = following[row]
        if after == OPEN:
            advantages[row] = 0.0
        elif after == CLOSED:
            advantages[row] = rewards[row] - values[row]
        else:
            is_step = not over_turns or turns[after] != turns[row]
            gamma = discount if is_step else 1.0
            decay = gamma * trace if is_step else 1.0
            advantages[row] = rewards[row] + gamma * values[after] - values[row] + decay * advantages[after]
