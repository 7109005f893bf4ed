"""Advantages over each seat's own buffer, against sums worked by hand and the plain formula."""

import numpy as np
import pytest

from canasta_agents.learning.buffer import DEAL_ENDED, PENDING, RolloutArrays, RolloutBuffer
from canasta_agents.learning.gae import compute_gae


def estimate(next_row, rewards, values, *, gamma=1.0, gae_lambda=1.0, turns=None, over_turns=False):
    advantages = np.full(len(next_row), np.nan, np.float32)
    compute_gae(
        np.array(next_row, np.int32),
        np.array(turns if turns is not None else range(len(next_row)), np.int16),
        np.array(rewards, np.float32),
        np.array(values, np.float32),
        gamma,
        gae_lambda,
        over_turns,
        advantages,
    )
    return advantages


def test_the_last_decision_before_a_deals_end_is_worth_the_points_minus_its_value():
    assert estimate([DEAL_ENDED], [300], [120]) == pytest.approx([180])


def test_a_chain_by_hand():
    # delta_2 = 50 - 10 = 40; delta_1 = 0.9 * 10 - 20 = -11; delta_0 = 0.9 * 20 - 30 = -12
    # A_1 = -11 + 0.9 * 0.5 * 40 = 7; A_0 = -12 + 0.45 * 7 = -8.85
    advantages = estimate([1, 2, DEAL_ENDED], [0, 0, 50], [30, 20, 10], gamma=0.9, gae_lambda=0.5)
    assert advantages == pytest.approx([-8.85, 7, 40])


def test_the_next_value_is_the_seats_own_not_the_tables():
    # Rows alternate between two seats; seat A owns 0, 2 and B owns 1, 3, with opposite points.
    advantages = estimate([2, 3, DEAL_ENDED, DEAL_ENDED], [0, 0, 100, -100], [5, -7, 11, -13], gae_lambda=0.0)
    assert advantages == pytest.approx([11 - 5, -13 + 7, 100 - 11, -100 + 13])


def test_with_lambda_1_and_gamma_1_the_advantage_is_outcome_minus_value():
    advantages = estimate([1, 2, DEAL_ENDED], [0, 0, 70], [3, 50, -20])
    assert advantages == pytest.approx([67, 20, 90])


def test_a_pending_decision_has_no_estimate_but_its_value_stands_for_the_future():
    advantages = estimate([1, PENDING], [0, 0], [10, 40], gamma=0.5, gae_lambda=0.9)
    assert advantages == pytest.approx([0.5 * 40 - 10, 0])


def test_over_turns_neither_gamma_nor_lambda_counts_within_a_turn():
    # Row 1 goes on in row 0's turn; row 2 begins the next turn.
    advantages = estimate(
        [1, 2, DEAL_ENDED],
        [0, 0, 60],
        [10, 20, 30],
        gamma=0.9,
        gae_lambda=0.5,
        turns=[5, 5, 9],
        over_turns=True,
    )
    in_turn = 0.9 * 30 - 20 + 0.45 * 30
    assert advantages == pytest.approx([20 - 10 + in_turn, in_turn, 30])


def test_random_chains_agree_with_the_formula_written_out():
    rng = np.random.default_rng(5)
    num, gamma, decay = 60, 0.97, 0.9
    next_row, last = np.full(num, PENDING), {}
    for row in range(num):
        seat = int(rng.integers(4))
        if seat in last:
            next_row[last[seat]] = row if rng.random() < 0.8 else DEAL_ENDED
        last[seat] = row
    rewards = rng.normal(size=num) * (next_row == DEAL_ENDED)
    values = rng.normal(size=num)

    def advantage(row):
        if next_row[row] == PENDING:
            return 0.0
        if next_row[row] == DEAL_ENDED:
            return rewards[row] - values[row]
        after = next_row[row]
        return rewards[row] + gamma * values[after] - values[row] + gamma * decay * advantage(after)

    expected = [advantage(row) for row in range(num)]
    assert estimate(next_row, rewards, values, gamma=gamma, gae_lambda=decay) == pytest.approx(
        expected, abs=1e-5
    )


@pytest.fixture
def buffer():
    return RolloutBuffer(RolloutArrays.allocate(40, 3, 0), num_tables=2, players=4)


def decide(buffer, tables, seats, value):
    kept = buffer.append(np.array(tables, np.int64), np.array(seats, np.int8))
    kept.values[:] = value


def test_decisions_are_linked_by_table_and_seat(buffer):
    decide(buffer, [0, 1], [2, 2], 1)
    decide(buffer, [0, 1], [2, 3], 2)
    decide(buffer, [1], [2], 3)
    assert buffer.arrays.next_row[:5].tolist() == [2, 4, PENDING, PENDING, PENDING]


def test_a_deals_end_closes_every_seat_with_its_own_points_and_only_there(buffer):
    decide(buffer, [0, 1], [0, 0], 0)
    decide(buffer, [0, 1], [1, 1], 0)
    points = np.array([[0, 0, 0, 0], [100, -100, 100, -100]], np.float32)
    buffer.end_deals(np.array([False, True]), points)
    assert buffer.arrays.next_row[:4].tolist() == [PENDING, DEAL_ENDED, PENDING, DEAL_ENDED]
    assert buffer.arrays.rewards[:4].tolist() == [0, 100, 0, -100]
    decide(buffer, [1], [0], 0)  # the next deal
    assert buffer.arrays.next_row[1] == DEAL_ENDED


def test_pending_decisions_are_carried_over_and_learnt_from_exactly_once(buffer):
    decide(buffer, [0, 1], [0, 0], 1)
    decide(buffer, [0], [0], 2)  # closes row 0
    decide(buffer, [0], [1], 3)
    assert buffer.finished_rows.tolist() == [0]
    buffer.begin_rollout()
    assert buffer.size == 3
    assert sorted(buffer.arrays.values[:3].tolist()) == [1, 2, 3]
    decide(buffer, [1], [0], 4)
    (row,) = buffer.finished_rows
    assert buffer.arrays.values[row] == 1
    assert buffer.arrays.next_row[row] == 3


def test_cutting_a_rollout_changes_only_where_it_is_cut(buffer):
    """The same ten decisions of one seat, in one rollout and in two: with lambda 0 they are equal."""
    values = np.arange(10, dtype=np.float32) ** 2
    whole = RolloutBuffer(RolloutArrays.allocate(20, 1, 0), 1, 1)
    for value in values:
        decide(whole, [0], [0], value)
    end = (np.array([True]), np.array([[5.0]], np.float32))
    whole.end_deals(*end)
    expected = estimate_all(whole)
    cut, estimates = RolloutBuffer(RolloutArrays.allocate(20, 1, 0), 1, 1), []
    for place, value in enumerate(values):
        if place == 6:
            estimates += list(estimate_all(cut))
            cut.begin_rollout()
        decide(cut, [0], [0], value)
    cut.end_deals(*end)
    estimates += list(estimate_all(cut))
    assert estimates == pytest.approx(list(expected))


def estimate_all(buffer):
    arrays = buffer.arrays[: buffer.size]
    advantages = estimate(arrays.next_row, arrays.rewards, arrays.values, gae_lambda=0.0)
    return advantages[buffer.finished_rows]
