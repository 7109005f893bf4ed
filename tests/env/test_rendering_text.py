"""Tables and views in text: all that is open is shown, and nothing of what is hidden."""

from __future__ import annotations

import pytest

from canasta_env import Rules, Table
from canasta_env.rendering.text import WIDTH, picture, view_picture
from tests.engine.walking import FOUR_GAMES, NAMES, walk

POSITION = {
    "game": "modern_american",
    "dealer": 3,
    "scores": [1250, -85],
    "hands": ["K K 9 joker", "A A", "4", "5 5 5"],
    "melds": [{"wilds": "2 2 2", "Q": "Q Q Q Q Q joker joker"}, {}],
    "threes": [{"red3": 1, "black3": 2}, {}],
    "pile": "J J 10",
    "stock": "8 8 8",
    "to_play": 0,
    "phase": "play",
    "turn": 17,
    "known": [{}, "A", {}, {}],
}
TABLE = """\
Modern American Canasta, 4 players, to 8,500
turn 17: seat 0 to play, phase "play"
stock: 82 cards
pile:  3 cards: J J 10

side 0 (seats 0 and 2): score 1,250, opened
  meld: 2 2 2
  mixed canasta: Q Q Q Q Q joker joker
  threes: red3 black3 black3
> seat 0: 4 cards: joker 9 K K
  seat 2: 1 card: 4

side 1 (seats 1 and 3): score -85, opens with 125 points
  seat 1: 2 cards: A A
  seat 3, dealer: 3 cards: 5 5 5"""
HIDDEN = {
    "  seat 1: 2 cards: A A": "  seat 1: 2 cards, known: A",
    "  seat 3, dealer: 3 cards: 5 5 5": "  seat 3, dealer: 3 cards",
}


def test_a_table_in_text() -> None:
    table = Table.from_position(POSITION, partial=True)
    assert str(table) == picture(table.rules, table.views()) == TABLE


def test_a_view_in_text_shows_other_hands_as_counts() -> None:
    table = Table.from_position(POSITION, partial=True)
    expected = TABLE.replace("  seat 2: 1 card: 4", "  seat 2: 1 card")
    for shown, hidden in HIDDEN.items():
        expected = expected.replace(shown, hidden)
    assert view_picture(table.rules, table.view(0)) == expected


def test_the_seats_of_a_view_are_those_of_the_table() -> None:
    table = Table.from_position(POSITION, partial=True)
    lines = view_picture(table.rules, table.view(3)).splitlines()
    assert "> seat 0: 4 cards" in lines
    assert "  seat 3, dealer: 3 cards: 5 5 5" in lines
    assert "side 0 (seats 0 and 2): score 1,250, opened" in lines


def test_the_turn_is_told() -> None:
    taken = Table.from_position(
        {"game": "modern_american", "hands": {1: "Q Q Q K K joker joker 4"}, "pile": "5 Q"}, partial=True
    )
    taken.play("take")
    taken.play("meld Q Q Q")
    assert "opening at 30 points, took the pile with Q on top" in str(taken)
    asked = Table.from_position(
        {"game": "classic", "hands": {1: "4 9"}, "melds": {1: ["4 4 4 4 4 2 2"]}, "phase": "play"},
        partial=True,
    )
    asked.play("ask")
    assert 'seat 3 to play, phase "answer"' in str(asked)
    asked.play("yes")
    assert "partner said yes: must go out" in str(asked)
    asked.play("add 4")
    asked.play("discard 9")
    assert "the deal is over, seat 1 went out" in str(asked)


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_every_table_and_view_of_a_deal_can_be_drawn(rules: Rules) -> None:
    for table in walk(rules, seed=3):
        texts = [str(table), *(view_picture(rules, table.view(seat)) for seat in range(rules.players))]
        for text in texts:
            assert max(map(len, text.splitlines())) <= WIDTH
            assert text.count(" seat ") >= rules.players


def test_drawing_changes_nothing() -> None:
    table = Table.from_position(POSITION, partial=True)
    before = table.position()
    str(table)
    assert table.position() == before
