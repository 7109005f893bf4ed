"""Play blocks on all cores: worker processes that are handed block after block.

A result does not depend on who plays it or when, so neither do tournaments. One worker is this very process,
unless an outsider plays: an entrant may end a worker or hang in it. It then forfeits the block, a new process
takes the worker's place, and the tournament goes on.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from canasta_agents.arena.compiled import kernel as fast_kernel
from canasta_agents.arena.errors import ArenaError
from canasta_agents.arena.play import Played, forfeited
from canasta_agents.arena.tables import kernel as table_kernel
from canasta_agents.arena.tasks import Task, play_task, use_one_core
from canasta_agents.arena.watch import NOBODY, Witness, is_stuck, report_to, slot_at_work
from canasta_agents.heuristics.jit import kernel as player_kernel

_AHEAD = 2  # blocks handed out per worker
_LOOK_EVERY_S = 0.5  # at workers that say nothing
_SPAWN = multiprocessing.get_context("spawn")  # forking a process with threads can hang it


def play_tasks(tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, Played]]:
    """Play blocks, on several processes if there are several.

    Args:
        tasks: What to play.
        workers: Number of processes; with one, this process plays unless there are outsiders.

    Yields:
        The task's number and its result, as they come in.

    Raises:
        ArenaError: If a worker dies through no entrant's fault.
    """
    is_watched = any(task.outsiders for task in tasks)
    if not is_watched and (workers == 1 or len(tasks) <= 1):
        for task in tasks:
            yield task.number, play_task(task)
        return
    if workers > 1 and (player_kernel.is_cold or table_kernel.is_cold or fast_kernel.is_cold):
        _compile(tasks)
    yield from _play_in_processes(tasks, min(workers, len(tasks)))


def _compile(tasks: Sequence[Task]) -> None:
    """Compile what our own players need, once here instead of in every worker."""
    first = next((task for task in tasks if not task.outsiders), None)
    if first is not None:
        play_task(replace(first, block=replace(first.block, stop=first.block.start + 1)))


@dataclass
class _Worker:
    """A process, our end of its pipe, and the tasks it was handed: the first is being played."""

    process: SpawnProcess
    connection: Connection
    witness: Witness
    tasks: deque[Task] = field(default_factory=deque)

    @classmethod
    def start(cls) -> _Worker:
        ours, theirs = _SPAWN.Pipe()
        witness = _SPAWN.RawArray("d", [NOBODY, 0.0])
        process = _SPAWN.Process(target=_work, args=(theirs, witness), name="canasta-arena-worker")
        process.start()
        theirs.close()  # either side notices when the other one is gone
        return cls(process, ours, witness)

    def hand(self, task: Task) -> None:
        self.tasks.append(task)
        with contextlib.suppress(OSError):  # it is gone, as the next look will find
            self.connection.send(task)

    @property
    def is_lost(self) -> bool:
        return not self.process.is_alive() or is_stuck(self.witness)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _play_in_processes(tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, Played]]:
    waiting = deque(tasks)
    team: list[_Worker] = []
    try:
        while waiting or any(worker.tasks for worker in team):
            while waiting and len(team) < workers:
                team.append(_Worker.start())
            _hand_out(waiting, team)
            for worker in _with_news(team):
                played = _receive(worker)
                if played is None:
                    team.remove(worker)
                    played = _judge(worker)
                    waiting.extendleft(reversed(list(worker.tasks)[1:]))
                task = worker.tasks.popleft()
                _hand_out(waiting, team)
                yield task.number, played
    finally:
        for worker in team:
            worker.end()


def _hand_out(waiting: deque[Task], team: Sequence[_Worker]) -> None:
    """Fill up the workers, those with the least to do first."""
    for busy in range(_AHEAD):
        for worker in team:
            if waiting and len(worker.tasks) == busy:
                worker.hand(waiting.popleft())


def _with_news(team: Sequence[_Worker]) -> list[_Worker]:
    """The workers that have something to say, or are lost."""
    busy = [worker for worker in team if worker.tasks]
    speaking = wait([worker.connection for worker in busy], _LOOK_EVERY_S)
    return [worker for worker in busy if worker.connection in speaking or worker.is_lost]


def _receive(worker: _Worker) -> Played | None:
    """The result of a worker's first task; None if there will be none.

    Raises:
        Exception: The worker's own.
    """
    try:
        answer: Played | Exception | None = worker.connection.recv() if worker.connection.poll() else None
    except (EOFError, OSError):
        worker.process.join(_LOOK_EVERY_S)
        return None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _judge(worker: _Worker) -> Played:
    """Who forfeits the block that a worker did not bring back.

    Raises:
        ArenaError: If it was no entrant's doing.
    """
    is_ended = not worker.process.is_alive()
    worker.end()
    task, slot = worker.tasks[0], slot_at_work(worker.witness)
    if slot is None and len(task.outsiders) == 1:  # something it left running
        slot = task.outsiders[0]
    if slot is None:
        raise ArenaError(
            f"a worker process ended (exit status {worker.process.exitcode}); "
            "finished boards are kept: the same command goes on from there"
        )
    reason = (
        f"ended its process (exit status {worker.process.exitcode})" if is_ended else "did not stop in time"
    )
    return forfeited(task.block, slot, reason)


def _work(connection: Connection, witness: Witness) -> None:
    """A worker's life: play what comes in, until nobody is there any more."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    use_one_core()
    report_to(witness)
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            try:
                answer: Played | Exception = play_task(task)
            except ArenaError as error:
                answer = error
            except Exception:  # our own mistake, no entrant's: the parent raises it
                answer = RuntimeError(f"in a worker process:\n{traceback.format_exc()}")
            connection.send(answer)
