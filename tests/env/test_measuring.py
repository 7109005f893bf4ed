"""Points a deal are those of a loop over one-seat environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env.envs.single_agent import CanastaSeatEnv
from canasta_env.evaluation import PointsPerDeal, points_per_deal

DEALS, SEED = 12, 30


def last_legal(observations: Any, masks: Any) -> Any:
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize(("game", "players"), [("classic", 2), ("classic", 3), ("modern_american", 4)])
def test_the_mean_and_the_interval_of_deals_played_one_by_one(game: str, players: int) -> None:
    points = []
    for deal in range(DEALS):
        env = CanastaSeatEnv(game, players)
        observation, _ = env.reset(seed=SEED + deal)
        is_over = False
        while not is_over:
            action = last_legal(None, observation["action_mask"][None])[0]
            observation, reward, is_over, _, _ = env.step(action)
        points.append(reward)
    measured = points_per_deal(last_legal, game, players, deals=DEALS, seed=SEED)
    assert measured.mean == pytest.approx(np.mean(points))
    assert measured.error == pytest.approx(1.96 * np.std(points, ddof=1) / np.sqrt(DEALS))
    assert measured.deals == DEALS


def test_opponents_may_be_given() -> None:
    def first_legal(observation: dict[str, Any]) -> int:
        return int(observation["action_mask"].argmax())

    against_chance = points_per_deal(last_legal, "classic", 2, deals=4, seed=1)
    assert points_per_deal(last_legal, "classic", 2, deals=4, seed=1, opponents=first_legal) != against_chance


def test_deals_may_begin_at_drawn_scores() -> None:
    from_zero = points_per_deal(last_legal, "classic", 2, deals=8, seed=1)
    assert points_per_deal(last_legal, "classic", 2, deals=8, seed=1, scores="drawn") != from_zero
    with pytest.raises(ValueError, match="scores: 'random' must be"):
        points_per_deal(last_legal, "classic", 2, deals=8, scores="random")


def test_it_reads_as_points_with_an_interval() -> None:
    assert str(PointsPerDeal(1_219.4, 56.5, 500)) == "+1,219 points a deal (95%: +1,163 to +1,276)"
    assert str(PointsPerDeal(-40.0, 60.0, 500)) == "-40 points a deal (95%: -100 to +20)"


def test_one_deal_has_no_interval() -> None:
    with pytest.raises(ValueError, match="deals: 1 must be at least 2"):
        points_per_deal(last_legal, "classic", 2, deals=1)


@pytest.mark.parametrize(
    ("choose", "reason"),
    [
        (None, "choose: None must be a function"),
        (lambda _, masks: masks.argmax(axis=1) + 0.5, r"choose: its actions: float64\(2,\) must be integers"),
        (lambda _, masks: masks.argmax(axis=1)[:, None], r"choose: its actions: int64\(2, 1\) must be"),
        (lambda _, masks: None, r"choose: its actions: .* must be integers of \(2,\)"),
        (lambda _, masks: 0, r"choose: its actions: .* must be integers of \(2,\)"),
    ],
)
def test_actions_that_are_none_were_rounded_or_spread_over_the_tables(choose: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        points_per_deal(choose, "classic", deals=2)
