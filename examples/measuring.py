"""How strong a learner is: points a deal in seat 0 while the other seats play at random."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from canasta_env.seat_vector import CanastaSeatVectorEnv

Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]


def points_a_deal(choose: Choose, game: str, players: int, deals: int = 500, seed: int = 10_000) -> str:
    """Play deals side by side and say how many points each brought.

    Args:
        choose: From observations, `(n, num_features) float32`, and masks, `(n, 96) int8`, to action ids,
            `(n,)`.
        game: "classic" or "modern_american".
        players: How many seats; all but seat 0 play at random.
        deals: How many deals.
        seed: Fixes the cards and the random players.

    Returns:
        The mean and its 95% interval, such as "+412 points a deal (95%: +371 to +453)".
    """
    env = CanastaSeatVectorEnv(game, players, num_envs=deals)
    observations, _ = env.reset(seed=seed)
    points, is_over = np.zeros(deals), np.zeros(deals, bool)
    while not is_over.all():
        actions = np.zeros(deals, np.int64)
        playing = np.flatnonzero(~is_over)
        actions[playing] = choose(observations["observation"][playing], observations["action_mask"][playing])
        idle = np.flatnonzero(is_over)  # these tables go on, with any legal action, and do not count
        actions[idle] = observations["action_mask"][idle].argmax(axis=1)
        observations, rewards, terminations, _, _ = env.step(actions)
        points[playing] += rewards[playing]
        is_over |= terminations
    mean, error = points.mean(), 1.96 * points.std(ddof=1) / np.sqrt(deals)
    return f"{mean:+.0f} points a deal (95%: {mean - error:+.0f} to {mean + error:+.0f})"
