"""Play blocks on all cores: worker processes that are handed block after block.

A result does not depend on who plays it or when, so neither do tournaments. One worker is this very process,
unless a third party plays: an entrant may end a worker or hang in it. It then forfeits the block, a new
process takes the worker's place, and the tournament goes on.
"""

from __future__ import annotations

import ast
import contextlib
import multiprocessing
import os
import socket
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from canasta_agents.arena.blocks import WARM_UP_S, Block, BlockResult, Player, forfeited, play_block
from canasta_agents.arena.deal_stats import thin_out
from canasta_agents.arena.forfeits import (
    NOBODY,
    EntrantError,
    Heartbeat,
    TimeLimitError,
    busy,
    guarded_call,
    is_stuck,
    report_to,
    slot_at_work,
    time_limits,
)
from canasta_agents.arena.kernels import kernel as fast_kernel
from canasta_agents.arena.kernels import kernel as table_kernel
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.heuristics.jit import kernel as player_kernel
from canasta_agents.registry import (
    FILE_PREFIX,
    RegistryError,
    is_third_party,
    make_agent,
    short_name,
    specs_in_file,
)
from canasta_env.agent import Agent
from canasta_env.rules import Rules

_AHEAD = 2  # blocks handed out per worker
_LOOK_EVERY_S = 0.5  # at workers that say nothing
_SPAWN = multiprocessing.get_context("spawn")  # forking a process with threads can hang it


def play_tasks(tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, BlockResult]]:
    """Play blocks, on several processes if there are several.

    Args:
        tasks: What to play.
        workers: Number of processes; with one, this process plays unless third parties play.

    Yields:
        The task's number and its result, as they come in.

    Raises:
        ArenaError: If a worker dies through no entrant's fault.
    """
    is_watched = any(task.third_parties for task in tasks)
    if not is_watched and (workers == 1 or len(tasks) <= 1):
        for task in tasks:
            yield task.number, play_task(task)
        return
    if workers > 1 and (player_kernel.is_cold or table_kernel.is_cold or fast_kernel.is_cold):
        _compile(tasks)
    yield from _play_in_processes(tasks, min(workers, len(tasks)))


def _compile(tasks: Sequence[Task]) -> None:
    """Compile what our own players need, once here instead of in every worker."""
    first = next((task for task in tasks if not task.third_parties), None)
    if first is not None:
        play_task(replace(first, block=replace(first.block, stop=first.block.start + 1)))


@dataclass
class _Worker:
    """A process, our end of its pipe, and the tasks it was handed: the first is being played."""

    process: SpawnProcess
    connection: Connection
    heartbeat: Heartbeat
    tasks: deque[Task] = field(default_factory=deque)

    @classmethod
    def start(cls) -> _Worker:
        ours, theirs = _SPAWN.Pipe()
        heartbeat = _SPAWN.RawArray("d", [NOBODY, 0.0])
        process = _SPAWN.Process(target=_work, args=(theirs, heartbeat), name="canasta-arena-worker")
        process.start()
        theirs.close()  # either side notices when the other one is gone
        return cls(process, ours, heartbeat)

    def hand(self, task: Task) -> None:
        self.tasks.append(task)
        with contextlib.suppress(OSError):  # it is gone, as the next look will find
            self.connection.send(task)

    @property
    def is_lost(self) -> bool:
        return not self.process.is_alive() or is_stuck(self.heartbeat)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _play_in_processes(tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, BlockResult]]:
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
    for num_tasks in range(_AHEAD):
        for worker in team:
            if waiting and len(worker.tasks) == num_tasks:
                worker.hand(waiting.popleft())


def _with_news(team: Sequence[_Worker]) -> list[_Worker]:
    """The workers that have something to say, or are lost."""
    at_work = [worker for worker in team if worker.tasks]
    speaking = wait([worker.connection for worker in at_work], _LOOK_EVERY_S)
    return [worker for worker in at_work if worker.connection in speaking or worker.is_lost]


def _receive(worker: _Worker) -> BlockResult | None:
    """The result of a worker's first task; None if there will be none.

    Raises:
        Exception: The worker's own.
    """
    try:
        answer: BlockResult | Exception | None = (
            worker.connection.recv() if worker.connection.poll() else None
        )
    except (EOFError, OSError):
        worker.process.join(_LOOK_EVERY_S)
        return None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _judge(worker: _Worker) -> BlockResult:
    """Who forfeits the block that a worker did not bring back.

    Raises:
        ArenaError: If it was no entrant's doing.
    """
    is_ended = not worker.process.is_alive()
    worker.end()
    task, slot = worker.tasks[0], slot_at_work(worker.heartbeat)
    if slot is None and len(task.third_parties) == 1:  # something it left running
        slot = task.third_parties[0]
    if slot is None:
        raise ArenaError(
            f"a worker process ended (exit status {worker.process.exitcode}); "
            "finished boards are kept: the same command goes on from there"
        )
    reason = (
        f"ended its process (exit status {worker.process.exitcode})" if is_ended else "did not stop in time"
    )
    return forfeited(task.block, slot, reason)


def _work(connection: Connection, heartbeat: Heartbeat) -> None:
    """A worker's life: play what comes in, until nobody is there any more."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    use_one_core()
    report_to(heartbeat)
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            try:
                answer: BlockResult | Exception = play_task(task)
            except (ArenaError, RegistryError) as error:
                answer = error
            except Exception:  # our own mistake, no entrant's: the parent raises it
                answer = RuntimeError(f"in a worker process:\n{traceback.format_exc()}")
            connection.send(answer)


# A block with who plays it: the unit that is handed to whichever process plays.


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

    @property
    def third_parties(self) -> list[int]:
        """The slots whose entrants are not ours."""
        return [slot for slot, spec in enumerate(self.specs) if is_third_party(spec)]


def play_task(task: Task) -> BlockResult:
    """Play a block in this process."""
    try:
        players = players_for(task.block, task.specs, task.fingerprints)
    except CannotBeMadeError as error:
        return forfeited(task.block, error.slot, str(error))
    return thin_out(task.block, play_block(task.block, players), task.keep)


def use_one_core() -> None:
    """Keep a worker's libraries to one thread each: the workers share the cores already."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    if "torch" in sys.modules:  # which reads them when it is imported
        sys.modules["torch"].set_num_threads(1)


# Play blocks on a Ray cluster: the same blocks, the same results (extra `cluster`).
#
# The nodes need this package and the entrants' files at the same paths; only blocks and results are sent.


LOCAL = "local"
_AHEAD_ON_RAY = 2  # blocks handed out per core
_KNOCK_S = 5.0


def play_on_ray(
    tasks: Sequence[Task], address: str, workers: int | None = None
) -> Iterator[tuple[int, BlockResult]]:
    """Play blocks on a cluster.

    Args:
        tasks: What to play.
        address: Of a running cluster; "local" starts one on this machine.
        workers: Cores of a local one; all if None.

    Yields:
        The task's number and its result, as they come in.

    Raises:
        ArenaError: If Ray is not installed, or there is no cluster.
    """
    if not tasks:
        return
    ray = _connect(address, workers)
    try:
        play = ray.remote(num_cpus=1)(_play_on_one_core)
        waiting = list(reversed(tasks))
        running: dict[Any, int] = {}
        ahead = _AHEAD_ON_RAY * int(ray.cluster_resources().get("CPU", 1))
        while waiting or running:
            while waiting and len(running) < ahead:
                task = waiting.pop()
                running[play.remote(task)] = task.number
            finished, _ = ray.wait(list(running))
            for reference in finished:
                yield running.pop(reference), ray.get(reference)
    finally:
        ray.shutdown()


def _connect(address: str, workers: int | None) -> Any:
    try:
        import ray
    except ImportError as error:
        raise ArenaError("ray: Ray is not installed: pip install 'canasta-env[cluster]'") from error
    try:
        if address == LOCAL:
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error")
        else:
            _knock(address)
            ray.init(address=address, log_to_driver=False, logging_level="error")
    except (OSError, ValueError, RuntimeError) as error:
        raise ArenaError(f"ray: no cluster at {address!r}: {error}") from error
    return ray


def _knock(address: str) -> None:
    """See that somebody answers at HOST:PORT: Ray itself waits for many minutes.

    Raises:
        OSError: If nobody does.
    """
    host, _, port = address.rpartition(":")
    if "/" not in host and port.isdigit():
        socket.create_connection((host, int(port)), _KNOCK_S).close()


def _play_on_one_core(task: Task) -> BlockResult:
    use_one_core()
    if not task.third_parties:
        return play_task(task)
    ((_, played),) = play_tasks([task], workers=1)  # which survives what a third party does to its process
    return played


# Before a tournament every entrant is made once, to learn its name and whether it can be made at all.
#
# Third-party agents are made in a process of their own: code that ends its process ends that one.
# Such an entrant takes part all the same, and forfeits what it is asked to play.


_SPAWN = multiprocessing.get_context("spawn")


def check_entrants(specs: Sequence[str], rules: Rules) -> list[str]:
    """Make every agent once.

    Returns:
        What each calls itself; the name of its class if it ended the process it was made in.

    Raises:
        ArenaError: If one cannot be made, with the reason, or takes longer than `WARM_UP_S`.
    """
    third_parties = list(dict.fromkeys(spec for spec in specs if is_third_party(spec)))
    answers = _answers(_name_of, [(spec, rules) for spec in third_parties])
    names = {spec: answer or short_name(spec) for spec, answer in zip(third_parties, answers, strict=True)}
    return [names[spec] if spec in names else make_agent(spec, rules).name for spec in specs]


def agents_in_file(path: Path) -> list[str]:
    """The specs of the agents that a Python file defines.

    Raises:
        ArenaError: If the file does not run, or defines no agent.
    """
    (found,) = _answers(specs_in_file, [path])
    specs: list[str] = found or [
        f"{FILE_PREFIX}{path.resolve()}:{name}" for name in _classes_written_in(path)
    ]
    if not specs:
        raise ArenaError(
            f"agents-from: {path} ends the process that runs it, and no agent is to be seen in its text: "
            "a class with reset() and act(); see docs/own_agent.md"
        )
    return specs


def _name_of(question: tuple[str, Rules]) -> str:
    return make_agent(*question).name


def _classes_written_in(path: Path) -> list[str]:
    """The public classes of a file that write both methods, found without running it."""
    classes = [node for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.ClassDef)]
    return [
        node.name
        for node in classes
        if not node.name.startswith("_")
        and {"reset", "act"} <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    ]


def _answers(function: Callable[[Any], Any], questions: Sequence[Any]) -> list[Any]:
    """Call a function for each question in another process; None where that ended it.

    Raises:
        ArenaError: The function's own, or if an answer takes longer than `WARM_UP_S`.
    """
    answers: list[Any] = []
    while len(answers) < len(questions):
        answers += _answers_of_one_process(function, questions[len(answers) :])
    return answers


def _answers_of_one_process(function: Callable[[Any], Any], questions: Sequence[Any]) -> list[Any]:
    """The answers up to the question that ends the process, with None for that one."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_answer, args=(theirs, function, questions), name="canasta-arena-trial")
    process.start()
    theirs.close()
    answers: list[Any] = []
    try:
        for _ in questions:
            answers.append(_receive_answer(ours))
    except (EOFError, OSError):
        answers.append(None)
    finally:
        process.kill()
        process.join()
        ours.close()
    return answers


def _receive_answer(connection: Connection) -> Any:
    if not connection.poll(WARM_UP_S):
        raise ArenaError(f"agents: an entrant took longer than {WARM_UP_S:.0f} s to be made")
    answer = connection.recv()
    if isinstance(answer, (ArenaError, RegistryError)):
        raise answer
    return answer


def _answer(connection: Connection, function: Callable[[Any], Any], questions: Sequence[Any]) -> None:
    """The other process's life."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with contextlib.suppress(OSError):  # the parent is gone
        for question in questions:
            try:
                connection.send(function(question))
            except (ArenaError, RegistryError) as error:
                connection.send(error)


class CannotBeMadeError(Exception):
    """The entrant in a slot cannot be made here, though it could be when the tournament began."""

    def __init__(self, slot: int, reason: str) -> None:
        super().__init__(reason)
        self.slot = slot


_players: dict[tuple[str, str, Rules, int], Player] = {}


def players_for(block: Block, specs: Sequence[str], fingerprints: Sequence[str]) -> list[Player]:
    """The players of a block's slots, made once in each process; equal specs get an agent each.

    Args:
        block: The block to be played.
        specs: A spec for each slot.
        fingerprints: Likewise; an entrant whose files have changed is made anew.

    Raises:
        CannotBeMadeError: If a third party's class fails.
    """
    players = []
    for slot, (spec, print_) in enumerate(zip(specs, fingerprints, strict=True)):
        key = (spec, print_, block.rules, list(specs[:slot]).count(spec))
        if key not in _players:
            _players[key] = Player(_made(slot, spec, block.rules))
        players.append(_players[key])
    return players


def _made(slot: int, spec: str, rules: Rules) -> Agent:
    if not is_third_party(spec):
        return make_agent(spec, rules)
    try:
        with time_limits(), busy(slot, WARM_UP_S):
            return guarded_call(lambda: make_agent(spec, rules), WARM_UP_S)
    except EntrantError as error:
        raise CannotBeMadeError(slot, str(error).removeprefix("RegistryError: ")) from error
    except TimeLimitError as error:
        raise CannotBeMadeError(slot, f"took longer than {WARM_UP_S:.0f} s to be made") from error
