"""Positions: every table is read back as it was written, and what cannot be a position is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from canasta_env import PositionError, Rules, Table
from tests.engine.walking import FOUR_GAMES, NAMES, house_rules, walk

HOUSE_RULES = [house_rules(seed) for seed in range(12)]


def table(**position: Any) -> Table:
    return Table.from_position(position, partial=True)


def classic_table(hand: str = "K 4", **position: Any) -> Table:
    return table(game="classic", **({"hands": {1: hand}} | position))


def modern_table(hand: str = "K 4", **position: Any) -> Table:
    return table(game="modern_american", **({"hands": {1: hand}} | position))


@pytest.mark.parametrize(
    "rules", [*FOUR_GAMES, *HOUSE_RULES], ids=[*NAMES, *(f"house{n}" for n in range(12))]
)
def test_every_table_of_a_deal_is_read_back(rules: Rules) -> None:
    for now in walk(rules, seed=5):
        position = now.position()
        again = Table.from_position(json.loads(json.dumps(position)))
        assert again.position() == position
        assert again.legal() == now.legal()


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_a_table_read_back_plays_on_in_the_same_way(rules: Rules) -> None:
    deal = list(walk(rules, seed=8))
    middle = len(deal) // 2
    again = Table.from_position(deal[middle].position())
    for before, after in zip(deal[middle:], deal[middle + 1 :], strict=False):
        action = next(a for a in before.legal() if _leads(before, a, after))
        again.play(action)
        assert again.position() == after.position()


def _leads(before: Table, action: str, after: Table) -> bool:
    line = before.copy()
    line.play(action)
    return line.position() == after.position()


def test_only_the_game_need_be_named_besides_the_mover_s_hand() -> None:
    position = classic_table("K 4").position()
    assert position["players"] == 4
    assert position["target"] == 5_000
    assert position["dealer"] == 0
    assert position["scores"] == [0, 0]
    assert position["to_play"] == 1
    assert position["phase"] == "draw"
    assert position["turn"] == 1
    assert position["hands"] == [{"4": 1}, {"4": 1, "K": 1}, {"4": 1}, {"4": 1}]
    assert position["opened"] == [False, False]
    assert len(position["stock"]) == 103


def test_partial_lets_the_cards_not_named_follow_the_named_stock_in_kind_order() -> None:
    stock = classic_table(stock="A 9 black3").position()["stock"]
    assert stock[:4] == ["A", "9", "black3", "joker"]
    assert stock[-1] == "A"


@pytest.mark.parametrize(
    "hand", ["K K 10 2", ["10", "2", "K", "K"], {"K": 2, "10": 1, "2": 1}, ("K", "K", "10", "2")]
)
def test_a_hand_may_be_a_text_a_list_or_counts(hand: Any) -> None:
    assert classic_table(hands=[[], hand, "", {}]).hand(1) == {"2": 1, "10": 1, "K": 2}


@pytest.mark.parametrize(
    "melds",
    [
        {"K": (2, 1, 0), "4": [3, 0, 0]},
        {"K": "K K 2", "4": "4 4 4"},
        {"4": ["4"] * 3, "K": ["2", "K", "K"]},
        ["K K 2", ["4", "4", "4"]],
    ],
)
def test_melds_may_be_counts_or_cards(melds: Any) -> None:
    expected = {"4": (3, 0, 0), "K": (2, 1, 0)}
    assert classic_table(melds=[{}, melds]).melds(1) == expected
    assert classic_table(melds={1: melds}).melds(1) == expected
    assert classic_table(melds={"1": melds}).melds(1) == expected  # as JSON spells it


def test_the_wild_meld_and_threes_are_named() -> None:
    now = modern_table(melds=[{"wilds": "2 2 joker"}, {}], threes={0: "red3 black3 black3"})
    assert now.melds(0) == {"wilds": (0, 2, 1)}
    assert now.threes(0) == {"red3": 1, "black3": 2}


def test_canastas_and_closed_ranks_follow_from_the_melds() -> None:
    def opposite(sixes: str) -> Table:
        return modern_table("6 2 5 9", phase="play", melds=[{"6": sixes}, {"4": "4 4 4"}])

    assert opposite("6 6 6 6 6 2").score()[0].canastas == 0
    assert opposite("6 6 6 6 6 2 2").score()[0].canastas == 300
    assert opposite("6 6 6 6 6 6 6").score()[0].canastas == 500
    assert "discard 6" in opposite("6 6 6 6 6 2").legal()
    assert "discard 6" not in opposite("6 6 6 6 6 6 6").legal()  # R-DISC-3: a closed rank comes second


def test_a_side_with_melds_has_opened_and_its_seats_have_melded() -> None:
    position = classic_table(melds=[{"K": (3, 0, 0)}, {}]).position()
    assert position["opened"] == [True, False]
    assert position["melded"] == [True, False, True, False]


def test_an_opening_under_way_counts_its_points_and_melds() -> None:
    position = classic_table(
        "5 5 5 5 9 9", phase="play", melds=[{}, {"K": (3, 0, 0)}], opened=[False, False]
    ).position()
    assert position["opening_points"] == 30
    assert position["melded"] == [False] * 4
    assert position["melded_now"]
    assert position["begun"] == ["K"]


def test_a_taken_pile_is_an_opening_under_way() -> None:
    now = classic_table("5 5 5 5 9 9", phase="play", melds=[{}, {"K": (3, 0, 0)}], taken="K", pile="4")
    assert now.position()["opening_points"] == 30
    assert "meld 5 5 5" in now.legal()
    now = modern_table("Q Q Q K K joker joker 4", phase="play", pile="5 Q", taken="Q")
    assert now.position()["melded_now"]
    assert now.legal() == ["meld Q Q Q", "meld K K joker"]


def test_the_question_stands_as_if_the_card_was_just_drawn() -> None:
    assert classic_table(phase="play").position()["can_ask"]
    assert not classic_table(phase="draw").position()["can_ask"]
    assert not classic_table(players=2, phase="play").position()["can_ask"]
    assert not modern_table(phase="play", asked=[False, True, False, False]).position()["can_ask"]
    assert classic_table(phase="play", asked=[False, True, False, False]).position()["can_ask"]


def test_a_pile_with_a_wild_or_red_three_is_wild_frozen() -> None:
    assert classic_table(pile="red3 9").position()["wild_frozen"]
    assert classic_table(pile="9 2 9").position()["wild_frozen"]
    assert not classic_table(pile="9 black3").position()["wild_frozen"]
    assert classic_table(pile="9 9", wild_frozen=True).position()["wild_frozen"]
    assert not modern_table(pile="9 2 9").position()["wild_frozen"]


def test_house_rules_travel_with_the_position() -> None:
    now = classic_table(rules={"canastas_to_go_out": 3})
    assert now.rules.canastas_to_go_out == 3
    assert Table.from_position(now.position()).rules == now.rules
    assert "rules" not in classic_table(target=2_500).position()


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no dict": ([], "a position is a dict"),  # type: ignore[dict-item]
    "no game": ({}, "game: a position names its game"),
    "unknown game": ({"game": "rummy"}, "game: 'rummy'"),
    "unknown key": ({"hand": "K"}, "'hand' is not a key"),
    "players": ({"players": 5}, "players: 5 cannot play classic"),
    "modern for two": ({"game": "modern_american", "players": 2}, "players: 2 cannot play"),
    "target": ({"target": "high"}, "target: 'high'"),
    "unknown rule": ({"rules": {"hand_sizes": 3}}, "unknown rule 'hand_sizes'"),
    "two games": ({"rules": {"game": "modern_american"}}, "rules: game"),
    "rules": ({"rules": 5}, "rules: 5"),
    "dealer": ({"dealer": 4}, "dealer: 4"),
    "scores": ({"scores": [0]}, r"scores: \[0\] must be a list of 2"),
    "score": ({"scores": [0, 0.5]}, r"scores\[1\]: 0.5"),
    "seats": ({"hands": ["K"]}, "hands: .* must be a list of 4"),
    "text for seats": ({"hands": "K K K K"}, "hands: .* must be a list of 4"),
    "seat": ({"hands": {7: "K"}}, "hands: place: 7"),
    "kind": ({"hands": {1: "K 1"}}, r"hands\[1\]: '1' is not a card"),
    "count": ({"hands": {1: {"K": -1}}}, r"hands\[1\]: count of K: -1"),
    "form of a hand": ({"hands": {1: 5}}, r"hands\[1\]: 5"),
    "too many cards of a kind": ({"hands": {1: "K " * 9}}, "K: 9 of them .*R-CARD-1"),
    "too many over all": ({"hands": {1: "joker"}, "pile": "joker joker joker joker 4"}, "joker: 5"),
    "pile as counts": ({"pile": {"K": 2}}, "pile: "),
    "pile too long": ({"pile": ["K"] * 200}, "pile: 200 cards"),
    "red three in hand": ({"hands": {1: "K red3"}}, r"hands\[1\]: red3: .*R-DEAL-2"),
    "three in a Modern hand": (
        {"game": "modern_american", "hands": {1: "K black3"}},
        r"hands\[1\]: black3.*R-TURN-2",
    ),
    "black threes laid in Classic": ({"threes": {0: "black3"}}, r"threes\[0\]: black3.*R-DEAL-2"),
    "no three": ({"threes": {0: "K"}}, r"threes\[0\]: K is not a three"),
    "three in a Modern pile": ({"game": "modern_american", "pile": "black3 K"}, "pile: black3.*R-DISC-2"),
    "red three on top": ({"pile": "red3"}, "pile: red3 on top.*R-DEAL-3"),
    "red three above others": ({"pile": "K red3 4"}, "pile: red3 above.*R-DEAL-3"),
    "mover without cards": ({"hands": {}}, r"hands\[1\]: empty"),
    "frozen Modern pile": (
        {"game": "modern_american", "pile": "K", "wild_frozen": True},
        "wild_frozen: True",
    ),
    "unfrozen wild": ({"pile": "2 K", "wild_frozen": False}, "wild_frozen: False"),
    "frozen and empty": ({"wild_frozen": True}, "wild_frozen: True, but the pile is empty"),
    "flag": ({"wild_frozen": 1}, "wild_frozen: 1 must be True or False"),
    "too small": ({"melds": {1: {"K": (2, 0, 0)}}}, r"melds\[1\]: K .*R-MELD-1"),
    "one natural": ({"melds": {1: {"K": (1, 1, 1)}}}, r"melds\[1\]: K .*R-MELD-1"),
    "as many wilds": ({"melds": {1: {"K": (3, 3, 0)}}}, r"melds\[1\]: K .*R-MELD-2"),
    "four wilds": ({"melds": {1: {"K": (5, 4, 0)}}}, r"melds\[1\]: K .*at most 3 wilds.*R-MELD-2"),
    "wild meld in Classic": ({"melds": {1: {"wilds": "2 2 2"}}}, r"melds\[1\]: wilds .*R-MELD-8"),
    "black threes in an earlier turn": (
        {"melds": {1: {"black3": (3, 0, 0)}}},
        r"melds\[1\]: black3 .*R-MELD-8",
    ),
    "two melds of a rank": ({"melds": {1: ["K K K", "K K K"]}}, r"melds\[1\]: two melds of K.*R-MELD-1"),
    "mixed ranks": ({"melds": {1: ["K K Q"]}}, r"melds\[1\]\[0\]: Q and K"),
    "wrong name": ({"melds": {1: {"K": "Q Q Q"}}}, r"melds\[1\]: K: these cards are a meld of Q"),
    "unknown meld": ({"melds": {1: {"3": "Q Q Q"}}}, r"melds\[1\]: '3' is not a meld"),
    "form of a meld": ({"melds": {1: {"K": 3}}}, r"melds\[1\]: K: 3"),
    "form of melds": ({"melds": [5, {}]}, r"melds\[0\]: 5"),
    "eight in Modern": ({"game": "modern_american", "melds": {1: {"Q": (8, 0, 0)}}}, "Q .*R-MELD-3"),
    "three wilds in Modern": ({"game": "modern_american", "melds": {1: {"K": (4, 3, 0)}}}, "K .*R-MELD-3"),
    "wild sevens": ({"game": "modern_american", "melds": {1: {"7": (4, 1, 0)}}}, "7 .*R-MELD-5"),
    "eight wilds": ({"game": "modern_american", "melds": {1: {"wilds": (0, 8, 0)}}}, "wilds .*R-MELD-6"),
    "black threes in Modern": ({"game": "modern_american", "melds": {1: {"black3": (3, 0, 0)}}}, "R-MELD-8"),
    "opened without melds": ({"opened": [True, False]}, r"opened\[0\]: True.*R-OPEN"),
    "melds of another not opened": (
        {"melds": {0: {"K": (3, 0, 0)}}, "opened": [False, False]},
        r"opened\[0\]: False",
    ),
    "melds before the draw": (
        {"melds": {1: {"K": (3, 0, 0)}}, "opened": [False, False]},
        r"opened\[1\]: False",
    ),
    "wild meld beside a mixed one in an opening": (
        {
            "game": "modern_american",
            "phase": "play",
            "melds": {1: {"wilds": "2 2 2", "K": "K K joker"}},
            "opened": [False, False],
        },
        r"melds\[1\]: an opening .*R-MELD-6",
    ),
    "opening points": (
        {"phase": "play", "melds": {1: {"K": (3, 0, 0)}}, "opened": [False, False], "opening_points": 20},
        "opening_points: 20, but the opening under way holds 30",
    ),
    "points without an opening": (
        {"phase": "play", "opening_points": 20},
        "opening_points: 20, but no opening",
    ),
    "to_play": ({"to_play": 4}, "to_play: 4"),
    "nobody to play": ({"to_play": None}, "to_play: None"),
    "somebody to play when over": ({"phase": "over", "to_play": 1}, "to_play: 1"),
    "phase": ({"phase": "meld"}, "phase: 'meld'"),
    "flag of a turn before it": ({"begun": ["K"]}, 'melded_now: a flag of the turn .* "draw"'),
    "begun nothing": ({"phase": "play", "begun": ["K"]}, "begun: K, but"),
    "begun what": ({"phase": "play", "begun": ["3"]}, "begun: '3'"),
    "form of begun": ({"phase": "play", "begun": {"K": 1}}, "begun: "),
    "not begun in an opening": (
        {
            "phase": "play",
            "melds": {1: {"K": (3, 0, 0)}},
            "opened": [False, False],
            "begun": [],
            "joined_earlier": True,
        },
        "begun: in an opening",
    ),
    "joined what": ({"phase": "play", "joined_earlier": True}, "joined_earlier: True"),
    "melded now": ({"phase": "play", "melded_now": True}, "melded_now: True.*nothing"),
    "not melded now": (
        {"phase": "play", "melds": {1: {"K": (3, 0, 0)}}, "begun": ["K"], "melded_now": False},
        "melded_now: False.*something",
    ),
    "melded": ({"melded": [True, False, False, False]}, r"melded\[0\]: True"),
    "nobody melded": ({"melds": {1: {"K": (3, 0, 0)}}, "melded": [False] * 4}, "melded: nobody, but side 1"),
    "taken before the turn": ({"taken": "K"}, "taken: a flag of the turn"),
    "taken three": ({"phase": "play", "taken": "black3"}, "taken: black3.*R-TAKE-1"),
    "taken by an opened side": (
        {"phase": "play", "taken": "K", "melds": {1: {"K": (3, 0, 0)}}, "opened": [False, True]},
        "taken: K: side 1 has opened",
    ),
    "taken and not melded": ({"phase": "play", "taken": "K"}, "taken: K: the pair and the top card"),
    "taken and not on top": (
        {"game": "modern_american", "phase": "play", "taken": "K", "pile": "Q"},
        "taken: K",
    ),
    "answer for two": ({"players": 2, "phase": "answer"}, "phase: .*R-OUT-3"),
    "answer to no question": (
        {"phase": "answer", "to_play": 3, "hands": {1: "K 4"}},
        "phase: .* seat 1 could not ask.*R-OUT-3",
    ),
    "answer before the turn": ({"answer": "no"}, "answer: a flag of the turn"),
    "what answer": ({"phase": "play", "answer": "maybe"}, "answer: 'maybe'"),
    "answered and not asked": ({"phase": "play", "answer": "no", "asked": [False] * 4}, r"asked\[1\]: False"),
    "asked alone": ({"players": 2, "asked": [True, False]}, "asked: nobody asks"),
    "may ask alone": ({"players": 2, "phase": "play", "can_ask": True}, "can_ask: nobody asks"),
    "may ask after melding": (
        {
            "phase": "play",
            "melds": {1: {"K": (3, 0, 0), "4": (3, 0, 0)}},
            "begun": ["K"],
            "pile": "9",
            "can_ask": True,
        },
        "can_ask: True, but the player has melded",
    ),
    "may ask twice": (
        {"game": "modern_american", "phase": "play", "asked": [False, True, False, False], "can_ask": True},
        "can_ask: True, but seat 1 has asked",
    ),
    "more known than held": ({"known": {1: "K K"}}, r"known\[1\]: 2 K, but the hand holds 1"),
    "red three discarded": ({"discarded": {1: "red3"}}, r"discarded\[1\]: red3"),
    "out before the end": ({"went_out": 1}, "went_out: 1.*R-OUT-2"),
    "out with cards": ({"phase": "over", "went_out": 1}, r"went_out: 1, but hands\[1\]"),
    "out without a canasta": ({"phase": "over", "went_out": 2}, "went_out: 2.* 0 of the 1 canastas"),
    "concealed by nobody": ({"phase": "over", "concealed": True}, "concealed: True"),
    "turn": ({"turn": 0}, "turn: 0"),
    "no way on": ({"phase": "play", "hands": {1: "K"}}, "phase: seat 1 has no legal action.*R-TURN-4"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    position, reason = REFUSED[case]
    if position and "hand" not in position:
        position = {"game": "classic", "hands": {1: "K 4"}} | position
    elif position:
        position = {"game": "classic"} | position
    with pytest.raises(PositionError, match=reason):
        Table.from_position(position, partial=True)


def test_cards_named_nowhere_are_named_when_a_whole_position_is_asked_for() -> None:
    with pytest.raises(PositionError, match=r"stock: 106 of the 108 cards .* 7 4, .* partial=True"):
        Table.from_position({"game": "classic", "hands": {1: "K 4"}})
