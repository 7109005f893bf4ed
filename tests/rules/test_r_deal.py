"""R-DEAL: hands, laid threes, the first card of the pile, who begins."""

import dataclasses
from collections import Counter

import numpy as np
import pytest

from canasta_env import Table
from canasta_env import classic as classic_rules
from canasta_env import modern_american as modern_rules
from canasta_env.vector import VectorTables
from tests.rules.matches import NO_END
from tests.rules.positions import order_of

FOUR_GAMES = [classic_rules(2), classic_rules(3), classic_rules(4), modern_rules()]
HAND_SIZES = [15, 13, 11, 13]


def hands_of(*hands: str) -> list[str]:
    """The dealt cards of hands given as texts, in the order of dealing."""
    return [kind for hand in hands for kind in hand.split()]


@pytest.mark.parametrize(("rules", "size"), list(zip(FOUR_GAMES, HAND_SIZES, strict=True)))
def test_r_deal_1_hand_sizes(rules, size):
    for seed in range(5):
        table = Table(rules, seed=seed)
        assert [sum(table.hand(seat).values()) for seat in range(rules.players)] == [size] * rules.players


@pytest.mark.parametrize("dealer", range(4))
def test_r_deal_2_whole_hands_from_the_seat_after_the_dealer(dealer):
    hands = [
        "4 4 4 4 4 4 4 4 5 5 5",
        "6 6 6 6 6 6 6 6 7 7 7",
        "8 8 8 8 8 8 8 8 9 9 9",
        "J J J J J J J J Q Q Q",
    ]
    table = Table(classic_rules(), order=order_of([*hands_of(*hands), "10"]), dealer=dealer)
    for place, hand in enumerate(hands):
        assert table.hand((dealer + 1 + place) % 4) == Counter(hand.split())
    assert table.pile == ["10"]
    assert table.stock_size == 108 - 44 - 1


def test_r_deal_2_with_dealer_0_seat_1_gets_the_first_cards():
    table = Table(
        classic_rules(2), order=order_of(hands_of("K " * 8 + "Q " * 7, "9 " * 8 + "8 " * 7)), dealer=0
    )
    assert table.hand(1) == {"Q": 7, "K": 8}
    assert table.hand(0) == {"8": 7, "9": 8}


def test_r_deal_2_without_a_dealer_an_order_is_dealt_by_seat_0():
    table = Table(classic_rules(), order=order_of(hands_of("K " * 8)))
    assert (table.dealer, table.to_play, table.hand(1)["K"]) == (0, 1, 8)


def test_r_deal_2_classic_red_threes_are_laid_and_replaced_seat_by_seat():
    # Dealer 3, so seat 0 is first. Its red three is replaced by another one, that one by a king;
    # seat 2 then gets the jack. The black three stays in seat 1's hand.
    hands = ["4 " * 8 + "5 5 red3", "6 " * 8 + "7 7 black3", "8 " * 8 + "9 9 red3", "Q " * 8 + "9 9 9"]
    table = Table(classic_rules(), order=order_of([*hands_of(*hands), "red3", "K", "J", "10", "A"]), dealer=3)
    assert table.hand(0) == {"4": 8, "5": 2, "K": 1}
    assert table.hand(1) == {"black3": 1, "6": 8, "7": 2}
    assert table.hand(2) == {"8": 8, "9": 2, "J": 1}
    assert table.hand(3) == {"9": 3, "Q": 8}
    assert table.threes(0) == {"red3": 3}
    assert table.threes(1) == {}
    assert table.pile == ["10"]
    assert table.stock_size == 108 - 44 - 3 - 1


def test_r_deal_2_replacements_start_with_the_seat_after_the_dealer():
    # Dealer 0: seat 1 is dealt first and replaces first, seat 0 last.
    hands = ["4 " * 8 + "5 5 red3", "6 " * 8 + "7 7 7", "8 " * 8 + "9 9 9", "Q " * 8 + "9 9 red3"]
    table = Table(classic_rules(), order=order_of([*hands_of(*hands), "K", "J", "10"]), dealer=0)
    assert table.hand(1) == {"4": 8, "5": 2, "K": 1}
    assert table.hand(0) == {"9": 2, "J": 1, "Q": 8}


def test_r_deal_2_modern_all_threes_are_laid_and_replaced():
    hands = [
        "4 " * 8 + "5 5 5 red3 black3",
        "6 " * 8 + "7 7 7 7 black3",
        "8 " * 8 + "9 9 9 9 9",
        "Q " * 8 + "J J J J J",
    ]
    # Seat 0 takes black3 (laid), K, A; seat 1 takes red3 (laid), 10.
    table = Table(
        modern_rules(), order=order_of([*hands_of(*hands), "black3", "K", "A", "red3", "10"]), dealer=3
    )
    assert table.hand(0) == {"4": 8, "5": 3, "K": 1, "A": 1}
    assert table.hand(1) == {"6": 8, "7": 4, "10": 1}
    assert table.threes(0) == {"red3": 1, "black3": 2}
    assert table.threes(1) == {"red3": 1, "black3": 1}
    assert table.stock_size == 108 - 52 - 5


HANDS = hands_of("4 " * 8 + "5 5 5", "6 " * 8 + "7 7 7", "8 " * 8 + "9 9 9", "Q " * 8 + "9 9 9")


@pytest.mark.parametrize(
    ("turned", "pile", "is_frozen"),
    [
        ("K J", ["K"], False),
        ("2 K J", ["2", "K"], True),
        ("joker K J", ["joker", "K"], True),
        ("red3 K J", ["red3", "K"], True),
        ("red3 2 joker 2 K J", ["red3", "2", "joker", "2", "K"], True),
        ("black3 K J", ["black3"], False),
        ("2 black3 K", ["2", "black3"], True),
        ("red3 red3 red3 red3 5", ["red3", "red3", "red3", "red3", "5"], True),
    ],
)
def test_r_deal_3_classic_first_cards_of_the_pile(turned, pile, is_frozen):
    table = Table(classic_rules(), order=order_of(HANDS + turned.split()), dealer=3)
    assert table.pile == pile
    assert table.position()["wild_frozen"] is is_frozen
    assert table.stock_size == 108 - 44 - len(pile)
    assert [table.threes(side) for side in range(2)] == [{}, {}]


def test_r_deal_3_classic_a_frozen_start_may_be_taken_with_a_pair():
    hands = hands_of("K K K K J J J J A A 5", "6 " * 8 + "7 7 7", "8 " * 8 + "9 9 9", "Q " * 8 + "9 9 9")
    frozen = Table(classic_rules(), order=order_of([*hands, "2", "K"]), dealer=3)
    assert frozen.legal() == ["draw", "take"]


def test_r_deal_3_modern_the_pile_starts_empty():
    for seed in range(20):
        table = Table(modern_rules(), seed=seed)
        assert table.pile == []
        assert table.position()["wild_frozen"] is False
        assert table.legal() == ["draw"]


@pytest.mark.parametrize("rules", FOUR_GAMES)
def test_r_deal_4_the_seat_after_the_dealer_plays_first(rules):
    for dealer in range(rules.players):
        table = Table(rules, seed=1, dealer=dealer)
        assert table.dealer == dealer
        assert table.to_play == (dealer + 1) % rules.players
        assert table.phase == "draw"


@pytest.mark.parametrize("rules", FOUR_GAMES)
def test_r_deal_4_the_first_dealer_is_drawn_from_the_seed(rules):
    dealers = [Table(rules, seed=seed).dealer for seed in range(60)]
    assert set(dealers) == set(range(rules.players))
    assert dealers == [Table(rules, seed=seed).dealer for seed in range(60)]


@pytest.mark.parametrize("rules", FOUR_GAMES)
def test_r_deal_4_the_dealer_moves_one_seat_on_after_every_deal(rules):
    match = VectorTables(dataclasses.replace(rules, target=NO_END), 1, seed=4, episode="match")
    rng = np.random.default_rng(4)
    dealers = []
    for _ in range(rules.players + 2):
        view = match.views[0]
        dealers.append((int(view["seat"]) + int(view["dealer"])) % rules.players)
        assert match.to_play[0] == (dealers[-1] + 1) % rules.players
        while not match.step(rng.choice(np.flatnonzero(match.masks[0]), 1)).ended[0]:
            pass
    assert dealers == [(dealers[0] + deal) % rules.players for deal in range(rules.players + 2)]
