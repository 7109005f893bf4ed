"""Undo within a turn: what showed nobody a card is taken back, and nothing else."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from canasta_agents.play.messages import PlayError
from canasta_agents.play.session import YOU, Session
from canasta_env import Rules, Table, records
from tests.engine.walking import FOUR_GAMES, NAMES
from tests.play.seated import make
from tests.play.test_selection import CLASSIC, MODERN, seated, select

TO_ASK = {
    "game": "classic",
    "hands": ["4 9", "5 5", "6 6", "7 7"],
    "melds": {0: ["4 4 4 4 4 2 2"]},
    "to_play": 0,
    "phase": "play",
}


def play(table: Session, action: str) -> dict[str, Any]:
    return table.handle({"type": "play", "action": action, "at": table.place["at"]})[0]


def take_back(table: Session) -> dict[str, Any]:
    return table.handle({"type": "take_back", "at": table.place["at"]})[0]


def test_a_lay_is_taken_back_as_a_whole_and_step_by_step() -> None:
    table = seated(CLASSIC)
    before = table.state()
    actions = select(table, "9 9 9", pile=True)["meanings"][0]["actions"]
    laid = table.handle({"type": "lay", "actions": actions, "at": 0})[0]
    assert laid["takes_back"] == ["take", "meld 9 9 9", "pick up"]
    assert play(table, "add 9")["takes_back"] == ["add 9"]
    assert take_back(table) == laid
    assert take_back(table) == before
    with pytest.raises(PlayError, match="nothing to take back"):
        take_back(table)


def test_a_draw_and_a_discard_are_never_taken_back() -> None:
    table = seated(CLASSIC)
    assert play(table, "draw")["takes_back"] == []
    with pytest.raises(PlayError, match="drawn or discarded stays"):
        take_back(table)
    drawn = table.state()
    play(table, "meld K K K")
    play(table, "meld 9 9 9")
    assert take_back(table)["takes_back"] == ["meld K K K"]
    assert take_back(table) == drawn
    assert play(table, "discard 5")["takes_back"] == []
    with pytest.raises(PlayError, match="nothing to take back"):
        take_back(table)


def test_an_undo_of_another_place_is_refused() -> None:
    table = seated(MODERN)
    play(table, "take")
    with pytest.raises(PlayError, match="it has gone on since"):
        table.handle({"type": "take_back", "at": 0})
    assert table.state()["takes_back"] == ["take"]


def test_asking_is_taken_back_until_the_partner_has_answered() -> None:
    table = Session(
        Table.from_position(TO_ASK, partial=True).rules, [YOU, "stubborn", "chance", "chance"], make, 7
    )
    table._game.table = Table.from_position(TO_ASK, partial=True)
    before = table.state()
    play(table, "ask")
    question = table.ask()
    assert question is not None
    assert take_back(table) == before
    assert not table.is_asking(question)
    assert not table.apply_answer(question, "yes")
    assert table.state() == before
    play(table, "ask")
    table._game.play("no")
    assert table.state()["takes_back"] == []
    with pytest.raises(PlayError, match="nothing to take back"):
        take_back(table)


def test_what_the_partner_has_laid_is_not_mine_to_take_back() -> None:
    position = TO_ASK | {"to_play": 2, "hands": ["6 6", "5 5", "4 9 K K K", "7 7"]}
    table = seated(position | {"melds": {0: ["4 4 4 4 4 2 2"]}})
    table._game.play("meld K K K") if "meld K K K" in table._game.table.legal() else None
    table._game.play("ask") if "ask" in table._game.table.legal() else None
    assert table._game.moves and table.state()["takes_back"] == []


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_undo_through_whole_deals_tells_no_hidden_card_and_leaves_the_record_right(rules: Rules) -> None:
    """Every message before, after and during an undo holds what the seat may know; a redo is the same."""
    rng = Random(4)
    table = Session(rules, [YOU, *["chance"] * (rules.players - 1)], make, 8, "deal")
    num_undone = 0
    while not (state := table.state())["is_over"]:
        if not state["legal"]:
            table.advance()
            continue
        laying = [action for action in state["legal"] if action.startswith(("take", "meld", "add", "pick"))]
        action = rng.choice(laying or state["legal"])
        after = play(table, action)
        if action.startswith(("take", "meld", "add", "pick")) and not after["is_over"]:
            undone = take_back(table)
            assert undone == state
            assert play(table, action) == after
            num_undone += 1
            check_hides(undone)
        check_hides(after)
    assert num_undone > 3
    records.verify(table.record())


def check_hides(state: dict[str, Any]) -> None:
    told = json.loads(json.dumps(state))
    assert [hand["cards"] is None for hand in told["hands"]] == [False] + [True] * (len(told["hands"]) - 1)
    assert not {"order", "seed", "deck", "next_card"} & set(told)
    assert all(move["seat"] == 0 for move in told["moves"] if "drawn" in move)


@pytest.mark.parametrize("position", [CLASSIC, MODERN], ids=["classic", "modern"])
def test_undo_and_prompts_do_not_depend_on_what_is_hidden(position: dict[str, Any]) -> None:
    told = []
    for hidden in (["4 4", "5", "7 7"], ["A A", "joker", "8 8"]):
        table = seated(position | {"hands": [position["hands"][0], *hidden]})
        told.append([table.state(), play(table, "take"), take_back(table)])
    assert told[0] == told[1]


def test_a_table_taken_up_again_goes_on_in_the_turn() -> None:
    table = Session(FOUR_GAMES[0], [YOU, *["chance"] * (FOUR_GAMES[0].players - 1)], make, 3)
    rng = Random(1)
    while not (state := table.state())["takes_back"]:
        if not state["legal"]:
            table.advance()
            continue
        laying = [action for action in state["legal"] if action.startswith(("take", "meld"))]
        play(table, rng.choice(laying or state["legal"]))
    again = Session.restored(json.loads(json.dumps(table.kept())), make)
    assert again.state() == table.state()
    assert take_back(again) == take_back(table)
