"""The best policy of a run beats the one before it and the reference player, over both together."""

from __future__ import annotations

from typing import Any

import pytest

from canasta_agents.learning.evaluation import Measurement
from canasta_agents.learning.selection import ROUNDS, is_better, pooled, race

SOMEBODY: Any = object()


class Strengths:
    """Measures somebody as always as far ahead, and notes what was played."""

    def __init__(self, ahead: float) -> None:
        self.ahead = ahead
        self.played: list[tuple[int, int]] = []

    def __call__(self, agent: object, other: object, boards: int, seed: int) -> Measurement:
        self.played.append((boards, seed))
        return measured(self.ahead, 10.0, boards)


def measured(estimate: float, half: float = 10.0, boards: int = 100) -> Measurement:
    return Measurement(estimate, estimate - half, estimate + half, boards)


@pytest.mark.parametrize(
    ("against_reference", "ahead", "is_kept"),
    [(120.0, 30.0, True), (80.0, 30.0, True), (60.0, 30.0, False), (120.0, -30.0, False), (100.0, 0.0, True)],
)
def test_both_differences_count(against_reference: float, ahead: float, is_kept: bool) -> None:
    measure = Strengths(ahead)
    kept = is_better(measure, SOMEBODY, measured(against_reference), SOMEBODY, measured(100.0), 800)
    assert kept == is_kept


def test_a_race_plays_all_boards_once_unless_the_agent_is_clearly_behind() -> None:
    even, behind = Strengths(0.0), Strengths(-50.0)
    assert race(even, SOMEBODY, SOMEBODY, 800).boards == 800
    assert len({seed for _, seed in even.played}) == ROUNDS
    assert race(behind, SOMEBODY, SOMEBODY, 800).boards == 100
    assert len(behind.played) == 1


def test_pooled_rounds_have_the_interval_of_all_boards() -> None:
    both = pooled([measured(10.0, 8.0), measured(30.0, 6.0)])
    assert (both.estimate, both.boards) == (20.0, 200)
    assert both.high - both.estimate == pytest.approx(5.0)
