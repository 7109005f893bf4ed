"""Tables that outlive their server, and files of tables that are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from canasta_agents.play import lobby as lobby_module
from canasta_agents.play.lobby import Lobby
from canasta_agents.play.messages import PlayError
from canasta_agents.play.session import Session
from canasta_env import Rules, records
from tests.engine.walking import FOUR_GAMES, NAMES
from tests.play.seated import CHANCE, play_deal

TWO = {"game": "classic", "players": 2, "seats": ["you", CHANCE], "seed": 5}


def new_lobby(folder: Path) -> Lobby:
    return Lobby(folder / "runs", folder / "records", [CHANCE], folder / "tables")


def sit_down(lobby: Lobby, message: dict[str, Any] = TWO) -> tuple[str, Session]:
    name = lobby.open(message)
    session = lobby.find(name)
    assert isinstance(session, Session)
    return name, session


def play_some(session: Session, moves: int, rng: Random) -> None:
    while len(session.state()["moves"]) < moves:
        legal = session.state()["legal"]
        if legal:
            session.handle({"type": "play", "action": rng.choice(legal), **session.place})
        else:
            session.advance()


def file_of(folder: Path, name: str) -> Path:
    return folder / "tables" / f"{name}.json"


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_a_table_is_taken_up_by_another_server_and_goes_on_as_it_would_have(
    rules: Rules, tmp_path: Path
) -> None:
    message = {
        "game": rules.game,
        "players": rules.players,
        "seats": ["you"] + [CHANCE] * (rules.players - 1),
    }
    before = new_lobby(tmp_path)
    name, session = sit_down(before, message)
    play_some(session, 30, Random(1))
    before.keep(name, session)
    again = new_lobby(tmp_path).find(name)
    assert isinstance(again, Session)
    assert again.state() == session.state()
    assert play_deal(again, Random(2)) == play_deal(session, Random(2))


def test_a_match_that_is_watched_is_taken_up_with_all_that_was_chosen(tmp_path: Path) -> None:
    before = new_lobby(tmp_path)
    name, session = sit_down(before, TWO | {"seats": [CHANCE, CHANCE]})
    play_deal(session, Random(0))
    session.handle({"type": "next"})
    play_some(session, 5, Random(0))
    session.handle({"type": "look", "seat": 1})
    session.handle({"type": "pace", "pace_s": 0.15})
    session.handle({"type": "pause", "is_paused": True})
    before.keep(name, session)
    again = new_lobby(tmp_path).find(name)
    assert again.state() == session.state()
    assert again.record() == session.record()


def test_a_record_that_is_open_is_taken_up_at_its_step(tmp_path: Path) -> None:
    before = new_lobby(tmp_path)
    name, session = sit_down(before, TWO | {"seats": [CHANCE, CHANCE]})
    play_deal(session, Random(0))
    opened = before.load({"name": before.save(name)})
    replay = before.find(opened)
    replay.handle({"type": "go", "step": 7})
    state = replay.handle({"type": "look", "seat": 1})[0]
    before.keep(opened, replay)
    assert new_lobby(tmp_path).find(opened).state() == state


def spoilt(kept: dict[str, Any], change: dict[str, Any]) -> str:
    return json.dumps(kept | change)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("", "cannot be read"),
        ('{"format": "canasta', "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[]", "is no table"),
        ('{"format": "canasta_env record"}', "is no table"),
        ({"version": 99}, "version 99"),
        ({"rules": None}, "cannot be taken up again"),
        ({"seats": ["you"]}, "the game has 2"),
        ({"seats": ["you", "python:os:system"]}, "not offered"),
        ({"seed": "x"}, "cannot be taken up again"),
        ({"deals": [["draw", "draw"]]}, "illegal action"),
        ({"deals": [["draw"], []]}, "cannot be taken up again"),
        ({"deals": 3}, "cannot be taken up again"),
        ({"pace_s": "fast"}, "pace_s"),
        ({"record": "{}", "step": 0}, "the record, line 1"),
    ],
    ids=lambda change: str(change)[:30] or "empty",
)
def test_a_file_that_is_no_table_is_reported_and_harms_no_other(
    change: str | dict[str, Any], reason: str, tmp_path: Path
) -> None:
    before = new_lobby(tmp_path)
    bad, good = before.open(TWO), before.open(TWO)
    state = before.find(good).state()
    kept = json.loads(file_of(tmp_path, bad).read_text())
    file_of(tmp_path, bad).write_text(change if isinstance(change, str) else spoilt(kept, change))
    lobby = new_lobby(tmp_path)
    num_kept, faults = lobby.look_for_kept_tables()
    is_seen_at_once = isinstance(change, str) or "version" in change
    assert (num_kept, len(faults)) == ((1, 1) if is_seen_at_once else (2, 0))
    with pytest.raises(PlayError, match=reason):
        lobby.find(bad)
    assert lobby.find(good).state() == state


def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    before = new_lobby(tmp_path)
    name = before.open(TWO)
    file_of(tmp_path, name).rename(tmp_path / "outside.json")
    lobby = new_lobby(tmp_path)
    for wrong in ("../outside", f"{tmp_path}/outside", ".", "", "a\0b", "x" * 5_000):
        with pytest.raises(PlayError, match="there is no"):
            lobby.find(wrong)


def test_a_folder_that_cannot_be_written_spoils_no_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "tables").write_text("in the way")
    lobby = new_lobby(tmp_path)
    name, session = sit_down(lobby)
    play_deal(session, Random(3))
    lobby.keep(name, session)
    assert lobby.find(name) is session
    assert "tables are not kept" in caplog.text


def test_a_file_is_whole_even_if_writing_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lobby = new_lobby(tmp_path)
    name, session = sit_down(lobby)
    before = file_of(tmp_path, name).read_text()
    play_some(session, 4, Random(0))

    def fail(self: Path, target: Path) -> Path:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        lobby.keep(name, session)
    assert file_of(tmp_path, name).read_text() == before
    assert [path.name for path in (tmp_path / "tables").iterdir()] == [f"{name}.json"]


def test_more_tables_than_memory_holds_are_all_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "MAX_TABLES", 2)
    lobby = new_lobby(tmp_path)
    first, session = sit_down(lobby)
    play_some(session, 6, Random(0))
    lobby.keep(first, session)
    others = [lobby.open(TWO) for _ in range(3)]
    assert first not in lobby.tables and len(lobby.tables) == 2
    assert lobby.find(first).state() == session.state()
    assert lobby.find(others[-1]) and others[0] not in lobby.tables


def test_the_oldest_files_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "MAX_KEPT", 2)
    lobby = new_lobby(tmp_path)
    names = [lobby.open(TWO) for _ in range(4)]
    (tmp_path / "tables" / ".abc.draft").write_text("{")
    assert new_lobby(tmp_path).look_for_kept_tables() == (2, [])
    assert len(list((tmp_path / "tables").iterdir())) == 2
    assert file_of(tmp_path, names[-1]).is_file()


def test_the_folder_does_not_grow_while_the_server_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "MAX_KEPT", 3)
    lobby = new_lobby(tmp_path)
    _, session = sit_down(lobby, TWO | {"seats": [CHANCE, CHANCE]})
    play_deal(session, Random(0))
    content = records.to_text(session.record()).encode()
    for _ in range(5):
        lobby.load_content(content)
        newest = lobby.open(TWO)
    files = sorted(file.suffix for file in (tmp_path / "tables").iterdir())
    assert files.count(".json") == 3 and files.count(".jsonl") <= 3
    assert file_of(tmp_path, newest).stat().st_mode & 0o077 == 0

    monkeypatch.setattr(lobby_module, "MAX_KEPT_BYTES", len(content))
    opened = lobby.load_content(content)
    assert len(list((tmp_path / "tables").glob("*.jsonl"))) <= 1
    assert lobby.find(opened) is not None


def test_records_in_memory_are_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "MAX_REPLAYS", 2)
    lobby = new_lobby(tmp_path)
    name, session = sit_down(lobby, TWO | {"seats": [CHANCE, CHANCE]})
    play_deal(session, Random(0))
    content = records.to_text(session.record()).encode()
    opened = [lobby.load_content(content) for _ in range(4)]
    assert list(lobby.tables) == [name, *opened[2:]]
    assert lobby.find(opened[0]).state()["kind"] == "replay"


def test_a_full_folder_of_records_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "MAX_RECORDS", 2)
    lobby = new_lobby(tmp_path)
    name, session = sit_down(lobby, TWO | {"seats": [CHANCE, CHANCE]})
    play_deal(session, Random(0))
    assert lobby.save(name) != lobby.save(name)
    with pytest.raises(PlayError, match="folder of records is full"):
        lobby.save(name)
