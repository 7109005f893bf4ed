"""An agent may do what it likes to its process: it forfeits or nothing happens, and all others play on."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from canasta_agents.arena import third_party
from canasta_agents.arena.blocks import Block, BlockResult, Player, play_block
from canasta_agents.arena.cli import main
from canasta_agents.arena.schedule import ArenaError, matchup
from canasta_agents.arena.third_party import EntrantProcess, ThirdPartyAgent
from canasta_agents.arena.tournament import Settings, Tournament
from canasta_env.envs.episode import FORFEIT_POINTS
from canasta_env.rules import classic
from tests.arena import stubs

ROOT = Path(__file__).parents[2]
RULES = classic()
BLOCK = Block(RULES, matchup(RULES, (0,), (1,)), 0, 2, decision_time_s=0.1)
UNREADABLE = "gave an answer that cannot be read"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="entrants are limited in full on Linux only")

HARMLESS = [
    "Stumbling",
    "Forking",
    "Threading",
    "Printing",
    "Reading",
    "Seeding",
    "Handling",
    "Moving",
    "Scribbling",
]
AT_FAULT = {
    "Raising": "RuntimeError: no idea (hostile.py, line ",
    "Hanging": "thought longer than",
    "Exiting": "ended its process (exit status 3)",
    "Quitting": "SystemExit: enough (hostile.py, line ",
    "ForkingAndAnswering": UNREADABLE,
    "Closing": "ended its process",
    "Allocating": "MemoryError",
    "AnsweringTwice": "answered question 5 in place of question 6",
    "AnsweringForOthers": "answered question 1000000 in place of question 5",
    "Flooding": "answered with 1,152,921,504,606,846,976 bytes, more than 1,048,576",
    "Stopping": "did not stop in time",
    "Garbling": UNREADABLE,
    "Pickling": UNREADABLE,
    "Sleeping": "did not stop in time",
}


def play_against(name: str) -> BlockResult:
    """Boards of an honest player against a hostile one."""
    process = EntrantProcess()
    try:
        process.make(f"python:tests.arena.hostile:{name}", RULES)
        hostile = Player(ThirdPartyAgent(process, name), is_warm=True)
        return play_block(BLOCK, [Player(stubs.Drawing()), hostile])
    finally:
        process.end()


@cache
def honest() -> BlockResult:
    return play_block(BLOCK, [Player(stubs.Drawing()), Player(stubs.Laying())])


@pytest.fixture(autouse=True)
def short_grace(monkeypatch):
    monkeypatch.setattr(third_party, "GRACE_S", 1.0)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_an_agent_does_to_its_own_process_changes_nothing(name, capfd):
    expected = honest()
    capfd.readouterr()  # that kernels are compiled is said once
    folder, state = Path.cwd(), np.random.get_state()[1].tolist()
    played = play_against(name)
    assert not played.faults
    assert played.actions == expected.actions
    assert (played.points == expected.points).all()
    assert (Path.cwd(), np.random.get_state()[1].tolist()) == (folder, state)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "reason"), AT_FAULT.items())
def test_an_agent_at_fault_forfeits_the_boards_where_it_was_asked(name, reason):
    played = play_against(name)
    assert [(fault.slot, fault.board) for fault in played.faults] == [(1, 0), (1, 1)]
    assert all(reason in fault.reason for fault in played.faults)
    assert (played.points == FORFEIT_POINTS["classic"]).all()


def test_a_forfeit_names_the_agent_and_leaves_all_other_results_as_they_would_be(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    bad = [f"python:tests.arena.hostile:{name}" for name in ("AnsweringForOthers", "Patching")]
    results = [results_of(name, entrants) for name, entrants in (("without", []), ("with", bad))]
    output = capsys.readouterr().out
    assert "forfeit AnsweringForOthers, 2 boards from 0 on of greedy – AnsweringForOthers" in output
    alone, together = ({(row["first"], row["second"]): row for row in part["pairings"]} for part in results)
    assert {pair: together[pair] for pair in alone} == alone
    assert {row["entrant"] for row in results[1]["forfeits"]} == {"AnsweringForOthers"}


def results_of(name: str, entrants: list[str]) -> dict:
    arguments = ["--game", "classic", "--episode", "deal", "--boards", "2", "--workers", "1", "--seed", "4"]
    honest = "python:tests.arena.stubs:Laying"
    assert main(["--agents", "greedy", "random", honest, *entrants, *arguments, "--name", name]) == 0
    return json.loads(Path("results", name, "results.json").read_text())


def test_an_entrants_process_does_not_outlive_it():
    process = EntrantProcess()
    number = process._process.process.pid
    process.end()
    assert number is not None
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


@contextmanager
def ending(process: EntrantProcess) -> Iterator[EntrantProcess]:
    try:
        yield process
    finally:
        process.end()


def test_an_entrant_plays_on_when_the_thread_that_started_it_has_ended():
    started = []

    def start() -> None:
        started.append(EntrantProcess())
        started[0].make("python:tests.arena.stubs:Laying", RULES)

    thread = Thread(target=start)
    thread.start()
    thread.join()
    with ending(started[0]) as process:
        process.reset(1, 0)


# A tournament whose entrant hangs in `reset`; it prints the numbers of the entrant's processes.
KILLED = """
from canasta_agents.arena.third_party import EntrantProcess
from canasta_env.rules import classic
process = EntrantProcess()
print(process.make("python:tests.arena.hostile:Copied", classic()), flush=True)
process.reset(1, 0)
"""


def test_an_entrant_and_its_copies_end_with_a_tournament_that_is_killed():
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as tournament:
        numbers = [int(number) for number in tournament.stdout.readline().split()]
        assert len(numbers) == 2
        assert not any(map(has_ended, numbers))
        tournament.kill()
    try:
        until = time.monotonic() + 10
        while not all(map(has_ended, numbers)) and time.monotonic() < until:
            time.sleep(0.05)
        assert all(map(has_ended, numbers))
    finally:
        for number in numbers:
            if not has_ended(number):
                os.kill(number, signal.SIGKILL)


def has_ended(number: int) -> bool:
    """Whether a process is gone, or waits for no more than that somebody asks how it ended."""
    try:
        return Path("/proc", str(number), "stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:
        return True


def test_an_entrant_whose_files_have_changed_leaves_no_process_behind(tmp_path):
    path = tmp_path / "mine.py"
    shutil.copy(ROOT / "tests" / "arena" / "outsiders.py", path)
    tournament = Tournament.prepare(Settings(RULES, ("random", f"file:{path}:First"), boards=2))
    path.write_text(path.read_text() + "\n# another\n")
    with pytest.raises(ArenaError, match="have changed since"):
        tournament.run(tmp_path / "blocks", 1)
    assert not [child for child in multiprocessing.active_children() if child.name == "canasta-entrant"]


def test_an_entrant_answers_when_more_files_are_open_than_select_can_tell_apart():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 2_048), before[1]))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_100)]
    try:
        with ending(EntrantProcess()) as process:
            assert process._process.fileno() >= 1_024
            assert process.make("python:tests.arena.stubs:Laying", RULES) == "laying"
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


# In a process of its own: a limit that has been lowered can be raised again by nobody but root.
LIMITED = """
import resource
from canasta_agents.arena.third_party import _limit_memory
resource.setrlimit(resource.RLIMIT_DATA, ({limit}, {limit}))
_limit_memory()
print(*resource.getrlimit(resource.RLIMIT_DATA))
"""


def test_a_lower_limit_of_memory_that_is_set_already_stays():
    limit = 3 << 29
    command = [sys.executable, "-c", LIMITED.format(limit=limit)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert output.split() == [str(limit)] * 2
