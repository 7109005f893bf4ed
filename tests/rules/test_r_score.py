"""R-SCORE: the points of a deal, clause by clause."""

import pytest

from canasta_env.cards import RANKS
from tests.rules.positions import classic, modern, play

FOUR = {2: "4"}  # the partner's hand: 5 points
CLEAN = "9 9 9 9 9 9 9"
MIXED = "9 9 9 9 9 9 2"
PARTS = ("melded_cards", "canastas", "going_out", "threes", "cards_in_hand", "penalties")


# R-SCORE-1


@pytest.mark.parametrize("game", [classic, modern])
def test_r_score_1_cards_melded_at_their_values(game):
    melds = ["8 8 8 8 8 8 8", "4 4 4", "A A A 2 joker"]
    assert game("5 6", melds=melds).score()[0].melded_cards == 70 + 15 + 60 + 20 + 50


def test_r_score_1_modern_subtracted_without_a_canasta():
    melds = ["8 8 8 8 8 8", "4 4 4"]
    assert modern("5 6", melds=melds).score()[0].melded_cards == -75
    assert classic("5 6", melds=melds).score()[0].melded_cards == 75
    assert modern("5 6", melds=melds, their_melds=[CLEAN]).score()[0].melded_cards == -75
    assert modern("8 5 6", melds=["8 8 8 8 8 8 2", "4 4 4"]).score()[0].melded_cards == 80 + 15


def test_r_score_1_modern_the_wild_canasta_is_a_canasta():
    assert modern("5 6", melds=["2 2 2 2 2 2 2", "4 4 4"]).score()[0].melded_cards == 140 + 15


# R-SCORE-2


@pytest.mark.parametrize("rank", RANKS)
def test_r_score_2_classic_clean_and_mixed_canastas(rank):
    assert classic("4 5", melds=[" ".join([rank] * 7)]).score()[0].canastas == 500
    assert classic("4 5", melds=[" ".join([rank] * 4) + " 2 2 joker"]).score()[0].canastas == 300
    keep = "J Q" if rank in ("4", "5") else "4 5"
    assert classic(keep, melds=[" ".join([rank] * 8)]).score()[0].canastas == 500


@pytest.mark.parametrize("rank", RANKS)
def test_r_score_2_modern_clean_canastas(rank):
    bonus = 2500 if rank in ("7", "A") else 500
    assert modern("4 5", melds=[" ".join([rank] * 7)]).score()[0].canastas == bonus


@pytest.mark.parametrize("rank", [rank for rank in RANKS if rank != "7"])
def test_r_score_2_modern_mixed_canastas_of_aces_too(rank):
    assert modern("4 5", melds=[" ".join([rank] * 5) + " 2 joker"]).score()[0].canastas == 300


@pytest.mark.parametrize(
    ("wilds", "bonus"),
    [
        ("2 2 2 2 2 2 2", 3000),
        ("2 2 2 2 2 2 joker", 2000),
        ("2 2 2 2 2 joker joker", 2000),
        ("2 2 2 2 joker joker joker", 2000),
        ("2 2 2 joker joker joker joker", 2500),
    ],
)
def test_r_score_2_modern_wild_canastas(wilds, bonus):
    assert modern("4 5", melds=[wilds]).score()[0].canastas == bonus


def test_r_score_2_each_canasta_counts_and_six_cards_do_not():
    melds = [CLEAN, "8 8 8 8 8 2 2", "K K K K K K"]
    assert classic("4 5", melds=melds).score()[0].canastas == 800
    assert modern("4 5", melds=melds).score()[0].canastas == 800


def test_r_score_2_the_bonus_comes_on_top_of_the_cards():
    score = classic("4 5", melds=[CLEAN], hands=FOUR).score()[0]
    assert (score.melded_cards, score.canastas, score.total) == (70, 500, 70 + 500 - 15)


# R-SCORE-3


def test_r_score_3_going_out_100():
    table = play(classic("K", melds=[CLEAN]), "discard K")
    assert [score.going_out for score in table.score()] == [100, 0]
    table = play(modern("K", melds=[CLEAN, "8 8 8 8 8 8 8"]), "discard K")
    assert [score.going_out for score in table.score()] == [100, 0]


@pytest.mark.parametrize(("players", "seat"), [(2, 1), (3, 2)])
def test_r_score_3_only_the_side_that_went_out(players, seat):
    table = play(classic("K", players=players, seat=seat, melds=[CLEAN, "8 8 8 8 8 8 8"]), "discard K")
    assert [score.going_out for score in table.score()] == [100 * (side == seat) for side in range(players)]


def test_r_score_3_classic_concealed_200_in_its_place():
    table = play(classic("K K K K K K K"), "meld K K K", *["add K"] * 4)
    assert [score.going_out for score in table.score()] == [200, 0]


def test_r_score_3_a_deal_that_ends_otherwise_gives_nobody_the_bonus():
    table = play(classic("4 5", melds=[CLEAN], phase="draw", whole_stock=""), "draw")
    assert [score.going_out for score in table.score()] == [0, 0]
    table = play(
        modern("4 5 6", melds=[CLEAN, "8 8 8 8 8 8 8"], phase="draw", whole_stock="K"), "draw", "discard 4"
    )
    assert table.is_over
    assert [score.going_out for score in table.score()] == [0, 0]


# R-SCORE-4


@pytest.mark.parametrize(("num", "points"), [(0, 0), (1, 100), (2, 200), (3, 300), (4, 800)])
def test_r_score_4_classic_red_threes(num, points):
    threes = " ".join(["red3"] * num)
    assert classic("4 5", melds=["9 9 9"], threes=threes).score()[0].threes == points
    assert classic("4 5", threes=threes).score()[0].threes == -points  # nothing melded


def test_r_score_4_classic_the_sides_melds_decide():
    # Seat 2 melded, seat 0 did not; the other side melded nothing.
    melded = [False, False, True, False]
    table = classic("4 5", melds=["9 9 9"], threes="red3", their_threes="red3 red3", melded=melded)
    assert [score.threes for score in table.score()] == [100, -200]


@pytest.mark.parametrize(("num", "points"), [(0, 0), (1, 100), (2, 300), (3, 500), (4, 1000)])
@pytest.mark.parametrize("colour", ["red3", "black3"])
def test_r_score_4_modern_threes_of_one_colour(colour, num, points):
    threes = " ".join([colour] * num)
    assert modern("4 5", threes=threes).score()[0].threes == -points
    assert modern("4 5", melds=["K K K K K K"], threes=threes).score()[0].threes == -points
    assert modern("4 5", melds=[CLEAN], threes=threes).score()[0].threes == 0
    assert modern("4 5", melds=[CLEAN, "8 8 8 8 8 2 2"], threes=threes).score()[0].threes == points
    assert (
        modern("4 5", melds=[CLEAN, "8 8 8 8 8 8 8", "2 2 2 2 2 2 2"], threes=threes).score()[0].threes
        == points
    )


def test_r_score_4_modern_each_colour_by_itself():
    table = modern("4 5", melds=[CLEAN, MIXED.replace("9", "8")], threes="red3 red3 black3 black3 black3")
    assert table.score()[0].threes == 300 + 500
    table = modern("4 5", threes="red3 black3")
    assert table.score()[0].threes == -200


# R-SCORE-5


def test_r_score_5_cards_left_in_the_hands_of_the_side():
    table = classic("K A joker", hands={2: "black3 4"}, melds=["9 9 9"])
    assert table.score()[0].cards_in_hand == -(10 + 20 + 50) - (5 + 5)
    table = modern("K A joker", hands={2: "8 4"}, melds=["9 9 9"])
    assert table.score()[0].cards_in_hand == -(10 + 20 + 50) - (10 + 5)


def test_r_score_5_the_partners_hand_counts_when_the_player_goes_out():
    table = play(classic("K", melds=[CLEAN], hands={2: "A A"}), "discard K")
    assert table.score()[0].cards_in_hand == -40


def test_r_score_5_with_two_and_three_players_each_hand_for_itself():
    for players in (2, 3):
        table = classic("K A", players=players, hands={1: "joker"})
        assert [score.cards_in_hand for score in table.score()][:2] == [-30, -50]


# R-SCORE-6


@pytest.mark.parametrize("sevens", ["7 7 7", "7 7 7 7 7 7"])
def test_r_score_6_modern_an_unfinished_meld_of_sevens(sevens):
    assert modern("4 5", melds=[sevens]).score()[0].penalties == -2500
    assert modern("4 5", melds=[sevens, CLEAN, "8 8 8 8 8 8 8"]).score()[0].penalties == -2500
    assert modern("4 5", melds=["7 7 7 7 7 7 7"]).score()[0].penalties == 0


@pytest.mark.parametrize("aces", ["A A A", "A A A A A A"])
def test_r_score_6_modern_an_unfinished_meld_of_clean_aces(aces):
    assert modern("4 5", melds=[aces]).score()[0].penalties == -2500
    assert modern("4 5", melds=["A A A A A A A"]).score()[0].penalties == 0


@pytest.mark.parametrize("aces", ["A A 2", "A A A joker", "A A A A 2 2"])
def test_r_score_6_modern_mixed_aces_none(aces):
    assert modern("4 5", melds=[aces]).score()[0].penalties == 0


@pytest.mark.parametrize(
    ("wilds", "penalty"),
    [
        ("2 2 2", 2000),
        ("joker joker joker", 2000),
        ("2 2 2 joker joker joker", 2000),
        ("joker joker joker joker", 2500),
        ("2 2 joker joker joker joker", 2500),
        ("2 2 2 joker joker joker joker", 0),
        ("2 2 2 2 2 2 2", 0),
    ],
)
def test_r_score_6_modern_an_unfinished_wild_meld(wilds, penalty):
    assert modern("4 5", melds=[wilds]).score()[0].penalties == -penalty


@pytest.mark.parametrize("rank", ["7", "A"])
def test_r_score_6_modern_three_or_more_aces_or_sevens_in_a_hand(rank):
    for num in range(2, 8):
        score = modern(" ".join([rank] * num), hands=FOUR, melds=[CLEAN]).score()[0]
        assert score.penalties == (-1500 if num >= 3 else 0)
        assert score.cards_in_hand == -5 - num * (5 if rank == "7" else 20)


def test_r_score_6_modern_each_player_and_each_rank():
    # Two and one in the hands of partners are not three in one.
    assert modern("A A 4", hands={2: "A 7 7"}, melds=[CLEAN]).score()[0].penalties == 0
    assert modern("A A A", hands={2: "A A A"}, melds=[CLEAN]).score()[0].penalties == -3000
    assert modern("A A A 7 7 7", hands=FOUR, melds=[CLEAN]).score()[0].penalties == -3000
    assert modern("A A A 7 7 7", hands={2: "7 7 7 A A A"}, melds=[CLEAN]).score()[0].penalties == -6000


def test_r_score_6_modern_whoever_went_out():
    melds = [CLEAN, "8 8 8 8 8 8 8"]
    table = play(modern("K", hands={2: "A A A", 1: "7 7 7"}, melds=melds), "discard K")
    assert [score.penalties for score in table.score()] == [-1500, -1500]


def test_r_score_6_modern_only_aces_and_sevens_count_in_a_hand():
    assert modern("K K K K 6 6 6 2 2 2 joker joker joker", melds=[CLEAN]).score()[0].penalties == 0


def test_r_score_6_modern_whatever_else_is_scored():
    melds = ["7 7 7", "A A A", "2 2 2"]
    score = modern("7 7 7 4", hands={2: "A A A"}, melds=melds, threes="red3").score()[0]
    assert score.penalties == -2500 - 2500 - 2000 - 1500 - 1500
    assert (score.melded_cards, score.threes) == (-(15 + 60 + 60), -100)


def test_r_score_6_classic_has_no_penalties():
    table = classic("A A A 7 7 7 4", hands={2: "7 7 4"}, melds=["7 7 7", "A A A"])
    assert [score.penalties for score in table.score()] == [0, 0]


def test_r_score_the_total_is_the_sum_of_its_parts():
    table = play(
        classic("K", melds=[CLEAN, "7 7 7"], their_melds=["4 4 4"], threes="red3", hands=FOUR), "discard K"
    )
    for score in table.score():
        assert score.total == sum(getattr(score, part) for part in PARTS)
    assert table.score()[0].total == 70 + 15 + 500 + 100 + 100 - 5
