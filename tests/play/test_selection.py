"""What a selection of cards means: the moves that lay it, its points, the reasons, the cheapest opening."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from canasta_agents.play.session import YOU, Session
from canasta_env import Rules, Table
from tests.engine.walking import FOUR_GAMES, NAMES
from tests.play.seated import check_refused, make

CLASSIC = {
    "game": "classic",
    "hands": ["K K K 9 9 9 9 2 joker 5", "4 4", "5 5", "7 7"],
    "pile": "6 K",
    "to_play": 0,
    "phase": "draw",
}
MODERN = {
    "game": "modern_american",
    "hands": ["K K K 9 9 9 9 2 2 2 joker 5 5 6 6 6", "4 4", "5 5", "7 7"],
    "pile": "6 5",
    "to_play": 0,
    "phase": "draw",
}


def seated(position: dict[str, Any]) -> Session:
    """A table in a position at which the person has seat 0."""
    start = Table.from_position(position, partial=True)
    table = Session(start.rules, [YOU, *["chance"] * (start.rules.players - 1)], make, 7)
    table._game.table = start
    return table


def select(table: Session, cards: str, pile: bool = False, meld: str | None = None) -> dict[str, Any]:
    counts = dict(Counter(cards.split()))
    return table.handle({"type": "select", "cards": counts, "pile": pile, "meld": meld})[0]


def words(reply: dict[str, Any]) -> list[str]:
    return [meaning["words"] for meaning in reply["meanings"]]


def test_an_opening_with_the_pile_is_one_selection_whose_pair_goes_without_saying() -> None:
    table = seated(CLASSIC)
    reply = select(table, "9 9 9", pile=True)
    assert words(reply) == ["take the pile, meld 9 9 9, pick up the rest of the pile"]
    assert (reply["points"], reply["needed"]) == (60, 50) and reply["meanings"][0]["is_complete"]
    state = table.handle({"type": "lay", "actions": reply["meanings"][0]["actions"], "at": 0})[0]
    assert state["sides"][0]["has_opened"] and not state["pile"]
    assert Counter(state["hands"][0]["cards"]) == Counter(["K", "9", "2", "joker", "5", "6"])
    assert [move["action"] for move in state["moves"]] == ["take", "meld 9 9 9", "pick up"]


def test_wild_cards_go_with_the_ranks_beside_them_and_two_places_are_asked_about() -> None:
    table = seated(CLASSIC)
    table.handle({"type": "play", "action": "draw", "at": 0})
    assert words(select(table, "9 9 9 9 2")) == ["meld 9 9 9 9 2"]
    assert set(words(select(table, "9 9 9 K K K 2"))) == {
        "meld 9 9 9 2, meld K K K",
        "meld 9 9 9, meld K K K 2",
    }
    assert words(select(table, "K K joker")) == ["meld K K joker"]


def test_wild_cards_alone_join_what_lies_there_or_the_meld_that_is_named() -> None:
    laid = CLASSIC | {"melds": {0: ["8 8 8", "Q Q Q"]}, "phase": "play", "opened": [0]}
    table = seated({key: value for key, value in laid.items() if key != "opened"})
    assert set(words(select(table, "2"))) == {"add 2 to the meld of 8", "add 2 to the meld of Q"}
    assert words(select(table, "2", meld="Q")) == ["add 2 to the meld of Q"]
    assert words(select(table, "9 9 9 2")) == ["meld 9 9 9 2"]


def test_three_wild_cards_beside_a_modern_meld_may_be_a_wild_meld() -> None:
    table = seated(MODERN | {"phase": "play"})
    assert words(select(table, "K K K 2 2 2 joker")) == ["meld K K K, meld 2 2 2 joker"]
    assert "meld 9 9 9 9, meld K K K, meld 2 2 2 joker" in words(select(table, "9 9 9 9 K K K 2 2 2 joker"))


def test_the_modern_pair_of_the_pile_may_be_selected_or_not() -> None:
    table = seated(MODERN)
    expected = "take the pile, meld 9 9 9 9, meld K K K, meld 2 2 2 joker, pick up the rest of the pile"
    for pair in ("", " 5 5"):
        reply = select(table, "9 9 9 9 K K K 2 2 2 joker" + pair, pile=True)
        assert expected in words(reply), pair


def test_taking_with_a_wild_card_is_meant_by_selecting_it() -> None:
    opened = CLASSIC | {"hands": ["K 9 9 2 joker 5", "4 4", "5 5", "7 7"], "melds": {0: ["8 8 8"]}}
    table = seated(opened)
    assert words(select(table, "2", pile=True)) == ["take the pile with a 2"]
    assert set(words(select(table, "", pile=True))) == {
        "take the pile with a 2",
        "take the pile with a joker",
    }


@pytest.mark.parametrize(
    ("cards", "text", "clauses"),
    [
        ("K K", "a new meld is three or more cards", "R-MELD-1"),
        ("5", "a new meld is three or more cards", "R-MELD-1"),
        ("9 9 2 joker", "wild", "R-MELD-2"),
    ],
)
def test_what_cannot_be_laid_says_why_without_clauses_in_the_text(
    cards: str, text: str, clauses: str
) -> None:
    table = seated(CLASSIC)
    table.handle({"type": "play", "action": "draw", "at": 0})
    reply = select(table, cards)
    assert not reply["meanings"]
    assert text in reply["why_not"]["text"] and "R-" not in reply["why_not"]["text"]
    assert reply["why_not"]["clauses"] == clauses


def test_before_drawing_nothing_is_laid_without_the_pile() -> None:
    reply = select(seated(CLASSIC), "9 9 9")
    assert not reply["meanings"] and "begins with drawing or taking" in reply["why_not"]["text"]


def test_points_count_towards_the_minimum_while_selecting() -> None:
    table = seated(MODERN | {"phase": "play"})
    assert [select(table, cards)["points"] for cards in ("9 9 9", "K K", "K K K 2 2")] == [30, 20, 70]
    assert select(table, "9 9 9")["needed"] == 125


@pytest.mark.parametrize("with_pile", [False, True])
def test_the_cheapest_opening_is_proposed_and_opens(with_pile: bool) -> None:
    table = seated(MODERN if with_pile else MODERN | {"phase": "play"})
    reply = table.handle({"type": "propose", "pile": with_pile})[0]
    assert Counter(reply["cards"]) == Counter(["9", "9", "9", "9", "6", "6", "6", "K", "K", "joker"])
    assert reply["pile"] is with_pile
    meaning = reply["meanings"][0]
    assert meaning["is_complete"]
    state = table.handle({"type": "lay", "actions": meaning["actions"], "at": 0})[0]
    assert state["sides"][0]["has_opened"] if with_pile else state["opening_points"] >= 125


def test_a_proposal_that_cannot_be_says_why() -> None:
    poor = CLASSIC | {"hands": ["4 5 6 7 8 9", "4 4", "5 5", "7 7"]}
    for phase, pile, reason in (
        ("draw", False, "draw first"),
        ("draw", True, "cannot be taken"),
        ("play", False, "no opening is possible"),
    ):
        reply = seated(poor | {"phase": phase}).handle({"type": "propose", "pile": pile})[0]
        assert reason in reply["why_not"]["text"]
    opened = seated(CLASSIC | {"melds": {0: ["8 8 8"]}}).handle({"type": "propose"})[0]
    assert "your side has opened" in opened["why_not"]["text"]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"type": "select"}, "cards: None"),
        ({"type": "select", "cards": {"Z": 1}}, "cards: "),
        ({"type": "select", "cards": {"K": 0}}, "K: 0"),
        ({"type": "select", "cards": {"K": 4}}, "not in the hand"),
        ({"type": "select", "cards": {"K": 1}, "pile": 1}, "pile: 1"),
        ({"type": "select", "cards": {"2": 1}, "meld": "K"}, "meld: 'K'"),
        ({"type": "propose", "pile": "yes"}, "pile: 'yes'"),
        ({"type": "lay", "actions": ["draw"], "at": 0}, "takes, melds and additions"),
        ({"type": "lay", "actions": [], "at": 0}, "actions: []"),
        ({"type": "lay", "actions": [["take"]], "at": 0}, "actions: "),
        ({"type": "lay", "actions": ["take", "meld A A A"], "at": 0}, "illegal action"),
        ({"type": "lay", "actions": ["take"], "at": 2}, "it has gone on since"),
    ],
    ids=str,
)
def test_what_cannot_be_followed_is_refused_and_changes_nothing(message: dict[str, Any], reason: str) -> None:
    check_refused(seated(CLASSIC), message, reason)


def test_what_a_selection_means_does_not_depend_on_what_is_hidden() -> None:
    told = []
    for hidden in (["4 4", "5 5", "7 7"], ["A A 3", "joker joker", "8 8"]):
        hands = ["K K K 9 9 9 9 2 joker 5", *(hand.replace(" 3", " black3") for hand in hidden)]
        table = seated(CLASSIC | {"hands": hands})
        told.append(
            [
                select(table, "9 9 9", pile=True),
                select(table, "K K 2"),
                table.handle({"type": "propose", "pile": True})[0],
            ]
        )
    assert told[0] == told[1]


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_every_meaning_of_chance_selections_lays_just_the_selection(rules: Rules) -> None:
    """Whatever is selected in the course of a deal, each meaning is legal and lays those cards."""
    rng = Random(5)
    table = Session(rules, [YOU, *["chance"] * (rules.players - 1)], make, 3, "deal")
    num_meanings = 0
    for _ in range(400):
        state = table.state()
        if state["is_over"]:
            break
        if not state["legal"]:
            table.advance()
            continue
        hand = state["hands"][0]["cards"]
        kinds = rng.sample(sorted(set(hand)), min(len(set(hand)), rng.choice((1, 2, 2))))
        cards = [kind for kind in hand if kind in kinds]
        reply = select(table, " ".join(cards))
        assert json.loads(json.dumps(reply)) == reply
        assert bool(reply["meanings"]) == (reply["why_not"] is None)
        for meaning in reply["meanings"]:
            after = table.table_for_advice()
            before = Counter(after.hand(0))
            for action in meaning["actions"]:
                after.play(action)
            assert before - Counter(after.hand(0)) == Counter(cards)
            num_meanings += 1
        laying = [meaning["actions"] for meaning in reply["meanings"]]
        if laying:
            table.handle({"type": "lay", "actions": rng.choice(laying), "at": len(state["moves"])})
        else:
            table.handle({"type": "play", "action": rng.choice(state["legal"]), "at": len(state["moves"])})
    assert num_meanings > 0 or rules.game == "modern_american"  # chance seldom reaches its 125
