"""Perft: how many sequences of 1, 2, 3, ... legal actions there are from a position.

The counts were made by the oracle of tests/reference, then frozen. A rule read wrongly anywhere along
the way changes them. `pytest -m slow tests/engine/test_perft.py` counts with the oracle again.
"""

import pytest

from canasta_env import Table, classic, modern_american
from tests.reference.oracle import Oracle
from tests.rules.positions import position

POSITIONS = {
    "classic: an opening from the hand": position(classic(), "Q Q Q K K 7 7 7 2 joker 4 5"),
    "classic: an opening from the hand at 3,000": position(
        classic(), "A A A K K K 7 7 2 joker joker 4", score=3000
    ),
    "classic: an opening with the pile": position(
        classic(), "K K Q Q Q 8 8 2 4 5", phase="draw", pile="Q K 6 K", stock="9 J"
    ),
    "classic: an opening with a frozen pile that goes out": position(
        classic(),
        "10 10 10 10 10 2 joker 6",
        phase="draw",
        pile="red3 2 6 6 10",
        wild_frozen=True,
        stock="9 J",
    ),
    "classic: three ways to take": position(
        classic(), "J J J 2 joker 4 5", phase="draw", melds=["9 9 9 2"], pile="4 4 9 J", stock="9 6"
    ),
    "classic: black threes and a question": position(
        classic(),
        "black3 black3 black3 9 K K",
        hands={1: "4 5", 2: "6 7", 3: "8 J"},
        phase="draw",
        melds=["9 9 9 9 9 9", "K K K 2"],
        pile="5",
        stock="2 J Q",
    ),
    "classic: two players at the end of the stock": position(
        classic(2),
        "K K Q 4 4",
        phase="draw",
        melds=["9 9 9"],
        pile="4 4",
        whole_stock="red3 K 9",
        hands={1: "4 4 6"},
    ),
    "classic: three players": position(
        classic(3),
        "5 5 6 6 2",
        hands={1: "7 7 J J", 2: "8 9"},
        phase="draw",
        melds=["10 10 10"],
        pile="Q 5",
        stock="7 7 J 8",
    ),
    "modern: an opening of any kind": position(modern_american(), "A A A K K Q Q Q 2 2 2 joker joker 4"),
    "modern: a canasta that waives the minimum": position(
        modern_american(), "4 4 4 4 4 4 4 5 5 5 2 2 8 9", score=5000
    ),
    "modern: an opening with the pile": position(
        modern_american(), "Q Q Q K K A A A 2 joker joker 7", phase="draw", pile="K 5 Q", stock="9 J"
    ),
    "modern: wilds after the opening": position(
        modern_american(), "2 2 2 joker Q Q A 4 5", melds=["Q Q Q", "9 9 9 9 9 2", "A A joker"]
    ),
    "modern: a question": position(
        modern_american(),
        "8 J J J K",
        hands={1: "4 5", 2: "6 7", 3: "10 4"},
        phase="draw",
        melds=["8 8 8 8 8 8", "9 9 9 9 9 9 9", "2 2 joker"],
        pile="5",
        stock="2 4 4",
    ),
    "modern: the pile is empty": position(
        modern_american(),
        "Q A 7 4 2 joker",
        hands={1: "7 7 K A", 2: "4 4 2 2", 3: "A A 2 5"},
        phase="draw",
        pile="",
        melds=["4 4 4"],
        their_melds=["Q Q Q Q Q Q Q"],
        stock="7 A 10 K",
    ),
    "modern: the last cards": position(
        modern_american(),
        "J J 4 5",
        phase="draw",
        melds=["9 9 9 9 9 9"],
        pile="J",
        whole_stock="9 black3",
        hands={1: "6 6"},
    ),
}

COUNTS = {
    "classic: an opening from the hand": [15, 62, 301, 782, 1206, 1644],
    "classic: an opening from the hand at 3,000": [14, 50, 276, 1094, 2108, 2836],
    "classic: an opening with the pile": [2, 15, 23, 81, 193, 425, 623, 915, 1246],
    "classic: an opening with a frozen pile that goes out": [2, 11, 23, 78, 254, 795, 2237, 5334],
    "classic: three ways to take": [4, 48, 259, 1061, 3179],
    "classic: black threes and a question": [1, 10, 38, 121, 277, 561, 644, 1116, 1560],
    "classic: two players at the end of the stock": [2, 10, 24, 395],
    "classic: three players": [3, 17, 25, 39, 63, 111, 189, 726, 2880],
    "modern: an opening of any kind": [15, 74, 374, 1582, 4630],
    "modern: a canasta that waives the minimum": [7, 12, 23, 43, 75, 124, 205, 352, 544],
    "modern: an opening with the pile": [2, 23, 107, 456, 1548, 3666],
    "modern: wilds after the opening": [10, 50, 173, 457, 916, 1281, 1401],
    "modern: a question": [1, 7, 18, 41, 68, 104, 146, 242, 340],
    "modern: the pile is empty": [1, 2, 2, 4, 6, 12, 24, 48, 84],
    "modern: the last cards": [2, 7, 9, 7, 4, 0],
}


def perft(table, depth):
    """The number of sequences of each length from 1 to `depth`."""
    counts = [0] * depth
    legal = table.legal()
    counts[0] = len(legal)
    if depth > 1:
        for action in legal:
            after = table.copy()
            after.play(action)
            for length, num in enumerate(perft(after, depth - 1), start=1):
                counts[length] += num
    return counts


def test_every_position_has_counts():
    assert list(COUNTS) == list(POSITIONS)


@pytest.mark.parametrize("name", COUNTS)
def test_the_engine_counts_as_frozen(name):
    counts = COUNTS[name]
    assert perft(Table.from_position(POSITIONS[name]), len(counts)) == counts


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_the_oracle_counts_as_frozen(name):
    counts = COUNTS[name]
    assert perft(Oracle.from_position(POSITIONS[name]), len(counts)) == counts
