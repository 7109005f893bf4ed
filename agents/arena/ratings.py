"""Ratings: Bradley-Terry over a whole tournament, OpenSkill for a ladder that further ones add to.

Bradley-Terry explains every pairing's share of wins by one number an entrant, on Elo's scale (400 points
are odds of ten to one), mean 0. Its intervals weigh the boards at random (the Bayesian bootstrap: Rubin,
Annals of Statistics 9, 1981): an entrant's luck with the cards of a board stays together in all its games
on that board.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import choix
import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce, PlackettLuceRating

from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.statistics import LEVEL, Interval
from canasta_agents.files import write_file
from canasta_env.files import from_json

FORMAT = "canasta-ladder"
VERSION = 1
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


@dataclass
class Ladder:
    """Ratings by entrant's name: `mu` the skill, `sigma` its uncertainty.

    For entrants that come and go, and partners who are not alike: a small JSON file that every further
    tournament brings up to date, game by game.
    """

    ratings: dict[str, PlackettLuceRating] = field(default_factory=dict)
    games: dict[str, int] = field(default_factory=dict)
    tournaments: list[str] = field(default_factory=list)  # that have been counted, by digest
    model: PlackettLuce = field(default_factory=PlackettLuce)

    def play(self, teams: Sequence[Sequence[str]], shares: Sequence[float]) -> None:
        """Bring the ratings up to date with one game.

        Args:
            teams: The entrants of each team, by name; an entrant that plays for a whole team stands once.
            shares: Each team's share of the win: the higher, the better its place; equal shares tie.
        """
        before = [[self._rating(name) for name in team] for team in teams]
        after = self.model.rate(before, scores=[float(share) for share in shares])
        for team, ratings in zip(teams, after, strict=True):
            for name, rating in zip(team, ratings, strict=True):
                self.ratings[name] = rating
                self.games[name] = self.games.get(name, 0) + 1

    def standings(self) -> list[tuple[str, float, float, int]]:
        """Name, skill, uncertainty and games of every entrant, by the skill it surely has (mu − 3 sigma)."""
        order = sorted(self.ratings, key=lambda name: -self.ratings[name].ordinal())
        return [(name, self.ratings[name].mu, self.ratings[name].sigma, self.games[name]) for name in order]

    def save(self, path: Path) -> None:
        """Write the ladder, in place of an older one."""
        entrants = {
            name: {"mu": mu, "sigma": sigma, "games": games} for name, mu, sigma, games in self.standings()
        }
        content = {
            "format": FORMAT,
            "version": VERSION,
            "entrants": entrants,
            "tournaments": self.tournaments,
        }
        write_file(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Ladder:
        """Read a ladder; a new one if there is no such file.

        Raises:
            ArenaError: If the file is not a ladder.
        """
        ladder = cls()
        if not path.exists():
            return ladder
        try:
            content: dict[str, Any] = from_json(path.read_text(encoding="utf-8"))
            if (content["format"], content["version"]) != (FORMAT, VERSION):
                raise KeyError("format")
            ladder.tournaments = [str(digest) for digest in content["tournaments"]]
            for name, entry in content["entrants"].items():
                mean, spread = float(entry["mu"]), float(entry["sigma"])
                if not (math.isfinite(mean) and 0 < spread < math.inf):
                    raise ValueError(f"{name!r}: mu and sigma must be finite, sigma above 0")
                ladder.ratings[name] = ladder.model.rating(mean, spread, name)
                ladder.games[name] = int(entry["games"])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ArenaError(f"{path}: not a ladder of version {VERSION} ({error})") from None
        return ladder

    def _rating(self, name: str) -> PlackettLuceRating:
        return self.ratings.get(name) or self.model.rating(name=name)
