"""Arrangements are fair: every team sits everywhere equally often."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from canasta_agents.arena.schedule import (
    MAX_SEED,
    ArenaError,
    agent_seed,
    draw_board,
    matchup,
    one_against_all,
    partnerships,
    round_robin,
)
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


def test_agents_seeds_differ_by_tournament_block_and_slot():
    places = [(seed, start, slot) for seed in (0, 1, MAX_SEED) for start in (0, 50) for slot in range(3)]
    seeds = {agent_seed(*place) for place in places}
    assert len(seeds) == len(places)
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_the_seed_an_agent_gets_is_none_that_boards_are_drawn_from():
    """Agents once got SeedSequence((seed, start, slot)), which leads on to the seeds of boards."""
    given = agent_seed(0, 0, 1)
    assert given != int(np.random.SeedSequence((0, 0, 1)).generate_state(1)[0])
    words = np.random.SeedSequence((0, 0)).generate_state(16)
    assert given not in words
    assert given not in (word ^ words[0] for word in words)


def test_the_seed_of_a_tournament_counts_in_full():
    boards = {draw_board(classic(), seed, 0).seed for seed in (1, 1 + 2**64, 1 + 2**127)}
    assert len(boards) == 3
