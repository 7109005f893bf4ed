"""A table that is played at, without a browser: messages in, messages out."""

from __future__ import annotations

import copy
import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from canasta_agents.play.messages import PlayError
from canasta_agents.play.replay import Replay
from canasta_agents.play.session import YOU, Session
from canasta_env import Rules, Table, classic, modern_american, records
from tests.engine.walking import FOUR_GAMES, NAMES
from tests.env.test_rendering_text import POSITION
from tests.play.seated import check_refused, make, play_deal


def session(rules: Rules | None = None, *, seats: list[str] | None = None, **options: Any) -> Session:
    rules = rules or modern_american()
    return Session(rules, seats or [YOU, *["chance"] * (rules.players - 1)], make, 7, **options)


def own_turn(**options: Any) -> Session:
    """A table at which the person is to move."""
    table = session(**options)
    while not table.state()["legal"]:
        table.advance()
    return table


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_a_whole_deal_is_played_and_scored(rules: Rules) -> None:
    table = session(rules, episode="deal")
    last = play_deal(table, Random(1))[-1]
    assert last["is_over"] and last["to_play"] is None and not last["legal"]
    assert [score["total"] for score in last["score"]] == last["totals"]
    record = records.verify(table.record())
    assert list(record.deals[0].actions) == [move["action"] for move in last["moves"]]


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_no_message_holds_a_hidden_card(rules: Rules) -> None:
    for state in play_deal(session(rules), Random(2)):
        told = json.loads(json.dumps(state))
        assert told["seat"] == told["own_seat"] == 0
        others = [told["phase"] != "over"] * (rules.players - 1)  # hands are laid open at the end
        assert [hand["cards"] is None for hand in told["hands"]] == [False, *others]
        assert not {"order", "seed", "deck", "next_card"} & set(told)
        assert all(move["seat"] == 0 for move in told["moves"] if "drawn" in move)
        assert set(told["on_table"][0]) == {"melded_cards", "canastas", "threes"}


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_moves_tell_the_cards_they_moved_to_who_may_know(rules: Rules) -> None:
    table = session(rules)
    drawn, taken = 0, 0
    before = table.state()
    for state in play_deal(table, Random(2))[1:]:
        for move in state["moves"][len(before["moves"]) :]:
            if move["seat"] == 0 and move["action"] == "draw":
                gained = Counter(state["hands"][0]["cards"]) - Counter(before["hands"][0]["cards"])
                assert gained == Counter(move.get("drawn", ()))
                drawn += 1
            if "taken" in move:
                assert move["taken"] == before["pile"][-len(move["taken"]) :]
                assert len(before["pile"]) - len(state["pile"]) == len(move["taken"])
                taken += 1
        before = state
    assert drawn > 3 and taken > 0
    watched = session(rules, seats=["chance"] * rules.players)
    moves = play_deal(watched, Random(2))[-1]["moves"]
    assert {move["seat"] for move in moves if "drawn" in move} == set(range(rules.players))
    seen = watched.handle({"type": "look", "seat": 1})[0]["moves"]
    assert {move["seat"] for move in seen if "drawn" in move} == {1}


def test_reasons_are_those_of_the_rules_and_do_not_depend_on_what_is_hidden() -> None:
    position = {
        "game": "modern_american",
        "hands": ["6 6 6 K K 2 9", "4 4", "5 5", "7 7"],
        "pile": "9",
        "to_play": 0,
        "phase": "play",
    }
    told = []
    for hidden in (["4 4", "5 5", "7 7"], ["A A", "joker joker", "8 8"]):
        table = session()
        hands = [position["hands"][0], *hidden]
        table._game.table = Table.from_position(position | {"hands": hands}, partial=True)
        before = table.state()
        targets = ("card:6", "card:K", "card:2", "card:9", "pile", "stock")
        told.append([table.handle({"type": "why", "target": target})[0] for target in targets])
        assert table.state() == before
    assert told[0] == told[1]
    sixes, kings, twos, nine, pile, stock = (
        {one["action"]: one["reason"] for one in answer["refused"]} for answer in told[0]
    )
    assert "the opening needs 125 points" in sixes["meld 6 6 6"] and "R-OPEN" in sixes["meld 6 6 6"]
    assert set(kings) == {"meld K K 2"}
    assert "three are needed" in nine["meld 9 9 9"]
    assert (
        "meld 6 6 2" in twos
        and "the turn has begun" in pile["take"]
        and "the turn has begun" in stock["draw"]
    )


def test_messages_do_not_depend_on_what_is_hidden() -> None:
    other = copy.deepcopy(POSITION) | {"hands": ["K K 9 joker", "A 6", "5", "5 5 9"]}
    told = []
    for position in (POSITION, other):
        table = session()
        table._game.table = Table.from_position(position, partial=True)
        told.append(table.state())
    assert told[0] == told[1]
    assert told[0]["hands"][1]["known"] == ["A"]


def test_who_watches_sees_all_hands_or_those_of_one_seat() -> None:
    table = session(seats=["chance"] * 4)
    assert all(hand["cards"] for hand in table.state()["hands"])
    state = table.handle({"type": "look", "seat": 2})[0]
    assert [bool(hand["cards"]) for hand in state["hands"]] == [False, False, True, False]
    assert state["seat"] == 2
    assert all(hand["cards"] for hand in table.handle({"type": "look", "seat": None})[0]["hands"])


def test_a_match_goes_on_to_its_end() -> None:
    rules = classic(players=2, target=500)
    table = session(rules, seats=["chance", "chance"])
    deals = 0
    while True:
        last = play_deal(table, Random(3))[-1]
        deals += 1
        assert last["deal"] == deals
        if last["is_over"]:
            break
        table.handle({"type": "next"})
    assert max(last["totals"]) >= 500 and last["winner"] == last["totals"].index(max(last["totals"]))
    record = records.verify(table.record())
    assert len(record.deals) == deals and list(record.scores) == last["totals"]
    with pytest.raises(PlayError, match="no deal follows"):
        table.handle({"type": "next"})


def test_undo_goes_back_to_the_start_and_the_same_agents_play_the_same() -> None:
    table = session(seats=["chance"] * 4)
    first = play_deal(table, Random(4))
    assert table.handle({"type": "undo"})[0] == first[0]
    assert play_deal(table, Random(4)) == first


def test_undo_reaches_the_deals_start_not_the_matchs() -> None:
    table = session(classic(players=2), seats=["chance", "chance"])
    play_deal(table, Random(5))
    second = table.handle({"type": "next"})[0]
    table.advance()
    assert table.handle({"type": "undo"})[0] == second
    assert second["deal"] == 2 and any(side["score"] for side in second["sides"])


def test_the_agents_play_when_it_is_their_turn() -> None:
    table = own_turn()
    assert table.waits_s is None
    table.handle({"type": "play", "action": "draw", "at": len(table.state()["moves"])})
    discard = next(action for action in table.state()["legal"] if action.startswith("discard"))
    state = table.handle({"type": "play", "action": discard, "at": len(table.state()["moves"])})[0]
    assert table.waits_s == state["pace_s"]
    table.handle({"type": "pace", "pace_s": 0})
    assert table.waits_s == 0
    table.handle({"type": "pause", "is_paused": True})
    assert table.waits_s is None


def test_the_partner_is_asked_and_answers() -> None:
    position = {
        "game": "classic",
        "hands": ["4 9", "5 5", "6 6", "7 7"],
        "melds": {0: ["4 4 4 4 4 2 2"]},
        "to_play": 0,
        "phase": "play",
    }
    table = session(classic(), seats=[YOU, "stubborn", "chance", "chance"])
    table._game.table = Table.from_position(position, partial=True)
    assert "ask" in table.state()["legal"]
    state = table.handle({"type": "play", "action": "ask", "at": 0})[0]
    assert (state["phase"], state["to_play"], state["legal"]) == ("answer", 2, [])
    assert table.advance()["answer"] in ("yes", "no")
    asked = session(classic(), seats=["chance", "chance", YOU, "chance"])
    asked._game.table = Table.from_position(position, partial=True)
    asked._game.play("ask")
    assert asked.state()["legal"] == ["yes", "no"]
    assert asked.handle({"type": "play", "action": "no", "at": 1})[0]["answer"] == "no"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({}, "type: None must be one of play"),
        ({"type": "fly"}, "type: 'fly'"),
        ({"type": ["play"]}, "type: "),
        ({"type": "play"}, "at: None"),
        ({"type": "play", "action": "draw", "at": True}, "at: True"),
        ({"type": "play", "action": "draw", "at": -1}, "at: -1"),
        ({"type": "play", "action": "draw", "at": 40}, "the table stands at move"),
        ({"type": "play", "action": 3}, "at: None"),
        ({"type": "next"}, "the deal is not over"),
        ({"type": "pace", "pace_s": -1}, "pace_s: -1"),
        ({"type": "pace", "pace_s": float("nan")}, "pace_s: nan"),
        ({"type": "pace"}, "pace_s: None"),
        ({"type": "pause", "is_paused": 1}, "is_paused: 1"),
        ({"type": "look", "seat": 1}, "who plays sees"),
        ({"type": "why"}, "target: None"),
        ({"type": "why", "target": "card:joker "}, "target: 'card:joker '"),
        ({"type": "again"}, "no agent has failed"),
    ],
    ids=str,
)
def test_what_cannot_be_followed_is_refused_and_changes_nothing(message: dict[str, Any], reason: str) -> None:
    check_refused(own_turn(), message, reason)


def test_an_illegal_action_is_refused_with_its_reason() -> None:
    table = own_turn()
    before = table.state()
    for action, reason in (("discard red3", "not the notation"), ("pick up", "illegal action")):
        with pytest.raises(PlayError, match=reason):
            table.handle({"type": "play", "action": action, "at": len(before["moves"])})
    assert table.state() == before


def test_nobody_plays_out_of_turn_or_twice() -> None:
    table = own_turn()
    at = len(table.state()["moves"])
    table.handle({"type": "play", "action": "draw", "at": at})
    with pytest.raises(PlayError, match="the table stands at move"):
        table.handle({"type": "play", "action": "draw", "at": at})
    watched = session(seats=["chance"] * 4)
    with pytest.raises(PlayError, match="not your turn"):
        watched.handle({"type": "play", "action": "draw", "at": 0})


def test_the_record_of_a_deal_under_way_is_not_for_who_plays_it() -> None:
    with pytest.raises(PlayError, match="hidden cards"):
        own_turn().record()
    table = session()
    play_deal(table, Random(6))
    table.handle({"type": "next"})
    assert len(records.verify(table.record()).deals) == 1
    assert table.record().seed is None
    watched = session(seats=["chance"] * 4)
    watched.advance()
    assert records.verify(watched.record()).deals[0].points is None
    assert watched.record().seed is None


def test_a_record_saved_in_the_middle_of_a_match_does_not_lead_to_the_deals_that_follow() -> None:
    table = session()
    play_deal(table, Random(6))
    assert not table.state()["is_over"]
    text = records.to_text(table.record())
    table.handle({"type": "next"})
    for told in (text, records.to_text(table.record())):
        game, *deals, _ = map(json.loads, told.splitlines())
        assert game["seed"] is None and len(deals) == 1
    over = session(classic(players=2), episode="deal")
    play_deal(over, Random(1))
    assert records.verify(over.record()).seed == 7


@pytest.mark.parametrize(("spec", "reason"), [("broken", "out of luck"), ("stubborn", "chose draw")])
def test_an_agent_that_fails_stops_the_table_and_the_person_is_told(spec: str, reason: str) -> None:
    table = session(seats=[spec] * 4)
    state = table.advance()
    while not state["fault"]:
        state = table.advance()
    assert reason in state["fault"]
    assert table.waits_s is None
    assert table.handle({"type": "undo"})[0]["fault"] is None


def test_what_a_failing_opponent_tried_is_not_told_to_who_plays(caplog: pytest.LogCaptureFixture) -> None:
    table = session(seats=[YOU, *["stubborn"] * 3])
    assert not table.state()["legal"]
    table.advance()
    state = table.advance()
    assert state["fault"].startswith("East, stubborn, failed; the log") and "chose" not in state["fault"]
    assert "chose draw" in caplog.text


def test_advice_is_given_for_the_own_turn_only_and_changes_nothing() -> None:
    table = own_turn()
    before = table.state()
    asked = table.table_for_advice()
    assert asked.legal() == before["legal"]
    asked.play("draw")
    assert table.state() == before
    table.handle({"type": "play", "action": "draw", "at": len(before["moves"])})
    discard = next(action for action in table.state()["legal"] if action.startswith("discard"))
    table.handle({"type": "play", "action": discard, "at": len(table.state()["moves"])})
    with pytest.raises(PlayError, match="not your turn"):
        table.table_for_advice()


def test_seats_that_do_not_fit_are_refused() -> None:
    for seats, reason in ((["chance"] * 3, "the game has 4"), ([YOU, YOU, "chance", "chance"], "only one")):
        with pytest.raises(PlayError, match=reason):
            session(seats=seats)


def test_the_course_of_a_match_has_every_deal() -> None:
    table = session(classic(players=2), seats=[YOU, "chance"])
    assert table.state()["course"] == [[0, 0]]
    first = play_deal(table, Random(1))[-1]
    assert first["course"] == [[0, 0], first["totals"]]
    assert table.handle({"type": "next"})[0]["course"] == [[0, 0], first["totals"]]
    second = play_deal(table, Random(2))[-1]
    assert second["course"] == [[0, 0], first["totals"], second["totals"]]
    replay = Replay(table.record(), "a record")
    end = replay.handle({"type": "go", "step": replay.state()["num_steps"] - 1})[0]
    assert end["course"] == second["course"]
