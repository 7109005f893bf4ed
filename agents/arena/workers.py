"""Play blocks on all cores: worker processes that are handed block after block.

A result does not depend on who plays it or when, so neither do tournaments. One worker is this very process.
Third-party agents play in processes of their own beside each worker (see `third_party`): one that ends or
hangs forfeits the block, and the tournament goes on. Blocks can be played on a Ray cluster, too (extra
`cluster`).
"""

from __future__ import annotations

import ast
import contextlib
import pickle
import socket
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from canasta_agents.arena.blocks import Block, BlockResult, Player, forfeited, play_block
from canasta_agents.arena.forfeits import WARM_UP_S
from canasta_agents.arena.guarded import Answer, GuardedProcess, LostProcessError, StuckProcessError
from canasta_agents.arena.kernels import kernel as fast_kernel
from canasta_agents.arena.notable import thin_out
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.third_party import EntrantProcess, ThirdPartyAgent
from canasta_agents.heuristics.jit import kernel as player_kernel
from canasta_agents.processes import use_one_core
from canasta_agents.registry import (
    FILE_PREFIX,
    RegistryError,
    fingerprint,
    is_third_party,
    make_agent,
    short_name,
)
from canasta_env.rules import Rules

_Asked = ParamSpec("_Asked")
_Told = TypeVar("_Told")

_AHEAD = 2  # blocks handed out per worker
_MOST_BYTES = 1 << 32  # of a result
_PATIENCE_S = 600.0  # for the rest of a result that has begun to come, or for a task to be taken

LOCAL = "local"
_AHEAD_ON_RAY = 2  # blocks handed out per core
_KNOCK_S = 5.0  # for a cluster to answer


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


def play_tasks(tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, BlockResult]]:
    """Play blocks, on several processes if there are several.

    Args:
        tasks: What to play.
        workers: Number of processes; with one, this process plays.

    Yields:
        The task's number and its result, as they come in.

    Raises:
        ArenaError: If a worker dies, or an entrant's files have changed.
    """
    if workers == 1 or len(tasks) <= 1:
        with contextlib.closing(_Players()) as players:
            for task in tasks:
                yield task.number, play_task(task, players)
        return
    if player_kernel.is_cold or fast_kernel.is_cold:
        _compile(tasks)
    yield from _play_in_processes(tasks, min(workers, len(tasks)))


def _compile(tasks: Sequence[Task]) -> None:
    """Compile what our own players need, once here instead of in every worker."""
    first = next((task for task in tasks if not task.third_parties), None)
    if first is not None:
        with contextlib.closing(_Players()) as players:
            play_task(replace(first, block=replace(first.block, stop=first.block.start + 1)), players)


@dataclass
class _Worker:
    """A process, and the tasks it was handed: the first is being played."""

    process: GuardedProcess
    tasks: deque[Task] = field(default_factory=deque)

    @classmethod
    def start(cls) -> _Worker:
        return cls(GuardedProcess.start("canasta-arena-worker", _make_answer, _MOST_BYTES))

    def hand(self, task: Task) -> None:
        self.tasks.append(task)
        with contextlib.suppress(LostProcessError):  # as `receive` will say
            self.process.ask(task.number, pickle.dumps(task), _PATIENCE_S)

    def receive(self) -> BlockResult:
        """The result of the first task.

        Raises:
            Exception: The worker's own.
        """
        try:
            answer = pickle.loads(self.process.answer(self.tasks[0].number, _PATIENCE_S))
        except LostProcessError as lost:
            raise ArenaError(
                f"a worker process {lost}; finished boards are kept: the same command goes on from there"
            ) from lost
        if isinstance(answer, Exception):
            raise answer
        result: BlockResult = answer
        return result


def _play_in_processes(tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, BlockResult]]:
    waiting = deque(tasks)
    team = []
    try:
        for _ in range(workers):
            team.append(_Worker.start())
        _hand_out(waiting, team)
        while busy := [worker for worker in team if worker.tasks]:
            sources = {source: worker for worker in busy for source in _sources(worker)}
            for worker in {id(worker): worker for worker in map(sources.__getitem__, wait(sources))}.values():
                played = worker.receive()
                task = worker.tasks.popleft()
                _hand_out(waiting, team)
                yield task.number, played
    finally:
        for worker in team:
            worker.process.end()


def _sources(worker: _Worker) -> tuple[Any, Any]:
    """What speaks when a worker has an answer, or has ended."""
    return worker.process.line, worker.process.process.sentinel


def _hand_out(waiting: deque[Task], team: Sequence[_Worker]) -> None:
    """Fill up the workers, those with the least to do first."""
    for num_tasks in range(_AHEAD):
        for worker in team:
            if waiting and len(worker.tasks) == num_tasks:
                worker.hand(waiting.popleft())


def _make_answer() -> Answer:
    """In a worker: how it answers a task."""
    use_one_core()
    players = _Players()

    def answer(question: bytes) -> bytes:
        try:
            played: BlockResult | Exception = play_task(pickle.loads(question), players)
        except (ArenaError, RegistryError) as error:
            played = error
        except Exception:  # our own mistake, no entrant's: the parent raises it
            played = RuntimeError(f"in a worker process:\n{traceback.format_exc()}")
        return pickle.dumps(played)

    return answer


def play_task(task: Task, players: _Players) -> BlockResult:
    """Play a block in this process.

    Raises:
        ArenaError: If an entrant's files are no longer those that it was entered with.
    """
    try:
        seated = players.of(task)
    except _CannotBeMadeError as error:
        return forfeited(task.block, error.slot, str(error))
    return thin_out(task.block, play_block(task.block, seated), task.keep)


class _CannotBeMadeError(Exception):
    """The entrant in a slot cannot be made here, though it could be when the tournament began."""

    def __init__(self, slot: int, reason: str) -> None:
        super().__init__(reason)
        self.slot = slot


@dataclass(frozen=True)
class _Key:
    """What a player is made of; `copy` counts the slots before its own with an equal spec."""

    spec: str
    fingerprint: str
    rules: Rules
    copy: int


class _Players:
    """Players that were made in this process, kept from block to block."""

    def __init__(self) -> None:
        self._kept: dict[_Key, Player] = {}

    def of(self, task: Task) -> list[Player]:
        """The players of a task's slots; equal specs get an agent each.

        Raises:
            ArenaError: If an entrant's files have changed.
            _CannotBeMadeError: If a third party's class fails.
        """
        keys = [
            _Key(spec, print_, task.block.rules, task.specs[:slot].count(spec))
            for slot, (spec, print_) in enumerate(zip(task.specs, task.fingerprints, strict=True))
        ]
        self._end_others(keys)
        return [self._player(slot, key) for slot, key in enumerate(keys)]

    def close(self) -> None:
        """End the processes of third parties."""
        self._end_others(())

    def _player(self, slot: int, key: _Key) -> Player:
        if key not in self._kept or _is_lost(self._kept[key]):
            self._kept[key] = _make(slot, key)
        return self._kept[key]

    def _end_others(self, wanted: Sequence[_Key]) -> None:
        """End third parties' processes, which take up memory, where their matchup is over."""
        for key in [key for key in self._kept if key not in wanted]:
            if isinstance(self._kept[key].agent, ThirdPartyAgent):
                _end(self._kept.pop(key))


def _end(player: Player) -> None:
    """End a player's process, if it is a third party's and has one."""
    if isinstance(player.agent, ThirdPartyAgent):
        player.agent.process.end()


def _is_lost(player: Player) -> bool:
    return isinstance(player.agent, ThirdPartyAgent) and player.agent.process.is_lost


def _make(slot: int, key: _Key) -> Player:
    if is_third_party(key.spec):
        player = Player(_make_third_party(slot, key))
    else:
        player = Player(make_agent(key.spec, key.rules))
    try:
        _check_files(key)  # when all has been loaded
    except (ArenaError, RegistryError):
        _end(player)
        raise
    return player


def _check_files(key: _Key) -> None:
    if fingerprint(key.spec) != key.fingerprint:
        raise ArenaError(
            f"agents: the files of {key.spec} have changed since the tournament began; "
            "finished boards are kept: run the command again to play it as it is now"
        )


def _make_third_party(slot: int, key: _Key) -> ThirdPartyAgent:
    process = EntrantProcess()
    try:
        return ThirdPartyAgent(process, process.make(key.spec, key.rules))
    except (LostProcessError, RegistryError) as error:
        process.end()
        raise _CannotBeMadeError(slot, str(error)) from error


def play_on_ray(
    tasks: Sequence[Task], address: str, workers: int | None = None
) -> Iterator[tuple[int, BlockResult]]:
    """Play blocks on a Ray cluster: the same blocks, the same results.

    Its nodes need this package, and the entrants' files at the same paths: only blocks and results are sent.

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
    with contextlib.closing(_Players()) as players:
        return play_task(task, players)


def check_entrants(specs: Sequence[str], rules: Rules) -> list[str]:
    """Make every agent once, before a tournament: to learn its name, and whether it can be made at all.

    A third party's agent that ends the process it is made in takes part all the same, and forfeits what it is
    asked to play.

    Returns:
        What each calls itself; the name of its class if it ended the process it was made in.

    Raises:
        ArenaError: If one takes longer than `WARM_UP_S`.
        RegistryError: If one cannot be made, with the reason.
    """
    third_parties = [spec for spec in dict.fromkeys(specs) if is_third_party(spec)]
    names = {spec: _ask_once(EntrantProcess.make, spec, rules) or short_name(spec) for spec in third_parties}
    return [names[spec] if spec in names else make_agent(spec, rules).name for spec in specs]


def agents_in_file(path: Path) -> list[str]:
    """The specs of the agents that a Python file defines.

    Raises:
        ArenaError: If the file ends its process and names no agent, or takes longer than `WARM_UP_S`.
        RegistryError: If it does not run, or defines no agent.
    """
    specs = _ask_once(EntrantProcess.specs_in_file, path) or [
        f"{FILE_PREFIX}{path.resolve()}:{name}" for name in _classes_written_in(path)
    ]
    if not specs:
        raise ArenaError(
            f"agents-from: {path} ends the process that runs it, and no agent is to be seen in its text: "
            "a class with reset() and act(); see docs/own_agent.md"
        )
    return specs


def _ask_once(
    question: Callable[Concatenate[EntrantProcess, _Asked], _Told],
    *asked: _Asked.args,
    **named: _Asked.kwargs,
) -> _Told | None:
    """What a new entrant's process answers; None if it ends instead."""
    process = EntrantProcess()
    try:
        return question(process, *asked, **named)
    except StuckProcessError as error:
        raise ArenaError(f"agents: an entrant took longer than {WARM_UP_S:.0f} s to be made") from error
    except LostProcessError:
        return None
    finally:
        process.end()


def _classes_written_in(path: Path) -> list[str]:
    """The public classes of a file that write both methods, found without running it."""
    classes = [node for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.ClassDef)]
    return [
        node.name
        for node in classes
        if not node.name.startswith("_")
        and {"reset", "act"} <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    ]
