"""The line that says what can be done now."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from canasta_agents.play.session import YOU, Session
from canasta_env import Rules
from tests.engine.walking import FOUR_GAMES, NAMES
from tests.play.seated import make, play_deal
from tests.play.test_selection import CLASSIC, MODERN, seated
from tests.play.test_take_back import TO_ASK, play


def said(position: dict[str, Any], *actions: str) -> str:
    table = seated(position)
    for action in actions:
        play(table, action)
    text: str = table.state()["prompt"]["text"]
    return text


def test_the_start_of_a_turn() -> None:
    assert said(CLASSIC) == "Draw from the stock, or take the pile with a K on top."
    no_pair = said(CLASSIC | {"pile": "6 6 Q"})
    assert no_pair.startswith("Draw from the stock. The pile cannot be taken: ")
    assert "a natural pair" in no_pair


def test_after_the_pile_was_taken_only_the_missing_points_are_asked_for() -> None:
    assert said(CLASSIC, "take") == (
        "You took the pile with a K on top: lay 20 more points (30 of 50) before you pick up the rest."
    )
    assert said(CLASSIC, "take", "meld 9 9 9") == (
        "You took the pile with a K on top: pick up the rest, or lay more first."
    )


def test_only_picking_up_is_left() -> None:
    position = CLASSIC | {"hands": ["K K 9 9 9", "4 4", "5 5", "7 7"], "pile": "6 7 K"}
    assert said(position, "take", "meld 9 9 9") == "Pick up the rest of the pile."


def test_an_opening_under_way_says_what_it_still_needs() -> None:
    playing = MODERN | {"phase": "play"}
    assert (
        said(playing)
        == "Select cards to lay (your side opens with 125 points), or discard one to end your turn."
    )
    assert said(playing, "meld 9 9 9") == (
        "Your opening is not complete: lay 95 more points (30 of 125), or undo, before you discard."
    )


def test_nothing_to_lay_leaves_the_discard() -> None:
    poor = CLASSIC | {"hands": ["4 5 6 7 8 9", "4 4", "5 5", "7 7"], "phase": "play"}
    assert said(poor) == "Discard a card to end your turn."


def test_the_partner_may_be_asked_and_its_answer_binds() -> None:
    table = seated(TO_ASK)
    assert "ask your partner" in table.state()["prompt"]["text"]
    for answer, words in (("yes", "you must go out this turn"), ("no", "you cannot go out this turn")):
        table = seated(TO_ASK)
        table._game.play("ask")
        assert table.state()["prompt"] is None
        table._game.play(answer)
        assert words in table.state()["prompt"]["text"]


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_every_prompt_of_whole_deals_is_in_the_words_of_the_game(rules: Rules) -> None:
    seen = set()
    table = Session(rules, [YOU, *["chance"] * (rules.players - 1)], make, 5, "deal")
    for state in play_deal(table, Random(3)):
        assert (state["prompt"] is None) == (not state["legal"])
        if state["prompt"]:
            text = state["prompt"]["text"]
            seen.add(text)
            assert not re.search(r"R-[A-Z]|`|seat \d|side \d|None|_", text), text
            if text.startswith("Draw") and "or take" in text:
                assert any(action.startswith("take") for action in state["legal"])
            if "discard one" in text or text.startswith("Discard"):
                assert any(action.startswith("discard") for action in state["legal"])
    assert len(seen) > 3
