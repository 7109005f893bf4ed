"""Ratings: Bradley-Terry over a whole tournament, OpenSkill for ladders that go on.

Bradley-Terry explains every pairing's share of wins by one number an entrant, on Elo's scale (400 points
are odds of ten to one), mean 0. Its intervals weigh the boards at random (the Bayesian bootstrap: Rubin,
Annals of Statistics 9, 1981): an entrant's luck with the cards of a board stays together in all its games
on that board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import choix
import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.statistics import LEVEL, Interval

ELO_PER_UNIT = 400 / np.log(10)
RESAMPLES = 500
_PRIOR_WINS = 0.5  # each way, once a pairing: an entrant that never lost still has a finite rating
_LEAST_WINS = 1e-3  # keeps the fit to a minimum of sense where almost nothing is drawn
_RESAMPLING_SEED = 20_260_101


@dataclass(frozen=True)
class Results:
    """Wins of one entrant over another, by board: `(boards,)` shares 0 to 1, boards numbered from 0."""

    first: int
    second: int
    credits: NDArray[np.float64]
    games: int = 1  # a board


def bradley_terry(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings on Elo's scale, `(entrants,)`.

    Args:
        wins: `(entrants, entrants)`, `wins[i, j] > 0` those of i over j; 0 where they did not meet.
    """
    strengths = choix.ilsr_pairwise_dense(wins, max_iter=1_000, tol=1e-6)
    return np.asarray((strengths - strengths.mean()) * ELO_PER_UNIT)


def rate(num_entrants: int, results: Sequence[Results], resamples: int = RESAMPLES) -> list[Interval]:
    """Rate entrants, with bootstrap intervals over boards.

    Args:
        num_entrants: Number of entrants; all must be connected through pairings.
        results: One for each pairing played.
        resamples: How often the boards are weighed anew.

    Returns:
        A rating for each entrant.
    """
    num_boards = max(len(result.credits) for result in results)
    prior = _met(num_entrants, results) * _PRIOR_WINS
    estimate = bradley_terry(_wins(num_entrants, results, np.ones(num_boards)) + prior)
    rng = np.random.default_rng(_RESAMPLING_SEED)
    drawn = np.empty((resamples, num_entrants))
    for row in drawn:
        weights = rng.exponential(size=num_boards)
        # The prior's wins are as uncertain: where one side won all, they are all that bounds the odds.
        drawn_prior = np.maximum(rng.gamma(prior), _LEAST_WINS * (prior > 0))
        row[:] = bradley_terry(_wins(num_entrants, results, weights) + drawn_prior)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    bounds = zip(estimate, low, high, strict=True)
    # Percentiles of a skewed resample may miss the estimate by a hair; an interval holds what it is around.
    return [Interval(float(e), float(min(b, e)), float(max(t, e))) for e, b, t in bounds]


def _met(num_entrants: int, results: Sequence[Results]) -> NDArray[np.float64]:
    met = np.zeros((num_entrants, num_entrants))
    for result in results:
        met[result.first, result.second] = met[result.second, result.first] = 1
    return met


def _wins(num_entrants: int, results: Sequence[Results], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    wins = np.zeros((num_entrants, num_entrants))
    for result in results:
        weight = weights[: len(result.credits)] * result.games
        wins[result.first, result.second] += weight @ result.credits
        wins[result.second, result.first] += weight @ (1 - result.credits)
    return wins


def against_the_field(num_entrants: int, points: dict[tuple[int, int], float]) -> list[float | None]:
    """Mean points a deal of each entrant over its opponents, all opponents alike; None if it met nobody.

    Args:
        num_entrants: Number of entrants.
        points: Points a deal by pairing, the first entrant's.
    """
    both = points | {(second, first): -mean for (first, second), mean in points.items()}
    rows = [
        [mean for (first, _), mean in both.items() if first == entrant] for entrant in range(num_entrants)
    ]
    return [float(np.mean(row)) if row else None for row in rows]
