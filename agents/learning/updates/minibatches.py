"""Minibatches: a rollout's rows in shuffled parts, and its columns as tensors on the network's device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.learning.group import ALONE, Group
from canasta_agents.learning.machine import Machine
from canasta_agents.learning.rollouts.decisions import Columns


@dataclass(frozen=True)
class Minibatch:
    """This process's part of a minibatch."""

    rows: torch.Tensor  # (about size / processes,) int64
    weight: float  # of the part's mean in the mean over the processes; 1 for a process alone


def shuffled(
    rows: NDArray[np.int64], size: int, epochs: int, rng: np.random.Generator, group: Group = ALONE
) -> Iterator[list[Minibatch]]:
    """Shuffle the rows anew for each epoch and cut them into equal minibatches.

    Args:
        rows: `(n,) int64`, this process's.
        size: Rows of a minibatch, over all processes; the real size is the nearest that leaves no remainder.
        epochs: Passes over the rows.
        rng: Draws the order.
        group: Who has the other rows.

    Yields:
        The minibatches of one epoch.
    """
    held = group.gather(np.array([len(rows)], np.float64))[:, 0].astype(np.int64)
    num = max(1, min(round(int(held.sum()) / size), int(held.min())))
    parts = held[:, None] // num + (np.arange(num) < held[:, None] % num)  # as np.array_split cuts
    weights = parts[group.rank] * group.size / parts.sum(axis=0)
    for _ in range(epochs):
        cut = np.array_split(rng.permutation(rows), num)
        yield [Minibatch(torch.from_numpy(part), weight) for part, weight in zip(cut, weights, strict=True)]


class ColumnTensors:
    """The columns of a rollout as PyTorch sees them: same memory, rows taken to the device when asked for."""

    def __init__(self, columns: Columns, machine: Machine) -> None:
        self._tensors = {name: torch.from_numpy(column) for name, column in columns.items()}
        self._machine = machine

    def take(self, name: str, rows: torch.Tensor) -> torch.Tensor:
        """Rows of a column, `(n, ...)`, on the network's device."""
        return self.to_device(self._tensors[name].index_select(0, rows))

    def to_device(self, tensor: torch.Tensor) -> torch.Tensor:
        """Bring a tensor to the network's device; to a GPU without waiting."""
        if self._machine.device.type == "cpu":
            return tensor
        return tensor.pin_memory().to(self._machine.device, non_blocking=True)
