"""Play blocks on all cores: processes that are handed block after block.

A result does not depend on who plays it or when, so neither do tournaments. One worker is this very process,
which also takes agents that exist only here.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace

from ..heuristics.compiling import kernel as player_kernel
from .compiled import kernel as fast_kernel
from .entrants import players_for
from .notable import thin_out
from .play import Block, Played, play_block
from .tables import kernel as table_kernel

_AHEAD = 2  # blocks handed out per worker


@dataclass(frozen=True)
class Task:
    """A block, who fills its slots (specs and fingerprints), and which games to keep.

    `number` is the caller's.
    """

    number: int
    block: Block
    specs: tuple[str, ...]
    fingerprints: tuple[str, ...]
    keep: str


def play_task(task: Task) -> Played:
    """Play a block in this process."""
    played = play_block(task.block, players_for(task.block, task.specs, task.fingerprints))
    return thin_out(task.block, played, task.keep)


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def play_tasks(tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, Played]]:
    """Play blocks, on several processes if there are several.

    Args:
        tasks: What to play.
        workers: Number of processes; with one, this process plays.

    Yields:
        The task's number and its result, as they come in.
    """
    if workers == 1 or len(tasks) <= 1:
        for task in tasks:
            yield task.number, play_task(task)
        return
    yield from _play_in_processes(tasks, min(workers, len(tasks)))


def _play_in_processes(tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, Played]]:
    if player_kernel.is_cold or table_kernel.is_cold or fast_kernel.is_cold:
        first = tasks[0]  # compiled here once instead of by every worker
        play_task(replace(first, block=replace(first.block, stop=first.block.start + 1)))
    context = multiprocessing.get_context("spawn")  # forking a process with threads can hang it
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker) as pool:
        waiting = list(reversed(tasks))
        running: dict[Future[Played], int] = {}
        try:
            while waiting or running:
                while waiting and len(running) < workers * _AHEAD:
                    task = waiting.pop()
                    running[pool.submit(play_task, task)] = task.number
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        except BaseException:
            _stop(pool)
            raise


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the workers without waiting for what they are playing."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


def _begin_worker() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    use_one_core()


def use_one_core() -> None:
    """Keep a worker's libraries to one thread each: the workers share the cores already."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)
