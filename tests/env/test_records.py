"""Records: written, read, replayed and verified; whatever is wrong with one is told, and never passes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from canasta_env import Rules, Table, classic, modern_american, records
from canasta_env.__main__ import main
from canasta_env.actions import parse
from canasta_env.envs.episode import Episode
from canasta_env.records import DealRecord, Record, Recorder, RecordError, read, replay, verify, write
from tests.engine.walking import FOUR_GAMES, NAMES, house_rules


def record_match(rules: Rules, seed: int, deals: int) -> Record:
    """Some deals of a match, played at random."""
    match, recorder, rng = Episode(rules, episode="match"), Recorder(rules, seed), Random(seed)
    match.begin(seed)
    for _ in range(deals):
        table = match.table()
        recorder.begin(table)
        while not table.is_over:
            action = rng.choice(table.legal())
            recorder.play(action)
            match.play(parse(action))
        if match.is_over:
            break
    return recorder.record()


@pytest.fixture(scope="module")
def match() -> Record:
    return record_match(classic(3), seed=5, deals=3)


@pytest.fixture
def path(match: Record, tmp_path: Path) -> Path:
    file = tmp_path / "match.jsonl"
    write(match, file)
    return file


@pytest.mark.parametrize("rules", [*FOUR_GAMES, house_rules(3)], ids=[*NAMES, "house"])
def test_a_record_is_read_back_and_verified(rules: Rules, tmp_path: Path) -> None:
    record = record_match(rules, seed=1, deals=2)
    write(record, tmp_path / "record.jsonl")
    assert read(tmp_path / "record.jsonl") == record
    assert verify(tmp_path / "record.jsonl") == record
    assert verify(record) is record


def test_a_replay_shows_every_table(match: Record) -> None:
    steps = [(number, table.is_over) for number, table in replay(match)]
    assert len(steps) == sum(len(deal.actions) + 1 for deal in match.deals)
    assert sum(is_over for _, is_over in steps) == len(match.deals)
    assert steps[0][0] == 1
    assert steps[-1][0] == len(match.deals)


def test_a_deal_from_given_cards_has_no_seed(tmp_path: Path) -> None:
    table = Table(
        modern_american(), order=Table(modern_american(), seed=3).order, dealer=2, scores=(3_000, 0)
    )
    recorder = Recorder(table.rules)
    recorder.begin(table)
    recorder.play("draw")
    record = recorder.record()
    assert record.seed is None
    assert record.deals[0].points is None  # not played to its end
    assert record.scores == (3_000, 0)
    write(record, tmp_path / "deal.jsonl")
    assert verify(tmp_path / "deal.jsonl") == record


def test_an_action_that_is_refused_is_not_recorded() -> None:
    recorder = Recorder(classic())
    recorder.begin(Table(classic(), seed=1))
    with pytest.raises(ValueError, match="illegal action"):
        recorder.play("discard K")
    assert recorder.record().deals[0].actions == ()


def test_a_record_begins_where_nothing_has_been_played() -> None:
    table = Table(classic(), seed=1)
    table.play("draw")
    with pytest.raises(RecordError, match="nothing has been played"):
        Recorder(classic()).begin(table)
    with pytest.raises(RecordError, match="other rules"):
        Recorder(classic(2)).begin(Table(classic(), seed=1))
    with pytest.raises(RecordError, match="at least one deal"):
        write(Recorder(classic()).record(), "nowhere.jsonl")


@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.6, 0.95, 0.999])
def test_a_truncated_file(path: Path, part: float) -> None:
    text = path.read_text()
    path.write_text(text[: int(part * (len(text) - 2))])
    with pytest.raises(RecordError, match=r"match\.jsonl, line \d: "):
        read(path)


def test_a_file_without_its_last_lines(path: Path) -> None:
    lines = path.read_text().splitlines()
    for kept in range(1, len(lines)):
        path.write_text("\n".join(lines[:kept]) + "\n")
        with pytest.raises(RecordError, match=rf"match\.jsonl, line {kept}: the record is cut off"):
            read(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "hello",
        "[]",
        "3",
        '{"a": 1}',
        "PNG\x00",
        "null",
        '{"format": "chess"}\n{}\n{}\n',
        "[" * 10_000,
    ],
)
def test_a_foreign_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "foreign.jsonl"
    file.write_text(text)
    with pytest.raises(RecordError, match=r"foreign\.jsonl, line 1: "):
        read(file)


def test_a_binary_file_and_none_at_all(tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(RecordError, match="cannot be read as text"):
        read(file)
    with pytest.raises(RecordError, match="cannot be read as text"):
        read(tmp_path / "missing.jsonl")


def test_a_newer_version(path: Path) -> None:
    path.write_text(path.read_text().replace('"version": 1', '"version": 2'))
    with pytest.raises(RecordError, match="line 1: version 2; this program reads version 1"):
        read(path)


def test_every_altered_character_is_noticed(path: Path) -> None:
    text, rng = path.read_text(), Random(1)
    for _ in range(200):
        place = rng.randrange(len(text) - 1)
        letter = rng.choice('0123456789KQ"[]{}, ')
        if text[place] == letter:
            continue
        path.write_text(text[:place] + letter + text[place + 1 :])
        with pytest.raises(RecordError):
            read(path)


def forge(path: Path, line: int, change: dict[str, Any]) -> None:
    """Alter a line of a record, and put the checksum right."""
    lines = path.read_text().splitlines()
    lines[line - 1] = json.dumps(json.loads(lines[line - 1]) | change)
    end = json.loads(lines[-1])
    if line < len(lines):
        end["sha256"] = hashlib.sha256("\n".join(lines[:-1]).encode()).hexdigest()
    path.write_text("\n".join([*lines[:-1], json.dumps(end)]) + "\n")


FORGERIES = [
    (1, {"rules": 5}, "line 1: rules: not an object"),
    (1, {"rules": {"game": "rummy"}}, "line 1: game: 'rummy'"),
    (1, {"seed": -1}, "line 1: seed: -1"),
    (1, {"seed": 6}, "line 2: deal 1: the order is not that of seed 6"),
    (1, {"name": "x"}, "line 1: 'name' does not belong there"),
    (2, {"deal": 2}, "line 2: deal 2, but 1 comes here"),
    (2, {"dealer": 7}, "line 2: dealer: 7"),
    (2, {"scores": [0, 0]}, "line 2: scores: "),
    (2, {"order": ["K"]}, "line 2: order: 0 cards joker"),
    (2, {"order": "K"}, "line 2: order: not a list of texts"),
    (2, {"actions": ["draw", 5]}, "line 2: actions: not a list of texts"),
    (2, {"actions": ["draw", "jump"]}, "line 2: deal 1: action 2: 'jump' is not the notation"),
    (2, {"actions": ["draw", "draw"]}, 'line 2: deal 1: action 2: illegal action "draw"'),
    (2, {"actions": ["draw"]}, r"line 2: deal 1: points \(.*\), but the rules give None"),
    (3, {"points": [0, 0, 5]}, "line 5: scores .*; the deals come to|line 3: deal 2: points"),
    (3, {"points": None}, "line 3: deal 2: points None, but the rules give"),
    (3, {"scores": [5, 5, 5]}, r"line 3: deal 2: scores \(5, 5, 5\), but the deals before it come to"),
    (3, {"dealer": 0, "actions": []}, r"line 3: deal 2: dealer 0 after dealer \d|points"),
    (5, {"deals": 4}, "line 5: 4 deals, but there are 3 above"),
    (5, {"scores": [1, 2, 3]}, r"line 5: scores \[1, 2, 3\]; the deals come to"),
    (5, {"sha256": "0"}, "line 5: the lines above were altered"),
]


@pytest.mark.parametrize(("line", "change", "reason"), FORGERIES)
def test_a_forged_record(path: Path, line: int, change: dict[str, Any], reason: str) -> None:
    forge(path, line, change)
    with pytest.raises(RecordError, match=reason):
        verify(path)


def test_a_deal_after_the_match_was_won(match: Record) -> None:
    won = dataclasses.replace(match, rules=classic(3, target=1))
    assert max(match.deals[1].scores) >= 1
    with pytest.raises(RecordError, match=r"deal 2: the match was over before it"):
        verify(won)


def test_a_deal_after_one_that_was_not_finished(match: Record) -> None:
    first = dataclasses.replace(match.deals[0], actions=match.deals[0].actions[:-1], points=None)
    with pytest.raises(RecordError, match="deal 2: the deal before it was not played to its end"):
        verify(dataclasses.replace(match, deals=(first, *match.deals[1:])))


def test_a_replay_stops_at_an_illegal_action() -> None:
    deal = DealRecord(0, (0, 0), tuple(Table(classic(), seed=1).order), ("draw", "draw"), None)
    with pytest.raises(RecordError, match="deal 1, action 2: "):
        list(replay(Record(classic(), None, (deal,))))


def test_the_command(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(path)]) == 0
    assert "3 deals" in capsys.readouterr().out
    path.write_text("")
    assert main(["verify", str(path)]) == 1
    assert "the file is empty" in capsys.readouterr().err


def test_a_record_keeps_who_sat_where() -> None:
    recorder = Recorder(classic(players=2), seed=1)
    recorder.begin(Table(classic(players=2), seed=1))
    record = dataclasses.replace(recorder.record(), agents=("you", "watcher"))
    assert records.parse(records.to_text(record), "here") == record
    assert records.parse(records.to_text(recorder.record()), "here").agents is None


def test_a_record_that_could_not_be_read_again_is_not_written() -> None:
    """A name of more than 1,000 characters was written, and refused by who read it."""
    recorder = Recorder(classic(2))
    recorder.begin(Table(classic(2), seed=1))
    record = dataclasses.replace(recorder.record(), agents=("you", "x" * 1_001))
    with pytest.raises(RecordError, match=r"agents: .* must be a list of 2 texts"):
        records.to_text(record)


@pytest.mark.parametrize("agents", ['"you"', '["you"]', '["you", 3]', '["you", "' + "x" * 1_001 + '"]'])
def test_agents_that_are_none_are_refused(agents: str) -> None:
    recorder = Recorder(classic(players=2), seed=1)
    recorder.begin(Table(classic(players=2), seed=1))
    lines = records.to_text(recorder.record()).splitlines()
    lines[0] = lines[0][:-1] + f', "agents": {agents}}}'
    with pytest.raises(RecordError, match=r"line 1: agents: .* must be a list of 2 texts"):
        records.parse("\n".join(lines) + "\n", "here")
