"""R-MATCH: targets, and when a match is over."""

import dataclasses

import numpy as np
import pytest

from canasta_env import RulesError
from canasta_env import classic as classic_rules
from canasta_env import modern_american as modern_rules
from canasta_env.vector import VectorTables
from tests.rules.matches import NO_END, LastAction

FOUR_GAMES = [classic_rules(2), classic_rules(3), classic_rules(4), modern_rules()]
NAMES = ["classic2", "classic3", "classic4", "modern"]


# R-MATCH-1


def test_r_match_1_standard_targets():
    assert [rules.target for rules in FOUR_GAMES] == [5000, 7500, 5000, 8500]


@pytest.mark.parametrize("target", [1, 2500, 5000, 7500, 10000, 123456])
def test_r_match_1_any_positive_integer(target):
    assert classic_rules(target=target).target == target
    assert modern_rules(target=target).target == target


@pytest.mark.parametrize("target", [0, -5000, 2500.0, "5000", True])
def test_r_match_1_nothing_else(target):
    with pytest.raises(RulesError, match="target"):
        classic_rules(target=target)
    with pytest.raises(RulesError, match="target"):
        modern_rules(target=target)


# R-MATCH-2


@pytest.fixture(scope="module", params=FOUR_GAMES, ids=NAMES)
def last_action(request):
    return LastAction(request.param, seed=3)


def for_sides(last_action, *totals):
    """Totals of two sides; a third one is far behind."""
    return [*totals, -1000][: last_action.rules.num_sides]


@pytest.mark.parametrize(
    ("totals", "winner"),
    [
        ((5000, 4000), 0),
        ((4995, 4990), None),
        ((3000, 5120), 1),
        ((5200, 5400), 1),
        ((6000, 5400), 0),
        ((5400, 5400), None),
        ((-500, -2000), None),
    ],
)
def test_r_match_2_the_highest_total_wins_once_a_side_is_at_the_target(last_action, totals, winner):
    assert last_action.finish(for_sides(last_action, *totals), 5000)[0] == winner


@pytest.mark.parametrize("totals", [(4995, 4990), (5400, 5400)])
def test_r_match_2_below_the_target_and_tied_the_next_deal_begins_with_the_totals(last_action, totals):
    totals = for_sides(last_action, *totals)
    assert last_action.finish(totals, 5000) == (None, totals)


def test_r_match_2_with_three_sides_only_a_tie_for_the_lead_is_played_on():
    three = LastAction(classic_rules(3), seed=3)
    assert three.finish([7600, 7600, 7700], 7500)[0] == 2
    assert three.finish([7600, 7700, 7700], 7500)[0] is None
    assert three.finish([7000, 7700, 7000], 7500)[0] == 1


def test_r_match_2_a_new_match_begins_at_0(last_action):
    winner, scores = last_action.finish(for_sides(last_action, 9000, 0), 5000)
    assert winner == 0
    assert scores == [0] * last_action.rules.num_sides


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_r_match_2_deals_are_added_up(rules):
    match = VectorTables(dataclasses.replace(rules, target=NO_END), 1, seed=8, episode="match")
    rng = np.random.default_rng(8)
    for _ in range(3):
        before = match.scores[0]
        points = _play_deal(match, rng)
        gained = match.scores[0] - before
        for seat in range(rules.players):
            side = rules.side_of(seat)
            others = [gained[other] for other in range(rules.num_sides) if other != side]
            assert points[seat] == gained[side] - np.mean(others)


def _play_deal(match, rng):
    while True:
        ended, points = match.step(np.array([rng.choice(np.flatnonzero(match.masks[0]))]))
        if ended[0]:
            return points[0].copy()
