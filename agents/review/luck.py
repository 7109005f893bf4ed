"""Luck apart from skill: what a card drawn was worth against the mean of those that could have come."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_agents.review.positions import Draws
from canasta_agents.search.evaluation import POINTS, Evaluation, take_rows
from canasta_agents.search.rollouts import Judge, can_judge
from canasta_env.actions import DRAW
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.vector import VectorTables

DRAWN = 32  # tables that a seat cannot tell from its own, for the mean of a draw
_DRAWS_AT_ONCE = 128


def luck_of(draws: Draws, evaluation: Evaluation, policy: Agent) -> NDArray[np.float64] | None:
    """What each draw brought its seat, in points: the value of what it then saw, less the mean value.

    Args:
        draws: Draws.
        evaluation: Draws the tables for the mean, from the view before.
        policy: Whose values count.

    Returns:
        `(n,) float64`; None if the policy does not tell values in points.
    """
    if not can_judge(policy) or policy.value_unit != POINTS:
        return None
    found = []
    for start in range(0, len(draws.is_over), _DRAWS_AT_ONCE):
        rows = np.arange(start, min(start + _DRAWS_AT_ONCE, len(draws.is_over)))
        value = _values(policy, take_rows(draws.after, rows), draws.is_over[rows], draws.points[rows])
        mean = _mean_values(policy, evaluation, take_rows(draws.before, rows))
        if value is None or mean is None:
            return None
        found.append(value - mean)
    return np.concatenate(found) if found else np.zeros(0)


def _mean_values(policy: Judge, evaluation: Evaluation, batch: DecisionBatch) -> NDArray[np.float64] | None:
    """Of each decision the mean value after a draw, over what the seat cannot tell from its own table."""
    worlds, _ = evaluation.worlds(batch, DRAWN)
    num = len(batch) * DRAWN
    tables = VectorTables(batch.rules, num, check=False)
    tables.set_state({"tables": worlds.reshape(-1), "match_winner": np.full(num, -1)})
    ended, points = tables.step(np.full(num, DRAW))
    seats = np.repeat(batch.seats, DRAWN)
    after = DecisionBatch(batch.rules, np.arange(num), seats, tables.views, tables.masks)
    values = _values(policy, after, ended, points[np.arange(num), seats].astype(np.float64))
    return None if values is None else np.asarray(values.reshape(-1, DRAWN).mean(axis=1))


def _values(
    policy: Judge, batch: DecisionBatch, is_over: NDArray[np.bool_], points: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """The policy's values, or the points where the deal is over: `(n,)`."""
    going_on = np.flatnonzero(~is_over)
    values = points.copy()
    if len(going_on):
        judged = policy.judge(take_rows(batch, going_on))[1]
        if judged is None:
            return None
        values[going_on] = judged
    return values
