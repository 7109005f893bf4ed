"""R-MELD: what may be melded and added."""

import pytest

from canasta_env.cards import KIND_OF, RANKS
from tests.rules.positions import classic, discards, is_legal, melding, modern, play

OPENED = ["9 9 9"]


# R-MELD-1


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("game", [classic, modern])
def test_r_meld_1_three_of_any_rank(game, rank):
    meld = "J J J" if rank == "9" else "9 9 9"
    table = game(f"{rank} {rank} {rank} 4 5", melds=[meld])
    assert melding(table) == [f"meld {rank} {rank} {rank}"]
    table.play(f"meld {rank} {rank} {rank}")
    assert table.melds(0)[rank] == (3, 0, 0)


@pytest.mark.parametrize("game", [classic, modern])
def test_r_meld_1_two_cards_are_no_meld(game):
    assert melding(game("Q Q 4 5", melds=OPENED)) == []


@pytest.mark.parametrize("game", [classic, modern])
def test_r_meld_1_two_naturals_at_least(game):
    assert melding(game("Q 2 2 4 5", melds=OPENED)) == (["add 2 to 9"] if game is classic else [])


@pytest.mark.parametrize("game", [classic, modern])
def test_r_meld_1_one_meld_of_a_rank_per_side(game):
    # With queens melded further ones are added, three of them too.
    table = game("Q Q Q 4 5", melds=["Q Q Q"])
    assert melding(table) == ["add Q"]
    assert is_legal(table, "add Q", "add Q", "add Q", "discard 4")


def test_r_meld_1_each_side_has_its_own_meld_of_a_rank():
    assert melding(classic("Q Q Q 4 5", melds=OPENED, their_melds=["Q Q Q Q Q"])) == ["meld Q Q Q"]
    assert melding(modern("Q Q Q 4 5", melds=OPENED, their_melds=["Q Q Q Q Q"])) == ["meld Q Q Q"]


def test_r_meld_1_naturals_are_added_one_by_one():
    table = play(classic("Q Q Q Q Q 4 5", melds=OPENED), "meld Q Q Q", "add Q")
    assert table.melds(0)["Q"] == (4, 0, 0)
    assert table.hand(0) == {"4": 1, "5": 1, "Q": 1}


# R-MELD-2


def test_r_meld_2_classic_a_meld_may_start_with_one_wild():
    table = classic("Q Q 2 joker 4 5", melds=OPENED)
    assert melding(table) == ["meld Q Q 2", "meld Q Q joker", "add 2 to 9", "add joker to 9"]
    assert play(table.copy(), "meld Q Q 2").melds(0)["Q"] == (2, 1, 0)
    assert play(table.copy(), "meld Q Q joker").melds(0)["Q"] == (2, 0, 1)


@pytest.mark.parametrize(
    ("meld", "may_add"),
    [
        ("Q Q Q", True),  # 3 + 1
        ("Q Q 2", False),  # 2 + 2
        ("Q Q Q 2", True),  # 3 + 2
        ("Q Q Q 2 joker", False),  # 3 + 3
        ("Q Q Q Q 2 joker", True),  # 4 + 3
        ("Q Q Q Q joker joker joker", False),  # 4 + 4
        ("Q Q Q Q Q Q Q Q joker joker", True),
        ("Q Q Q Q Q Q Q Q joker joker joker", False),  # a fourth wild
    ],
)
def test_r_meld_2_classic_more_naturals_than_wilds_and_at_most_three_wilds(meld, may_add):
    table = classic("2 4 5", melds=[meld])
    assert melding(table) == (["add 2 to Q"] if may_add else [])


def test_r_meld_2_classic_naturals_make_room_for_wilds():
    table = classic("Q joker 4 5", melds=["Q Q 2"])
    assert melding(table) == ["add Q"]
    table.play("add Q")
    assert melding(table) == ["add joker to Q"]


def test_r_meld_2_classic_no_upper_size():
    table = classic("Q 2 4 5", melds=["Q Q Q Q Q Q Q 2 2"])
    assert melding(table) == ["add Q", "add 2 to Q"]
    play(table, "add Q", "add 2 to Q")
    assert table.melds(0)["Q"] == (8, 3, 0)


def test_r_meld_2_classic_a_wild_makes_a_clean_canasta_mixed():
    table = classic("2 4 5", melds=["Q Q Q Q Q Q Q"])
    assert table.score()[0].canastas == 500
    table.play("add 2 to Q")
    assert table.melds(0)["Q"] == (7, 1, 0)
    assert table.score()[0].canastas == 300


@pytest.mark.parametrize("rank", ["7", "A"])
def test_r_meld_2_classic_sevens_and_aces_are_ranks_like_others(rank):
    assert melding(classic(f"{rank} {rank} 2 4 5", melds=OPENED)) == [f"meld {rank} {rank} 2", "add 2 to 9"]


# R-MELD-3


def test_r_meld_3_modern_seven_cards_at_most():
    table = modern("Q Q 4 5", melds=["Q Q Q Q Q Q"])
    assert melding(table) == ["add Q"]
    table.play("add Q")
    assert table.melds(0)["Q"] == (7, 0, 0)
    assert melding(table) == []


@pytest.mark.parametrize("canasta", ["Q Q Q Q Q Q Q", "Q Q Q Q Q Q 2", "Q Q Q Q Q 2 joker"])
def test_r_meld_3_modern_a_finished_canasta_takes_no_more(canasta):
    assert melding(modern("Q 2 4 5", melds=[canasta])) == []


@pytest.mark.parametrize(
    ("meld", "may_add"),
    [("Q Q Q Q Q", True), ("Q Q Q Q Q 2", True), ("Q Q Q Q 2 2", False), ("Q Q Q Q Q Q", True)],
)
def test_r_meld_3_modern_at_most_two_wilds(meld, may_add):
    assert melding(modern("2 4 5", melds=[meld])) == (["add 2 to Q"] if may_add else [])


def test_r_meld_3_modern_two_naturals_and_two_wilds_in_the_opening_but_not_three():
    table = modern("K K 2 2 joker A A A 4 5")
    play(table, "meld A A A", "meld K K 2", "add joker to K")
    assert table.melds(0)["K"] == (2, 1, 1)
    assert table.legal() == ["discard 4", "discard 5"]  # no third wild, and the aces must stay clean


# R-MELD-4


@pytest.mark.parametrize("wild", ["2", "joker"])
def test_r_meld_4_modern_after_the_opening_no_meld_starts_with_a_wild(wild):
    assert melding(modern(f"Q Q {wild} 4 5", melds=OPENED)) == []


@pytest.mark.parametrize(
    ("meld", "may_add"),
    [
        ("Q Q Q", False),
        ("Q Q Q Q", False),
        ("Q Q Q Q joker", False),  # four naturals
        ("Q Q Q Q Q", True),
        ("Q Q Q Q Q joker", True),
        ("Q Q Q Q Q Q", True),
    ],
)
def test_r_meld_4_modern_after_the_opening_a_wild_needs_five_naturals(meld, may_add):
    assert melding(modern("2 4 5", melds=[meld])) == (["add 2 to Q"] if may_add else [])


def test_r_meld_4_modern_naturals_added_in_the_turn_make_the_five():
    table = modern("Q Q 2 4 5", melds=["Q Q Q"])
    assert melding(table) == ["add Q"]
    play(table, "add Q", "add Q")
    assert melding(table) == ["add 2 to Q"]


def test_r_meld_4_modern_the_partner_has_opened():
    assert melding(modern("Q Q 2 4 5", seat=2, melds=OPENED)) == []


def test_r_meld_4_modern_in_the_opening_two_naturals_suffice():
    table = modern("K K 2 joker A A A Q Q Q 4 5")  # 60 + 30 + 90 = 180
    play(table, "meld A A A", "meld Q Q Q")
    twos, jokers = ["add 2 to Q", "add 2 to A"], ["add joker to Q", "add joker to A"]
    assert melding(table) == ["meld K K 2", "meld K K joker", *twos, *jokers]


def test_r_meld_4_modern_the_wild_meld_is_free_of_it():
    assert melding(modern("2 2 joker 4 5", melds=OPENED)) == ["meld 2 2 joker"]


# R-MELD-5


def test_r_meld_5_modern_sevens_never_take_wilds():
    assert melding(modern("2 joker 4 5", melds=["7 7 7 7 7"])) == []
    table = modern("7 7 2 2 joker A A A K K K 4 5")
    assert not any(
        "to 7" in action or action in ("meld 7 7 2", "meld 7 7 joker") for action in melding(table)
    )
    table = modern("7 7 7 2 2 joker A A A K K K 4 5")
    table.play("meld 7 7 7")
    assert not any("to 7" in action for action in melding(table))


def test_r_meld_5_modern_aces_take_no_wilds_after_the_opening():
    for meld in ("A A A A A", "A A A A A 2", "A A 2"):
        assert melding(modern("2 joker 4 5", melds=[meld])) == []


def test_r_meld_5_modern_aces_take_wilds_in_the_opening():
    table = modern("A A 2 joker K K K 4 5")  # 110 + 30
    play(table, "meld K K K")
    assert melding(table) == ["meld A A 2", "meld A A joker"]
    table.play("meld A A 2")
    assert "add joker to A" in table.legal()


def test_r_meld_5_modern_natural_aces_join_mixed_aces_at_any_time():
    table = modern("A A 4 5", melds=["A A 2 joker"])
    assert melding(table) == ["add A"]
    play(table, "add A", "add A")
    assert table.melds(0)["A"] == (4, 1, 1)


# R-MELD-6


@pytest.mark.parametrize(
    ("hand", "meld", "wilds"),
    [
        ("2 2 2", "meld 2 2 2", (0, 3, 0)),
        ("2 2 joker", "meld 2 2 joker", (0, 2, 1)),
        ("2 joker joker", "meld 2 joker joker", (0, 1, 2)),
        ("joker joker joker", "meld joker joker joker", (0, 0, 3)),
    ],
)
def test_r_meld_6_modern_a_wild_meld_of_three(hand, meld, wilds):
    table = modern(hand + " 4 5", melds=OPENED)
    assert melding(table) == [meld]
    table.play(meld)
    assert table.melds(0)["wilds"] == wilds


def test_r_meld_6_modern_the_wild_meld_is_fed_card_by_card_up_to_seven():
    table = modern("2 joker 4 5", melds=[*OPENED, "2 2 2 joker"])
    assert melding(table) == ["add 2 to wilds", "add joker to wilds"]
    play(table, "add joker to wilds", "add 2 to wilds")
    assert table.melds(0)["wilds"] == (0, 4, 2)
    table = modern("2 2 4 5", melds=[*OPENED, "2 2 2 joker joker joker"])
    play(table, "add 2 to wilds")
    assert table.melds(0)["wilds"] == (0, 4, 3)
    assert melding(table) == []  # seven, and no five naturals


def test_r_meld_6_modern_one_wild_meld_per_side():
    assert melding(modern("2 2 2 4 5", melds=[*OPENED, "2 2 joker"])) == ["add 2 to wilds"]
    # Also with a finished one.
    assert melding(modern("joker joker joker 4 5", melds=[*OPENED, "2 2 2 2 2 2 2"])) == []


def test_r_meld_6_modern_each_side_may_have_one():
    assert melding(modern("2 2 2 4 5", melds=OPENED, their_melds=["2 2 joker"])) == ["meld 2 2 2"]


def test_r_meld_6_modern_started_in_the_opening():
    table = modern("joker joker 2 A A A 4 5")  # 120 + 60
    assert "meld 2 joker joker" in table.legal()
    play(table, "meld 2 joker joker")
    assert melding(table) == ["meld A A A"]
    play(table, "meld A A A")
    assert discards(table) == ["4", "5"]


def test_r_meld_6_modern_no_wild_into_a_rank_while_the_wild_meld_is_unfinished():
    for wilds in ("2 2 2", "2 2 2 2 2 2"):
        assert melding(modern("joker 4 5", melds=["Q Q Q Q Q", wilds])) == ["add joker to wilds"]
    assert melding(modern("joker 4 5", melds=["Q Q Q Q Q", "2 2 2 2 2 2 2"])) == ["add joker to Q"]
    # The other side's wild meld does not matter.
    assert melding(modern("joker 4 5", melds=["Q Q Q Q Q"], their_melds=["2 2 2"])) == ["add joker to Q"]


def test_r_meld_6_modern_no_wild_into_a_rank_of_the_opening_while_the_wild_meld_is_unfinished():
    table = modern("2 2 2 joker K K A A A 4 5")
    table.play("meld 2 2 2")
    assert melding(table) == ["meld A A A", "add joker to wilds"]


def test_r_meld_6_modern_a_wild_meld_finished_in_the_opening_frees_the_wilds():
    table = modern("2 2 2 2 2 2 2 2 joker Q Q 4 5")
    play(table, "meld 2 2 2", *["add 2 to wilds"] * 4)
    assert melding(table) == ["meld Q Q 2", "meld Q Q joker"]


def test_r_meld_6_modern_not_started_in_an_opening_with_a_wild_in_a_meld():
    table = modern("2 2 2 joker K K A A A Q Q Q 4 5")
    play(table, "meld A A A", "meld Q Q Q")
    assert "meld 2 2 2" in table.legal()
    table.play("meld K K joker")
    assert not any(action.startswith("meld 2") for action in table.legal())


def test_r_meld_6_modern_started_after_the_opening_beside_mixed_melds():
    assert melding(modern("2 2 2 4 5", melds=["9 9 9", "Q Q joker"])) == ["meld 2 2 2"]
    # In the same turn too, once the pile is picked up: the opening is complete (R-OPEN-5).
    table = modern("Q Q Q K K joker joker 2 2 2 4", phase="draw", pile="5 Q")
    play(table, "take", "meld Q Q Q", "meld K K joker", "add joker to K")
    assert melding(table) == []  # a two onto the queens would leave no clean meld
    table.play("pick up")
    assert melding(table) == ["meld 2 2 2"]


def test_r_meld_6_classic_has_no_wild_meld():
    assert melding(classic("2 2 2 joker 4 5", melds=["Q Q Q Q 2 2 2"])) == []
    assert melding(classic("joker joker joker 4 5", melds=["Q Q Q Q 2 2 2"])) == []


# R-MELD-7


def test_r_meld_7_modern_a_clean_canasta_closes_its_rank_for_all():
    table = modern("Q 4 5", melds=["Q Q Q Q Q Q", "9 9 9"])
    assert not any(table.view(0)[0]["closed"])
    table.play("add Q")
    for seat in range(4):
        closed = table.view(seat)[0]["closed"]
        assert [kind for kind in range(15) if closed[kind]] == [KIND_OF["Q"]]


@pytest.mark.parametrize("meld", ["Q Q Q Q Q Q", "Q Q Q Q Q Q 2", "Q Q Q Q Q joker 2", "2 2 2 2 2 2 2"])
def test_r_meld_7_modern_nothing_else_closes_a_rank(meld):
    assert not any(modern("4 5", melds=["9 9 9", meld]).view(0)[0]["closed"])


def test_r_meld_7_modern_the_other_side_cannot_add_to_a_closed_rank():
    # One queen is left of eight: it can neither be melded nor taken.
    table = modern("Q 4 5", melds=["9 9 9"], their_melds=["Q Q Q Q Q Q Q"])
    assert table.legal() == ["discard 4", "discard 5", "discard Q"]
    table = modern("4 5 2", phase="draw", melds=["9 9 9"], their_melds=["Q Q Q Q Q Q Q"], pile="6 Q")
    assert table.legal() == ["draw"]


def test_r_meld_7_classic_closes_nothing():
    assert not any(classic("4 5", melds=["Q Q Q Q Q Q Q"]).view(0)[0]["closed"])
    assert melding(classic("Q 4 5", melds=["Q Q Q Q Q Q Q"])) == ["add Q"]


# R-MELD-8

CANASTA = "Q Q Q Q Q Q Q"


def test_r_meld_8_classic_black_threes_only_when_going_out():
    assert classic("black3 black3 black3", melds=[CANASTA]).legal() == [
        "meld black3 black3 black3",
        "discard black3",
    ]
    table = classic("black3 black3 black3 K", melds=[CANASTA])
    assert table.legal() == ["meld black3 black3 black3", "discard black3", "discard K"]
    table.play("meld black3 black3 black3")
    assert table.legal() == ["discard K"]
    table.play("discard K")
    assert table.went_out == 0
    # A second odd card: the turn cannot end by going out.
    assert classic("black3 black3 black3 K J", melds=[CANASTA]).legal() == [
        "discard black3",
        "discard J",
        "discard K",
    ]


def test_r_meld_8_classic_black_threes_need_the_canasta():
    assert classic("black3 black3 black3", melds=["Q Q Q Q Q Q"]).legal() == ["discard black3"]
    table = classic("black3 black3 black3 Q", melds=["Q Q Q Q Q Q"])
    assert melding(table) == ["meld black3 black3 black3", "add Q"]
    table.play("meld black3 black3 black3")
    assert table.legal() == ["add Q"]  # discarding it would go out without a canasta


def test_r_meld_8_classic_after_them_the_turn_must_end_by_going_out():
    table = classic("black3 black3 black3 K K K 4", melds=[CANASTA])
    table.play("meld black3 black3 black3")
    assert table.legal() == ["meld K K K"]
    play(table, "meld K K K")
    assert table.legal() == ["discard 4"]


def test_r_meld_8_classic_three_or_four():
    table = classic("black3 black3 black3 black3", melds=[CANASTA])
    assert melding(table) == ["meld black3 black3 black3"]
    table.play("meld black3 black3 black3")
    assert table.legal() == ["add black3", "discard black3"]
    table.play("add black3")
    assert (table.is_over, table.went_out) == (True, 0)
    assert table.melds(0)["black3"] == (4, 0, 0)


def test_r_meld_8_classic_no_wilds():
    # Two black threes and a wild are no meld; a wild joins none.
    assert melding(classic("black3 black3 joker", melds=["Q Q Q Q Q 2 2 2"])) == []
    table = classic("black3 black3 black3 joker", melds=["Q Q Q Q Q 2 2 2"])
    table.play("meld black3 black3 black3")
    assert table.legal() == ["discard joker"]


def test_r_meld_8_classic_they_count_to_the_minimum():
    hand = "4 4 4 4 4 4 4 black3 black3 black3"  # 35 + 15
    assert melding(classic(hand)) == ["meld black3 black3 black3", "meld 4 4 4"]
    assert melding(classic(hand, score=1500)) == []
    table = play(classic(hand), "meld black3 black3 black3", "meld 4 4 4", *["add 4"] * 4)
    assert (table.is_over, table.went_out) == (True, 0)


def test_r_meld_8_classic_they_are_not_in_reach_without_going_out():
    # 30 + 15 = 45 of 50; the black threes would make 60.
    assert melding(classic("10 10 10 6 6 6 black3 black3 black3 4 5")) == []


def test_r_meld_8_red_threes_twos_and_jokers_are_never_a_rank():
    assert melding(classic("2 2 2 2 joker joker joker 4 5", melds=["K K 2"])) == []


@pytest.mark.parametrize("hand", ["4 5 6", "K K K 4 5"])
def test_r_meld_8_modern_threes_are_never_melded(hand):
    # A black three can only be in a Modern hand when the deal is over (R-TURN-2).
    assert "meld black3 black3 black3" not in modern(hand, melds=OPENED).legal()


# R-MELD-9


@pytest.mark.parametrize("meld", ["Q Q Q Q Q Q Q", "Q Q Q Q 2 2 2", "Q Q Q Q Q Q Q Q 2 2 joker"])
def test_r_meld_9_classic_a_canasta_is_seven_or_more(meld):
    assert classic("4 5", melds=[meld, "9 9 9 9 9 9"]).view(0)[0]["canastas"][0] == 1


@pytest.mark.parametrize("meld", ["Q Q Q Q Q Q Q", "Q Q Q Q Q 2 2", "2 2 2 2 joker joker joker"])
def test_r_meld_9_modern_a_canasta_is_seven_the_wild_meld_included(meld):
    assert modern("4 5", melds=[meld, "9 9 9 9 9 9"]).view(0)[0]["canastas"][0] == 1


def test_r_meld_9_modern_the_wild_canasta_counts_for_going_out():
    table = modern("K", melds=["9 9 9 9 9 9 9", "2 2 2 2 joker joker joker"])
    assert play(table, "discard K").went_out == 0
