"""The lobby: what is offered, what may be opened, records saved and replayed."""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

from canasta_agents.play.lobby import Lobby, warm_up_players
from canasta_agents.play.messages import MAX_REASON, PlayError
from canasta_agents.play.replay import Replay
from canasta_agents.play.session import Session
from canasta_env import classic, modern_american, records
from canasta_env.rules import Rules
from tests.engine.walking import FOUR_GAMES, NAMES
from tests.play.seated import make, play_deal


@pytest.fixture
def lobby(tmp_path: Path) -> Lobby:
    return Lobby(tmp_path / "runs", tmp_path / "records", ["python:tests.play.seated:Chance"])


def replay_of(rules: Rules, deals: int = 1) -> tuple[Replay, records.Record]:
    table = Session(rules, ["chance"] * rules.players, make, 3)
    for deal in range(deals):
        play_deal(table, Random(deal))
        if deal < deals - 1:
            table.handle({"type": "next"})
    record = records.verify(table.record())
    return Replay(record, "a record"), record


def test_the_lobby_offers_every_game_with_its_agents(lobby: Lobby) -> None:
    message = lobby.offers()
    offers = {(offer["game"], offer["players"]): offer["agents"] for offer in message["games"]}
    assert set(offers) == {("classic", 2), ("classic", 3), ("classic", 4), ("modern_american", 4)}
    assert offers["classic", 2][0] == "heuristic"
    assert all(
        "random" in agents and "python:tests.play.seated:Chance" in agents for agents in offers.values()
    )
    assert message["records"] == []


def test_the_usual_targets_are_offered_beside_the_game_s_own(lobby: Lobby) -> None:
    offers = {
        (offer["game"], offer["players"]): (offer["target"], offer["targets"])
        for offer in lobby.offers()["games"]
    }
    usual = [2_500, 5_000, 7_500, 10_000]
    assert offers["classic", 2] == offers["classic", 4] == (5_000, usual)
    assert offers["classic", 3] == (7_500, usual)
    assert offers["modern_american", 4] == (8_500, [2_500, 5_000, 7_500, 8_500, 10_000])


def test_a_match_is_played_to_the_target_chosen(lobby: Lobby) -> None:
    message = {"game": "classic", "players": 2, "seats": ["random", "random"], "target": 10_000}
    state = lobby.find(lobby.open(message)).state()
    assert state["target"] == 10_000


def test_agents_move_as_fast_as_the_lobby_says(lobby: Lobby) -> None:
    message = {"game": "classic", "players": 2, "seats": ["random", "random"], "pace_s": 0.15}
    assert lobby.find(lobby.open(message)).state()["pace_s"] == 0.15


def test_policies_are_offered_for_their_game_only(lobby: Lobby, tmp_path: Path) -> None:
    for name, card in (
        ("good", '{"rules": {"game": "classic", "players": 2}}'),
        ("torn", "{"),
        ("odd", "[]"),
    ):
        folder = tmp_path / "runs" / name / "best"
        folder.mkdir(parents=True)
        (folder / "policy.json").write_text(card)
    assert f"neural:{tmp_path / 'runs' / 'good'}" in lobby.agents.specs(classic(players=2))
    assert not [spec for spec in lobby.agents.specs(classic(players=4)) if str(tmp_path) in spec]
    assert "neural:classic_4" in lobby.agents.specs(classic(players=4))
    assert "search:neural:classic_4" in lobby.agents.specs(classic(players=4))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"game": "bridge"}, "game: 'bridge'"),
        ({"game": None}, "game: None"),
        ({"players": 9}, "players: 9"),
        ({"players": "4"}, "players: '4'"),
        ({"seats": "you"}, "seats: 'you' must be a list"),
        ({"seats": ["you"]}, "the game has 4"),
        ({"seats": ["you", "python:os:system", "random", "random"]}, "not offered"),
        ({"seats": ["you", "neural:/etc", "random", "random"]}, "not offered"),
        ({"seats": [["you"], "random", "random", "random"]}, "not offered"),
        ({"episode": "life"}, "episode: 'life'"),
        ({"seed": -1}, "seed: -1"),
        ({"seed": "x"}, "seed: 'x'"),
        ({"target": 0}, "target: 0"),
        ({"pace_s": "fast"}, "pace_s: 'fast'"),
    ],
    ids=str,
)
def test_a_table_that_cannot_be_is_refused(lobby: Lobby, change: dict[str, Any], reason: str) -> None:
    message = {"game": "classic", "players": 4, "seats": ["you", "random", "random", "random"]}
    with pytest.raises(PlayError) as refused:
        lobby.open(message | change)
    assert reason in str(refused.value)
    assert not lobby.tables


def test_tables_do_not_touch_each_other_and_cannot_be_guessed(lobby: Lobby) -> None:
    message = {
        "game": "classic",
        "players": 2,
        "seats": ["you", "python:tests.play.seated:Chance"],
        "seed": 5,
    }
    first, second = lobby.open(message), lobby.open(message)
    assert first != second and len(first) >= 12
    before = lobby.find(second).state()
    play_deal(lobby.find(first), Random(1))  # type: ignore[arg-type]
    assert lobby.find(second).state() == before
    for wrong in ("nobody", None, 3, ["x"]):
        with pytest.raises(PlayError, match=r"there is no|must be a text"):
            lobby.find(wrong)


def test_a_record_is_saved_and_loaded_again(lobby: Lobby, tmp_path: Path) -> None:
    chance = "python:tests.play.seated:Chance"
    table = lobby.open({"game": "classic", "players": 2, "seats": [chance, chance]})
    end = play_deal(lobby.find(table), Random(1))[-1]  # type: ignore[arg-type]
    name = lobby.save(table)
    assert lobby.offers()["records"] == [name]
    content = (tmp_path / "records" / name).read_bytes()
    for table in (lobby.load({"name": name}), lobby.load_content(content)):
        loaded = lobby.find(table)
        state = loaded.handle({"type": "go", "step": loaded.state()["num_steps"] - 1})[0]
        assert (state["score"], state["totals"]) == (end["score"], end["totals"])
        assert [seat["title"] for seat in state["seated"]] == ["Chance (a program of your own)"] * 2


def test_a_record_is_opened_at_a_step_or_says_which_there_are(lobby: Lobby) -> None:
    chance = "python:tests.play.seated:Chance"
    table = lobby.open({"game": "classic", "players": 2, "seats": [chance, chance]})
    play_deal(lobby.find(table), Random(1))  # type: ignore[arg-type]
    name = lobby.save(table)
    opened = lobby.find(lobby.load({"name": name, "step": 5}))
    assert opened.state()["step"] == 5
    last = opened.state()["num_steps"] - 1
    num_tables = len(lobby.tables)
    for wrong in (last + 1, -1, "5", None, True):
        with pytest.raises(PlayError) as refused:
            lobby.load({"name": name, "step": wrong})
        assert str(refused.value) == f"{name}: step: {wrong!r} must be a whole number from 0 to {last}"
    assert len(lobby.tables) == num_tables


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"name": "../../etc/passwd"}, "name: '../../etc/passwd'"),
        ({}, "name: None"),
        ({"name": 7}, "name: 7"),
        ({"name": "gone.jsonl", "step": 3}, "name: 'gone.jsonl' is not in the server's folder of records"),
        (b"", "the record, line 1"),
        (b"{}", "the record, line 1"),
        (b"[" * 99_000, "the record, line 1"),
        (b"[" * 101_000, "the record: a line of more than 100,000 characters"),
        (b"{}\n" * 3_000, "the record: more than 2,000 deals"),
        (b"{" + b" " * (5 << 20), "the record: 5,242,881 bytes"),
        (b'{"format": "' + b"x" * 5_000, "the record, line 1"),
        (b"\xed\xa0\x80", "the record: cannot be read as text"),
        (b'{"format": "canasta_env record", "version": "\\ud800"}', "the record, line 1: version '\\ud800'"),
    ],
    ids=[
        *[
            "path",
            "nothing",
            "number",
            "gone",
            "empty",
            "other",
            "deep",
            "line",
            "lines",
            "bytes",
            "long",
            "surrogate",
        ],
        "half a pair",
    ],
)
def test_what_is_no_record_is_refused(lobby: Lobby, message: dict[str, Any] | bytes, reason: str) -> None:
    with pytest.raises(PlayError) as refused:
        lobby.load_content(message) if isinstance(message, bytes) else lobby.load(message)
    assert str(refused.value).startswith(reason)
    assert len(str(refused.value)) <= MAX_REASON and "\n" not in str(refused.value)


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_every_step_of_a_record_can_be_looked_at(rules: Rules) -> None:
    replay, record = replay_of(rules)
    states = [replay.handle({"type": "go", "step": step})[0] for step in range(replay.state()["num_steps"])]
    assert len(states) == len(record.deals[0].actions) + 1
    for place, state in enumerate(states):
        assert [move["action"] for move in state["moves"]] == list(record.deals[0].actions[:place])
        assert all(len(hand["cards"]) == hand["size"] for hand in state["hands"])
    assert [score["total"] for score in states[-1]["score"]] == list(record.deals[0].points or ())


def test_a_record_of_several_deals_begins_each_anew() -> None:
    replay, record = replay_of(classic(players=2), deals=2)
    start = replay.state()["deal_starts"][1]
    state = replay.handle({"type": "go", "step": start})[0]
    assert (state["deal"], state["moves"], state["totals"]) == (2, [], list(record.deals[1].scores))


def test_a_record_can_be_seen_from_a_seat_and_judged() -> None:
    replay, _ = replay_of(modern_american())
    state = replay.handle({"type": "look", "seat": 1})[0]
    assert [bool(hand["cards"]) for hand in state["hands"]] == [False, True, False, False]
    assert replay.table_for_advice().legal() == ["draw"]
    for message in (
        {"type": "play", "action": "draw", "at": 0},
        {"type": "go", "step": 10**6},
        {"type": "undo"},
    ):
        with pytest.raises(PlayError):
            replay.handle(message)


def test_warming_up_players_ends_even_where_a_deal_is_short() -> None:
    thread = threading.Thread(target=warm_up_players, daemon=True)
    thread.start()
    thread.join(600)  # with the engine to be compiled
    assert not thread.is_alive()
