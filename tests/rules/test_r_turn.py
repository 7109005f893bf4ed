"""R-TURN: drawing, the end of the stock, the order of a turn, and what "legal" means."""

import pytest

from canasta_env import IllegalActionError
from tests.rules.positions import classic, discards, is_legal, melding, modern, play


def test_r_turn_a_turn_is_draw_melds_and_one_discard():
    table = classic("Q Q Q Q 4 5", melds=["9 9 9"], phase="draw", stock="6", pile="J")
    assert table.legal() == ["draw"]
    table.play("draw")
    assert (table.to_play, table.phase) == (0, "play")
    play(table, "meld Q Q Q", "add Q")
    assert (table.to_play, table.phase) == (0, "play")
    table.play("discard 4")
    assert (table.to_play, table.phase) == (1, "draw")
    assert table.pile == ["J", "4"]
    assert table.hand(0) == {"5": 1, "6": 1}


def test_r_turn_no_drawing_or_taking_twice():
    table = classic("K K K K 4 5", melds=["9 9 9"], phase="draw", stock="6", pile="J K")
    table.play("take")
    assert not {"draw", "take", "take with 2", "take with joker", "pick up"} & set(table.legal())


@pytest.mark.parametrize(("players", "order"), [(2, [0, 1, 0]), (3, [0, 1, 2, 0]), (4, [0, 1, 2, 3, 0])])
def test_r_turn_play_goes_to_the_next_seat(players, order):
    table = classic("4 5 6", players=players, phase="draw", stock="8 9 10 J Q K A 8 9 10", pile="7")
    seen = [table.to_play]
    while len(seen) < len(order):
        table.play("draw")
        table.play(f"discard {discards(table)[-1]}")
        seen.append(table.to_play)
    assert seen == order


def test_r_turn_melds_belong_to_the_side():
    # Seat 2 adds to the meld that seat 0 laid.
    table = classic("9 4 5", seat=2, melds=["9 9 9"])
    table.play("add 9")
    assert table.melds(0) == {"9": (4, 0, 0)}


def test_r_turn_nobody_adds_to_another_sides_melds():
    for table in (
        classic("9 2 4 5", their_melds=["9 9 9"], melds=["J J J"]),
        classic("9 2 4 5", players=3, their_melds=["9 9 9"], melds=["J J J"]),
        modern("9 2 4 5", their_melds=["9 9 9 9 9"], melds=["J J J"]),
    ):
        assert "add 9" not in table.legal()
        assert "add 2 to 9" not in table.legal()


@pytest.mark.parametrize(("players", "drawn"), [(4, {"J": 1}), (3, {"J": 1, "Q": 1}), (2, {"J": 1, "Q": 1})])
def test_r_turn_1_classic_cards_drawn(players, drawn):
    table = classic("4", players=players, phase="draw", stock="J Q K", pile="7")
    before = table.stock_size
    table.play("draw")
    assert table.hand(0) == {"4": 1} | drawn
    assert table.stock_size == before - sum(drawn.values())


def test_r_turn_1_modern_draws_one_card():
    table = modern("4", phase="draw", stock="J Q K", pile="7")
    before = table.stock_size
    table.play("draw")
    assert table.hand(0) == {"4": 1, "J": 1}
    assert table.stock_size == before - 1


@pytest.mark.parametrize("players", [2, 3])
def test_r_turn_1_classic_the_last_card_alone(players):
    table = classic("4", players=players, phase="draw", whole_stock="J", pile="7")
    table.play("draw")
    assert table.hand(0) == {"4": 1, "J": 1}
    assert (table.to_play, table.phase, table.stock_size) == (0, "play", 0)


def test_r_turn_1_classic_a_red_three_drawn_is_laid_and_replaced():
    table = classic("4", phase="draw", stock="red3 red3 J Q", pile="7")
    table.play("draw")
    assert table.hand(0) == {"4": 1, "J": 1}
    assert table.threes(0) == {"red3": 2}


def test_r_turn_1_classic_two_cards_drawn_each_red_three_replaced():
    table = classic("4", players=2, phase="draw", stock="red3 J red3 Q K", pile="7")
    table.play("draw")
    assert table.hand(0) == {"4": 1, "J": 1, "Q": 1}
    assert table.threes(0) == {"red3": 2}


def test_r_turn_1_classic_a_black_three_drawn_stays_in_the_hand():
    table = classic("4", phase="draw", stock="black3 J", pile="7")
    table.play("draw")
    assert table.hand(0) == {"black3": 1, "4": 1}
    assert table.threes(0) == {}


def test_r_turn_1_modern_threes_of_both_colours_drawn_are_laid_and_replaced():
    table = modern("4", phase="draw", stock="black3 red3 black3 J Q", pile="7", seat=3)
    table.play("draw")
    assert table.hand(3) == {"4": 1, "J": 1}
    assert table.threes(1) == {"red3": 1, "black3": 2}
    assert table.threes(0) == {}


@pytest.mark.parametrize("three", ["red3", "black3"])
def test_r_turn_2_modern_a_three_without_replacement_stays_and_ends_the_deal(three):
    table = modern("4 5", phase="draw", whole_stock=three, hands={2: "6"})
    table.play("draw")
    assert table.is_over
    assert (table.to_play, table.phase, table.legal()) == (None, "over", [])
    assert table.hand(0) == {three: 1, "4": 1, "5": 1}
    assert table.threes(0) == {}
    assert table.went_out is None
    score = table.score()[0]
    assert (score.cards_in_hand, score.threes, score.going_out) == (-5 - 5 - 5 - 5, 0, 0)


def test_r_turn_2_modern_only_the_three_that_cannot_be_replaced_stays():
    table = modern("4", phase="draw", whole_stock="red3 black3")
    table.play("draw")
    assert table.is_over
    assert table.hand(0) == {"black3": 1, "4": 1}
    assert table.threes(0) == {"red3": 1}


def test_r_turn_2_classic_a_red_three_as_last_card_is_laid_and_ends_the_deal():
    table = classic("4 5", phase="draw", whole_stock="red3", melds=["9 9 9"], pile="J")
    table.play("draw")
    assert table.is_over
    assert table.hand(0) == {"4": 1, "5": 1}
    assert table.threes(0) == {"red3": 1}
    assert table.went_out is None
    score = table.score()[0]
    assert (score.melded_cards, score.threes, score.going_out) == (30, 100, 0)


def test_r_turn_2_classic_a_red_three_that_replaces_one_as_last_card_ends_the_deal():
    table = classic("4 5", phase="draw", whole_stock="red3 red3", pile="J")
    table.play("draw")
    assert table.is_over
    assert table.threes(0) == {"red3": 2}


@pytest.mark.parametrize("players", [2, 3])
def test_r_turn_2_classic_a_red_three_as_second_and_last_card_ends_the_deal(players):
    table = classic("4 5", players=players, phase="draw", whole_stock="K red3", pile="J")
    table.play("draw")
    assert table.is_over
    assert table.hand(0) == {"4": 1, "5": 1, "K": 1}
    assert table.threes(0) == {"red3": 1}


@pytest.mark.parametrize("players", [2, 3])
def test_r_turn_2_classic_a_red_three_as_only_card_ends_the_deal(players):
    table = classic("4 5", players=players, phase="draw", whole_stock="red3", pile="J")
    table.play("draw")
    assert table.is_over


@pytest.mark.parametrize("players", [2, 3])
def test_r_turn_2_classic_a_red_three_before_the_last_card_ends_nothing(players):
    table = classic("4 5", players=players, phase="draw", whole_stock="red3 K", pile="J")
    table.play("draw")
    assert table.hand(0) == {"4": 1, "5": 1, "K": 1}
    assert table.threes(0) == {"red3": 1}
    assert (table.to_play, table.phase) == (0, "play")


def test_r_turn_3_classic_the_turn_with_the_last_card_goes_on():
    table = classic("4 4 4 5", phase="draw", whole_stock="K", melds=["9 9 9"], pile="J")
    table.play("draw")
    assert table.legal() == ["meld 4 4 4", "discard 4", "discard 5", "discard K"]
    play(table, "meld 4 4 4", "discard 5")
    assert (table.to_play, table.phase, table.is_over) == (1, "draw", False)


def test_r_turn_3_classic_stock_empty_draw_ends_the_deal_without_a_bonus():
    table = classic("J J 4 5", phase="draw", whole_stock="", melds=["9 9 9"], pile="7 J")
    assert table.legal() == ["draw", "take"]
    table.play("draw")
    assert table.is_over
    assert table.went_out is None
    assert table.hand(0) == {"4": 1, "5": 1, "J": 2}
    assert [score.going_out for score in table.score()] == [0, 0]


def test_r_turn_3_classic_stock_empty_the_pile_is_taken_and_play_goes_on():
    named = {"melds": ["9 9 9"], "their_melds": ["Q Q Q"], "hands": {1: "5 5 6 8"}, "pile": "7 J"}
    table = classic("J J 4 5", phase="draw", whole_stock="", **named)
    play(table, "take", "discard 5")
    assert (table.to_play, table.phase) == (1, "draw")
    assert table.legal() == ["draw", "take"]
    table.play("draw")
    assert table.is_over


def test_r_turn_3_classic_stock_empty_a_side_that_has_not_opened_may_open_with_the_pile():
    table = classic("J J A A A 5", phase="draw", whole_stock="", pile="7 J")
    assert table.legal() == ["draw", "take"]
    play(table, "take", "meld A A A", "pick up", "discard 7")
    assert (table.to_play, table.phase) == (1, "draw")


def test_r_turn_3_taking_is_never_forced():
    for table in (
        classic("J J 4 5", phase="draw", stock="6", melds=["9 9 9"], pile="7 J"),
        modern("J J 4 5", phase="draw", stock="6", melds=["9 9 9"], pile="7 J"),
    ):
        assert table.legal() == ["draw", "take"]


def test_r_turn_3_modern_the_player_with_the_last_card_finishes_the_turn_then_the_deal_ends():
    table = modern("4 4 4 5 Q", phase="draw", whole_stock="K", melds=["9 9 9"], pile="J")
    table.play("draw")
    assert table.legal() == ["meld 4 4 4", "discard 4", "discard 5", "discard Q", "discard K"]
    play(table, "meld 4 4 4", "discard 5")
    assert (table.is_over, table.to_play, table.went_out) == (True, None, None)
    assert table.pile == ["J", "5"]
    assert [score.going_out for score in table.score()] == [0, 0]


def test_r_turn_3_modern_going_out_on_the_last_card():
    table = modern("4", phase="draw", whole_stock="K", melds=["9 9 9 9 9 9 9", "4 4 4 4 4 4 2"], pile="J")
    play(table, "draw", "discard 4")
    assert table.went_out is None  # the king is left
    table = modern(
        "4", phase="draw", whole_stock="9", melds=["8 8 8 8 8 8 8", "J J J J J J 2", "9 9 9"], pile="5"
    )
    play(table, "draw", "add 9", "discard 4")
    assert (table.is_over, table.went_out) == (True, 0)
    assert table.score()[0].going_out == 100


def test_r_turn_3_modern_the_last_card_may_replace_a_three():
    table = modern("4", phase="draw", whole_stock="red3 K", pile="J")
    table.play("draw")
    assert (table.phase, table.to_play, table.stock_size) == ("play", 0, 0)
    table.play("discard 4")
    assert table.is_over


def test_r_turn_3_modern_a_take_before_the_last_card_leaves_the_deal_open():
    table = modern("J J 4 5", phase="draw", whole_stock="K", melds=["9 9 9"], pile="7 J", hands={1: "Q 4"})
    play(table, "take", "discard 5")
    assert (table.is_over, table.to_play) == (False, 1)


def test_r_turn_4_a_card_must_be_left_to_discard():
    for game in (classic, modern):
        assert game("K K K", melds=["9 9 9"]).legal() == ["discard K"]
        assert game("K K K 4", melds=["9 9 9"]).legal() == ["discard 4", "discard K"]
        assert game("K K K 4 5", melds=["9 9 9"]).legal() == [
            "meld K K K",
            "discard 4",
            "discard 5",
            "discard K",
        ]


def test_r_turn_4_the_discard_must_leave_a_card_or_go_out():
    # One canasta short of going out.
    table = modern("K 9", melds=["9 9 9", "8 8 8 8 8 8 8"])
    assert table.legal() == ["discard 9", "discard K"]
    table = classic("K 9", melds=["9 9 9"])
    assert table.legal() == ["discard 9", "discard K"]
    table = classic("K 9 4", melds=["9 9 9"])
    assert table.legal() == ["add 9", "discard 4", "discard 9", "discard K"]


def test_r_turn_4_a_player_down_to_one_card_who_draws_keeps_one():
    table = classic("9", phase="draw", melds=["9 9 9"], stock="9", pile="J")
    table.play("draw")
    assert table.legal() == ["discard 9"]


def test_r_turn_4_the_minimum_must_be_in_reach():
    table = classic("Q Q Q 7 7 7 4 5")
    assert melding(table) == []  # 30 + 15 = 45 of 50
    table = classic("Q Q Q 10 10 10 4 5")
    assert melding(table) == ["meld 10 10 10", "meld Q Q Q"]
    table.play("meld Q Q Q")
    assert table.legal() == ["meld 10 10 10"]  # no discard before the minimum is met
    table.play("meld 10 10 10")
    assert table.legal() == ["discard 4", "discard 5"]


def test_r_turn_4_the_minimum_must_leave_a_card_to_discard_and_one_to_keep():
    table = classic("Q Q Q 10 10 10 4")
    assert table.legal() == ["discard 4", "discard 10", "discard Q"]


def test_r_turn_4_each_meld_must_leave_the_opening_in_reach():
    # After 4 4 2 (30) only the sevens with the joker reach 50.
    table = classic("4 4 7 7 2 joker 9 10")
    assert melding(table) == ["meld 4 4 2", "meld 7 7 2", "meld 4 4 joker", "meld 7 7 joker"]
    table.play("meld 4 4 2")
    assert table.legal() == ["meld 7 7 joker"]
    table.play("meld 7 7 joker")
    assert table.legal() == ["discard 9", "discard 10"]


def test_r_turn_4_draw_is_always_legal_at_the_start():
    for table in (
        classic("4", phase="draw", pile="7"),
        classic("4", phase="draw", pile="2", wild_frozen=True),
        classic("4", phase="draw", pile="7", whole_stock=""),
        modern("4", phase="draw", pile=""),
    ):
        assert table.legal() == ["draw"]


def test_r_turn_4_the_look_ahead_does_not_know_the_stock():
    # A side that has not opened, with any stock: the take depends on the hand alone.
    for stock in ("A A A", "4 4 4"):
        table = classic("J J A A", phase="draw", stock=stock, pile="7 J")
        assert table.legal() == ["draw"]


def test_r_turn_4_the_look_ahead_knows_the_pile_under_the_top_card():
    # After the pair only the buried four is left to discard.
    assert classic("J J", phase="draw", melds=["9 9 9"], pile="5 4 J").legal() == ["draw", "take"]
    assert classic("J J", phase="draw", melds=["9 9 9"], pile="4 J").legal() == ["draw"]
    assert modern("J J", phase="draw", melds=["9 9 9"], pile="4 J").legal() == ["draw"]
    assert modern("J J", phase="draw", melds=["9 9 9"], pile="5 4 J").legal() == ["draw", "take"]


def test_r_turn_4_the_look_ahead_reaches_past_the_pick_up():
    # After Q Q 2 the picked up queen would be the only card; after K K K 2 three queens are left.
    table = classic("K K Q Q 2", phase="draw", pile="Q K")
    table.play("take")
    assert table.legal() == ["add 2 to K"]
    play(table, "add 2 to K", "pick up")
    assert table.hand(0) == {"Q": 3}
    assert table.legal() == ["discard Q"]


def test_r_turn_4_an_action_that_is_not_legal_is_refused_and_changes_nothing():
    table = classic("K K K", melds=["9 9 9"])
    before = table.position()
    with pytest.raises(IllegalActionError):
        table.play("meld K K K")
    assert table.position() == before


def test_r_turn_4_going_out_completes_the_turn():
    # The last card may be melded (Classic) or discarded; leaving one card needs nothing.
    table = classic("K K K", melds=["9 9 9 9 9 9 9"])
    assert table.legal() == ["meld K K K", "discard K"]
    table = modern("K K K", melds=["9 9 9 9 9 9 9", "8 8 8 8 8 8 8"])
    assert table.legal() == ["discard K"]
    table = modern("K K K 4", melds=["9 9 9 9 9 9 9", "8 8 8 8 8 8 8"])
    assert table.legal() == ["meld K K K", "discard 4", "discard K"]
    assert is_legal(table, "meld K K K", "discard 4")
