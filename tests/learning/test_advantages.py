"""Advantages over each seat's own decisions, against sums worked by hand and the plain formula."""

import numpy as np
import pytest

from canasta_agents.learning.buffer import CLOSED, OPEN, Columns, Decisions
from canasta_agents.learning.gae import estimate_advantages


def estimate(following, rewards, values, *, discount=1.0, trace=1.0, turns=None, over_turns=False):
    advantages = np.full(len(following), np.nan, np.float32)
    estimate_advantages(
        np.array(following, np.int32),
        np.array(turns if turns is not None else range(len(following)), np.int16),
        np.array(rewards, np.float32),
        np.array(values, np.float32),
        discount,
        trace,
        over_turns,
        advantages,
    )
    return advantages


def test_the_last_decision_before_a_deals_end_is_worth_the_points_minus_its_value():
    assert estimate([CLOSED], [300], [120]) == pytest.approx([180])


def test_a_chain_by_hand():
    # delta_2 = 50 - 10 = 40; delta_1 = 0.9 * 10 - 20 = -11; delta_0 = 0.9 * 20 - 30 = -12
    # A_1 = -11 + 0.9 * 0.5 * 40 = 7; A_0 = -12 + 0.45 * 7 = -8.85
    advantages = estimate([1, 2, CLOSED], [0, 0, 50], [30, 20, 10], discount=0.9, trace=0.5)
    assert advantages == pytest.approx([-8.85, 7, 40])


def test_the_next_value_is_the_seats_own_not_the_tables():
    # Rows alternate between two seats; seat A owns 0, 2 and B owns 1, 3, with opposite points.
    advantages = estimate([2, 3, CLOSED, CLOSED], [0, 0, 100, -100], [5, -7, 11, -13], trace=0.0)
    assert advantages == pytest.approx([11 - 5, -13 + 7, 100 - 11, -100 + 13])


def test_with_trace_1_and_discount_1_the_advantage_is_outcome_minus_value():
    advantages = estimate([1, 2, CLOSED], [0, 0, 70], [3, 50, -20])
    assert advantages == pytest.approx([67, 20, 90])


def test_an_open_decision_has_no_estimate_but_its_value_stands_for_the_future():
    advantages = estimate([1, OPEN], [0, 0], [10, 40], discount=0.5, trace=0.9)
    assert advantages == pytest.approx([0.5 * 40 - 10, 0])


def test_over_turns_neither_discount_nor_trace_counts_within_a_turn():
    # Row 1 goes on in row 0's turn; row 2 begins the next turn.
    advantages = estimate(
        [1, 2, CLOSED],
        [0, 0, 60],
        [10, 20, 30],
        discount=0.9,
        trace=0.5,
        turns=[5, 5, 9],
        over_turns=True,
    )
    in_turn = 0.9 * 30 - 20 + 0.45 * 30
    assert advantages == pytest.approx([20 - 10 + in_turn, in_turn, 30])


def test_random_chains_agree_with_the_formula_written_out():
    rng = np.random.default_rng(5)
    num, gamma, decay = 60, 0.97, 0.9
    following, last = np.full(num, OPEN), {}
    for row in range(num):
        seat = int(rng.integers(4))
        if seat in last:
            following[last[seat]] = row if rng.random() < 0.8 else CLOSED
        last[seat] = row
    rewards = rng.normal(size=num) * (following == CLOSED)
    values = rng.normal(size=num)

    def advantage(row):
        if following[row] == OPEN:
            return 0.0
        if following[row] == CLOSED:
            return rewards[row] - values[row]
        after = following[row]
        return rewards[row] + gamma * values[after] - values[row] + gamma * decay * advantage(after)

    expected = [advantage(row) for row in range(num)]
    assert estimate(following, rewards, values, discount=gamma, trace=decay) == pytest.approx(
        expected, abs=1e-5
    )


@pytest.fixture
def decisions():
    return Decisions(Columns.allocate(40, 3, 0), num_tables=2, players=4)


def decide(decisions, tables, seats, value):
    kept = decisions.room_for(len(tables))
    kept.values[:] = value
    decisions.link(np.array(tables, np.int64), np.array(seats, np.int8))


def test_decisions_are_linked_by_table_and_seat(decisions):
    decide(decisions, [0, 1], [2, 2], 1)
    decide(decisions, [0, 1], [2, 3], 2)
    decide(decisions, [1], [2], 3)
    assert decisions.columns.following[:5].tolist() == [2, 4, OPEN, OPEN, OPEN]


def test_a_deals_end_closes_every_seat_with_its_own_points_and_only_there(decisions):
    decide(decisions, [0, 1], [0, 0], 0)
    decide(decisions, [0, 1], [1, 1], 0)
    points = np.array([[0, 0, 0, 0], [100, -100, 100, -100]], np.float32)
    decisions.close(np.array([False, True]), points)
    assert decisions.columns.following[:4].tolist() == [OPEN, CLOSED, OPEN, CLOSED]
    assert decisions.columns.rewards[:4].tolist() == [0, 100, 0, -100]
    decide(decisions, [1], [0], 0)  # the next deal
    assert decisions.columns.following[1] == CLOSED


def test_open_decisions_are_carried_over_and_learnt_from_exactly_once(decisions):
    decide(decisions, [0, 1], [0, 0], 1)
    decide(decisions, [0], [0], 2)  # closes row 0
    decide(decisions, [0], [1], 3)
    assert decisions.closed_rows.tolist() == [0]
    decisions.carry_over()
    assert decisions.size == 3
    assert sorted(decisions.columns.values[:3].tolist()) == [1, 2, 3]
    decide(decisions, [1], [0], 4)
    (row,) = decisions.closed_rows
    assert decisions.columns.values[row] == 1
    assert decisions.columns.following[row] == 3


def test_cutting_a_rollout_changes_only_where_the_trace_is_cut(decisions):
    """The same ten decisions of one seat, in one rollout and in two: with trace 0 every estimate is equal."""
    values = np.arange(10, dtype=np.float32) ** 2
    whole = Decisions(Columns.allocate(20, 1, 0), 1, 1)
    for value in values:
        decide(whole, [0], [0], value)
    end = (np.array([True]), np.array([[5.0]], np.float32))
    whole.close(*end)
    expected = estimate_all(whole)
    cut, estimates = Decisions(Columns.allocate(20, 1, 0), 1, 1), []
    for place, value in enumerate(values):
        if place == 6:
            estimates += list(estimate_all(cut))
            cut.carry_over()
        decide(cut, [0], [0], value)
    cut.close(*end)
    estimates += list(estimate_all(cut))
    assert estimates == pytest.approx(list(expected))


def estimate_all(decisions):
    columns = decisions.columns[: decisions.size]
    advantages = estimate(columns.following, columns.rewards, columns.values, trace=0.0)
    return advantages[decisions.closed_rows]
