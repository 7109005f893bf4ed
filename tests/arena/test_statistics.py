"""Intervals against closed forms, and their coverage in simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from canasta_agents.arena.statistics import (
    Interval,
    SignTest,
    boards_needed,
    holm_adjusted,
    planned_interval,
    points_interval,
    sign_test,
    wins_interval,
)

SIMULATIONS = 2_000
# The share of 2,000 simulated intervals that cover has a standard error of 0.5%.
TOLERANCE = 0.015


def coverage(intervals: list[Interval], truth: float) -> float:
    return float(np.mean([interval.low <= truth <= interval.high for interval in intervals]))


def test_points_of_equally_long_boards_take_students_interval():
    points = np.array([100.0, -300.0, 450.0, 20.0, 80.0])
    interval = points_interval(points, np.full(5, 2))
    low, high = stats.t.interval(0.95, 4, points.mean() / 2, stats.sem(points / 2))
    assert (interval.estimate, interval.low, interval.high) == pytest.approx((points.mean() / 2, low, high))


def test_points_of_unequally_long_boards_are_the_ratio_of_the_sums():
    interval = points_interval([100, 300], [1, 3])
    assert interval == Interval(100.0, 100.0, 100.0)
    assert points_interval([100, 0], [1, 3]).estimate == 25.0


def test_points_of_one_board_have_an_unbounded_interval():
    assert points_interval([70], [1]) == Interval(70.0, -math.inf, math.inf)


def test_points_of_no_board_are_refused():
    with pytest.raises(ValueError, match="at least one board"):
        points_interval([], [])


def test_points_intervals_cover_at_their_level_on_matches_of_unequal_length():
    rng = np.random.default_rng(1)
    intervals = []
    for _ in range(SIMULATIONS):
        deals = rng.integers(4, 16, 60)
        points = 25 * deals + 650 * np.sqrt(deals) * rng.standard_t(8, 60)  # heavier tails than normal
        intervals.append(points_interval(points, deals))
    assert coverage(intervals, 25) == pytest.approx(0.95, abs=TOLERANCE)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.97])
@pytest.mark.parametrize("correlation", [-0.6, 0.0, 0.6])
def test_wins_intervals_cover_when_the_games_of_a_board_depend_on_each_other(share, correlation):
    rng = np.random.default_rng(2)
    first, own = rng.normal(size=(2, SIMULATIONS, 100))
    second = correlation * first + math.sqrt(1 - correlation**2) * own
    threshold = stats.norm.ppf(share)
    credits = ((first < threshold) * 0.5) + ((second < threshold) * 0.5)
    intervals = [wins_interval(boards, games=2) for boards in credits]
    assert coverage(intervals, share) == pytest.approx(0.95, abs=TOLERANCE)


def test_wins_of_independent_single_games_take_wilsons_interval_at_students_quantile():
    credits = np.repeat([1.0, 0.0], [60, 40])
    interval = wins_interval(credits, games=1)
    effective = 99  # p (1 - p) / variance of the mean, with the unbiased variance
    t = stats.t.ppf(0.975, 99)
    centre = (0.6 + t**2 / (2 * effective)) / (1 + t**2 / effective)
    assert (interval.low + interval.high) / 2 == pytest.approx(centre)


def test_wins_without_a_loss_keep_room_for_one():
    interval = wins_interval(np.ones(100), games=2)
    assert interval.estimate == 1.0
    assert 0.96 < interval.low < 0.99
    assert interval.high == pytest.approx(1.0)


def test_wins_that_split_on_every_board_do_not_claim_certainty():
    interval = wins_interval(np.full(100, 0.5), games=2)
    assert interval.low == pytest.approx(0.431, abs=0.002)
    assert interval.high == pytest.approx(0.569, abs=0.002)


def planned_run(rng: np.random.Generator, noise: str, pilot: int, half_width: float) -> tuple[Interval, int]:
    draws = {"normal": rng.standard_normal, "skewed": lambda size: rng.exponential(size=size) - 1}
    points, boards = np.zeros(0), pilot
    while boards > len(points):
        points = np.concatenate([points, 650 * draws[noise](boards - len(points))])
        boards = boards_needed(points, np.ones(len(points)), pilot, half_width)
    return planned_interval(points, np.ones(boards), pilot, half_width), boards


@pytest.mark.parametrize("noise", ["normal", "skewed"])
@pytest.mark.parametrize("half_width", [150, 80])
def test_a_planned_run_is_narrow_enough_and_covers_at_its_level(noise, half_width):
    rng = np.random.default_rng(3)
    runs = [planned_run(rng, noise, pilot=100, half_width=half_width) for _ in range(SIMULATIONS)]
    assert all(interval.half_width <= half_width for interval, _ in runs)
    aim = max(100, (1.96 * 650 / half_width) ** 2)
    assert np.mean([boards for _, boards in runs]) == pytest.approx(aim, rel=0.15)
    assert coverage([interval for interval, _ in runs], 0) == pytest.approx(0.95, abs=TOLERANCE)


def test_stopping_when_the_interval_happens_to_be_narrow_covers_too_rarely():
    """The fault that `boards_needed` is there to avoid: the same aim, watched from the fifth board on."""
    rng = np.random.default_rng(4)
    count = np.arange(1, 201)
    covered = []
    for points in 650 * rng.standard_normal((SIMULATIONS, 200)):
        mean = np.cumsum(points) / count
        variance = (np.cumsum(points**2) - count * mean**2)[1:] / count[:-1]
        half = stats.t.ppf(0.975, count[:-1]) * np.sqrt(variance / count[1:])
        stop = int(np.argmax((half <= 250) & (count[1:] >= 5)))
        covered.append(abs(mean[1 + stop]) <= half[stop])
    assert np.mean(covered) < 0.93


def test_a_pilot_that_is_narrow_enough_is_all_there_is_to_play():
    assert boards_needed(np.zeros(50), np.ones(50), 50, half_width=20) == 50
    assert planned_interval(np.zeros(50), np.ones(50), 50, half_width=20) == Interval(0.0, 0.0, 0.0)


@pytest.mark.parametrize(("boards", "half_width"), [(1, 20.0), (50, 0.0), (50, -1.0), (50, math.nan)])
def test_a_plan_from_nothing_is_refused(boards, half_width):
    with pytest.raises(ValueError, match=r"pilot|half_width"):
        boards_needed(np.zeros(boards), np.ones(boards), boards, half_width)


@pytest.mark.parametrize(("won", "lost"), [(0, 1), (3, 3), (9, 1), (14, 30), (61, 39), (700, 0)])
def test_the_sign_test_is_the_exact_binomial_test(won, lost):
    points = [*[1e-3] * won, *[-4_000.0] * lost, 0.0, 0.0]
    expected = stats.binomtest(won, won + lost).pvalue
    assert sign_test(points) == SignTest(won, lost, 2, pytest.approx(expected, rel=1e-9))


def test_boards_that_are_all_tied_speak_for_nobody():
    assert sign_test([0, 0, 0]) == SignTest(0, 0, 3, 1.0)


def test_a_sign_test_of_no_board_is_refused():
    with pytest.raises(ValueError, match="at least one board"):
        sign_test([])


def test_holms_adjustment_of_known_values():
    """Each times the number of those not yet rejected, and no smaller than one before: 3 x 0.01, 2 x 0.02."""
    assert holm_adjusted([0.02, 0.01, 0.03]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm_adjusted([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert holm_adjusted([0.02]) == pytest.approx([0.02])


def test_holms_adjustment_keeps_the_chance_of_any_false_alarm_at_the_level():
    rng = np.random.default_rng(7)
    families = [[sign_test(rng.normal(size=101)).p_value for _ in range(8)] for _ in range(1_000)]
    plain = np.mean([min(family) <= 0.05 for family in families])
    adjusted = np.mean([holm_adjusted(family).min() <= 0.05 for family in families])
    assert plain > 0.2
    assert adjusted <= 0.05 + TOLERANCE
