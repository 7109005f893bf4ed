"""The worked cases, by number: points at which Canasta programs go wrong."""

import numpy as np
import pytest

from canasta_env import Table
from canasta_env import classic as classic_rules
from canasta_env import modern_american as modern_rules
from canasta_env.cards import RANKS
from canasta_env.vector import VectorTables
from tests.rules.matches import NO_END, LastAction
from tests.rules.positions import classic, discards, is_legal, melding, modern, order_of, play

CLEAN_NINES = "9 9 9 9 9 9 9"
CLEAN_EIGHTS = "8 8 8 8 8 8 8"


# Modern American


def test_case_1_r_open_1_modern_150_is_enough_at_0_and_not_at_3000():
    hand = "Q Q Q K K joker joker 4 5"
    line = ["meld Q Q Q", "meld K K joker", "add joker to K"]
    table = modern(hand)
    assert is_legal(table, *line, "discard 4")
    play(table, *line)
    assert table.position()["opening_points"] == 150
    # At 3,000 a joker is short, wherever the two go.
    assert melding(modern(hand, score=3000)) == []


@pytest.mark.parametrize(
    ("score", "minimum"), [(-20, 125), (0, 125), (2995, 125), (3000, 155), (4995, 155), (5000, 180)]
)
def test_case_1_r_open_1_modern_minimum(score, minimum):
    assert modern("4 5", score=score).view(0)[0]["minimum"][0] == minimum


def test_case_2_r_open_4_seven_fours_open_at_8000():
    line = ["meld 4 4 4", *["add 4"] * 4]
    assert is_legal(modern("4 4 4 4 4 4 4 5 6", score=8000), *line, "discard 5")
    assert melding(modern("4 4 4 4 4 2 2 5 6", score=8000)) == []


def test_case_2_r_open_2_and_3_wild_melds_of_120_and_140():
    assert melding(modern("2 2 2 2 2 2 4 5")) == []
    assert melding(modern("joker joker 2 4 5")) == []
    table = modern("joker joker 2 2 4 5")
    assert is_legal(table, "meld 2 joker joker", "add 2 to wilds", "discard 4")
    assert is_legal(table, "meld 2 2 joker", "add joker to wilds", "discard 4")


def test_case_3_r_meld_3_and_4_two_kings_and_twos_only_in_the_opening():
    table = play(modern("K K 2 2 2 A A A A 4 5"), "meld A A A", "add A")
    assert "meld K K 2" in table.legal()
    play(table, "meld K K 2")
    assert "add 2 to K" in table.legal()
    play(table, "add 2 to K")
    assert "add 2 to K" not in table.legal()
    assert melding(modern("K K 2 2 4 5", melds=["9 9 9"])) == []


def test_case_3_r_meld_3_one_king_and_two_twos_never():
    table = play(modern("K 2 2 A A A A A A A 4 5"), "meld A A A", *["add A"] * 4)
    assert melding(table) == []
    assert melding(modern("K 2 2 4 5", melds=["9 9 9"])) == []


def test_case_3_r_meld_4_a_two_onto_three_queens_no_onto_five_yes():
    assert melding(modern("Q Q 2 4 5", melds=["9 9 9"])) == []
    assert melding(modern("2 4 5", melds=["Q Q Q"])) == []
    assert melding(modern("2 4 5", melds=["Q Q Q Q Q"])) == ["add 2 to Q"]


def test_case_3_r_meld_5_no_two_onto_sevens_or_clean_aces():
    table = play(modern("7 7 2 A A A A A A A 4 5"), "meld A A A", *["add A"] * 4)
    assert melding(table) == []
    assert melding(modern("2 4 5", melds=["7 7 7 7 7"])) == []
    assert melding(modern("2 4 5", melds=["A A A A A"])) == []


def test_case_4_r_take_5_modern_opening_with_the_pile():
    table = modern("Q Q Q K K joker joker 4", phase="draw", pile="5 Q")
    assert table.legal() == ["draw", "take"]
    play(table, "take", "meld Q Q Q", "meld K K joker", "add joker to K", "pick up")
    assert table.melds(0) == {"Q": (4, 0, 0), "K": (2, 0, 2)}
    assert table.hand(0) == {"4": 1, "5": 1}
    assert table.pile == []


def test_case_4_r_take_5_modern_30_points_are_no_take():
    assert modern("Q Q Q 4 6 8", phase="draw", pile="5 Q").legal() == ["draw"]


def test_case_4_r_take_5_modern_a_queen_and_a_joker_are_no_pair():
    assert modern("Q joker K K K A A A A 4", phase="draw", pile="5 Q").legal() == ["draw"]


def test_case_5_r_take_2_modern_an_opened_side():
    assert modern("Q Q 4 6", phase="draw", melds=["9 9 9"], pile="5 Q").legal() == ["draw", "take"]
    assert modern("Q Q 4 6", phase="draw", melds=["Q Q Q Q Q"], pile="5 Q").legal() == ["draw"]


def test_case_5_r_take_2_modern_four_sevens_become_a_canasta():
    table = play(modern("7 7 4 6", phase="draw", melds=["7 7 7 7"], pile="5 7"), "take")
    assert table.melds(0) == {"7": (7, 0, 0)}
    assert table.score()[0].canastas == 2500


def test_case_6_r_disc_3_modern_empty_pile():
    assert discards(modern("A 7 4 2", pile="")) == ["4"]
    assert discards(modern("A 7 2", pile="")) == ["7", "A"]


def test_case_6_r_disc_2_modern_pile_with_cards():
    assert discards(modern("joker 2 K")) == ["K"]
    assert discards(modern("2 joker")) == ["joker", "2"]


def test_case_7_r_out_modern_two_canastas_and_a_king():
    assert play(modern("K", melds=[CLEAN_NINES, CLEAN_EIGHTS]), "discard K").went_out == 0


def test_case_7_r_turn_4_modern_one_canasta_and_a_king_after_a_meld():
    table = modern("Q Q Q K", melds=[CLEAN_NINES])
    assert table.legal() == ["discard Q", "discard K"]


def test_case_7_r_out_modern_discarding_one_of_two_is_not_going_out():
    table = play(modern("K 4", melds=[CLEAN_NINES, CLEAN_EIGHTS]), "discard K")
    assert (table.is_over, table.went_out, table.hand(0)) == (False, None, {"4": 1})


def test_case_8_r_score_modern_minus_5070():
    named = {"threes": "red3 black3 black3", "hands": {2: "A A A"}}
    score = modern("A A A", melds=["4 4 4 4 4 4 4", "7 7 7"], **named).score()[0]
    assert (score.melded_cards, score.canastas, score.going_out) == (35 + 15, 500, 0)
    assert (score.penalties, score.cards_in_hand, score.threes) == (-2500 - 3000, -120, 0)
    assert score.total == -5070
    second = modern("A A A", melds=["4 4 4 4 4 4 4", "7 7 7", "K K K K K 2 2"], **named).score()[0]
    assert second.threes == 100 + 300


def test_case_9_r_turn_2_modern_last_card_a_three():
    table = play(modern("4 4 4 5", phase="draw", melds=["9 9 9"], whole_stock="black3"), "draw")
    assert table.is_over
    assert table.hand(0) == {"black3": 1, "4": 3, "5": 1}
    assert table.legal() == []


def test_case_9_r_turn_3_modern_last_card_not_a_three():
    table = play(modern("4 4 4 5", phase="draw", melds=["9 9 9"], whole_stock="K"), "draw")
    assert not table.is_over
    play(table, "meld 4 4 4", "discard 5")
    assert (table.is_over, table.went_out) == (True, None)
    assert [score.going_out for score in table.score()] == [0, 0]
    melds = [CLEAN_NINES, CLEAN_EIGHTS, "K K K"]
    table = play(modern("4", phase="draw", melds=melds, whole_stock="K"), "draw", "add K", "discard 4")
    assert (table.is_over, table.went_out) == (True, 0)
    assert [score.going_out for score in table.score()] == [100, 0]


def test_case_10_r_score_6_modern_three_sevens_melded_and_three_in_hand():
    assert modern("7 7 7 4", melds=["7 7 7"]).score()[0].penalties == -4000


def test_case_11_r_meld_6_modern_no_two_beside_an_unfinished_wild_meld():
    for wilds in ("2 2 2", "2 2 2 joker", "2 2 2 joker joker", "2 2 2 joker joker joker"):
        assert "add 2 to Q" not in modern("2 2 4 5", melds=["Q Q Q Q Q", wilds]).legal()
    table = modern("2 2 4 5", melds=["Q Q Q Q Q", "2 2 2 joker joker joker"])
    table.play("add 2 to wilds")
    assert melding(table) == ["add 2 to Q"]


def test_case_12_r_out_3_refused_with_few_cards_a_legal_action_remains():
    for hand, stock in (("K", "9"), ("9", "K")):
        table = modern(hand, melds=[CLEAN_EIGHTS, "9 9 9 9 9 9"], phase="draw", stock=stock)
        play(table, "draw", "ask", "no")
        assert table.legal() == ["discard 9", "discard K"]
        table = classic(hand, melds=["9 9 9 9 9 9"], phase="draw", stock=stock, pile="4")
        play(table, "draw", "ask", "no")
        assert table.legal() == ["discard 9", "discard K"]


# Classic


def test_case_13_r_open_classic_minimum_90():
    # Beside each meld 4 and 5 are kept.
    table = classic("6 6 6 K K K 2 4 5", score=1600)
    assert table.view(0)[0]["minimum"][0] == 90
    assert melding(table) == []  # 65
    assert is_legal(
        classic("6 6 6 A A A 2 4 5", score=1600), "meld 6 6 6", "meld A A A", "add 2 to A", "discard 4"
    )  # 95
    assert melding(classic("10 10 joker 4 5", score=1600)) == []  # 70
    assert is_legal(
        classic("10 10 joker J J joker 4 5", score=1600), "meld 10 10 joker", "meld J J joker", "discard 4"
    )  # 140


def test_case_14_r_take_5_classic_the_buried_cards_do_not_count():
    named = {"phase": "draw", "pile": "Q K K"}
    table = classic("K K Q Q 2", **named)
    assert table.legal() == ["draw", "take"]
    table.play("take")
    assert table.position()["opening_points"] == 30
    table.play("meld Q Q 2")
    assert table.position()["opening_points"] == 70
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.hand(0) == {"Q": 1, "K": 1}
    assert table.legal() == ["discard Q", "discard K"]  # with the king added, the queen could not be kept
    table = play(classic("K K Q Q 2 4", **named), "take", "meld Q Q 2", "pick up")
    assert melding(table) == ["add Q", "add K"]
    assert classic("K K Q Q 2", score=1500, **named).legal() == ["draw"]  # 90


def test_case_15_r_meld_2_classic_naturals_and_wilds():
    assert "meld 5 5 2" in melding(classic("5 5 2 4 6", melds=["J J J"]))
    assert melding(classic("5 2 2 4 6", melds=["J J 2"])) == []
    table = play(classic("9 9 2 2 4 6", melds=["J J 2"]), "meld 9 9 2")
    assert "add 2 to 9" not in table.legal()
    table = play(classic("9 9 9 2 2 joker 4 6", melds=["J J 2"]), "meld 9 9 9", "add 2 to 9", "add 2 to 9")
    assert table.melds(0)["9"] == (3, 2, 0)
    assert "add joker to 9" not in table.legal()


def test_case_15_r_meld_2_classic_a_wild_onto_a_clean_canasta():
    table = classic("2 2 2 2 4 5", melds=["K K K K K K K"])
    assert table.score()[0].canastas == 500
    table.play("add 2 to K")
    assert table.score()[0].canastas == 300
    play(table, "add 2 to K", "add 2 to K")
    assert "add 2 to K" not in table.legal()


@pytest.mark.parametrize("turned", ["2", "joker", "red3"])
def test_case_16_r_deal_3_classic_turned_at_the_start(turned):
    hands = ["4"] * 8 + ["5"] * 3 + ["6"] * 8 + ["7"] * 3 + ["8"] * 8 + ["9"] * 3 + ["10"] * 8 + ["J"] * 3
    table = Table(classic_rules(), order=order_of([*hands, turned, "K"]), dealer=3)
    assert table.pile == [turned, "K"]
    assert table.position()["wild_frozen"] is True
    play(table, "draw", "discard 4", "draw", "discard 6")  # covered
    assert table.position()["wild_frozen"] is True


def test_case_16_r_disc_1_classic_a_discarded_wild_freezes_until_the_pile_is_taken():
    named = {"melds": ["9 9 9"], "their_melds": ["J J J"], "hands": {1: "Q 2 5 6", 2: "8 8 4 6", 3: "5 8 2"}}
    table = classic("2 4 10", pile="K", phase="draw", stock="A A 7 7", **named)
    play(table, "draw", "discard 2")
    assert table.legal() == ["draw"]
    play(table, "draw", "discard Q", "draw", "discard 8")
    assert table.position()["wild_frozen"] is True
    assert table.legal() == ["draw"]  # one eight and a two
    play(table, "draw", "discard 8")
    assert table.legal() == ["draw"]
    frozen = classic("8 8 4 6", pile="2 8", wild_frozen=True, phase="draw", melds=["9 9 9"])
    play(frozen, "take", "discard 4")
    assert frozen.position()["wild_frozen"] is False


def test_case_16_r_take_1_classic_a_black_three_blocks_while_on_top_and_freezes_nothing():
    assert classic("black3 black3 4 2", pile="K black3", phase="draw", melds=["9 9 9"]).legal() == ["draw"]
    covered = classic("K 2 4 5", pile="black3 K", phase="draw", melds=["9 9 9"])
    assert covered.legal() == ["draw", "take with 2"]


def test_case_17_r_take_3_classic_jacks():
    frozen = {"pile": "5 2 J", "wild_frozen": True, "phase": "draw"}
    assert classic("2 joker 4 5", melds=["J J J J"], **frozen).legal() == ["draw"]
    free = {"pile": "5 6 J", "phase": "draw"}
    assert classic("J 2 4 5", melds=["9 9 9"], **free).legal() == ["draw", "take with 2"]
    assert classic("J 2 4 5", melds=["J J J J 2 2 joker"], **free).legal() == ["draw"]


@pytest.mark.parametrize("game", [classic, modern])
def test_case_18_r_take_4_the_top_card_never_stays_in_hand_and_is_never_added_alone(game):
    table = play(game("J J 4 5", melds=["9 9 9"], pile="5 6 J", phase="draw"), "take")
    assert table.hand(0) == {"4": 1, "5": 2, "6": 1}
    assert game("J 4 5", melds=["J J J"], pile="5 6 J", phase="draw").legal() == ["draw"]


def test_case_19_r_score_classic_seven_natural_aces():
    aces = ["A A A A A A A"]
    hands = {2: "4"}
    assert classic("4 5", melds=aces, hands=hands).score()[0].total == 640 - 15
    table = play(classic("K", melds=aces, threes="red3 red3", hands=hands), "discard K")
    assert table.score()[0].total == 940 - 5
    table = play(classic("A A A A A A A", hands=hands), "meld A A A", *["add A"] * 4)
    assert table.score()[0].total == 840 - 5


def test_case_19_r_score_classic_small_sums():
    two = {"players": 2, "hands": {1: "4"}}
    assert classic("K 5", melds=["A A A"], **two).score()[0].total == 45
    assert classic("K 5", threes="red3 red3", **two).score()[0].total == -215
    assert classic("K 5", threes="red3 red3 red3 red3", **two).score()[0].threes == -800
    kings = classic("4 5", melds=["K K K K K K K"], **two).score()[0]
    assert kings.melded_cards + kings.canastas == 570


def test_case_20_r_out_2_classic_out_by_adding_three_kings_to_four():
    table = classic("K K K", melds=["K K K K"])
    play(table, "add K", "add K")
    assert table.legal() == ["add K"]
    table.play("add K")
    assert (table.is_over, table.went_out) == (True, 0)


def test_case_20_r_turn_4_classic_three_aces_and_one_other_card():
    assert classic("A A A 4", melds=["9 9 9"]).legal() == ["discard 4", "discard A"]


def test_case_21_r_meld_8_classic_black_threes():
    table = classic("black3", phase="draw", melds=[CLEAN_NINES], stock="black3", pile="4")
    table.play("draw")
    assert table.legal() == ["discard black3"]
    table = classic("black3 black3", phase="draw", melds=[CLEAN_NINES], stock="black3", pile="4")
    play(table, "draw", "meld black3 black3 black3")
    assert table.went_out == 0


def test_case_22_r_turn_3_classic_stock_empty_and_no_take():
    for hand, pile in (("K K 4", "K black3"), ("K 4 5", "9 K")):
        table = classic(hand, phase="draw", melds=["J J J"], whole_stock="", pile=pile)
        assert table.legal() == ["draw"]
        table.play("draw")
        assert (table.is_over, table.went_out) == (True, None)
        assert [score.going_out for score in table.score()] == [0, 0]


def test_case_23_r_take_7_classic_a_red_three_under_the_top_card():
    table = classic("Q Q 4 6", melds=["9 9 9"], pile="red3 Q", wild_frozen=True, phase="draw")
    before = table.stock_size
    table.play("take")
    assert (table.threes(0), table.hand(0), table.stock_size) == ({"red3": 1}, {"4": 1, "6": 1}, before)


def test_case_24_r_match_2_a_match_to_5000():
    last_action = LastAction(classic_rules(), seed=24)
    assert last_action.finish([5120, 4900], 5000)[0] == 0
    assert last_action.finish([5120, 5300], 5000)[0] == 1
    assert last_action.finish([5120, 5120], 5000) == (None, [5120, 5120])


# Any program


def num_cards(position):
    """Every card of a position, counted where it is."""
    in_hands = sum(sum(hand.values()) for hand in position["hands"])
    in_melds = sum(sum(meld) for melds in position["melds"] for meld in melds.values())
    laid = sum(sum(threes.values()) for threes in position["threes"])
    return in_hands + in_melds + laid + len(position["pile"]) + len(position["stock"])


@pytest.mark.parametrize("rules", [classic_rules(2), classic_rules(3), classic_rules(4), modern_rules()])
def test_case_25_and_26_108_cards_and_legal_actions_change_nothing(rules):
    table = Table(rules, seed=25)
    rng = np.random.default_rng(25)
    while not table.is_over:
        before = table.position()
        legal = table.legal()
        assert table.legal() == legal
        assert table.position() == before
        assert num_cards(before) == 108
        table.play(rng.choice(legal))
    assert num_cards(table.position()) == 108


def test_case_27_states_that_differ_in_hidden_cards_look_the_same():
    one = classic("K 4 5", hands={1: "6 7", 2: "8 9", 3: "10 J"}, phase="draw", stock="Q A")
    other = classic("K 4 5", hands={1: "A 7", 2: "10 J", 3: "8 9"}, phase="draw", stock="6 Q")
    assert one.view(0).tobytes() == other.view(0).tobytes()
    assert one.view(1).tobytes() != other.view(1).tobytes()


def test_case_28_the_same_seed_gives_the_same_match_and_two_seeds_differ_in_every_deal():
    one, again, other = (three_deals(seed) for seed in (1, 1, 2))
    assert one == again
    assert [first == second for first, second in zip(one, other, strict=True)] == [False, False, False]
    assert len(set(one)) == 3  # no deal is dealt twice


def three_deals(seed):
    """All that can be known of the first three deals of a match when they begin."""
    match = VectorTables(classic_rules(target=NO_END), 1, seed=seed, episode="match")
    rng = np.random.default_rng(0)
    deals = [match.critic_states.tobytes()]
    while len(deals) < 3:
        if match.step(rng.choice(np.flatnonzero(match.masks[0]), 1)).ended[0]:
            deals.append(match.critic_states.tobytes())
    return deals


def test_case_29_a_rank_held_eight_times_and_hands_of_sixty_cards():
    table = classic("K K K K K K K K 4 5", melds=["9 9 9"])
    play(table, "meld K K K", *["add K"] * 5)
    assert table.melds(0)["K"] == (8, 0, 0)
    assert table.score()[0].canastas == 500
    large = " ".join(rank for rank in RANKS if rank not in ("9", "J") for _ in range(7))
    for game in (classic, modern):
        table = play(game("J J 4", phase="draw", melds=["9 9 9"], pile=large + " J"), "take")
        assert sum(table.hand(0).values()) == 64
        play(table, "meld K K K", *["add K"] * 3, "meld A A A", f"discard {discards(table)[0]}")
        assert not table.is_over
        assert num_cards(table.position()) == 108


def test_case_30_r_out_3_not_asked_where_a_refusal_would_leave_no_move():
    table = classic("Q Q", melds=[CLEAN_NINES], phase="draw", pile="9 Q")
    assert table.legal() == ["draw", "take"]
    table.play("take")
    assert table.legal() == ["add 9", "discard 9"]


def test_case_31_r_out_2_classic_take_goes_out():
    table = play(classic("10 10", melds=[CLEAN_NINES], phase="draw", pile="10"), "take")
    assert (table.is_over, table.went_out) == (True, 0)
    two = classic("10 10", players=2, melds=[CLEAN_NINES, CLEAN_EIGHTS], phase="draw", pile="10")
    assert play(two, "take").went_out == 0
    assert classic("10 10", players=2, melds=[CLEAN_NINES], phase="draw", pile="10").legal() == ["draw"]


def test_case_32_r_turn_2_classic_two_players():
    table = play(classic("4 5", players=2, phase="draw", whole_stock="K red3", pile="J"), "draw")
    assert table.is_over
    assert (table.hand(0), table.threes(0)) == ({"4": 1, "5": 1, "K": 1}, {"red3": 1})
    table = play(classic("4 5", players=2, phase="draw", whole_stock="red3 K", pile="J"), "draw")
    assert (table.phase, table.to_play) == ("play", 0)
    assert (table.hand(0), table.threes(0)) == ({"4": 1, "5": 1, "K": 1}, {"red3": 1})
