"""R-OUT: going out, asking, concealed."""

import pytest

from tests.rules.positions import classic, discards, melding, modern, play

CLEAN_NINES = "9 9 9 9 9 9 9"
MIXED_NINES = "9 9 9 9 9 2 2"
CLEAN_EIGHTS = "8 8 8 8 8 8 8"


# R-OUT-1


@pytest.mark.parametrize("players", [3, 4])
def test_r_out_1_classic_one_canasta(players):
    assert classic("K", players=players, melds=[CLEAN_NINES]).legal() == ["discard K"]
    table = play(classic("K", players=players, melds=[CLEAN_NINES]), "discard K")
    assert (table.is_over, table.went_out, table.to_play) == (True, 0, None)
    assert melding(classic("K K K", players=players, melds=[CLEAN_NINES])) == ["meld K K K"]
    assert melding(classic("K K K", players=players, melds=["9 9 9 9 9 9"])) == []


def test_r_out_1_classic_two_canastas_with_two_players():
    assert melding(classic("K K K", players=2, melds=[CLEAN_NINES])) == []
    assert melding(classic("K K K", players=2, melds=[CLEAN_NINES, CLEAN_EIGHTS])) == ["meld K K K"]


def test_r_out_1_modern_two_canastas():
    assert melding(modern("Q Q Q K", melds=[CLEAN_NINES])) == []
    assert melding(modern("Q Q Q K", melds=[CLEAN_NINES, "J J J J J J"])) == []
    table = modern("Q Q Q K", melds=[CLEAN_NINES, CLEAN_EIGHTS])
    assert melding(table) == ["meld Q Q Q"]
    play(table, "meld Q Q Q", "discard K")
    assert (table.is_over, table.went_out) == (True, 0)


def test_r_out_1_the_canastas_are_the_sides():
    # Both canastas lie on the side of seat 0; its partner goes out with them, an opponent does not.
    melds = [CLEAN_NINES, CLEAN_EIGHTS]
    assert play(modern("K", seat=2, melds=melds), "discard K").went_out == 2
    assert melding(modern("Q Q Q K", seat=1, melds=["J J J"], their_melds=melds)) == []


def test_r_out_1_canastas_completed_in_the_same_turn_count():
    table = classic("9 K K K", melds=["9 9 9 9 9 9"])
    assert table.legal() == ["meld K K K", "add 9", "discard 9", "discard K"]
    play(table, "meld K K K")
    assert table.legal() == ["add 9"]  # discarding the nine would leave no canasta
    assert play(table, "add 9").went_out == 0
    table = modern("9 K", melds=[CLEAN_EIGHTS, "9 9 9 9 9 9"])
    assert table.legal() == ["add 9", "discard 9", "discard K"]
    assert play(table, "add 9", "discard K").went_out == 0


def test_r_out_1_mixed_canastas_will_do():
    assert play(modern("K", melds=[MIXED_NINES, "8 8 8 8 8 2 joker"]), "discard K").went_out == 0


# R-OUT-2


@pytest.mark.parametrize(
    ("hand", "melds", "line"),
    [
        ("K K K", [CLEAN_NINES], ["meld K K K"]),
        ("K K 2", [CLEAN_NINES], ["meld K K 2"]),
        ("K", [CLEAN_NINES, "K K K"], ["add K"]),
        ("2", [CLEAN_NINES, "K K K"], ["add 2 to K"]),
        ("joker", [CLEAN_NINES, "K K K"], ["add joker to K"]),
        ("black3 black3 black3", [CLEAN_NINES], ["meld black3 black3 black3"]),
        ("K", [CLEAN_NINES], ["discard K"]),
        ("2", [CLEAN_NINES], ["discard 2"]),
        ("black3", [CLEAN_NINES], ["discard black3"]),
    ],
)
def test_r_out_2_classic_by_the_last_card_melded_or_discarded(hand, melds, line):
    table = classic(hand, melds=melds)
    play(table, *line)
    assert (table.is_over, table.went_out, table.to_play, table.legal()) == (True, 0, None, [])
    assert table.score()[0].going_out == 100
    assert table.score()[1].going_out == 0


def test_r_out_2_classic_by_taking():
    table = classic("10 10", phase="draw", melds=[CLEAN_NINES], pile="10")
    assert table.legal() == ["draw", "take"]
    assert play(table, "take").went_out == 0
    table = classic("10 2", phase="draw", melds=[CLEAN_NINES], pile="10")
    assert table.legal() == ["draw", "take with 2"]
    assert play(table, "take with 2").went_out == 0


def test_r_out_2_classic_by_taking_with_red_threes_in_the_pile():
    table = classic("10 10", phase="draw", melds=[CLEAN_NINES], pile="red3 10", wild_frozen=True)
    play(table, "take")
    assert (table.is_over, table.went_out, table.threes(0)) == (True, 0, {"red3": 1})


def test_r_out_2_classic_by_pick_up():
    table = classic("K K K K K K", phase="draw", pile="K")
    play(table, "take", *["add K"] * 4, "pick up")
    assert (table.is_over, table.went_out) == (True, 0)
    assert table.score()[0].going_out == 200  # concealed


def test_r_out_2_modern_only_by_discarding():
    melds = [CLEAN_NINES, CLEAN_EIGHTS]
    assert melding(modern("K K K", melds=melds)) == []
    assert melding(modern("K", melds=[*melds, "K K K"])) == []
    assert modern("K", melds=[*melds, "K K K"]).legal() == ["discard K"]
    assert modern("10 10", phase="draw", melds=melds, pile="10").legal() == ["draw"]
    assert modern("10 10 4", phase="draw", melds=melds, pile="10").legal() == ["draw", "take"]


# R-OUT-3: when

MAY_ASK = {"phase": "draw", "stock": "9", "pile": "4"}


def test_r_out_3_ask_as_the_first_action_after_the_draw():
    # Out by 9 9 and the discard; or stay by discarding.
    table = play(classic("K", melds=[CLEAN_NINES], **MAY_ASK), "draw")
    assert table.legal() == ["ask", "add 9", "discard 9", "discard K"]
    table = play(modern("K", melds=[CLEAN_EIGHTS, "9 9 9 9 9 9"], **MAY_ASK), "draw")
    assert table.legal() == ["ask", "add 9", "discard 9", "discard K"]


@pytest.mark.parametrize("players", [2, 3])
def test_r_out_3_only_four_players_ask(players):
    table = classic("K", players=players, melds=[CLEAN_NINES, CLEAN_EIGHTS], **(MAY_ASK | {"stock": "J"}))
    table.play("draw")
    assert "ask" not in table.legal()


def test_r_out_3_not_before_the_draw():
    assert classic("9", melds=[CLEAN_NINES], phase="draw", pile="4").legal() == ["draw"]


def test_r_out_3_not_after_melding():
    table = play(classic("K K K 9", melds=[CLEAN_NINES], phase="draw", stock="J", pile="4"), "draw")
    assert "ask" in table.legal()
    table.play("meld K K K")
    assert "ask" not in table.legal()


def test_r_out_3_not_twice_in_a_turn():
    for game, melds in ((classic, [CLEAN_NINES]), (modern, [CLEAN_EIGHTS, "9 9 9 9 9 9"])):
        for answer in ("yes", "no"):
            table = play(game("K", melds=melds, **MAY_ASK), "draw", "ask", answer)
            assert "ask" not in table.legal()


def test_r_out_3_after_a_take_by_a_side_that_had_opened():
    table = play(classic("10 10 4", melds=[CLEAN_NINES], phase="draw", pile="J 10"), "take")
    assert "ask" not in table.legal()  # J and 4 cannot both go
    table = play(classic("10 10 J J 4", melds=[CLEAN_NINES], phase="draw", pile="J 10"), "take")
    assert table.legal() == ["ask", "meld J J J", "discard 4", "discard J"]
    table = play(modern("10 10 J J 4", melds=[CLEAN_NINES, CLEAN_EIGHTS], phase="draw", pile="J 10"), "take")
    assert table.legal() == ["ask", "meld J J J", "discard 4", "discard J"]


def test_r_out_3_after_a_take_with_a_wild():
    table = play(classic("10 2 J J 4", melds=[CLEAN_NINES], phase="draw", pile="J 10"), "take with 2")
    assert "ask" in table.legal()


def test_r_out_3_not_after_a_take_by_a_side_that_had_not_opened():
    table = classic("10 10 10 10 10 10 4", phase="draw", pile="10")
    play(table, "take", *["add 10"] * 3)
    assert "ask" not in table.legal()
    play(table, "add 10", "pick up")
    assert "ask" not in table.legal()
    assert table.went_out is None


def test_r_out_3_only_when_the_turn_can_end_by_going_out():
    table = play(classic("K Q", melds=[CLEAN_NINES], **MAY_ASK), "draw")
    assert "ask" not in table.legal()  # K and Q are left after the nine
    table = play(classic("K", melds=["9 9 9 9 9"], **MAY_ASK), "draw")
    assert "ask" not in table.legal()  # no canasta
    table = play(classic("K", melds=["9 9 9 9 9 9"], **MAY_ASK), "draw")
    assert "ask" in table.legal()  # the nine completes it
    table = play(modern("K", melds=[CLEAN_EIGHTS, "9 9 9 9 9"], **MAY_ASK), "draw")
    assert "ask" not in table.legal()


def test_r_out_3_only_when_the_turn_could_also_end_without_going_out():
    # After the take one queen is left, and discarding it goes out.
    table = classic("10 10", phase="draw", melds=[CLEAN_NINES], pile="Q 10")
    assert table.legal() == ["draw", "take"]
    table.play("take")
    assert table.legal() == ["discard Q"]


def test_r_out_3_an_unopened_side_may_ask_after_the_draw():
    table = play(classic("K K K K K K 4", phase="draw", stock="K", pile="J"), "draw")
    assert table.legal() == ["ask", "meld K K K", "discard 4", "discard K"]


def test_r_out_3_modern_once_per_player_per_deal():
    asked = {"asked": [True, False, False, False]}
    melds = [CLEAN_EIGHTS, "9 9 9 9 9 9"]
    assert "ask" not in play(modern("K", melds=melds, **MAY_ASK, **asked), "draw").legal()
    assert "ask" in play(modern("K", seat=2, melds=melds, **MAY_ASK, **asked), "draw").legal()
    after_take = modern("10 10 J J 4", melds=[CLEAN_NINES, CLEAN_EIGHTS], phase="draw", pile="J 10", **asked)
    assert "ask" not in play(after_take, "take").legal()


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_r_out_3_modern_asked_is_kept_whatever_the_answer(answer):
    table = modern("K", melds=[CLEAN_EIGHTS, "9 9 9 9 9 9"], **MAY_ASK)
    play(table, "draw", "ask", answer, "discard 9")
    assert table.position()["asked"] == [True, False, False, False]


def test_r_out_3_classic_once_per_turn():
    asked = {"asked": [True, True, True, True]}
    assert "ask" in play(classic("K", melds=[CLEAN_NINES], **MAY_ASK, **asked), "draw").legal()


# R-OUT-3: the answer


@pytest.mark.parametrize("seat", range(4))
def test_r_out_3_the_partner_answers(seat):
    table = play(classic("K", seat=seat, melds=[CLEAN_NINES], **MAY_ASK), "draw", "ask")
    assert (table.to_play, table.phase) == ((seat + 2) % 4, "answer")
    assert table.legal() == ["yes", "no"]
    table.play("no")
    assert (table.to_play, table.phase) == (seat, "play")


def test_r_out_3_no_means_the_player_cannot_go_out():
    table = play(classic("K", melds=[CLEAN_NINES], **MAY_ASK), "draw", "ask", "no")
    assert table.legal() == ["discard 9", "discard K"]
    table = play(modern("K", melds=[CLEAN_EIGHTS, "9 9 9 9 9 9"], **MAY_ASK), "draw", "ask", "no")
    assert table.legal() == ["discard 9", "discard K"]
    table = play(classic("K K K", melds=[CLEAN_NINES], **MAY_ASK), "draw", "ask", "no")
    assert table.legal() == ["add 9", "discard 9", "discard K"]  # not the kings: a card must be left


def test_r_out_3_no_forbids_black_threes():
    hand = "black3 black3 black3 K"
    table = play(classic(hand, melds=[CLEAN_NINES], **MAY_ASK), "draw")
    assert "meld black3 black3 black3" in table.legal()
    play(table, "ask", "no")
    assert "meld black3 black3 black3" not in table.legal()


def test_r_out_3_no_holds_for_this_turn_only():
    hands = {1: "4", 2: "5", 3: "6"}
    table = classic("K", melds=[CLEAN_NINES, "K K K"], hands=hands, phase="draw", stock="9 J Q J 4", pile="4")
    play(table, "draw", "ask", "no")
    assert table.legal() == ["discard 9", "discard K"]
    play(table, "discard 9", "draw", "discard J", "draw", "discard Q", "draw", "discard J", "draw")
    assert table.legal() == ["ask", "add K", "discard 4", "discard K"]


def test_r_out_3_classic_yes_means_the_player_must_go_out():
    table = play(classic("K", melds=[CLEAN_NINES], **MAY_ASK), "draw", "ask", "yes")
    assert table.legal() == ["add 9"]
    table.play("add 9")
    assert table.legal() == ["discard K"]
    assert play(table, "discard K").went_out == 0
    table = play(classic("K K K", melds=[CLEAN_NINES], **MAY_ASK), "draw", "ask", "yes")
    assert table.legal() == ["meld K K K", "add 9"]
    play(table, "meld K K K")
    assert table.legal() == ["add 9", "discard 9"]


def test_r_out_3_classic_yes_allows_black_threes():
    hand = "black3 black3 black3"
    table = play(classic(hand, melds=[CLEAN_NINES], **MAY_ASK), "draw", "ask", "yes")
    assert table.legal() == ["meld black3 black3 black3", "add 9"]


def test_r_out_3_modern_yes_is_not_binding():
    table = play(modern("K", melds=[CLEAN_EIGHTS, "9 9 9 9 9 9"], **MAY_ASK), "draw", "ask", "yes")
    assert table.legal() == ["add 9", "discard 9", "discard K"]
    table.play("discard K")
    assert not table.is_over


def test_r_out_3_nobody_has_to_ask():
    table = play(classic("K", melds=[CLEAN_NINES], **MAY_ASK), "draw", "add 9", "discard K")
    assert table.went_out == 0
    table = play(modern("K", melds=[CLEAN_EIGHTS, "9 9 9 9 9 9"], **MAY_ASK), "draw", "add 9", "discard K")
    assert table.went_out == 0


def test_r_out_3_the_partner_sees_only_what_a_partner_sees():
    # Two hands of the asker, the same to the partner.
    one = play(classic("K", hands={1: "Q"}, melds=[CLEAN_NINES], **MAY_ASK), "draw", "ask")
    other = play(classic("Q", hands={1: "K"}, melds=[CLEAN_NINES], **MAY_ASK), "draw", "ask")
    assert one.to_play == other.to_play == 2
    assert one.hand(0) != other.hand(0)
    assert one.view(2).tobytes() == other.view(2).tobytes()


# R-OUT-4

ALL_SEVEN = ["meld K K K", "add K", "add K", "add K", "add K"]
NOT_MELDED = {"melded": [False, False, True, False]}


def test_r_out_4_concealed_with_a_final_discard():
    table = play(classic("K K K K K K K 4"), *ALL_SEVEN, "discard 4")
    assert (table.went_out, table.position()["concealed"]) == (0, True)
    assert table.score()[0].going_out == 200


def test_r_out_4_concealed_without_a_final_discard():
    table = play(classic("K K K K K K K"), *ALL_SEVEN)
    assert table.position()["concealed"] is True
    assert table.score()[0].going_out == 200


def test_r_out_4_it_is_the_player_not_the_side_that_melded_nothing():
    table = play(classic("K K K K K K K", melds=["9 9 9"], **NOT_MELDED), *ALL_SEVEN)
    assert table.position()["concealed"] is True
    table = play(classic("K K K K K K K", melds=["9 9 9"], melded=[True, False, False, False]), *ALL_SEVEN)
    assert table.position()["concealed"] is False
    assert table.score()[0].going_out == 100


def test_r_out_4_nothing_may_be_added_to_a_meld_that_stood_before():
    for hand, addition in (("K K K K K K K 9", "add 9"), ("K K K K K K K 2", "add 2 to 9")):
        table = play(classic(hand, melds=["9 9 9"], **NOT_MELDED), addition, *ALL_SEVEN)
        assert (table.went_out, table.position()["concealed"]) == (0, False)
    # The same card may be discarded instead.
    table = play(classic("K K K K K K K 9", melds=["9 9 9"], **NOT_MELDED), *ALL_SEVEN, "discard 9")
    assert table.position()["concealed"] is True


def test_r_out_4_one_of_the_melds_laid_in_this_turn_must_be_a_canasta():
    table = play(classic("K K K", melds=[CLEAN_NINES], **NOT_MELDED), "meld K K K")
    assert (table.went_out, table.position()["concealed"]) == (0, False)
    table = play(
        classic("K K K K 2 2 2", melds=[CLEAN_NINES], **NOT_MELDED),
        "meld K K K",
        "add K",
        *["add 2 to K"] * 3,
    )
    assert table.position()["concealed"] is True  # a mixed one will do


def test_r_out_4_a_canasta_completed_on_an_old_meld_is_not_concealed():
    table = play(classic("K K K K", melds=["K K K"], **NOT_MELDED), *["add K"] * 4)
    assert (table.went_out, table.position()["concealed"]) == (0, False)


def test_r_out_4_a_single_discard_is_not_concealed():
    table = play(classic("K", melds=[CLEAN_NINES], **NOT_MELDED), "discard K")
    assert (table.went_out, table.position()["concealed"]) == (0, False)


def test_r_out_4_the_pile_may_have_been_taken_in_this_turn():
    table = play(
        classic("K K K K K K", phase="draw", pile="4 K"), "take", *["add K"] * 4, "pick up", "discard 4"
    )
    assert table.position()["concealed"] is True
    table = play(
        classic("K K K K K K 4", phase="draw", melds=["9 9 9"], pile="K", **NOT_MELDED),
        "take",
        *["add K"] * 4,
        "discard 4",
    )
    assert table.position()["concealed"] is True
    table = play(
        classic("K K 2 K K K", phase="draw", melds=["9 9 9"], pile="K", **NOT_MELDED),
        "take with 2",
        *["add K"] * 4,
    )
    assert table.position()["concealed"] is True


def test_r_out_4_taking_the_pile_onto_an_old_meld_is_adding():
    hand = "9 9 K K K K K K K"
    table = play(classic(hand, phase="draw", melds=["9 9 9"], pile="9", **NOT_MELDED), "take", *ALL_SEVEN)
    assert (table.went_out, table.position()["concealed"]) == (0, False)
    assert table.score()[0].going_out == 100


def test_r_out_4_black_threes_beside_a_canasta_are_concealed():
    table = play(classic("K K K K K K K black3 black3 black3"), *ALL_SEVEN, "meld black3 black3 black3")
    assert table.position()["concealed"] is True


@pytest.mark.parametrize("players", [2, 3])
def test_r_out_4_with_two_and_three_players(players):
    hand = "K K K K K K K Q Q Q Q Q Q Q 4"
    table = play(classic(hand, players=players), *ALL_SEVEN, "meld Q Q Q", *["add Q"] * 4, "discard 4")
    assert (table.went_out, table.position()["concealed"]) == (0, True)
    assert table.score()[0].going_out == 200


def test_r_out_4_melding_in_an_earlier_turn_is_remembered():
    hands = {1: "5", 2: "6", 3: "8"}
    table = classic("K K K 2 J J J J J J 9", hands=hands, phase="draw", stock="4 5 6 7 J", pile="9")
    play(table, "draw", "meld K K K", "add 2 to K", "discard 9")
    play(table, "draw", "discard 5", "draw", "discard 6", "draw", "discard 7", "draw")
    play(table, "meld J J J", *["add J"] * 4, "discard 4")
    assert (table.went_out, table.position()["concealed"]) == (0, False)
    assert table.score()[0].going_out == 100


def test_r_out_4_modern_has_no_concealed_bonus():
    table = modern("4 4 4 4 4 4 4 5 5 5 5 5 5 5 K")
    play(table, "meld 4 4 4", *["add 4"] * 4, "meld 5 5 5", *["add 5"] * 4, "discard K")
    assert table.score()[0].going_out == 100
    assert discards(table) == []
