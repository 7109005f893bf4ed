"""Play blocks on a Ray cluster: the same blocks, the same results (extra `cluster`).

The nodes need this package and the entrants' files at the same paths; nothing is sent but blocks and results.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from typing import Any

from canasta_agents.arena.errors import ArenaError
from canasta_agents.arena.play import Played
from canasta_agents.arena.tasks import Task, play_task, use_one_core
from canasta_agents.arena.workers import play_tasks

LOCAL = "local"
_AHEAD = 2  # blocks handed out per core
_KNOCK_S = 5.0


def play_on_ray(
    tasks: Sequence[Task], address: str, workers: int | None = None
) -> Iterator[tuple[int, Played]]:
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
        ahead = _AHEAD * int(ray.cluster_resources().get("CPU", 1))
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


def _play_on_one_core(task: Task) -> Played:
    use_one_core()
    if not task.outsiders:
        return play_task(task)
    ((_, played),) = play_tasks([task], workers=1)  # which survives what an outsider does to its process
    return played
