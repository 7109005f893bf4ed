"""R-TAKE: when the pile may be taken, with what, and what happens to it (R-TAKE-5: test_r_take_opening)."""

import pytest

from canasta_env.cards import RANKS
from tests.rules.positions import classic, is_legal, modern, play

# R-TAKE-1


def test_r_take_1_never_an_empty_pile():
    assert modern("4 5 6 7 8 9 10 J Q K K A A", phase="draw", pile="").legal() == ["draw"]


@pytest.mark.parametrize("wild", ["2", "joker"])
def test_r_take_1_never_with_a_wild_on_top(wild):
    table = classic(
        "2 2 joker joker K K 4", phase="draw", melds=["9 9 9"], pile=f"K {wild}", wild_frozen=True
    )
    assert table.legal() == ["draw"]
    table = modern("2 2 joker joker K K 4", phase="draw", melds=["9 9 9"], pile=f"K {wild}")
    assert table.legal() == ["draw"]


def test_r_take_1_never_with_a_three_on_top():
    table = classic("black3 black3 2 joker 4", phase="draw", melds=["9 9 9"], pile="K black3")
    assert table.legal() == ["draw"]


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("game", [classic, modern])
def test_r_take_1_any_rank_on_top(game, rank):
    table = game(f"{rank} {rank} 5", phase="draw", pile=f"Q 6 {rank}", melds=["J J J"])
    assert table.legal() == ["draw", "take"]


# R-TAKE-2


@pytest.mark.parametrize("game", [classic, modern])
def test_r_take_2_the_pair_and_the_top_card_become_a_meld(game):
    table = game("Q Q 4 6", phase="draw", melds=["9 9 9"], pile="5 K Q")
    table.play("take")
    assert table.melds(0) == {"9": (3, 0, 0), "Q": (3, 0, 0)}
    assert table.hand(0) == {"4": 1, "5": 1, "6": 1, "K": 1}
    assert table.pile == []
    assert (table.to_play, table.phase) == (0, "play")


@pytest.mark.parametrize("game", [classic, modern])
def test_r_take_2_the_pair_and_the_top_card_join_the_meld_of_the_rank(game):
    table = game("Q Q Q 4 6", phase="draw", melds=["9 9 9", "Q Q Q Q"], pile="5 K Q")
    table.play("take")
    assert table.melds(0) == {"9": (3, 0, 0), "Q": (7, 0, 0)}
    assert table.hand(0) == {"4": 1, "5": 1, "6": 1, "K": 1, "Q": 1}


@pytest.mark.parametrize("hand", ["Q 4 6 7", "4 6 7 8", "2 joker 4 6"])
def test_r_take_2_a_natural_pair_is_needed(hand):
    assert modern(hand, phase="draw", melds=["9 9 9"], pile="5 K Q").legal() == ["draw"]
    assert classic(hand, phase="draw", melds=["9 9 9"], pile="5 2 K Q", wild_frozen=True).legal() == ["draw"]


def test_r_take_2_modern_a_queen_and_a_wild_are_not_a_pair():
    for wild in ("2", "joker"):
        table = modern(f"Q {wild} 4 6 7", phase="draw", melds=["9 9 9", "Q Q Q"], pile="5 K Q")
        assert table.legal() == ["draw"]


@pytest.mark.parametrize(
    ("meld", "may_take"),
    [
        ("J J J", True),  # no queens
        ("Q Q Q", True),
        ("Q Q 2", True),
        ("Q Q Q Q", True),
        ("Q Q 2 joker", True),
        ("Q Q Q 2", True),
        ("Q Q Q Q Q", False),
        ("Q Q Q joker 2", False),
    ],
)
def test_r_take_2_modern_only_without_a_meld_of_the_rank_or_onto_three_or_four(meld, may_take):
    table = modern("Q Q 4 6", phase="draw", melds=["9 9 9", meld], pile="5 K Q")
    assert table.legal() == (["draw", "take"] if may_take else ["draw"])


@pytest.mark.parametrize("meld", ["Q Q Q Q Q", "Q Q Q 2 joker", "Q Q Q Q 2 2 joker", "Q Q Q Q Q 2 2"])
def test_r_take_2_classic_has_no_such_limit(meld):
    table = classic("Q Q 4 6", phase="draw", melds=["9 9 9", meld], pile="5 K Q")
    assert table.legal() == ["draw", "take"]


def test_r_take_2_classic_the_other_sides_meld_of_the_rank_does_not_matter():
    table = classic("Q Q 4 6", phase="draw", melds=["9 9 9"], their_melds=["Q Q Q Q Q"], pile="5 K Q")
    assert table.legal() == ["draw", "take"]


# R-TAKE-3


def test_r_take_3_classic_one_natural_and_a_wild():
    table = classic("Q 2 joker 4 6", phase="draw", melds=["9 9 9"], pile="5 K Q")
    assert table.legal() == ["draw", "take with 2", "take with joker"]
    with_two = play(table.copy(), "take with 2")
    assert with_two.melds(0) == {"9": (3, 0, 0), "Q": (2, 1, 0)}
    assert with_two.hand(0) == {"joker": 1, "4": 1, "5": 1, "6": 1, "K": 1}
    with_joker = play(table.copy(), "take with joker")
    assert with_joker.melds(0) == {"9": (3, 0, 0), "Q": (2, 0, 1)}
    assert with_joker.hand(0) == {"2": 1, "4": 1, "5": 1, "6": 1, "K": 1}
    assert with_joker.pile == with_two.pile == []


def test_r_take_3_classic_also_with_a_pair_in_hand():
    table = classic("Q Q 2 joker 4 6", phase="draw", melds=["9 9 9"], pile="5 K Q")
    assert table.legal() == ["draw", "take", "take with 2", "take with joker"]
    table.play("take with 2")
    assert table.hand(0) == {"joker": 1, "4": 1, "5": 1, "6": 1, "Q": 1, "K": 1}


def test_r_take_3_classic_only_the_wild_that_is_held():
    assert classic("Q 2 4 6", phase="draw", melds=["9 9 9"], pile="5 K Q").legal() == ["draw", "take with 2"]
    assert classic("Q joker 4", phase="draw", melds=["9 9 9"], pile="5 K Q").legal() == [
        "draw",
        "take with joker",
    ]


def test_r_take_3_classic_a_natural_of_the_rank_is_needed():
    assert classic("2 2 joker 4 6", phase="draw", melds=["9 9 9", "Q Q Q"], pile="5 K Q").legal() == ["draw"]


def test_r_take_3_classic_only_if_the_side_has_opened_before():
    # 50 points are in reach with the joker: Q Q joker would be 70.
    table = classic("Q joker A A A 4 6", phase="draw", pile="5 K Q")
    assert table.legal() == ["draw"]


def test_r_take_3_classic_the_partner_may_have_opened():
    table = classic(
        "Q 2 4 6", phase="draw", melds=["9 9 9"], pile="5 K Q", melded=[False, False, True, False]
    )
    assert table.legal() == ["draw", "take with 2"]


def test_r_take_3_classic_not_when_wild_frozen():
    table = classic("Q Q 2 joker 4 6", phase="draw", melds=["9 9 9"], pile="5 2 K Q", wild_frozen=True)
    assert table.legal() == ["draw", "take"]


@pytest.mark.parametrize(
    ("meld", "may_take"),
    [
        ("Q Q 2", True),  # becomes four naturals, two wilds
        ("Q Q Q 2 joker", True),
        ("Q Q Q Q 2 2", True),
        ("Q Q Q Q 2 2 2", False),  # a fourth wild
        ("Q Q Q Q Q 2 2 joker", False),
        ("Q Q Q Q Q", True),
    ],
)
def test_r_take_3_classic_the_meld_must_obey_r_meld(meld, may_take):
    table = classic("Q joker 4 6", phase="draw", melds=["9 9 9", meld], pile="5 K Q")
    assert table.legal() == (["draw", "take with joker"] if may_take else ["draw"])


def test_r_take_3_classic_a_card_must_be_left_to_discard_and_one_to_keep():
    assert classic("Q 2", phase="draw", melds=["9 9 9"], pile="Q").legal() == ["draw"]
    assert classic("Q 2 4", phase="draw", melds=["9 9 9"], pile="Q").legal() == ["draw"]
    assert classic("Q 2 4 5", phase="draw", melds=["9 9 9"], pile="Q").legal() == ["draw", "take with 2"]


def test_r_take_3_modern_never_with_a_wild():
    table = modern("Q Q 2 joker 4 6", phase="draw", melds=["9 9 9"], pile="5 K Q")
    assert table.legal() == ["draw", "take"]


# R-TAKE-4


@pytest.mark.parametrize("game", [classic, modern])
@pytest.mark.parametrize("meld", ["J J J", "J J J J", "J J J J J J", "J J J J J 2 2"])
def test_r_take_4_the_top_card_alone_is_never_added(game, meld):
    table = game("J 4 5 6", phase="draw", melds=["9 9 9", meld], pile="5 K J")
    assert table.legal() == ["draw"]


# R-TAKE-6


def test_r_take_6_wild_frozen_ends_when_the_pile_comes_into_the_hand():
    frozen = {"pile": "5 2 K Q", "wild_frozen": True, "phase": "draw"}
    table = classic("Q Q 4 6", melds=["9 9 9"], **frozen)
    table.play("take")
    assert table.position()["wild_frozen"] is False
    assert table.hand(0) == {"2": 1, "4": 1, "5": 1, "6": 1, "K": 1}
    table.play("discard 6")
    assert table.position()["wild_frozen"] is False
    assert table.pile == ["6"]

    table = classic("Q Q A A A 4 6", **frozen)
    play(table, "take", "meld A A A")
    assert table.position()["wild_frozen"] is True  # not before the pick up
    table.play("pick up")
    assert table.position()["wild_frozen"] is False


def test_r_take_6_covering_the_wild_does_not_end_it():
    table = classic(
        "8 4",
        hands={1: "K 2 6", 2: "6 7"},
        melds=["9 9 9"],
        their_melds=["J J J"],
        phase="draw",
        stock="2 7 8",
        pile="Q",
    )
    play(table, "draw", "discard 2")
    assert table.position()["wild_frozen"] is True
    assert table.legal() == ["draw"]
    play(table, "draw", "discard K")
    assert table.position()["wild_frozen"] is True
    table.play("draw")
    table.play("discard 8")
    assert table.position()["wild_frozen"] is True


@pytest.mark.parametrize("game", [classic, modern])
def test_r_take_6_a_pile_of_one_card_may_be_taken(game):
    table = game("Q Q 4 6", melds=["9 9 9"], pile="Q", phase="draw")
    assert table.legal() == ["draw", "take"]
    table.play("take")
    assert table.hand(0) == {"4": 1, "6": 1}
    assert table.pile == []


def test_r_take_6_classic_a_pile_of_one_card_may_be_taken_with_a_wild():
    table = classic("Q 2 4 6", melds=["9 9 9"], pile="Q", phase="draw")
    assert table.legal() == ["draw", "take with 2"]


# R-TAKE-7


def test_r_take_7_red_threes_in_the_pile_are_laid_without_replacement():
    frozen = {"pile": "red3 red3 K Q", "wild_frozen": True, "phase": "draw"}
    table = classic("Q Q 4 6", melds=["9 9 9"], **frozen)
    before = table.stock_size
    table.play("take")
    assert table.threes(0) == {"red3": 2}
    assert table.hand(0) == {"4": 1, "6": 1, "K": 1}
    assert table.stock_size == before

    table = classic("Q Q A A A 4 6", **frozen)
    play(table, "take", "meld A A A")
    assert table.threes(0) == {}
    table.play("pick up")
    assert table.threes(0) == {"red3": 2}
    assert table.hand(0) == {"4": 1, "6": 1, "K": 1}


def test_r_take_7_black_threes_in_the_pile_come_into_the_hand():
    table = classic("Q Q 4 6", melds=["9 9 9"], pile="black3 Q", phase="draw")
    table.play("take")
    assert table.hand(0) == {"black3": 1, "4": 1, "6": 1}
    assert table.threes(0) == {}


def test_r_take_7_a_red_three_is_no_card_to_discard():
    # With the red three laid only the queen under it would be left.
    assert classic("J J", phase="draw", melds=["9 9 9"], pile="red3 Q J", wild_frozen=True).legal() == [
        "draw"
    ]
    assert is_legal(
        classic("J J 4", phase="draw", melds=["9 9 9"], pile="red3 Q J", wild_frozen=True), "take"
    )
