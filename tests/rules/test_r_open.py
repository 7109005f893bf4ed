"""R-OPEN: the first melding turn of a side."""

import pytest

from tests.rules.positions import classic, discards, is_legal, melding, modern, play

CLASSIC_MINIMA = [
    (-3000, 15),
    (-5, 15),
    (0, 50),
    (1495, 50),
    (1500, 90),
    (2995, 90),
    (3000, 120),
    (6000, 120),
]
MODERN_MINIMA = [(-3000, 125), (0, 125), (2995, 125), (3000, 155), (4995, 155), (5000, 180), (8400, 180)]


# R-OPEN-1


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("score", "minimum"), CLASSIC_MINIMA)
def test_r_open_1_classic_minimum_by_score(players, score, minimum):
    assert classic("4 5", players=players, score=score).view(0)[0]["minimum"][0] == minimum


@pytest.mark.parametrize(("score", "minimum"), MODERN_MINIMA)
def test_r_open_1_modern_minimum_by_score(score, minimum):
    assert modern("4 5", score=score).view(0)[0]["minimum"][0] == minimum


@pytest.mark.parametrize(
    ("hand", "score"),
    [
        ("7 7 7", -5),  # 15
        ("Q Q Q 2", 0),  # 50
        ("Q Q Q J J J J J J", 1500),  # 90
        ("A A A A A A", 3000),  # 120
    ],
)
def test_r_open_1_classic_exactly_the_minimum_is_enough(hand, score):
    assert melding(classic(hand + " 4 5", score=score)) != []


@pytest.mark.parametrize(
    ("hand", "score"),
    [
        ("7 7 7", 0),  # 15
        ("6 6 6 Q Q Q", 0),  # 45
        ("Q Q Q 2", 1500),  # 50
        ("A A A 7 7 7 7 7", 1500),  # 85
        ("Q Q Q J J J J J J", 3000),  # 90
        ("A A A A A 7 7 7", 3000),  # 115
    ],
)
def test_r_open_1_classic_less_than_the_minimum_is_not(hand, score):
    assert melding(classic(hand + " 4 5", score=score)) == []


@pytest.mark.parametrize(
    ("hand", "score"),
    [
        ("A A A A A 7 7 7 7 7", -500),  # 125
        ("A A A A A 7 7 7 7 7", 2995),  # 125
        ("A A A A A A Q Q Q 2 2", 3000),  # 150 + 40: two on the queens or the aces
        ("A A A A A A 4 4 4 4 4 4 4", 3000),  # 155
        ("A A A A A A Q Q Q Q Q Q", 5000),  # 180
    ],
)
def test_r_open_1_modern_exactly_the_minimum_is_enough(hand, score):
    assert melding(modern(hand + " 8 9", score=score)) != []


@pytest.mark.parametrize(
    ("hand", "score"),
    [
        ("A A A A A A", 0),  # 120
        ("A A A A A A Q Q Q", 3000),  # 150
        ("A A A A A A Q Q Q 7 7 7 7 7", 5000),  # 175
    ],
)
def test_r_open_1_modern_less_than_the_minimum_is_not(hand, score):
    assert melding(modern(hand + " 4 5", score=score)) == []


def test_r_open_1_the_sides_own_score_decides():
    assert melding(classic("Q Q Q 2 4 5", score=0, their_score=4000)) == ["meld Q Q Q", "meld Q Q 2"]
    assert melding(classic("Q Q Q 2 4 5", score=1500, their_score=0)) == []
    assert melding(classic("Q Q Q 2 4 5", seat=3, score=0, their_score=4000)) == ["meld Q Q Q", "meld Q Q 2"]


def test_r_open_the_opening_is_the_sides_not_the_players():
    # Seat 0 opened; its partner, who has melded nothing, lays 15 points.
    table = classic("7 7 7 4 5", seat=2, melds=["9 9 9"], melded=[True, False, False, False])
    assert melding(table) == ["meld 7 7 7"]
    # With three players each seat opens for itself.
    table = classic("7 7 7 4 5", seat=2, players=3, their_melds=["9 9 9"])
    assert melding(table) == []


@pytest.mark.parametrize("three", ["red3 red3 red3", ""])
def test_r_open_laid_threes_are_not_melding(three):
    table = classic("Q Q Q 4 5", threes=three)
    assert table.position()["opened"] == [False, False]
    assert melding(table) == []  # 30, and the threes do not count


# R-OPEN-2


def test_r_open_2_several_melds_count_together():
    table = classic("Q Q Q 7 7 7 7 4 5")  # 30 + 20
    assert melding(table) == ["meld 7 7 7", "meld Q Q Q"]
    play(table, "meld 7 7 7", "meld Q Q Q")
    assert table.position()["opening_points"] == 45
    assert table.legal() == ["add 7"]
    table.play("add 7")
    assert table.position()["opening_points"] == 50
    assert discards(table) == ["4", "5"]


def test_r_open_2_wilds_count_at_their_values():
    assert melding(classic("7 7 2 joker 4 5")) == ["meld 7 7 joker"]  # 60; 7 7 2 is 30
    table = play(classic("7 7 7 2 joker 4 5"), "meld 7 7 7", "add 2 to 7", "add joker to 7")
    assert table.position()["opening_points"] == 15 + 20 + 50


def test_r_open_2_classic_bonuses_never_count():
    assert melding(classic("4 4 4 4 4 4 4 6 7")) == []  # 35 points and a clean canasta


def test_r_open_2_what_is_melded_before_the_opening_is_complete_counts():
    # The turn goes on after the minimum is met; everything still counts as the opening.
    table = play(classic("Q Q Q Q Q 10 10 10 4 5"), "meld Q Q Q", "add Q", "add Q")
    assert discards(table) != []
    play(table, "meld 10 10 10")
    assert table.position()["opening_points"] == 80


# R-OPEN-3


def test_r_open_3_modern_a_clean_meld_is_needed():
    assert melding(modern("K K joker Q Q joker 4 5")) == []  # 140, both mixed
    table = modern("K K joker Q Q Q joker 4 5")  # 70 + 30 + 50
    assert melding(table) != []
    play(table, "meld K K joker", "add joker to K")
    assert melding(table) == ["meld Q Q Q"]
    table.play("meld Q Q Q")
    assert table.legal() == ["discard 4", "discard 5"]


def test_r_open_3_modern_the_clean_meld_must_stay_clean_to_the_end_of_the_turn():
    table = play(modern("A A A A A A Q Q Q 2 4 5"), "meld A A A", "add A", "add A", "add A")
    play(table, "meld Q Q Q")
    assert melding(table) == ["add 2 to Q", "add 2 to A"]
    table.play("add 2 to Q")
    assert "add 2 to A" not in table.legal()
    assert discards(table) == ["4", "5"]


def test_r_open_3_modern_a_wild_meld_is_enough():
    table = modern("2 2 joker joker 4 5")  # 140
    assert melding(table) == ["meld 2 2 joker", "meld 2 joker joker"]
    play(table, "meld 2 2 joker", "add joker to wilds")
    assert table.legal() == ["discard 4", "discard 5"]


def test_r_open_3_classic_a_mixed_opening_will_do():
    assert melding(classic("K K joker 4 5")) == ["meld K K joker"]


# R-OPEN-4


@pytest.mark.parametrize("score", [0, 3000, 5000])
@pytest.mark.parametrize("rank", ["4", "7", "Q"])
def test_r_open_4_modern_a_clean_canasta_from_the_hand_waives_the_minimum(rank, score):
    table = modern(" ".join([rank] * 7) + " 5 6", score=score)
    assert melding(table) == [f"meld {rank} {rank} {rank}"]
    table.play(f"meld {rank} {rank} {rank}")
    for _ in range(4):
        assert table.legal() == [f"add {rank}"]
        table.play(f"add {rank}")
    assert table.legal() == ["discard 5", "discard 6"]


def test_r_open_4_modern_six_clean_cards_do_not():
    assert melding(modern("4 4 4 4 4 4 5 6")) == []


@pytest.mark.parametrize("score", [3000, 5000])
def test_r_open_4_modern_a_wild_canasta_waives_the_minimum(score):
    table = modern("2 2 2 2 2 2 2 4 5", score=score)  # 140
    assert melding(table) == ["meld 2 2 2"]
    play(table, "meld 2 2 2", *["add 2 to wilds"] * 3)
    assert table.legal() == ["add 2 to wilds"]
    table.play("add 2 to wilds")
    assert table.legal() == ["discard 4", "discard 5"]


def test_r_open_4_modern_a_mixed_canasta_does_not():
    assert melding(modern("4 4 4 4 4 2 2 5 6")) == []  # 65
    assert melding(modern("4 4 4 4 4 2 2 6 6 6 9 10")) == []  # with a clean meld beside it, 80


def test_r_open_4_classic_no_canasta_waives_the_minimum():
    assert melding(classic("4 4 4 4 4 4 4 4 5 6", score=3000)) == []


# R-OPEN-5


def test_r_open_5_complete_at_the_discard():
    table = modern("A A A A A A Q Q Q 4 5")
    play(table, "meld A A A", "add A", "add A", "add A", "meld Q Q Q")
    assert table.position()["opened"] == [False, False]
    table.play("discard 4")
    assert table.position()["opened"] == [True, False]
    assert table.position()["opening_points"] == 0


def test_r_open_5_without_a_take_the_whole_turn_is_the_opening():
    # 130 points lie on the table, yet K K 2 may still be laid as in an opening.
    table = modern("A A A A A Q Q Q K K 2 4 5")
    play(table, "meld A A A", "add A", "add A", "meld Q Q Q")
    assert discards(table) == ["4", "5", "K"]
    assert melding(table) == ["meld K K 2", "add 2 to Q", "add 2 to A"]


def test_r_open_5_complete_at_pick_up():
    table = classic("Q Q A A A 4 6", phase="draw", pile="5 K Q")
    play(table, "take", "meld A A A")
    assert table.position()["opened"] == [False, False]
    table.play("pick up")
    assert table.position()["opened"] == [True, False]


def test_r_open_5_classic_complete_at_the_last_card_laid():
    table = classic("Q Q Q Q Q Q Q", phase="play")
    play(table, "meld Q Q Q", "add Q", "add Q", "add Q")
    assert table.position()["opened"] == [False, False]
    table.play("add Q")
    assert table.is_over
    assert table.position()["opened"] == [True, False]


# R-OPEN-6


def test_r_open_6_going_out_in_the_opening_turn_needs_the_minimum():
    assert melding(classic("4 4 4 4 4 4 4")) == []  # 35 of 50
    assert melding(classic("4 4 4 4 4 4 4 5 5 5")) == ["meld 4 4 4", "meld 5 5 5"]  # 50
    assert melding(classic("8 8 8 8 8 8 8")) == ["meld 8 8 8"]
    assert melding(classic("8 8 8 8 8 8 8", score=1500)) == []
    assert melding(classic("4 4 4 4 4 4 4", score=-5)) == ["meld 4 4 4"]


def test_r_open_6_modern_going_out_in_the_opening_turn():
    # Two mixed canastas of 50 points each are neither 125 nor clean; two clean ones waive the minimum.
    assert melding(modern("4 4 4 4 4 4 2 5 5 5 5 5 5 2 K")) == []
    table = modern("4 4 4 4 4 4 4 5 5 5 5 5 5 5 K", score=5000)
    assert is_legal(table, "meld 4 4 4", *["add 4"] * 4, "meld 5 5 5", *["add 5"] * 4, "discard K")
    play(table, "meld 4 4 4", *["add 4"] * 4, "meld 5 5 5", *["add 5"] * 4, "discard K")
    assert (table.is_over, table.went_out) == (True, 0)
