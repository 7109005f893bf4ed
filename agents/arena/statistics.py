"""Estimates with 95% intervals. The board is the unit: its games share their cards and are not independent.

Points a deal are a ratio of two sums over boards (points, deals), since matches differ in length; its
interval is the linearised one of survey sampling (Cochran, Sampling Techniques, 1977, section 6.3), which
is Student's t when every board has equally many deals. Shares of wins take Wilson's interval at the
effective sample size that the spread between boards implies (Korn and Graubard, Survey Methodology 24,
1998), which stays sensible near 0 and 1.

Beside the intervals stands a test that assumes nothing of how points are spread: the exact sign test over
boards, and Holm's adjustment (Scandinavian Journal of Statistics 6, 1979) where several pairs are tested.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

LEVEL = 0.95
MIN_PILOT = 50  # boards; fewer say too little of the spread to plan with


@dataclass(frozen=True)
class Interval:
    """An estimate and the interval around it, without bounds where one board says nothing of the spread."""

    estimate: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2


def points_interval(points: ArrayLike, deals: ArrayLike, level: float = LEVEL) -> Interval:
    """Points a deal.

    Args:
        points: `(boards,)` points of a board, summed over its deals.
        deals: `(boards,)` number of those deals, at least 1 each.
        level: How often the interval shall cover the truth.

    Raises:
        ValueError: If there is no board.
    """
    points, deals = _per_board(points), _per_board(deals)
    rate = points.sum() / deals.sum()
    if len(points) < 2:
        return Interval(float(rate), -math.inf, math.inf)
    half = _quantile(len(points), level) * _spread(points, deals) / math.sqrt(len(points))
    return Interval(float(rate), float(rate - half), float(rate + half))


def wins_interval(credits: ArrayLike, games: int, level: float = LEVEL) -> Interval:
    """The share of games won.

    Args:
        credits: `(boards,)` share of a board's games that were won, 0 to 1; a tie is half a win.
        games: Games a board (its arrangements).
        level: How often the interval shall cover the truth.

    Raises:
        ValueError: If there is no board.
    """
    credits = _per_board(credits)
    share = float(credits.mean())
    if len(credits) < 2:
        return Interval(share, 0.0, 1.0)
    variance = credits.var(ddof=1) / len(credits)
    # Boards that all came out alike imply no spread at all: count their games as independent instead.
    effective = share * (1 - share) / variance if variance > 0 else len(credits) * games
    low, high = _wilson(share, effective, _quantile(len(credits), level))
    return Interval(share, low, high)


@dataclass(frozen=True)
class SignTest:
    """On how many boards each side scored more, and how likely a split as uneven is by chance alone.

    `p_value` is two-sided, under the hypothesis that a board is as likely won as lost. Ties say nothing
    about it and are left out; 1.0 where every board is one.
    """

    won: int
    lost: int
    tied: int
    p_value: float


def sign_test(points: ArrayLike) -> SignTest:
    """The exact sign test over boards.

    Args:
        points: `(boards,)` points of a board, summed over its deals.

    Raises:
        ValueError: If there is no board.
    """
    points = _per_board(points)
    won, lost = int((points > 0).sum()), int((points < 0).sum())
    # The binomial distribution at one half is symmetric: both tails are twice the smaller one.
    tails = 2 * float(special.bdtr(min(won, lost), won + lost, 0.5))
    return SignTest(won, lost, len(points) - won - lost, min(1.0, tails))


def holm_adjusted(p_values: ArrayLike) -> NDArray[np.float64]:
    """P-values of several tests, so that any falls below a level by chance no more often than the level says.

    Args:
        p_values: `(tests,)`, which may depend on each other.

    Returns:
        `(tests,)`, in the same order. The smallest of n is multiplied by n, the next by n − 1, and so on;
        none is smaller than one before it, or larger than 1.
    """
    p_values = np.asarray(p_values, np.float64)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty_like(p_values)
    factors = np.arange(len(p_values), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted


def boards_needed(
    points: ArrayLike, deals: ArrayLike, pilot: int, half_width: float, level: float = LEVEL
) -> int:
    """How many boards, those played included, bring the interval of points a deal to `half_width`.

    Watching the running interval and stopping when it happens to be narrow would cover too rarely, since
    it stops just when the spread is underestimated. Stein's rule (Annals of Mathematical Statistics 16,
    1945) fixes the number by the spread of a pilot, at the pilot's quantile, and covers exactly for normal
    points. After those boards the plan is made again from all of them (Hall, Annals of Statistics 9, 1981),
    which only ever adds boards: it mends pilots that happened to miss the large swings of skewed points.

    Args:
        points: `(boards,)` points of the boards played so far.
        deals: `(boards,)` deals of those boards.
        pilot: Boards that the first plan was made from.
        half_width: In points a deal.
        level: How often the interval shall cover the truth.

    Raises:
        ValueError: If the pilot has fewer than two boards, or `half_width` is not positive.
    """
    points, deals = _per_board(points), _per_board(deals)
    if pilot < 2 or len(points) < pilot:
        raise ValueError(f"a pilot of {min(pilot, len(points))} says nothing of the spread; play at least 2")
    if not half_width > 0:
        raise ValueError(f"half_width: {half_width!r} must be a positive number of points")
    return max(len(points), math.ceil((_quantile(pilot, level) * _spread(points, deals) / half_width) ** 2))


def planned_interval(
    points: ArrayLike, deals: ArrayLike, pilot: int, half_width: float, level: float = LEVEL
) -> Interval:
    """Points a deal of a run that `boards_needed` has found long enough.

    Its half-width is the planned one; a pilot that was enough by itself keeps its own, narrower interval.
    """
    interval = points_interval(points, deals, level)
    if len(_per_board(points)) == pilot:
        return interval
    return Interval(interval.estimate, interval.estimate - half_width, interval.estimate + half_width)


def _per_board(numbers: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(numbers, np.float64)
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"one number a board is needed, for at least one board; got the shape {array.shape}")
    return array


@cache
def _quantile(boards: int, level: float) -> float:
    return float(special.stdtrit(boards - 1, (1 + level) / 2))


def _spread(points: NDArray[np.float64], deals: NDArray[np.float64]) -> float:
    """Standard deviation between boards, in points a deal, after linearising the ratio."""
    residuals = points - points.sum() / deals.sum() * deals
    return math.sqrt(float((residuals**2).sum()) / (len(points) - 1)) / float(deals.mean())


def _wilson(share: float, games: float, quantile: float) -> tuple[float, float]:
    """Wilson's score interval (Journal of the American Statistical Association 22, 1927)."""
    scale = 1 + quantile**2 / games
    centre = (share + quantile**2 / (2 * games)) / scale
    half = quantile / scale * math.sqrt(share * (1 - share) / games + quantile**2 / (4 * games**2))
    return max(0.0, centre - half), min(1.0, centre + half)
