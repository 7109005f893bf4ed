"""R-CARD: the 108 cards and their values."""

from collections import Counter

import pytest

from canasta_env import Table
from canasta_env import classic as classic_rules
from canasta_env import modern_american as modern_rules
from canasta_env.cards import KINDS, RANKS
from tests.rules.positions import classic, modern

COPIES = {"joker": 4, "2": 8, "red3": 4, "black3": 4} | dict.fromkeys(RANKS, 8)
VALUES = {
    "joker": 50,
    "2": 20,
    "A": 20,
    **dict.fromkeys(["8", "9", "10", "J", "Q", "K"], 10),
    **dict.fromkeys(["4", "5", "6", "7"], 5),
    "red3": 5,
    "black3": 5,
}


@pytest.mark.parametrize("rules", [classic_rules(2), classic_rules(3), classic_rules(4), modern_rules()])
def test_r_card_1_a_dealt_table_holds_the_108_cards(rules):
    position = Table(rules, seed=5).position()
    cards = Counter(position["stock"]) + Counter(position["pile"])
    for held in (*position["hands"], *position["threes"]):
        cards += Counter(held)
    assert cards == COPIES
    assert cards.total() == 108


def test_r_card_1_the_kinds_have_their_names():
    assert KINDS == ("joker", "2", "red3", "black3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "red3"])
def test_r_card_2_value_of_a_card_left_in_hand(kind):
    assert classic(kind, players=2, phase="draw").score()[0].cards_in_hand == -VALUES[kind]


@pytest.mark.parametrize("three", ["red3", "black3"])
def test_r_card_2_a_three_left_in_a_modern_hand_counts_five(three):
    over = modern("4 " + three, hands={2: "4"}, phase="over", whole_stock="")
    assert over.score()[0].cards_in_hand == -5 - 5 - VALUES[three]


@pytest.mark.parametrize("rank", RANKS)
def test_r_card_2_value_of_a_card_melded(rank):
    assert classic("4 5", melds=[f"{rank} {rank} {rank}"]).score()[0].melded_cards == 3 * VALUES[rank]


def test_r_card_2_value_of_wilds_melded():
    assert classic("4 5", melds=["9 9 9 2 joker"]).score()[0].melded_cards == 30 + 20 + 50


def test_r_card_2_a_black_three_melded_counts_five():
    out = classic("black3 black3 black3", melds=["9 9 9 9 9 9 9"])
    out.play("meld black3 black3 black3")
    assert out.score()[0].melded_cards == 7 * 10 + 3 * 5
