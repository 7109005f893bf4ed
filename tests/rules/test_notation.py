"""The notation of an action, and its id: the table of blocks, written out once more."""

import pytest

from canasta_env.actions import NOTATIONS, NUM_ACTIONS, NotationError, notation, parse

RANKS = ["4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
BLOCKS = {
    0: ["draw", "take", "take with 2", "take with joker", "pick up", "ask", "yes", "no"],
    8: ["meld black3 black3 black3", *(f"meld {rank} {rank} {rank}" for rank in RANKS)],
    20: [f"meld {rank} {rank} 2" for rank in RANKS],
    31: [f"meld {rank} {rank} joker" for rank in RANKS],
    42: ["meld 2 2 2", "meld 2 2 joker", "meld 2 joker joker", "meld joker joker joker"],
    46: ["add black3", *(f"add {rank}" for rank in RANKS)],
    58: [f"add 2 to {rank}" for rank in RANKS],
    69: [f"add joker to {rank}" for rank in RANKS],
    80: ["add 2 to wilds", "add joker to wilds"],
    82: ["discard joker", "discard 2", "discard black3", *(f"discard {rank}" for rank in RANKS)],
}


@pytest.mark.parametrize("start", BLOCKS)
def test_notation_of_a_block(start):
    block = BLOCKS[start]
    assert [notation(action) for action in range(start, start + len(block))] == block
    assert [parse(text) for text in block] == list(range(start, start + len(block)))


def test_notation_96_actions_each_spelled_once():
    assert NUM_ACTIONS == len(NOTATIONS) == len(set(NOTATIONS)) == sum(map(len, BLOCKS.values())) == 96


@pytest.mark.parametrize(
    "text", ["", "Draw", "meld 4 4 5", "add 2", "discard red3", "meld 2 2 4", " draw", "meld 4 4 4 4"]
)
def test_notation_one_spelling_each(text):
    with pytest.raises(NotationError):
        parse(text)
