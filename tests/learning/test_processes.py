"""Runs as processes of their own: told to stop, begun at once, and killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning import run_folder
from canasta_agents.learning.config import from_dict
from canasta_agents.processes import INTERRUPTED, REFUSED
from tests.forked import LIMIT_S, ROOT, load_libraries, printed_in, running

TRAIN = ["python", str(ROOT / "train.py")]
SHORT = (
    *("--game.name", "classic", "--network.width", "16", "--rollout.tables", "16", "--rollout.steps", "16"),
    *("--imitation.share", "0", "--opponents.players", "random", "--evaluation.player", "random"),
    *("--evaluation.measurements", "0", "--evaluation.final-boards", "0", "--run.threads", "1"),
)
AT_ONCE = 6  # processes that claim a folder
ENDS_WITHIN_S = 60  # the others, when one process of a group is killed


@pytest.fixture(scope="module", autouse=True)
def _libraries() -> None:
    load_libraries()


def wait_for(is_so: Callable[[], object], seconds: float = LIMIT_S) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def num_updates(run: Path) -> int:
    path = run / "metrics.jsonl"
    return len(path.read_text().splitlines()) if path.is_file() else 0


# Ctrl-C and SIGTERM


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_stop_leaves_a_checkpoint_and_says_how_to_go_on(
    number: signal.Signals, tmp_path: Path
) -> None:
    run = tmp_path / "runs" / "x"
    with running(tmp_path, [*TRAIN, *SHORT, "--run.name", "x", "--run.minutes", "60"]) as process:
        wait_for(lambda: num_updates(run) >= 3 or not process.is_alive())
        os.kill(process.pid or 0, number)
        process.join(LIMIT_S)
    output = printed_in(tmp_path)
    assert process.exitcode == INTERRUPTED, output
    assert f"Go on with: python train.py --resume {Path('runs') / 'x'}" in output
    stopped_after = num_updates(run)
    with running(tmp_path, [*TRAIN, "--resume", "runs/x", "--run.decisions", "1"]) as process:
        process.join(LIMIT_S)
    assert process.exitcode == 0, printed_in(tmp_path)
    assert f"{stopped_after} updates, " in printed_in(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_tournament_that_is_told_to_stop_keeps_its_boards_and_ends_its_workers(
    number: signal.Signals, tmp_path: Path
) -> None:
    words = ["python", str(ROOT / "evaluate.py"), "--agents", "random", "greedy", "--game", "classic"]
    with running(tmp_path, [*words, "--boards", "1000000", "--workers", "2"]) as process:
        wait_for(lambda: list(tmp_path.glob("results/*/blocks/*.npz")) or not process.is_alive())
        workers = children_of(process.pid or 0)
        os.kill(process.pid or 0, number)
        process.join(LIMIT_S)
    assert process.exitcode == INTERRUPTED, printed_in(tmp_path)
    assert "Interrupted. Finished boards are kept: the same command goes on" in printed_in(tmp_path)
    assert "Traceback" not in printed_in(tmp_path)
    assert len(workers) >= 2
    wait_for(lambda: not any(map(is_alive, workers)), 10)


def children_of(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(child) for child in found.stdout.split()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# Folders


def claim(options: dict[str, str], begin: Any, end: Any, claimed: Any) -> None:
    """Claim the folder of a new run when all do, and hold it until all have one."""
    run_folder.time.strftime = lambda _: "20270101-000000"  # all begin in this second
    with ExitStack() as claims:
        begin.wait(LIMIT_S)
        try:
            folder = run_folder.claim_new_folder(from_dict({"run": options}), claims)
            (folder / run_folder.CONFIG_FILE).write_text("{}")
            claimed.put(folder.name)
        except ConfigError as error:
            claimed.put(str(error))
        end.wait(LIMIT_S)


def claim_at_once(**options: str) -> list[str]:
    context = multiprocessing.get_context("forkserver")
    begin, end, claimed = context.Barrier(AT_ONCE), context.Barrier(AT_ONCE), context.Queue()
    processes = [context.Process(target=claim, args=(options, begin, end, claimed)) for _ in range(AT_ONCE)]
    for process in processes:
        process.start()
    found = [claimed.get(timeout=LIMIT_S) for _ in processes]
    for process in processes:
        process.join(LIMIT_S)
    return found


def test_runs_that_begin_in_one_second_get_folders_of_their_own(tmp_path: Path) -> None:
    """Two got one folder, ended with status 0, and the results of one were lost."""
    name = "classic_2-20270101-000000"
    wanted = {name, *(f"{name}-{number}" for number in range(2, 2 * AT_ONCE + 1))}
    assert {*claim_at_once(folder=str(tmp_path)), *claim_at_once(folder=str(tmp_path))} == wanted
    assert {path.name for path in tmp_path.iterdir()} == wanted


def test_of_runs_that_are_given_one_name_one_gets_it(tmp_path: Path) -> None:
    claimed = claim_at_once(folder=str(tmp_path), name="x")
    assert claimed.count("x") == 1
    refused = [text for text in claimed if "x holds a run already" in text]
    assert len(refused) == AT_ONCE - 1


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "/tmp/x",
        "..",
        ".",
        "x/",
        "a/b",
        "a\\b",
        " ",
        " x",
        "x\n",
        "a\0b",
        "\x1b[2J",
        "\udc80",
        "x" * 300,
    ],
)
def test_a_run_is_written_nowhere_but_under_its_folder(name: str, tmp_path: Path) -> None:
    """`--run.name ../x` wrote beside the folder of all runs."""
    config = from_dict({"run": {"folder": str(tmp_path / "runs"), "name": name}})
    with (
        pytest.raises(ConfigError, match=r"run\.name: .* must be the name of one folder"),
        ExitStack() as claims,
    ):
        run_folder.claim_new_folder(config, claims)
    assert not list(tmp_path.iterdir())


def test_a_folder_in_which_no_run_has_begun_is_not_left_behind(tmp_path: Path) -> None:
    config = from_dict({"run": {"folder": str(tmp_path), "name": "x"}})
    with ExitStack() as claims:
        run_folder.claim_new_folder(config, claims)
        assert (tmp_path / "x").is_dir()
    assert not list(tmp_path.iterdir())


def test_a_run_is_trained_by_one_process_at_a_time(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "x"
    other = tmp_path / "other"
    other.mkdir()
    with running(tmp_path, [*TRAIN, *SHORT, "--run.name", "x", "--run.minutes", "60"]) as process:
        wait_for(lambda: num_updates(run) >= 1 or not process.is_alive())
        with running(other, [*TRAIN, "--resume", str(run)]) as second:
            second.join(LIMIT_S)
        assert second.exitcode == REFUSED, printed_in(other)
        assert "is being trained by another process" in printed_in(other)
        os.kill(process.pid or 0, signal.SIGTERM)
        process.join(LIMIT_S)
    assert process.exitcode == INTERRUPTED, printed_in(tmp_path)


# Torchrun


def torchrun(folder: Path, *options: str) -> subprocess.Popen[str]:
    words = [str(Path(sys.executable).parent / "torchrun"), "--standalone", "--nproc-per-node", "2"]
    if not Path(words[0]).exists():
        words[:1] = [sys.executable, "-m", "torch.distributed.run"]
    with (folder / "output.txt").open("w") as output:
        return subprocess.Popen(
            [*words, str(ROOT / "train.py"), *options],
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_process_of_torchrun_ends_the_others_and_the_run_resumes(rank: int, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "x"
    launcher = torchrun(tmp_path, *SHORT, "--run.name", "x", "--run.minutes", "60")
    try:
        wait_for(lambda: num_updates(run) >= 3 or launcher.poll() is not None)
        workers = children_of(launcher.pid)
        (victim,) = [pid for pid in workers if f"RANK={rank}".encode() in environment_of(pid)]
        os.kill(victim, signal.SIGKILL)
        launcher.wait(ENDS_WITHIN_S)
    finally:
        launcher.kill()
    output = printed_in(tmp_path)
    assert launcher.returncode not in (0, None)
    assert not any(map(is_alive, workers))
    assert "another process of the group has ended" in output
    assert "--resume" in output
    again = torchrun(tmp_path, "--resume", str(run), "--run.decisions", "20000")
    assert again.wait(LIMIT_S) == 0, printed_in(tmp_path)
    assert num_updates(run) > 3


def environment_of(pid: int) -> list[bytes]:
    return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
