"""docs/protocol.md: its transcript, its examples, and a whole tournament of programs."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from canasta_agents.arena.cli import main
from canasta_agents.play.session import Session
from canasta_agents.process.options import parse_process
from canasta_agents.registry import RegistryError, files_of, fingerprint, make, short_name
from canasta_env import CanastaSeatEnv, classic, modern_american
from canasta_env.actions import NOTATIONS
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.table import Table
from tests.process.transcript import BOT, FROM, TO, played_lines, shown

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
TIMES = "?hello=60&move=60"  # for slow machines
SIMPLE = f"process:{sys.executable} {ROOT / BOT}{TIMES}"
COUNTING = f"process:node {ROOT / 'examples/bots/counting_bot.js'}{TIMES}"
RULES = classic(players=2)

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def transcript_of_the_page() -> list[str]:
    block = PAGE.partition("## A transcript")[2].partition("```text\n")[2].partition("```")[0]
    return block.splitlines()


def test_the_transcript_is_what_is_said() -> None:
    assert shown(played_lines(ROOT)) == transcript_of_the_page(), "run: python -m tests.process.transcript"


def test_the_example_says_the_transcript_s_lines_one_by_one() -> None:
    lines = transcript_of_the_page()
    with subprocess.Popen(
        [sys.executable, str(ROOT / BOT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as bot:
        assert bot.stdin is not None and bot.stdout is not None
        for line in lines:
            if line.startswith(TO):
                print(line.removeprefix(TO), file=bot.stdin, flush=True)
            elif line.startswith(FROM):
                assert json.loads(bot.stdout.readline()) == json.loads(line.removeprefix(FROM))
        bot.stdin.close()
        assert bot.stdout.read() == ""
    assert bot.returncode == 0


def test_every_message_and_field_that_is_sent_stands_on_the_page() -> None:
    sent = [json.loads(line.removeprefix(TO)) for line in played_lines(ROOT) if line.startswith(TO)]
    assert {message["type"] for message in sent} == {
        *("hello", "reset", "begin", "deal", "action", "end", "question")
    }
    tables = " ".join(line for line in PAGE.splitlines() if line.startswith("|"))
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", tables))))
    for message in sent:
        assert set(message) | {message["type"]} <= named
        assert set(message.get("view", ())) <= named


def test_the_page_s_whole_program_plays(tmp_path: Path) -> None:
    code = PAGE.partition("A whole program is this:\n\n```text\n")[2].partition("```")[0]
    assert code.startswith("import json"), "the page's program is not where this test looks for it"
    (tmp_path / "bot.py").write_text(code)
    play_a_deal(make(f"process:{sys.executable} {tmp_path / 'bot.py'}{TIMES}", RULES))


def test_the_programs_that_the_page_names_are_there() -> None:
    named = re.findall(r"process:\w+ (examples/\S+?)[\"?]", PAGE)
    assert len(named) == 2
    assert all((ROOT / name).is_file() for name in named)


@needs_node
def test_the_example_in_javascript_plays() -> None:
    play_a_deal(make(COUNTING, RULES))


def play_a_deal(agent: Agent) -> None:
    table = Table(RULES, seed=3)
    while not table.is_over:
        seat = table.to_play
        assert seat is not None
        batch = DecisionBatch.single(table.rules, seat, table.view(seat), table.action_mask())
        table.play(NOTATIONS[agent.act(batch)[0]])


@needs_node
def test_a_whole_tournament_of_programs_goes_on_beside_one_that_crashes(
    tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("import sys; sys.exit('no idea')")
    command = f"{sys.executable} {tmp_path / 'broken.py'}"
    agents = [SIMPLE, "random", COUNTING, f"process:{command}"]
    options = shlex.split(
        "--game classic --format one-against-all --episode match --target 300 --boards 2 --seed 1"
        " --records all --name t --workers 1 --events events.jsonl"
    )
    assert main(["--agents", *agents, *options]) == 0
    results = json.loads(Path("results/t/results.json").read_text())
    assert [forfeit["board"] for forfeit in results["forfeits"]] == [0, 1]
    for forfeit in results["forfeits"]:
        assert forfeit["entrant"] == command
        assert "ended with exit status 1 in place of hello; stderr: …no idea" in forfeit["reason"]
    check_events([json.loads(line) for line in Path("events.jsonl").read_text().splitlines()])
    capsys.readouterr()


def check_events(events: list[dict]) -> None:
    """The stream holds whole games, with every hand, that can be played again."""
    assert events[0]["type"] == "tournament"
    games = [event for event in events if event["type"] == "game"]
    assert len(games) == 2 * 2 * 2  # pairings without the broken one, boards, seatings
    for game in games:
        own = [event for event in events[1:] if event["game"] == game["game"]]
        kinds = [event["type"] for event in own]
        assert kinds[0] == "game" and kinds[1] == "deal" and kinds[-1] == "end"
        assert [event["last"] for event in own if event["type"] == "end"][-1] is True
        assert all(len(event["hands"]) == 4 for event in own if event["type"] == "deal")
        assert any("drawn" in event for event in own)


def test_a_program_plays_at_a_table_of_the_browser_and_hears_what_the_others_do(tmp_path: Path) -> None:
    spec = f"process:{sys.executable} {logging_bot(tmp_path)}{TIMES}"
    session = Session(RULES, [spec, "random"], lambda spec: make(spec, RULES), 3, "match")
    while session.state()["score"] is None:
        session.advance()
    session.handle({"type": "next"})
    while "begin" not in types_in(tmp_path)[3:]:
        session.advance()
    assert session.state()["fault"] is None
    types = types_in(tmp_path)
    assert types[:4] == ["hello", "reset", "begin", "deal"]
    assert types[types.index("end") :][:3] == ["end", "begin", "deal"]
    moves = [message for message in messages_in(tmp_path) if message["type"] == "action"]
    assert {move["seat"] for move in moves} == {0, 1}
    assert all("drawn" in move for move in moves if move["action"] == "draw" and move["seat"] == 0)
    assert not any("drawn" in move for move in moves if move["seat"] == 1)


def test_after_an_undo_a_program_hears_the_deal_anew(tmp_path: Path) -> None:
    spec = f"process:{sys.executable} {logging_bot(tmp_path)}{TIMES}"
    session = Session(RULES, [spec, "random"], lambda spec: make(spec, RULES), 3, "match")
    for _ in range(8):
        session.advance()
    session.handle({"type": "undo"})
    for _ in range(8):
        session.advance()
    messages = messages_in(tmp_path)
    second = max(place for place, message in enumerate(messages) if message["type"] == "reset")
    assert second > 1
    assert without_ids(messages[1:second]) == without_ids(messages[second:])


def without_ids(messages: list[dict]) -> list[dict]:
    return [{key: value for key, value in message.items() if key != "id"} for message in messages]


def logging_bot(folder: Path) -> Path:
    path = folder / "bot.py"
    body = (
        (ROOT / BOT)
        .read_text()
        .replace(
            "    message = json.loads(line)",
            "    open(__file__ + '.log', 'a').write(line); message = json.loads(line)",
        )
    )
    path.write_text(body)
    return path


def messages_in(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "bot.py.log").read_text().splitlines()]


def types_in(folder: Path) -> list[str]:
    return [message["type"] for message in messages_in(folder)]


def test_a_program_is_an_opponent_in_an_environment() -> None:
    env = CanastaSeatEnv("classic", 2, opponents=SIMPLE)
    observation, _ = env.reset(seed=1)
    is_over = False
    while not is_over:
        action = int(np.flatnonzero(observation["action_mask"])[0])
        observation, _, is_over, _, _ = env.step(action)


def test_a_program_s_file_and_its_arguments_are_its_fingerprint(tmp_path: Path) -> None:
    bot, data = tmp_path / "bot.py", tmp_path / "data"
    data.mkdir()
    (data / "weights").write_text("1")
    bot.write_text("pass")
    spec = f"process:{sys.executable} {bot} {data} --fast"
    assert set(files_of(spec)) == {sys.executable, str(bot), str(data / "weights")}
    prints = [fingerprint(spec)]
    bot.write_text("pass  # better")
    prints.append(fingerprint(spec))
    (data / "weights").write_text("2")
    prints.append(fingerprint(spec))
    assert len(set(prints)) == 3


@pytest.mark.parametrize(
    ("spec", "command", "move"),
    [
        ("process:./bot", ["./bot"], 5.0),
        ("process:./bot --fast 'a b'?move=0.5&hello=3", ["./bot", "--fast", "a b"], 0.5),
        ("process:./bot --ask=why?", ["./bot", "--ask=why?"], 5.0),
    ],
)
def test_a_spec_is_a_command_and_options(spec: str, command: list[str], move: float) -> None:
    words, options = parse_process(spec)
    assert (words, options.move) == (command, move)
    assert short_name(spec) == shlex.join(command)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("process:", "the command is missing"),
        ("process:./nowhere", "there is no program './nowhere' that can be run"),
        ("process:./bot?speed=1", "unknown option 'speed'; the options of a program are hello, move"),
        ("process:./bot?move=0", "move: 0.0 must be seconds above 0"),
        ("process:./bot?move=fast", "move: 'fast' must be a number of seconds"),
        ("process:./bot?move=1&move=2", "move: is told twice"),
        ("process:./bot 'x", "cannot be split into words"),
        ("search:process:./bot", "cannot search"),
    ],
)
def test_a_spec_that_is_wrong_says_what_would_be_right(spec: str, reason: str) -> None:
    with pytest.raises(RegistryError, match=re.escape(reason)):
        make(spec, modern_american())
