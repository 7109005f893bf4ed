"""Ratings recover known strengths, and their intervals cover."""

from __future__ import annotations

import json

import numpy as np
import pytest

from canasta_agents.arena.ratings import Ladder, Results, against_the_field, bradley_terry, rate
from canasta_agents.arena.schedule import ArenaError

STRENGTHS = np.array([150.0, 50.0, -20.0, -180.0])  # Elo, mean 0


def chance(first: int, second: int) -> float:
    return 1 / (1 + 10 ** ((STRENGTHS[second] - STRENGTHS[first]) / 400))


def simulate(rng: np.random.Generator, boards: int) -> list[Results]:
    pairings = [(first, second) for first in range(4) for second in range(first + 1, 4)]
    return [
        Results(first, second, rng.binomial(2, chance(first, second), boards) / 2, games=2)
        for first, second in pairings
    ]


def test_exact_shares_give_exact_ratings():
    wins = 1e9 * np.array([[0 if i == j else chance(i, j) for j in range(4)] for i in range(4)])
    assert bradley_terry(wins) == pytest.approx(STRENGTHS, abs=0.01)


def test_ratings_recover_known_strengths():
    ratings = rate(4, simulate(np.random.default_rng(1), boards=4_000), resamples=100)
    assert [rating.estimate for rating in ratings] == pytest.approx(STRENGTHS, abs=10)


def test_rating_intervals_cover_at_about_their_level():
    rng = np.random.default_rng(2)
    covered = [
        [rating.low <= strength <= rating.high for rating, strength in zip(ratings, STRENGTHS, strict=True)]
        for ratings in (rate(4, simulate(rng, boards=150), resamples=50) for _ in range(40))
    ]
    assert 0.88 <= np.mean(covered) <= 0.99


def test_an_entrant_that_never_won_has_a_finite_rating():
    ratings = rate(2, [Results(0, 1, np.ones(50), games=2)], resamples=200)
    assert 400 < ratings[0].estimate < 600
    # 100 wins and no loss leave wide room: a share of 97.5% is 318 points from the mean.
    assert 200 < ratings[0].low < 400
    assert 700 < ratings[0].high < 2_000


def test_boards_that_only_some_pairings_played_count_for_those():
    results = [Results(0, 1, np.full(50, 0.75)), Results(1, 2, np.full(200, 0.75))]
    ratings = rate(3, results, resamples=20)
    assert ratings[0].estimate > ratings[1].estimate > ratings[2].estimate


def test_points_against_the_field_count_every_opponent_alike():
    assert against_the_field(4, {(0, 1): 100.0, (0, 2): 50.0, (1, 2): -30.0}) == [75.0, -65.0, -10.0, None]


def test_a_ladder_learns_who_is_stronger_and_survives_its_file(tmp_path):
    path = tmp_path / "ladder.json"
    rng = np.random.default_rng(3)
    for _ in range(2):  # two tournaments, one after the other
        ladder = Ladder.load(path)
        for _ in range(150):
            first, second = rng.choice(4, 2, replace=False)
            won = rng.random() < chance(first, second)
            ladder.play([[f"p{first}"], [f"p{second}"]], [won, not won])
        ladder.save(path)
    standings = Ladder.load(path).standings()
    assert standings[0][0] == "p0"
    assert standings[-1][0] == "p3"
    assert sum(games for *_, games in standings) == 600
    assert standings == ladder.standings()


def test_a_ladder_rates_partners_and_ties():
    ladder = Ladder()
    ladder.play([["a", "b"], ["c"]], [0.5, 0.5])
    assert set(ladder.games.values()) == {1}
    for _ in range(20):
        ladder.play([["a", "b"], ["c"]], [1, 0])
    assert ladder.ratings["a"].mu == pytest.approx(ladder.ratings["b"].mu)
    assert ladder.ratings["a"].mu > ladder.ratings["c"].mu


@pytest.mark.parametrize("content", ["", "[]", "{}", json.dumps({"format": "canasta-ladder", "version": 9})])
def test_a_file_that_is_no_ladder_is_refused(tmp_path, content):
    path = tmp_path / "ladder.json"
    path.write_text(content)
    with pytest.raises(ArenaError, match=r"ladder\.json: not a ladder"):
        Ladder.load(path)


@pytest.mark.parametrize(
    "rating",
    [
        {"mu": float("nan"), "sigma": 8, "games": 1},
        {"mu": 25, "sigma": float("inf"), "games": 1},
        {"mu": 25, "sigma": 8, "games": float("inf")},
        {"mu": 10**400, "sigma": 8, "games": 1},
    ],
)
def test_a_ladder_of_numbers_that_are_none_is_refused_by_name(tmp_path, rating):
    path = tmp_path / "ladder.json"
    Ladder().save(path)
    content = json.loads(path.read_text()) | {"entrants": {"a": rating}}
    path.write_text(json.dumps(content))
    with pytest.raises(ArenaError, match=r"ladder\.json: not a ladder"):
        Ladder.load(path)


def test_a_ladder_nested_too_deep_is_refused_by_name(tmp_path):
    path = tmp_path / "ladder.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ArenaError, match=r"ladder\.json: not a ladder .*nested too deep"):
        Ladder.load(path)
