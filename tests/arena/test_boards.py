"""Boards are drawn by seed and index alone."""

from __future__ import annotations

from collections import Counter

import pytest

from canasta_agents.arena.schedule import ArenaError, draw_board
from canasta_env.cards import COPIES, KINDS
from canasta_env.rules import classic, modern_american


def test_a_board_is_a_function_of_seed_and_index():
    assert draw_board(classic(), 3, 17) == draw_board(classic(), 3, 17)
    boards = [draw_board(classic(), seed, index) for seed in range(5) for index in range(20)]
    assert len({board.seed for board in boards}) == 100


def test_a_board_orders_the_whole_deck_anew_for_every_deal():
    board = draw_board(modern_american(), 0, 0)
    orders = [board.order(deal) for deal in range(10)]
    assert len(set(orders)) == 10
    assert all(Counter(order) == Counter(dict(zip(KINDS, COPIES, strict=True))) for order in orders)


def test_first_cards_of_boards_are_evenly_mixed():
    first = Counter(draw_board(classic(), 1, index).order()[0] for index in range(2_000))
    assert first["A"] == pytest.approx(2_000 * 8 / 108, abs=4 * (2_000 * 8 / 108) ** 0.5)
    assert first["joker"] == pytest.approx(2_000 * 4 / 108, abs=4 * (2_000 * 4 / 108) ** 0.5)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_seat_deals(players):
    assert {draw_board(classic(players), 0, index).dealer for index in range(50)} == set(range(players))


def test_scores_are_zero_drawn_or_given():
    rules = classic(3)
    assert draw_board(rules, 0, 0).scores == (0, 0, 0)
    assert draw_board(rules, 0, 0, (5, -10, 7_495)).scores == (5, -10, 7_495)
    drawn = [score for index in range(200) for score in draw_board(rules, 0, index, "drawn").scores]
    assert all(score % 5 == 0 and score < rules.target for score in drawn)
    shares = Counter(rules.minimum(score) for score in drawn)
    assert {minimum: shares[minimum] / len(drawn) for minimum in shares} == pytest.approx(
        dict.fromkeys((15, 50, 90, 120), 0.25), abs=0.08
    )


def test_drawn_scores_stay_below_a_low_target():
    drawn = [draw_board(classic(target=10), 0, index, "drawn").scores for index in range(100)]
    assert max(map(max, drawn)) == 5


@pytest.mark.parametrize("scores", [(1, 2, 3), (0, 5_000), (), "high"])
def test_scores_that_do_not_fit_are_refused(scores):
    with pytest.raises(ArenaError, match=r"^scores: "):
        draw_board(classic(), 0, 0, scores)
