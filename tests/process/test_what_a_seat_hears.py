"""What a seat is told depends on nothing that it cannot know."""

from __future__ import annotations

import json

import numpy as np
import pytest

from canasta_env.events import action_event, deal_event, end_event, play_move, question_view
from canasta_env.rules import Rules, classic, modern_american
from canasta_env.table import Table

GAMES = [classic(), classic(players=3), classic(players=2), modern_american()]
DEALS = 40


class Stream:
    """Bytes that a seat is sent, or an observer (None), while a deal is played."""

    def __init__(self, table: Table, seat: int | None) -> None:
        self.table, self.seat = table, seat
        self.text = json.dumps(deal_event(table, seat, is_first=True))

    def play(self, action: str) -> None:
        self.text += json.dumps(action_event(play_move(self.table, action), self.seat))
        if self.seat is not None:
            self.text += json.dumps(question_view(self.table.rules, self.table.view(self.seat)))


def lay_by_chance(streams: list[Stream], seat: int, rng: np.random.Generator) -> int:
    """Play the same until `seat` draws: what is legal at both tables, and lays the same threes; actions."""
    first, second = streams[0].table, streams[1].table
    num_actions = 0
    while not first.is_over and (first.to_play, first.phase) == (second.to_play, second.phase):
        common = [action for action in first.legal() if action in second.legal()]
        if first.to_play == seat:
            common = [action for action in common if action != "draw"]
        common = [action for action in common if is_seen_alike(first, second, action)]
        if not common:
            break
        action = common[rng.integers(len(common))]
        for stream in streams:
            stream.play(action)
        num_actions += 1
    return num_actions


def is_seen_alike(first: Table, second: Table, action: str) -> bool:
    """Whether both lay the same threes on the way, and nothing ends: everybody sees that."""
    moves, tables = [], [first.copy(), second.copy()]
    for table in tables:
        moves.append(play_move(table, action))
    same_stock = tables[0].stock_size == tables[1].stock_size
    return moves[0].threes == moves[1].threes and same_stock and not tables[0].is_over


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: f"{rules.game}_{rules.players}")
def test_streams_are_byte_equal_where_only_hidden_cards_differ(rules: Rules) -> None:
    rng = np.random.default_rng(7)
    num_actions = num_differing = 0
    for seed in range(DEALS):
        table = Table(rules, seed=seed)
        seat = seed % rules.players
        other = table.redeal(seat, rng)
        tables = [table, other, table.copy(), other.copy()]
        seen, opened = (
            [Stream(each, seat) for each in tables[:2]],
            [Stream(each, None) for each in tables[2:]],
        )
        actions: list[str] = []
        played = Recorder(seen, actions)
        num_actions += lay_by_chance(played.streams, seat, rng)
        for action in actions:
            for stream in opened:
                stream.play(action)
        assert seen[0].text == seen[1].text
        num_differing += opened[0].text != opened[1].text
    assert num_actions > 2 * DEALS
    assert num_differing == DEALS  # the open stream would give them away


class Recorder:
    """Streams, the first of which notes what is played."""

    def __init__(self, streams: list[Stream], actions: list[str]) -> None:
        self.streams = streams
        play = streams[0].play

        def noting(action: str) -> None:
            actions.append(action)
            play(action)

        streams[0].play = noting  # type: ignore[method-assign]


def test_what_others_draw_is_open_to_the_observer_only() -> None:
    table = Table(classic(), seed=1)
    seat = table.to_play
    assert seat is not None
    move = play_move(table, "draw")
    assert len(move.drawn) == 1
    assert action_event(move, seat)["drawn"] == action_event(move, None)["drawn"] == list(move.drawn)
    for other in set(range(4)) - {seat}:
        assert "drawn" not in action_event(move, other)


def test_the_end_tells_points_and_scores() -> None:
    table = Table(classic(players=2), seed=1, scores=[100, 200])
    while not table.is_over:
        table.play(table.legal()[-1])
    points = [score.total for score in table.score()]
    assert end_event(table, is_last=False) == {
        "type": "end",
        "last": False,
        "went_out": table.went_out,
        "points": points,
        "scores": [100 + points[0], 200 + points[1]],
    }
