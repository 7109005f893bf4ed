"""Minibatches: a rollout's rows in shuffled parts, and its columns as tensors on the network's device."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from .decisions import Columns
from .machine import Machine


def shuffled(
    rows: NDArray[np.int64], size: int, epochs: int, rng: np.random.Generator
) -> Iterator[list[torch.Tensor]]:
    """Shuffle the rows anew for each epoch and cut them into equal minibatches.

    Args:
        rows: `(n,) int64`.
        size: Rows of a minibatch; the real size is the nearest that leaves no remainder.
        epochs: Passes over the rows.
        rng: Draws the order.

    Yields:
        The minibatches of one epoch, each `(about size,) int64`.
    """
    num = max(1, round(len(rows) / size))
    for _ in range(epochs):
        yield [torch.from_numpy(part) for part in np.array_split(rng.permutation(rows), num)]


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
