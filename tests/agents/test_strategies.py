"""Each player's signature, from hand-made positions: what tells it from the others."""

import numpy as np
import pytest

from canasta_agents.registry import make
from canasta_env.actions import ID_OF
from canasta_env.agent import DecisionBatch
from tests.agents.deciding import decide, play_turn
from tests.rules.positions import classic, modern

# closer


def test_closer_never_feeds_a_danger_rank():
    hand, table = "5 6 9 J Q", {"melds": ["10 10 10"], "their_melds": ["5 5 5", "6 6 6"]}
    assert decide("closer", classic(hand, **table)) == "discard 9"
    assert decide("weigher", classic(hand, pile="4 4 4 4 J Q", **table)) != "discard 5"


def test_closer_discards_a_danger_rank_on_a_frozen_pile():
    table = classic("5 6 9 J Q", melds=["10 10 10"], their_melds=["5 5 5"], pile="4 2 8", wild_frozen=True)
    assert decide("closer", table) == "discard 5"


def test_closer_closes_with_several_wilds():
    table = classic("2 2 joker 4 5 6", melds=["K K K K"])
    assert play_turn("closer", table) == ["add 2 to K", "add 2 to K", "add joker to K", "discard 4"]


@pytest.mark.parametrize("player", ["closer", "closer_plain", "weigher", "builder"])
def test_wilds_are_not_spent_before_they_close(player):
    table = classic("2 2 joker 4 5 6 8 9", melds=["K K K"])
    assert play_turn(player, table)[-1].startswith("discard")
    assert table.melds(0) == {"K": (3, 0, 0)}


def test_closer_takes_piles_of_three_or_what_fits():
    hand = "Q Q 4 5 6 8"
    assert decide("closer", classic(hand, phase="draw", melds=["9 9 9"], pile="7 J Q")) == "take"
    assert decide("closer", classic(hand, phase="draw", melds=["9 9 9"], pile="J Q")) == "draw"
    assert decide("closer", classic(hand, phase="draw", melds=["Q Q Q"], pile="J Q")) == "take"


def test_closer_opens_with_the_cheapest_wild():
    table = classic("K K K J J 2 joker 4 5 6 8")
    assert play_turn("closer", table)[:2] in (["meld K K K", "meld J J 2"], ["meld J J 2", "meld K K K"])
    assert "joker" in table.hand(0)


def test_closer_uses_the_joker_only_where_a_two_will_not_do():
    table = classic("K K K J J 2 joker 4 5 6 8", score=1_500)
    played = play_turn("closer", table)
    assert "meld J J joker" in played and "2" in table.hand(0)


def test_closer_keeps_three_cards_before_the_first_canasta_and_the_plain_one_two():
    hand, melds = "9 9 9 4 5", ["K K K"]
    assert decide("closer", classic(hand, melds=melds)).startswith("discard")
    assert decide("closer_plain", classic(hand, melds=melds)) == "meld 9 9 9"
    assert decide("closer", classic(hand, melds=["K K K K K K K"])) == "meld 9 9 9"


def test_closer_begins_a_meld_with_a_wild_only_late():
    hand, melds = "9 9 2 4 5 6 8", ["K K K"]
    late = {"whole_stock": " ".join(["10"] * 6)}
    assert decide("closer", classic(hand, melds=melds)).startswith("discard")
    assert decide("closer", classic(hand, melds=melds, **late)) == "meld 9 9 2"
    assert decide("closer_plain", classic(hand, melds=melds, **late)).startswith("discard")


def test_closer_goes_out_at_the_first_chance():
    table = classic("9 9 9 2 4", melds=["K K K K K K K", "Q Q Q"])
    play_turn("closer", table)
    assert table.went_out == 0


def test_closer_holds_back_the_cheapest_card_only_if_it_must():
    table = classic("9 9 9 Q", melds=["K K K K K K K", "Q Q Q"])
    assert not any(action.startswith("discard") for action in play_turn("closer", table))
    assert table.went_out == 0


def test_closer_holds_black_threes_with_two_players():
    hand, pile = "black3 K Q J 9 8", "4 5 6 7"
    assert decide("closer", classic(hand, pile=pile)) == "discard black3"
    assert decide("closer", classic(hand, players=2, pile=pile)) == "discard 8"
    assert decide("closer", classic(hand, players=2, pile="4 5 6 7 4")) == "discard black3"
    assert decide("closer_plain", classic(hand, players=2, pile=pile)) == "discard black3"


# weigher


@pytest.mark.parametrize(
    ("hand", "pile", "action"),
    [
        ("K K 5 6 8 9", "4 K", "take"),  # 1 + 0.7 ≥ 2.5 × 0.5
        ("K K 5 6 8 9", "K", "draw"),  # 1 < 2.5 × 0.5
        ("K 2 5 6 8 9", "5 6 8 9 K", "take with 2"),  # 1 + 4 × 1.5 ≥ 2.5 × (1 + 1.5)
        ("K 2 5 6 8 9", "5 6 8 7 K", "draw"),  # 1 + 3 × 1.5 + 0.7 < 2.5 × 2.5
        ("K joker 5 6 8 9", "5 6 8 9 K", "draw"),  # 7 < 2.5 × (1 + 1.5 × 50 / 20)
    ],
)
def test_weigher_weighs_the_pile_against_its_cost(hand, pile, action):
    assert decide("weigher", classic(hand, phase="draw", melds=["Q Q Q"], pile=pile)) == action


def test_weigher_opens_with_the_fewest_cards():
    table = classic("A A A 4 4 4 5 5 5 J Q", hands={2: "9 9 9 9 9 9"})
    assert play_turn("weigher", table)[0] == "meld A A A"


def test_weigher_goes_out_only_with_reason():
    melds, hand = ["K K K K K K K"], "K 4"
    many, few = {2: "9 9 9 9 9 9"}, {2: "9 9 9 9 9"}
    others = {1: "8 8", 3: "8 8"}
    stays = classic(hand, melds=melds, hands=many | others)
    assert decide("weigher", stays) != "add K"
    goes = classic(hand, melds=melds, hands=few | others)
    play_turn("weigher", goes)
    assert goes.went_out == 0


@pytest.mark.parametrize(
    ("hand", "answer"), [("A A A 10", "yes"), ("A A 10 J Q", "yes"), ("A A A A", "yes"), ("A A A J Q", "no")]
)
def test_weigher_answers_by_the_worth_of_its_hand(hand, answer):
    table = classic("K K 4", melds=["J J J J J J J", "K K K"], hands={2: hand}, can_ask=True)
    table.play("ask")
    assert decide("weigher", table) == answer


# builder, gambler, greedy, eager


def test_builder_closes_with_one_wild_at_most():
    hand, melds = "2 2 4 5 6 8", ["K K K K K"]
    assert decide("builder", classic(hand, melds=melds)).startswith("discard")
    assert decide("builder", classic("K " + hand, melds=melds)) == "add K"
    race = classic(hand, melds=melds, their_melds=["9 9 9 9 9 9"])
    assert decide("builder", race) == "add 2 to K"


def test_builder_discards_black_threes_first():
    assert decide("builder", classic("black3 4 5 6 8", melds=["K K K"])) == "discard black3"


def test_gambler_adds_wilds_freely():
    assert decide("gambler", classic("2 4 5 6 8", melds=["K K K"])) == "add 2 to K"


def test_gambler_freezes_one_time_in_seven():
    table = classic("joker 4 5 6 8 10 J Q")
    number = 4_000
    agent = make("gambler", table.rules)
    agent.reset(number, seed=1)
    mask, view = table.action_mask(), table.view(0)
    actions = agent.act(
        DecisionBatch(
            table.rules,
            np.arange(number),
            np.zeros(number, np.int8),
            np.repeat(view, number),
            np.repeat(mask[None], number, axis=0),
        )
    )
    assert (actions == ID_OF["discard joker"]).mean() == pytest.approx(1 / 7, abs=0.02)


def test_greedy_takes_a_pile_that_connects():
    hand = "Q Q 4 5 6 8"
    assert decide("greedy", classic(hand, phase="draw", melds=["9 9 9"], pile="4 Q")) == "take"
    assert decide("greedy", classic(hand, phase="draw", melds=["9 9 9"], pile="J Q")) == "draw"


def test_greedy_begins_a_set_before_it_adds():
    assert decide("greedy", classic("9 9 9 K 4 5 6 8", melds=["K K K"])) == "meld 9 9 9"
    assert decide("closer", classic("9 9 9 K 4 5 6 8", melds=["K K K"])) == "add K"


def test_eager_is_blind_to_opponents():
    hand, table = "5 9 J Q A", {"melds": ["10 10 10"], "their_melds": ["5 5 5"]}
    assert decide("eager", classic(hand, **table)) == "discard 5"


# simple and keeper


@pytest.mark.parametrize("player", ["simple", "keeper"])
def test_wilds_only_close_melds_of_five_naturals(player):
    assert decide(player, modern("2 2 4 5 6 8 9", melds=["K K K K K"])) == "add 2 to K"
    assert decide(player, modern("2 4 5 6 8 9", melds=["K K K K K"])).startswith("discard")


@pytest.mark.parametrize("player", ["simple", "keeper"])
def test_an_opening_leaves_penalised_melds_alone(player):
    assert play_turn(player, modern("7 7 7 K K joker joker 4 5 6 8 9 10 J"))[0].startswith("discard")


def test_simple_takes_piles_of_three():
    hand = "Q Q 4 5 6 8"
    assert decide("simple", modern(hand, phase="draw", melds=["9 9 9"], pile="4 5 Q")) == "take"
    assert decide("simple", modern(hand, phase="draw", melds=["9 9 9"], pile="5 Q")) == "draw"


def test_keeper_never_begins_sevens_or_aces_that_will_stay_unfinished():
    for rank in ("7", "A"):
        table = modern(f"{rank} {rank} {rank} 4 5 6 8 9 10 J", melds=["K K K", "Q Q Q"])
        assert play_turn("keeper", table)[-1].startswith("discard")
        assert rank not in table.melds(0)


def test_keeper_holds_the_pair_that_can_take_the_pile():
    table = modern("Q Q 4 5 6 8 9 10 J", melds=["Q Q Q", "K K K"])
    assert play_turn("keeper", table)[0].startswith("discard")
    assert table.hand(0)["Q"] == 2


def test_keeper_does_not_discard_what_the_next_player_is_known_to_pair():
    hand = "4 K"
    known = [{}, {"4": 2}, {}, {}]
    table = modern(
        hand + " 9 9",
        melds=["Q Q Q"],
        their_melds=["J J J"],
        pile="5 6 8 10 5 6 8",
        hands={1: "4 4 A"},
        known=known,
    )
    assert decide("keeper", table) == "discard K"


def test_keeper_says_no_while_it_holds_three_aces():
    def answer(hand):
        canastas = ["K K K K K K K", "9 9 9 9 9 2 2"]
        table = modern("Q Q Q 4 5", melds=[*canastas, "4 4 4"], hands={2: hand}, can_ask=True)
        table.play("ask")
        return decide("keeper", table)

    assert answer("A A A 6") == "no"
    assert answer("A A 6") == "yes"
