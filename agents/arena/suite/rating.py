"""The anchored rating: random is 0 and the best rule-based player of the game 1,000.

The frozen opponents' ratings are data of the protocol. An entrant's rating is the one at which a
Bradley-Terry model expects as large a share of the deals, summed over the opponents, as the entrant has won;
each opponent counts alike, however long its matches are. Deals are counted since random wins some of them
from everybody and next to no match: its distance to others could not be known in matches. The interval weighs
the boards at random (the Bayesian bootstrap, as in `ratings`), the same board alike against every opponent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from canasta_agents.arena.statistics import LEVEL, Interval

RESAMPLES = 1_000
_RESAMPLING_SEED = 1
_PRIOR_WINS = 0.5  # each way against each opponent: who won every deal still has a finite rating
_WIDEST = 40.0  # log odds beyond any that the prior leaves possible
_HALVINGS = 50


@dataclass(frozen=True)
class DealsWon:
    """What an entrant won of one opponent: `(boards,)` deals won, a tie being half, and deals played."""

    opponent_rating: float
    won: NDArray[np.float64]
    deals: NDArray[np.float64]


def anchored_rating(meetings: Sequence[DealsWon], points_per_logit: float) -> Interval:
    """The rating of an entrant, with its 95% interval.

    Args:
        meetings: One for each opponent with a rating, at least one.
        points_per_logit: Of the protocol's scale.
    """
    strengths = np.array([meeting.opponent_rating for meeting in meetings]) / points_per_logit
    boards = max(len(meeting.won) for meeting in meetings)
    rng = np.random.default_rng(_RESAMPLING_SEED)
    weights = np.vstack([np.ones(boards), rng.exponential(size=(RESAMPLES, boards))])
    found = _log_odds(_shares(meetings, weights), strengths) * points_per_logit
    low, high = np.quantile(found[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    estimate = float(found[0])
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate))


def _shares(meetings: Sequence[DealsWon], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of deals won, `(draws, opponents)`, from `(draws, boards)` weights."""
    columns = []
    for meeting in meetings:
        own = weights[:, : len(meeting.won)]
        columns.append((own @ meeting.won + _PRIOR_WINS) / (own @ meeting.deals + 2 * _PRIOR_WINS))
    return np.column_stack(columns)


def _log_odds(shares: NDArray[np.float64], strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """The strength at which the expected shares sum to those won, `(draws,)`, found by halving."""
    low = np.full(len(shares), strengths.min() - _WIDEST)
    high = np.full(len(shares), strengths.max() + _WIDEST)
    wanted = shares.sum(axis=1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_low = special.expit(middle[:, None] - strengths).sum(axis=1) < wanted
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.asarray((low + high) / 2)
