"""Every position that is accepted is played to its deal's end, and every table on the way is a position."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from canasta_env import PositionError, Table
from canasta_env.cards import COPIES, KINDS
from tests.env.odd_positions import Position, accepted

NUM_POSITIONS = 400
READ_BACK = 0.04  # of the tables on the way to the end


def test_an_accepted_position_has_a_legal_action_until_its_deal_ends() -> None:
    num_accepted = 0
    for number, (position, table) in enumerate(accepted(NUM_POSITIONS, seed=1)):
        num_accepted += 1
        play_to_the_end(position, table, Random(number))
    assert num_accepted > NUM_POSITIONS // 4


def play_to_the_end(position: Position, table: Table, rng: Random) -> None:
    is_first = True
    while not table.is_over:
        if is_first or rng.random() < READ_BACK:
            assert_is_a_position(table)
        is_first = False
        legal = table.legal()
        assert legal, f"no legal action for seat {table.to_play} in {table.phase}: {json.dumps(position)}"
        table.play(rng.choice(legal))
    assert_is_a_position(table)


def assert_is_a_position(table: Table) -> None:
    position = table.position()
    assert Table.from_position(position).position() == position
    cards = [*position["pile"], *position["stock"]]
    for counts in (*position["hands"], *position["threes"]):
        cards += [kind for kind, count in counts.items() for _ in range(count)]
    for melds in position["melds"]:
        for name, (naturals, twos, jokers) in melds.items():
            cards += [name] * naturals + ["2"] * twos + ["joker"] * jokers
    assert [cards.count(kind) for kind in KINDS] == list(COPIES)


def table(game: str = "classic", **position: Any) -> Table:
    return Table.from_position({"game": game, **position}, partial=True)


@pytest.mark.parametrize("game", ["classic", "modern_american"])
def test_a_seat_that_holds_nothing_is_not_left_without_a_legal_action(game: str) -> None:
    now = table(game, hands={1: "K 4"})
    assert [now.hand(seat) for seat in range(4)] == [{"4": 1}, {"4": 1, "K": 1}, {"4": 1}, {"4": 1}]
    play_to_the_end({}, now, Random(1))


def test_a_whole_position_with_an_empty_hand_is_refused() -> None:
    position = table(hands={1: "K 4"}).position()
    position["hands"][2] = {}
    position["pile"] = ["4"]
    with pytest.raises(PositionError, match=r"hands\[2\]: empty, but a player whose turn will come .*R-TURN"):
        Table.from_position(position)


def test_a_hand_stays_empty_where_no_card_is_left_for_it() -> None:
    now = table(hands={1: "K 4"})
    position = now.position()
    position["pile"] = position.pop("stock")
    position["pile"] = [kind for kind in position["pile"] if kind != "red3"] + ["4"]
    position["threes"] = ["red3 red3 red3 red3", ""]
    position["hands"][2] = {}
    with pytest.raises(PositionError, match=r"hands\[2\]: empty"):
        Table.from_position(position, partial=True)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("turn", 10_000, r"turn: 10,000 must be at most 9,\d+ where \d+ may follow"),
        ("piles_taken", {2: 100}, r"piles_taken\[2\]: 100 must be at most \d+"),
        ("discarded", {2: {"K": 108}}, r"discarded\[2\]: count of K: 108 must be at most \d+"),
    ],
)
def test_a_count_that_would_come_past_its_limit_is_refused(key: str, value: Any, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        table(hands={1: "K 4"}, **{key: value})


@pytest.mark.parametrize("seat", ["²", "٣", "1" * 5_000, "-1", "1.0", True, 1.0, None, ()])
def test_a_seat_is_a_number_and_not_what_looks_like_one(seat: Any) -> None:
    with pytest.raises(PositionError, match="hands: place: "):
        table(hands={seat: "K 4"})


def test_a_seat_that_is_named_as_a_number_and_as_a_text_is_refused() -> None:
    with pytest.raises(PositionError, match="hands: place 1 is named twice"):
        table(hands={1: "K 4", "1": "K"})
