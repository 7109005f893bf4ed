"""R-DISC: what may be discarded, and what a discard does to the pile."""

import pytest

from canasta_env.cards import KINDS
from tests.rules.positions import classic, discards, modern, play

# R-DISC-1


def test_r_disc_1_classic_any_card_in_hand():
    every_kind = [kind for kind in KINDS if kind != "red3"]
    assert discards(classic(" ".join(every_kind))) == every_kind
    assert discards(classic("joker 2")) == ["joker", "2"]


@pytest.mark.parametrize("wild", ["2", "joker"])
def test_r_disc_1_classic_a_wild_freezes_the_pile(wild):
    table = classic(f"{wild} 4", pile="K", hands={1: "K K 5"}, their_melds=["9 9 9"])
    assert table.position()["wild_frozen"] is False
    table.play(f"discard {wild}")
    assert table.pile == ["K", wild]
    assert table.position()["wild_frozen"] is True
    assert table.legal() == ["draw"]


@pytest.mark.parametrize("card", ["black3", "4", "A"])
def test_r_disc_1_classic_no_other_card_freezes(card):
    table = classic(f"{card} 8", pile="K")
    table.play(f"discard {card}")
    assert table.position()["wild_frozen"] is False


def test_r_disc_1_classic_a_black_three_only_stops_the_next_player():
    table = classic(
        "black3 8",
        hands={1: "K 5 6", 2: "5 2 6"},
        melds=["9 9 9"],
        their_melds=["J J J"],
        stock="7",
        pile="K",
    )
    table.play("discard black3")
    assert table.legal() == ["draw"]
    play(table, "draw", "discard 5")
    assert table.legal() == ["draw", "take with 2"]  # not frozen: one five and a wild will do


def test_r_disc_1_a_discard_lies_on_top():
    for game in (classic, modern):
        table = game("K 8", pile="J Q")
        table.play("discard K")
        assert table.pile == ["J", "Q", "K"]
        assert table.hand(0) == {"8": 1}


# R-DISC-2


def test_r_disc_2_modern_no_action_discards_a_three():
    # With a three in hand the deal is over (R-TURN-2).
    table = modern("4 5", phase="draw", whole_stock="black3")
    table.play("draw")
    assert table.hand(0) == {"black3": 1, "4": 1, "5": 1}
    assert table.legal() == []


def test_r_disc_2_modern_no_wild_beside_a_natural():
    assert discards(modern("joker 2 K")) == ["K"]
    assert discards(modern("joker joker 2 2 A 7", melds=["9 9 9"])) == ["7", "A"]


def test_r_disc_2_modern_wilds_from_a_hand_of_wilds_only():
    assert discards(modern("joker 2")) == ["joker", "2"]
    assert discards(modern("2 2 2", melds=["9 9 9"])) == ["2"]


def test_r_disc_2_modern_a_wild_as_the_card_that_goes_out():
    melds = ["9 9 9 9 9 9 9", "8 8 8 8 8 8 8", "Q Q Q"]
    table = modern("2", melds=melds)
    assert table.legal() == ["discard 2"]
    assert play(table, "discard 2").went_out == 0
    # Discarded from two cards, the natural must go.
    assert discards(modern("2 K", melds=melds)) == ["K"]


def test_r_disc_2_modern_a_wild_goes_out_after_the_naturals_are_melded():
    table = modern("2 Q", melds=["9 9 9 9 9 9 9", "8 8 8 8 8 8 8", "Q Q Q"])
    assert table.legal() == ["add Q", "discard Q"]
    play(table, "add Q")
    assert table.legal() == ["discard 2"]


def test_r_disc_2_modern_a_wild_discarded_does_not_freeze():
    table = modern("2 joker", pile="K")
    table.play("discard 2")
    assert table.pile == ["K", "2"]
    assert table.position()["wild_frozen"] is False
    assert table.legal() == ["draw"]


# R-DISC-3

CLOSED = {"their_melds": ["Q Q Q Q Q Q Q"]}
CLOSED_ACES = {"their_melds": ["A A A A A A A"]}
CLOSED_SEVENS = {"melds": ["7 7 7 7 7 7 7"]}


@pytest.mark.parametrize(
    ("hand", "table", "may_discard"),
    [
        ("4 K Q A 7 2 joker", {}, ["4", "Q", "K"]),
        ("4 Q A 7 2 joker", CLOSED, ["4"]),  # (i) before (ii)
        ("Q A 7 2", CLOSED, ["Q"]),  # (ii) before (iii)
        ("Q A 2", CLOSED_ACES, ["Q"]),
        ("A 7 2 joker", {}, ["7", "A"]),  # (iii)
        ("A 7 2", CLOSED_ACES, ["7"]),  # (iii) before (iv)
        ("A 7 2", CLOSED_SEVENS, ["A"]),
        ("A 2 joker", CLOSED_ACES, ["A"]),  # (iv) before (v)
        ("7 2 joker", CLOSED_SEVENS, ["7"]),
        ("A 7 2", CLOSED_ACES | CLOSED_SEVENS, ["7", "A"]),
        ("2 joker", {}, ["joker", "2"]),  # (v)
        ("2 2", CLOSED, ["2"]),
    ],
)
def test_r_disc_3_modern_classes_on_an_empty_pile(hand, table, may_discard):
    assert discards(modern(hand, pile="", **table)) == may_discard


@pytest.mark.parametrize(
    ("hand", "table"),
    [("4 Q A 7", {}), ("4 Q A 7", CLOSED), ("4 A 7", CLOSED_ACES), ("Q A 7", CLOSED_ACES | CLOSED_SEVENS)],
)
def test_r_disc_3_modern_any_natural_on_a_pile_with_cards(hand, table):
    assert discards(modern(hand + " 2 joker", pile="6", **table)) == sorted(hand.split(), key=KINDS.index)


def test_r_disc_3_modern_the_first_turn_of_the_deal():
    table = modern("A A 7 4 2", phase="draw", pile="", stock="A", turn=1)
    table.play("draw")
    assert discards(table) == ["4"]
    table.play("discard 4")
    assert table.pile == ["4"]


def test_r_disc_3_modern_the_discard_after_a_take():
    table = modern("Q Q A 4", phase="draw", melds=["9 9 9"], pile="7 Q")
    table.play("take")
    assert table.legal() == ["discard 4"]
    table = modern("Q Q A 2", phase="draw", melds=["9 9 9"], pile="7 Q")
    table.play("take")
    assert table.legal() == ["discard 7", "discard A"]


def test_r_disc_3_modern_the_card_that_goes_out_is_free():
    for card in ("A", "7", "2", "joker"):
        table = modern(f"Q Q Q {card}", pile="", melds=["9 9 9 9 9 9 9", "8 8 8 8 8 8 8"], turn=1)
        play(table, "meld Q Q Q")
        assert table.legal() == [f"discard {card}"]
        assert play(table, f"discard {card}").went_out == 0


def test_r_disc_3_classic_an_empty_pile_forbids_nothing():
    table = classic("Q Q A 7 2 joker 4 black3", phase="draw", melds=["9 9 9"], pile="Q")
    table.play("take")
    assert discards(table) == ["joker", "2", "black3", "4", "7", "A"]
