"""A program may crash, lie, flood or be silent: it forfeits with an error that says so, and is not left."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from canasta_agents.arena.blocks import Block, BlockResult, Player, play_block
from canasta_agents.arena.forfeits import TimeLimitError, time_limit
from canasta_agents.arena.schedule import matchup
from canasta_agents.process.agent import ProcessAgent
from canasta_agents.process.program import ProgramError
from canasta_agents.registry import make
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.envs.episode import FORFEIT_POINTS
from canasta_env.rules import classic
from canasta_env.table import Table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are limited in full on Linux only")

ROOT = Path(__file__).parents[2]
BOT = Path(__file__).with_name("hostile_bot.py")
RULES = classic()
BLOCK = Block(RULES, matchup(RULES, (0,), (1,)), 0, 2, decision_time_s=60)

AT_FAULT = {
    "crashes_in_hello": "ended with exit status 3 in place of hello; stderr: …cannot find my weights",
    "silent_in_hello": "no hello within 0.5 s",
    "other_protocol": "{'type': 'hello', 'protocol': 99} in place of hello",
    "crashes": "RuntimeError: lost my cards",
    "kills_itself": "ended by signal 9 in place of answer to question 4",
    "garbage": "b'take the pile!\\n' in place of answer to question 4",
    "no_object": "b'[1, 2]\\n' in place of answer to question 4",
    "long_line": "a line longer than 4,096 bytes in place of answer to question 4",
    "endless_line": "a line longer than 4,096 bytes in place of answer to question 4",
    "many_lines": '{} in place of {"type": "answer", "id": 4, "action": …}',
    "illegal": 'illegal action "meld joker joker joker" at seat ',
    "unknown_action": "answered question 4 with 'think', which is no action",
    "wrong_id": 'in place of {"type": "answer", "id": 4, "action": …}',
    "answers_twice": 'in place of {"type": "answer", "id": 5, "action": …}',
    "closes_output": "closed its standard output in place of answer to question 4",
    "floods_errors": "no answer to question 4 within 3 s; stderr: …",
    "silent": "no answer to question 4 within 3 s",
}

WAITED_FOR = {  # how long, where nothing comes
    "silent_in_hello": "?hello=0.5",
    "silent": "?hello=60&move=3",
    "floods_errors": "?hello=60&move=3",
}


def spec_of(mode: str, *arguments: object, options: str = "?hello=60&move=60") -> str:
    return f"process:{shlex.join([sys.executable, '-S', str(BOT), mode, *map(str, arguments)])}{options}"


def play_against(mode: str) -> BlockResult:
    agent = make(spec_of(mode, options=WAITED_FOR.get(mode, "?hello=60&move=60")), RULES)
    assert isinstance(agent, ProcessAgent)
    try:
        return play_block(BLOCK, [Player(make("random", RULES)), Player(agent, is_warm=True)])
    finally:
        agent.close()


@pytest.mark.parametrize("mode", AT_FAULT)
def test_a_program_at_fault_forfeits_its_boards_with_an_error_that_names_the_fault(mode: str) -> None:
    played = play_against(mode)
    assert [fault.slot for fault in played.faults] == [1, 1]
    for fault in played.faults:
        assert AT_FAULT[mode] in fault.reason
    assert (played.points == FORFEIT_POINTS["classic"]).all()


@pytest.mark.parametrize("mode", ["many_lines", "leaves_a_flood"])
def test_a_program_that_floods_its_output_with_lines_is_ended_at_once(mode: str) -> None:
    """Each line that the pipe still held was waited for, 0.3 s each: an hour and more."""
    started = time.monotonic()
    assert play_against(mode).faults
    assert time.monotonic() - started < 30


def test_a_program_that_writes_a_lot_of_errors_and_answers_plays_on() -> None:
    assert not play_against("noisy").faults


def test_a_program_that_failed_is_started_again_for_the_next_block() -> None:
    agent = make(spec_of("crashes"), RULES)
    players = [Player(make("random", RULES)), Player(agent, is_warm=True)]
    reasons = [play_block(BLOCK, players).faults[0].reason for _ in range(2)]
    assert all("lost my cards" in reason for reason in reasons)


def test_a_program_that_ignores_sigterm_and_its_child_end_with_the_agent(tmp_path: Path) -> None:
    agent = start_stubborn(tmp_path / "pids")
    pids = pids_in(tmp_path / "pids")
    assert all(map(is_running, pids))
    agent.close()
    assert wait_until(lambda: not any(map(is_running, pids)))


def test_a_program_ends_with_an_agent_that_nobody_holds_any_more(tmp_path: Path) -> None:
    start_stubborn(tmp_path / "pids")
    assert wait_until(lambda: not any(map(is_running, pids_in(tmp_path / "pids"))))


def test_a_program_and_its_child_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; import tests.process.test_hostile_programs as here;"
        "agent = here.start_stubborn(Path(sys.argv[1])); print('started', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "pids")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as user:
        assert user.stdout is not None
        assert user.stdout.readline() == b"started\n"
        pids = pids_in(tmp_path / "pids")
        assert all(map(is_running, pids))
        user.send_signal(signal.SIGKILL)
    assert wait_until(lambda: not any(map(is_running, pids)))


def start_stubborn(pids: Path) -> ProcessAgent:
    """An agent whose program for seat 0 runs."""
    agent = make(spec_of("stubborn", pids), RULES)
    assert isinstance(agent, ProcessAgent)
    agent.hear([(0, 0, {"type": "end"})])
    return agent


def pids_in(path: Path) -> list[int]:
    return [int(pid) for pid in path.read_text().split()]


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_a_program_that_was_interrupted_is_not_heard_at_the_next_question() -> None:
    agent = make(spec_of("slow", options="?move=60"), RULES)
    table = Table(RULES, seed=1)
    views = np.concatenate([table.view(seat) for seat in (0, 1)])
    masks = np.ones((2, NUM_ACTIONS), np.int8)
    batch = DecisionBatch(RULES, np.arange(2), np.array([0, 1], np.int8), views, masks)
    for _ in range(3):  # that are answered at once
        agent.act(batch)
    with pytest.raises(TimeLimitError), time_limit(0.3):
        agent.act(batch)
    for row in (0, 1):
        with pytest.raises(ProgramError, match="was interrupted at a decision"):
            agent.act(DecisionBatch.single(RULES, row, views[row], masks[row]))
    agent.reset(1, 0)
    assert len(agent.act(batch)) == 2
