"""Where training runs: the device of this process, and the processes that train one policy together.

PyTorch's torchrun starts several processes. Each plays its own tables. Gradients are means over the decisions
of all processes: together they do what one would with all the tables. What only one process may do (writing,
printing, measuring) the first one does.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.config import Run
from canasta_agents.processes import available_cores
from canasta_agents.programs import program_name

Value = TypeVar("Value")

MAX_WORKERS = 8  # beyond it rollout workers wait for the interpreter more than they play
_TIMEOUT = timedelta(hours=2)  # the others wait while the first process measures


@dataclass(frozen=True)
class ProcessGroup:
    """This process among those that train together."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0  # among those on this machine
    local_size: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this process is the one that writes, prints and measures."""
        return self.rank == 0

    def wrap(self, network: nn.Module) -> nn.Module:
        """The network to call where gradients are wanted: they become means over the processes."""
        if self.size == 1:
            return network
        return DistributedDataParallel(network)

    def all_gather(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The numbers of all processes: `(n,) float64` -> `(size, n)`, the same everywhere."""
        if self.size == 1:
            return numbers[None]
        own = torch.from_numpy(np.ascontiguousarray(numbers)).to(self._device)
        parts = [torch.empty_like(own) for _ in range(self.size)]
        dist.all_gather(parts, own)
        return torch.stack(parts).cpu().numpy()

    def broadcast(self, value: Value) -> Value:
        """The first process's value, everywhere."""
        if self.size == 1:
            return value
        values: list[Any] = [value]
        dist.broadcast_object_list(values, src=0, device=self._device)
        first: Value = values[0]
        return first

    def gather_objects(self, value: Value) -> list[Value]:
        """The values of all processes in the order of their ranks; only the first process gets them all."""
        if self.size == 1:
            return [value]
        values: list[Any] | None = [None] * self.size if self.is_first else None
        dist.gather_object(value, values, dst=0)
        return values if values is not None else [value]

    def close(self) -> None:
        """Leave the group."""
        if self.size > 1:
            dist.destroy_process_group()

    @property
    def _device(self) -> torch.device:
        return torch.device("cuda", self.local_rank) if dist.get_backend() == "nccl" else torch.device("cpu")


SINGLE = ProcessGroup()


class LostGroupError(RuntimeError):
    """Another process of the group has ended; what to do about it has been said."""


@contextlib.contextmanager
def telling_of_losses() -> Iterator[None]:
    """Say on stderr, at once, that another process of the group has ended: torchrun is about to end this one.

    Raises:
        LostGroupError: In place of PyTorch's error.
    """
    try:
        yield
    except LostGroupError:
        raise
    except RuntimeError as error:
        if not isinstance(error, dist.DistError) and "gloo" not in str(error):  # Gloo's are of no class
            raise
        print(
            f"{program_name('train.py')}: another process of the group has ended, and so does this one; "
            "the same command with --resume and the run's folder goes on from its last checkpoint",
            file=sys.stderr,
            flush=True,
        )
        raise LostGroupError(str(error)) from error


def join_group(on_gpu: bool) -> ProcessGroup:
    """Join the processes that torchrun has started, as its environment variables say; `SINGLE` without."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return SINGLE
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if on_gpu else "gloo", timeout=_TIMEOUT)
    return ProcessGroup(
        rank=dist.get_rank(),
        size=size,
        local_rank=int(os.environ.get("LOCAL_RANK", "0")),
        local_size=int(os.environ.get("LOCAL_WORLD_SIZE", str(size))),
    )


@dataclass(frozen=True)
class Device:
    """Where the network runs, on how many cores, in which number format, and together with whom."""

    cores: int  # for this process
    torch_device: torch.device
    precision: torch.dtype
    group: ProcessGroup = SINGLE

    def autocast(self) -> contextlib.AbstractContextManager[None]:
        """Run matrix products in the device's number format."""
        if self.precision == torch.float32:
            return contextlib.nullcontext()
        return torch.autocast(self.torch_device.type, dtype=self.precision)

    def use_threads(self, num: int) -> None:
        """Let the calling thread's PyTorch use `num` cores; more threads than cores wait for each other."""
        if torch.get_num_threads() != num:
            torch.set_num_threads(num)


def prepare_device(run: Run) -> Device:
    """Choose cores, device and precision.

    Raises:
        ConfigError: If the run asks for what the machine does not have.
    """
    cores = run.threads or available_cores()
    if run.device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("run.device: 'cuda' asked for, but PyTorch finds no GPU; use 'auto' or 'cpu'")
    on_gpu = run.device != "cpu" and torch.cuda.is_available()
    group = join_group(on_gpu)
    cores = max(1, cores // group.local_size)
    device = torch.device("cuda", group.local_rank) if on_gpu else torch.device("cpu")
    torch.set_float32_matmul_precision("medium")  # on processors with bfloat16 units; no effect on others
    torch.set_num_threads(cores)
    return Device(cores, device, _precision(run, device), group)


def _precision(run: Run, device: torch.device) -> torch.dtype:
    """The number format: what the run asks for, or bfloat16 where it is the faster one."""
    if run.precision != "auto":
        return torch.bfloat16 if run.precision == "bfloat16" else torch.float32
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    capabilities = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    has_units = any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16"))
    return torch.bfloat16 if has_units else torch.float32


def share_of_tables(num_tables: int, group: ProcessGroup) -> int:
    """Tables of this process.

    Raises:
        ConfigError: If there are more processes than tables.
    """
    if num_tables < group.size:
        raise ConfigError(f"rollout.tables: {num_tables} for {group.size} processes; each needs at least one")
    return num_tables // group.size + (group.rank < num_tables % group.size)
