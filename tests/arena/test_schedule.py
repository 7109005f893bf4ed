"""Arrangements are fair: every team sits everywhere equally often."""

from __future__ import annotations

from collections import Counter

import pytest

from canasta_agents.arena.schedule import ArenaError, matchup, one_against_all, partnerships, round_robin
from canasta_env.rules import classic


def test_two_sides_are_played_both_ways():
    four = matchup(classic(4), (0,), (1,))
    assert [a.slot_of_seat for a in four.arrangements] == [(0, 1, 0, 1), (1, 0, 1, 0)]
    two = matchup(classic(2), (0,), (1,))
    assert [a.slot_of_seat for a in two.arrangements] == [(0, 1), (1, 0)]


def test_three_players_play_every_seating_with_both_teams():
    three = matchup(classic(3), (0,), (1,))
    assert len(three.arrangements) == 6
    for seat in range(3):
        assert Counter(a.slot_of_seat[seat] for a in three.arrangements) == {0: 3, 1: 3}


def test_partners_sit_in_every_seat_of_every_side():
    mixed = matchup(classic(4), (2, 5), (1,))
    assert mixed.slots == (2, 5, 1)
    assert len(mixed.arrangements) == 4
    for seat in range(4):
        assert Counter(a.slot_of_seat[seat] for a in mixed.arrangements) == {0: 1, 1: 1, 2: 2}
    for arrangement in mixed.arrangements:
        seats = arrangement.slot_of_seat
        assert {seats[0], seats[2]} in ({0, 1}, {2})


def test_an_entrant_that_meets_itself_has_a_slot_in_each_team():
    against_itself = matchup(classic(4), (3,), (3,))
    assert against_itself.slots == (3, 3)
    assert against_itself.team_of_slot == (0, 1)


def test_partners_need_a_partnership_game():
    with pytest.raises(ArenaError, match="need four players"):
        matchup(classic(2), (0, 1), (2,))


def test_formats():
    assert round_robin(3) == [((0,), (1,)), ((0,), (2,)), ((1,), (2,))]
    assert one_against_all(3) == [((0,), (1,)), ((0,), (2,))]
    assert partnerships(3) == [((0, 1), (0,)), ((0, 2), (0,)), ((1,), (0,)), ((1, 2), (0,)), ((2,), (0,))]
