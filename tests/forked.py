"""Commands run as a shell runs them, but spared the seconds that large libraries take to load.

They are forks of a process that has loaded the libraries and done nothing else.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import runpy
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 1_800  # with the engine to be compiled and other work on the machine
LIBRARIES = [
    "canasta_agents.learning.cli",
    "canasta_agents.learning.session",
    "canasta_agents.arena.cli",
    "canasta_agents.arena.third_party",
    "matplotlib.pyplot",  # this one and those below are loaded by functions
    "torch._dynamo",
    "torch.utils.tensorboard",
]

FORKS = multiprocessing.get_context("forkserver")


def load_libraries() -> None:
    """Start the process that commands are forked from; once is enough."""
    FORKS.set_forkserver_preload([*LIBRARIES, __name__])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.chdir(ROOT)
        forkserver.ensure_running()


def run(folder: Path, words: list[str], types: str = "") -> str:
    """Run a command in a folder to its end, which has to be a good one; what it prints."""
    with running(folder, words, types) as process:
        process.join(LIMIT_S)
    output = printed_in(folder)
    assert process.exitcode == 0, f"{' '.join(words)}: exit status {process.exitcode}\n{output}"
    return output


@contextmanager
def running(folder: Path, words: list[str], types: str = "") -> Iterator[ForkServerProcess]:
    """Run a command in a folder while the caller looks on."""
    process = FORKS.Process(target=follow, args=(folder, words, types))
    process.start()
    try:
        yield process
    finally:
        if process.is_alive():
            process.kill()
        process.join()


def printed_in(folder: Path) -> str:
    """What the last command of a folder has printed."""
    return (folder / "output.txt").read_text()


def follow(folder: Path, words: list[str], types: str) -> None:
    """Do in this process, which is a new one, what a shell in a folder would do at a command."""
    os.chdir(folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    sys.stdout.flush()
    output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    sys.stdin = io.StringIO(types)
    os.environ |= {"COLUMNS": "150", "CANASTA_BENCHMARK_REPEATS": "1", "PYTHONPATH": str(ROOT)}
    if words[0] != "python":
        os.execv(Path(sys.executable).parent / words[0], words)
    if words[1] == "-m":
        sys.argv, sys.path[:0] = words[2:], [str(folder)]
        runpy.run_module(words[2], run_name="__main__", alter_sys=True)
    else:
        sys.argv, sys.path[:0] = words[1:], [str(folder)]
        runpy.run_path(words[1], run_name="__main__")
