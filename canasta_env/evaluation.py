"""How strong a learner is: points a deal in seat 0, with the others at random or given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from canasta_env.envs.episode import Scores
from canasta_env.envs.opponents import Opponent
from canasta_env.envs.single_agent_vector import CanastaSeatVectorEnv
from canasta_env.validation import integers, shown, whole_number
from canasta_env.vector import MAX_TABLES

Choose = Callable[[NDArray[np.float32], NDArray[np.int8]], Any]

_Z_95 = 1.96  # standard errors to each side that hold 95% of a normal distribution


class PointsPerDeal(NamedTuple):
    """Points a deal, of the own side minus the mean of the others; printed with the 95% interval."""

    mean: float
    error: float
    """Half of the 95% interval's width."""
    deals: int

    def __str__(self) -> str:
        low, high = self.mean - self.error, self.mean + self.error
        return f"{self.mean:+,.0f} points a deal (95%: {low:+,.0f} to {high:+,.0f})"


def points_per_deal(
    choose: Choose,
    game: str | None = None,
    players: int | None = None,
    *,
    deals: int = 500,
    seed: int = 10_000,
    opponents: Opponent | Sequence[Opponent | None] | None = None,
    scores: Scores = "zero",
) -> PointsPerDeal:
    """Play deals side by side and measure what seat 0 gets. `python evaluate.py` compares more exactly.

    Args:
        choose: From observations, `(n, num_features) float32`, and masks, `(n, 96) int8`, to action ids,
            `(n,)` integers.
        game: "modern_american" or "classic"; Modern American if None.
        players: Number of seats; 4 if None.
        deals: How many, at least 2.
        seed: Fixes the cards and the random players.
        opponents: As for `CanastaSeatEnv`; uniformly random if None.
        scores: Match scores at which the deals begin, as for `CanastaSeatEnv`.

    Raises:
        ValueError: Names the argument that does not fit.
    """
    deals = whole_number(deals, "deals", 0, MAX_TABLES)
    if deals < 2:
        raise ValueError(f"deals: {deals} must be at least 2, for an interval")
    if not callable(choose):
        raise ValueError(f"choose: {shown(choose)} must be a function from observations and masks to actions")
    env = CanastaSeatVectorEnv(game, players, num_envs=deals, opponents=opponents, scores=scores)
    observations, _ = env.reset(seed=seed)
    points, is_over = np.zeros(deals), np.zeros(deals, np.bool_)
    while not is_over.all():
        actions = observations["action_mask"].argmax(axis=1)  # of tables whose deal is over and counted
        playing = np.flatnonzero(~is_over)
        chosen = choose(observations["observation"][playing], observations["action_mask"][playing])
        actions[playing] = integers(chosen, len(playing), "choose: its actions")
        observations, rewards, terminations, _, _ = env.step(actions)
        points[playing] += rewards[playing]
        is_over |= terminations
    error = _Z_95 * points.std(ddof=1) / np.sqrt(deals)
    return PointsPerDeal(float(points.mean()), float(error), deals)
