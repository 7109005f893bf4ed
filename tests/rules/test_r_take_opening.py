"""R-TAKE-5: a side makes its opening with the pile."""

import pytest

from canasta_env.cards import KIND_OF
from tests.rules.positions import classic, discards, melding, modern, play

# R-TAKE-5, Classic


def test_r_take_5_classic_the_pair_and_the_top_card_are_melded_at_once_and_count():
    table = classic("Q Q A A A 4 6", phase="draw", pile="5 K Q")
    table.play("take")
    assert table.melds(0) == {"Q": (3, 0, 0)}
    assert table.hand(0) == {"4": 1, "6": 1, "A": 3}
    assert table.pile == ["5", "K"]
    assert table.position()["opening_points"] == 30
    assert table.position()["opened"] == [False, False]
    assert (table.to_play, table.phase) == (0, "play")


def test_r_take_5_classic_pick_up_when_the_minimum_is_met():
    table = classic("Q Q A A A A 4 6", phase="draw", pile="5 K Q")
    table.play("take")
    assert table.legal() == ["meld A A A"]
    table.play("meld A A A")
    assert table.legal() == ["pick up", "add A"]  # melding may also go on
    line = play(table.copy(), "add A")
    assert line.legal() == ["pick up"]
    table.play("pick up")
    assert table.hand(0) == {"4": 1, "5": 1, "6": 1, "K": 1, "A": 1}
    assert table.pile == []
    assert table.position()["opened"] == [True, False]
    assert table.legal() == ["add A", "discard 4", "discard 5", "discard 6", "discard K", "discard A"]


def test_r_take_5_classic_the_top_card_counts():
    # 30 + 20 = 50: K K K 2. Without the top card it would be 40.
    table = classic("K K 2 4 6", phase="draw", pile="5 7 K")
    assert table.legal() == ["draw", "take"]
    table.play("take")
    assert table.legal() == ["add 2 to K"]
    table.play("add 2 to K")
    assert table.legal() == ["pick up"]
    assert classic("K K 4 6", phase="draw", pile="5 7 K").legal() == ["draw"]  # 30


def test_r_take_5_classic_the_pile_cannot_be_used_for_the_minimum():
    # With the buried aces it would be 30 + 60.
    table = classic("K K A 4 6", phase="draw", pile="A A K")
    assert table.legal() == ["draw"]


def test_r_take_5_classic_pick_up_at_once_when_the_three_cards_are_enough():
    table = classic("K K 4 6", phase="draw", pile="5 7 K", score=-5)
    table.play("take")
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.hand(0) == {"4": 1, "5": 1, "6": 1, "7": 1}
    assert table.legal() == ["discard 4", "discard 5", "discard 6", "discard 7"]


@pytest.mark.parametrize("wild", ["2", "joker"])
def test_r_take_5_classic_an_opening_take_needs_a_natural_pair(wild):
    assert classic(f"K {wild} A A A 4 6", phase="draw", pile="5 7 K").legal() == ["draw"]
    assert classic(f"K K {wild} A A A 4", phase="draw", pile="5 7 K").legal() == ["draw", "take"]


def test_r_take_5_classic_after_pick_up_the_pile_is_melded_freely():
    table = classic("K K A A A 4 6", phase="draw", pile="Q Q Q K K")
    play(table, "take", "meld A A A", "pick up")
    assert table.hand(0) == {"4": 1, "6": 1, "Q": 3, "K": 1}
    assert melding(table) == ["meld Q Q Q", "add K"]


@pytest.mark.parametrize("pile", ["K", "7 K"])
def test_r_take_5_pick_up_is_a_step_of_its_own_even_with_nothing_under_the_top_card(pile):
    table = classic("K K A A A 4 6", phase="draw", pile=pile)
    play(table, "take", "meld A A A")
    assert table.legal() == ["pick up"]
    table = modern("K K Q Q Q A A A A A 4 6", phase="draw", pile=pile)
    play(table, "take", "meld A A A", "add A", "add A", "meld Q Q Q")
    assert table.legal() == ["pick up"]


def test_r_take_5_classic_no_discard_and_no_black_threes_before_pick_up():
    # The side could go out: seven queens and three black threes.
    hand = "Q Q Q Q Q Q black3 black3 black3 4"
    table = classic(hand, phase="draw", pile="5 Q")
    play(table, "take", "add Q", "add Q", "add Q", "add Q")
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert "meld black3 black3 black3" not in table.legal()  # 4 and 5 would be left
    table = classic(hand.removesuffix(" 4"), phase="draw", pile="5 Q")
    play(table, "take", "add Q", "add Q", "add Q", "add Q")
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.legal() == ["meld black3 black3 black3", "discard black3", "discard 5"]


def test_r_take_5_classic_a_hand_emptied_before_pick_up_does_not_end_the_deal():
    table = classic("K K Q Q 2", phase="draw", pile="9 8 K")
    play(table, "take", "meld Q Q 2")
    assert table.hand(0) == {}
    assert not table.is_over
    assert (table.to_play, table.phase) == (0, "play")
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.legal() == ["discard 8", "discard 9"]


def test_r_take_5_classic_a_hand_empty_after_pick_up_is_going_out():
    table = classic("10 10 10 10 10 10", phase="draw", pile="10")
    play(table, "take", "add 10", "add 10", "add 10", "add 10")
    assert table.hand(0) == {}
    assert not table.is_over
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert (table.is_over, table.went_out) == (True, 0)
    assert table.position()["opened"] == [True, False]


def test_r_take_5_classic_an_empty_hand_after_pick_up_needs_a_canasta():
    # 30 points are enough below 0, but the hand would be empty.
    assert classic("10 10", phase="draw", pile="10", score=-5).legal() == ["draw"]
    assert classic("10 10", phase="draw", pile="9 10", score=-5).legal() == ["draw"]
    assert classic("10 10", phase="draw", pile="9 8 10", score=-5).legal() == ["draw", "take"]


# R-TAKE-5, Modern


def test_r_take_5_modern_nothing_is_melded_at_take():
    table = modern("Q Q Q K K joker joker 4", phase="draw", pile="5 Q")
    table.play("take")
    assert table.melds(0) == {}
    assert table.hand(0) == {"joker": 2, "4": 1, "Q": 3, "K": 2}
    assert table.pile == ["5", "Q"]
    assert table.position()["taken"] == "Q"
    assert (table.to_play, table.phase) == (0, "play")
    assert discards(table) == []


def test_r_take_5_modern_the_top_card_joins_the_meld_of_its_rank():
    table = modern("Q Q Q K K joker joker 4", phase="draw", pile="5 Q")
    play(table, "take", "meld Q Q Q", "meld K K joker", "add joker to K")
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.melds(0) == {"Q": (4, 0, 0), "K": (2, 0, 2)}
    assert table.hand(0) == {"4": 1, "5": 1}
    assert table.pile == []
    assert table.position()["taken"] is None
    assert table.position()["opened"] == [True, False]


def test_r_take_5_modern_top_card_does_not_count():
    table = modern("A A A A K K K Q Q 4 6", phase="draw", pile="5 Q")
    assert table.legal() == ["draw"]  # 80 + 30 from the hand; Q Q and the top card would be 30
    table = modern("A A A A K K K Q Q Q 4 6", phase="draw", pile="5 Q")
    assert table.legal() == ["draw", "take"]  # 80 + 30 + 30


def test_r_take_5_modern_two_more_naturals_leave_the_hand_and_do_not_count():
    table = modern("A A A A K K K K K Q Q 4", phase="draw", pile="5 Q")
    assert table.legal() == ["draw", "take"]
    play(table, "take", "meld A A A", "add A", "meld K K K", "add K", "add K")
    assert table.position()["opening_points"] == 130
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.melds(0) == {"Q": (3, 0, 0), "K": (5, 0, 0), "A": (4, 0, 0)}
    assert table.hand(0) == {"4": 1, "5": 1}
    # 120 from aces and kings: the two queens would make 140.
    assert modern("A A A A K K K K Q Q 4", phase="draw", pile="5 Q").legal() == ["draw"]


def test_r_take_5_modern_a_natural_pair_is_needed_at_take():
    table = modern("A A A A K K K K K Q joker 4", phase="draw", pile="5 Q")
    assert table.legal() == ["draw"]


def test_r_take_5_modern_a_mixed_meld_of_the_rank_with_two_naturals_takes_the_top_card():
    table = modern("Q Q joker K K K A A 2 4", phase="draw", pile="5 Q")
    play(table, "take", "meld Q Q joker", "meld K K K", "meld A A 2")  # 70 + 30 + 60
    table.play("pick up")
    assert table.melds(0)["Q"] == (3, 0, 1)
    assert table.hand(0) == {"4": 1, "5": 1}


def test_r_take_5_modern_aces_and_sevens_are_taken_like_other_ranks():
    table = modern("A A joker K K K K 4 5", phase="draw", pile="6 A")  # 90 + 40
    play(table, "take", "meld A A joker", "meld K K K", "add K", "pick up")
    assert table.melds(0)["A"] == (3, 0, 1)
    table = modern("7 7 7 A A A A A A 4 5", phase="draw", pile="6 7")  # 15 + 120
    play(table, "take", "meld 7 7 7", "meld A A A", "add A", "add A", "add A", "pick up")
    assert table.melds(0)["7"] == (4, 0, 0)


def test_r_take_5_modern_a_meld_of_seven_from_the_hand_leaves_no_pick_up():
    # 60 points are too few, and seven queens, which would waive the minimum, leave the top card no place.
    assert modern("Q Q Q Q Q Q Q 4 6", phase="draw", pile="5 Q").legal() == ["draw"]
    table = modern("Q Q Q Q Q Q Q A A A A 4 6", phase="draw", pile="5 Q")
    play(table, "take", "meld A A A", "add A", "meld Q Q Q", "add Q", "add Q")
    assert table.legal() == ["pick up", "add Q"]
    table.play("add Q")
    assert table.legal() == ["pick up"]  # the seventh queen must stay in the hand
    table.play("pick up")
    assert table.melds(0) == {"Q": (7, 0, 0), "A": (4, 0, 0)}
    assert table.hand(0) == {"4": 1, "5": 1, "6": 1, "Q": 1}


def test_r_take_5_modern_the_top_card_completes_a_canasta_that_counts_and_closes():
    table = modern("Q Q Q Q Q Q A A A A 4 6", phase="draw", pile="5 Q")
    play(table, "take", "meld Q Q Q", "add Q", "add Q", "add Q", "meld A A A", "add A", "pick up")
    assert table.melds(0)["Q"] == (7, 0, 0)
    assert table.score()[0].canastas == 500
    assert table.view(0)[0]["closed"][KIND_OF["Q"]] == 1
    assert table.view(0)[0]["canastas"][0] == 1


def test_r_take_5_modern_the_top_card_completes_a_mixed_canasta():
    table = modern("Q Q Q Q joker joker A A A 4 6", phase="draw", pile="5 Q")
    play(table, "take", "meld A A A", "meld Q Q Q", "add Q", "add joker to Q", "add joker to Q", "pick up")
    assert table.melds(0)["Q"] == (5, 0, 2)
    assert table.score()[0].canastas == 300


def test_r_take_5_modern_a_canasta_completed_by_the_top_card_does_not_waive_the_minimum():
    assert modern("Q Q Q Q Q Q 4 4 4 6 8", phase="draw", pile="5 Q").legal() == ["draw"]  # 60 + 15


def test_r_take_5_modern_a_canasta_from_the_hand_waives_the_minimum_of_a_take():
    table = modern("4 4 4 4 4 4 4 Q Q 6", phase="draw", pile="5 Q")
    assert table.legal() == ["draw", "take"]
    play(table, "take", "meld 4 4 4", "add 4", "add 4", "add 4")
    assert table.legal() == ["add 4"]
    table.play("add 4")
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.melds(0) == {"4": (7, 0, 0), "Q": (3, 0, 0)}
    assert table.hand(0) == {"5": 1, "6": 1}


def test_r_take_5_modern_the_new_meld_with_the_top_card_is_not_the_clean_meld_of_the_opening():
    # K K joker joker 120 and A A 2 60 are mixed; three queens would be clean, but only after the opening.
    table = modern("K K joker joker A A 2 Q Q 4", phase="draw", pile="5 Q")
    assert table.legal() == ["draw"]
    table = modern("K K K joker joker A A 2 Q Q 4", phase="draw", pile="5 Q")
    assert table.legal() == ["draw", "take"]  # K K K clean, A A joker joker 140


def test_r_take_5_modern_the_wild_meld_serves_as_the_clean_meld():
    # 2 2 2 joker = 110, A A A = 60.
    table = modern("2 2 2 joker A A A Q Q 4", phase="draw", pile="5 Q")
    play(table, "take", "meld 2 2 2", "add joker to wilds", "meld A A A")
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.melds(0) == {"wilds": (0, 3, 1), "Q": (3, 0, 0), "A": (3, 0, 0)}


def test_r_take_5_modern_a_hand_emptied_before_pick_up_does_not_end_the_deal():
    table = modern("Q Q Q K K joker joker", phase="draw", pile="5 4 Q")
    play(table, "take", "meld Q Q Q", "meld K K joker", "add joker to K")
    assert table.hand(0) == {}
    assert not table.is_over
    assert table.legal() == ["pick up"]
    table.play("pick up")
    assert table.legal() == ["discard 4", "discard 5"]


def test_r_take_5_modern_cards_must_be_left_after_pick_up():
    # The pair leaves the hand with the pick up; a card to discard and one to keep must remain.
    hand = "A A A A K K K K K Q Q"
    assert modern(hand, phase="draw", pile="Q").legal() == ["draw"]
    assert modern(hand, phase="draw", pile="5 Q").legal() == ["draw"]
    assert modern(hand, phase="draw", pile="4 5 Q").legal() == ["draw", "take"]
    assert modern(hand + " 6", phase="draw", pile="5 Q").legal() == ["draw", "take"]


def test_r_take_5_after_pick_up_the_rules_for_an_opened_side_hold():
    # In the opening J J 2 would do; after the pick up a wild needs five naturals, and aces take none.
    table = modern("Q Q Q K K joker joker J J 2 A A 4", phase="draw", pile="5 Q")
    play(table, "take", "meld Q Q Q", "meld K K joker", "add joker to K")
    assert melding(table) == ["meld J J 2", "meld A A 2"]  # not onto the queens: they are the clean meld
    table.play("pick up")
    assert melding(table) == []
    table = modern("Q Q Q Q K K joker joker 2 J J J 4", phase="draw", pile="5 Q")
    play(table, "take", "meld Q Q Q", "add Q", "meld K K joker", "add joker to K", "pick up")
    assert melding(table) == ["meld J J J", "add 2 to Q"]  # onto five queens
