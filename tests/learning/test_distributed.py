"""Several processes train as one would: the same gradients, the same weights everywhere, runs that resume."""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from canasta_agents.learning.config import Config, from_dict
from canasta_agents.learning.distributed import SINGLE, Device, ProcessGroup, join_group
from canasta_agents.learning.ppo import shuffle
from canasta_agents.learning.trainer import Trainer
from canasta_agents.neural import policy_file
from canasta_agents.neural.config import Network
from canasta_agents.neural.network import FlatNetwork

from .conftest import SMALL
from .fake import FAKE_GAME

PROCESSES = 2
OBSERVATION = 12


def as_process(work: Callable[..., Any], rank: int, port: int, results: Any, args: tuple[Any, ...]) -> None:
    """What torchrun sets, and the work."""
    environment = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": PROCESSES, "LOCAL_WORLD_SIZE": PROCESSES}
    os.environ |= {name: str(value) for name, value in environment.items()}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.set_num_threads(1)
    group = join_group(on_gpu=False)
    results.put((rank, work(group, *args)))
    group.close()


def in_processes(work: Callable[..., Any], *args: Any) -> list[Any]:
    """The results of `work(group, *args)` in two processes, by rank."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    started = [
        context.Process(target=as_process, args=(work, rank, port, results, args))
        for rank in range(PROCESSES)
    ]
    for process in started:
        process.start()
    found = dict(results.get(timeout=120) for _ in started)
    for process in started:
        process.join(30)
        assert process.exitcode == 0
    return [found[rank] for rank in range(PROCESSES)]


def rows_of(group: ProcessGroup, num: int) -> np.ndarray:
    """Unequal parts of the rows 0 to num - 1."""
    cut = num if group.size == 1 else num // 3
    return np.arange(num)[:cut] if group.rank == 0 else np.arange(num)[cut:]


def gradients(group: ProcessGroup) -> list[np.ndarray]:
    """Gradients of a mean loss over one minibatch of 90 rows, spread over the group."""
    torch.manual_seed(5)
    network = FlatNetwork(Network(kind="flat", width=16, layers=2), OBSERVATION)
    shared = group.wrap(network)
    observations = torch.from_numpy(
        np.random.default_rng(1).integers(0, 2, (90, OBSERVATION)).astype(np.int8)
    )
    (epoch,) = shuffle(rows_of(group, 90), 90, 1, np.random.default_rng(0), group)
    (part,) = epoch
    logits, values = shared(observations[part.rows], observations[part.rows])
    loss = (logits.square().mean(1) + (values - 1).square()).mean()
    (part.weight * loss).backward()
    return [parameter.grad.numpy() for parameter in network.parameters() if parameter.grad is not None]


def test_gradients_are_those_of_one_process_with_all_decisions() -> None:
    alone = gradients(SINGLE)
    for found in in_processes(gradients):
        for one, other in zip(alone, found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7)


def config_of(decisions: int) -> Config:
    return from_dict({**SMALL, "run": {**SMALL["run"], "decisions": decisions}})


def trainer_of(group: ProcessGroup, folder: Path, decisions: int) -> Trainer:
    device = Device(cores=1, torch_device=torch.device("cpu"), precision=torch.float32, group=group)
    return Trainer(config_of(decisions), folder, device, **FAKE_GAME)


def train(group: ProcessGroup, folder: Path, stop_after: int) -> tuple[dict[str, bytes], int, float]:
    """Train to the end, perhaps with a stop and a resume on the way; weights, decisions, strength."""
    trainer = trainer_of(group, folder, 12_000)
    if stop_after:
        for _ in range(stop_after):
            trainer.advance()
        trainer.save()
        trainer.advance()
        trainer.close()
        trainer = trainer_of(group, folder, 12_000)
        trainer.resume()
    while not trainer.is_over:
        trainer.advance()
    trainer.close()
    weights = {name: array.tobytes() for name, array in policy_file.weights(trainer.network).items()}
    assert trainer.measurement is not None
    return weights, trainer.progress.decisions, trainer.measurement.estimate


def test_two_processes_hold_the_same_weights_learn_and_resume_to_the_bit(tmp_path: Path) -> None:
    whole = in_processes(train, tmp_path / "whole", 0)
    assert whole[0] == whole[1]
    assert whole[0][2] > 80  # of 100 points
    assert in_processes(train, tmp_path / "stopped", 3) == whole


def test_moments_are_those_of_all_processes(tmp_path: Path) -> None:
    one, other = in_processes(sums, np.array([1.0, 2.0]))
    assert one == other == ([[1.0, 2.0], [2.0, 4.0]], 0)


def sums(group: ProcessGroup, numbers: np.ndarray) -> tuple[list[list[float]], int]:
    return group.all_gather(numbers * (group.rank + 1)).tolist(), group.broadcast(group.rank)


def test_a_part_of_a_minibatch_weighs_by_its_rows() -> None:
    epochs = list(shuffle(np.arange(10), 3, 2, np.random.default_rng(0)))
    assert [[part.weight for part in epoch] for epoch in epochs] == [[1.0] * 3] * 2
    assert sorted(torch.cat([part.rows for part in epochs[0]]).tolist()) == list(range(10))


def test_the_network_of_a_single_process_is_not_wrapped() -> None:
    network = FlatNetwork(Network(kind="flat", width=8, layers=1), OBSERVATION)
    assert SINGLE.wrap(network) is network
