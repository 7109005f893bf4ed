"""What the machine offers: cores, a GPU, the number format of matrix products, and others to train with."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

import torch

from canasta_agents.learning.config import ConfigError, Run
from canasta_agents.learning.group import ALONE, Group, join_group

MAX_ACTORS = 8  # beyond it actors wait for the interpreter more than they play


@dataclass(frozen=True)
class Machine:
    """Where the network runs, on how many cores, in which number format, and together with whom."""

    cores: int  # for this process
    device: torch.device
    precision: torch.dtype
    group: Group = ALONE

    def autocast(self) -> contextlib.AbstractContextManager[None]:
        """Run matrix products in the machine's number format."""
        if self.precision == torch.float32:
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=self.precision)

    def use_threads(self, num: int) -> None:
        """Let the calling thread's PyTorch use `num` cores; more threads than cores wait for each other."""
        if torch.get_num_threads() != num:
            torch.set_num_threads(num)


def prepare_machine(run: Run) -> Machine:
    """Choose cores, device and precision.

    Raises:
        ConfigError: If the run asks for what the machine does not have.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = run.threads or allowed
    if run.device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("run.device: 'cuda' asked for, but PyTorch finds no GPU; use 'auto' or 'cpu'")
    on_gpu = run.device != "cpu" and torch.cuda.is_available()
    group = join_group(on_gpu)
    cores = max(1, cores // group.local_size)
    device = torch.device("cuda", group.local_rank) if on_gpu else torch.device("cpu")
    torch.set_float32_matmul_precision("medium")  # on processors with bfloat16 units; no effect on others
    torch.set_num_threads(cores)
    return Machine(cores, device, _precision(run, device), group)


def _precision(run: Run, device: torch.device) -> torch.dtype:
    """The number format: what the run asks for, or bfloat16 where it is the faster one."""
    if run.precision != "auto":
        return torch.bfloat16 if run.precision == "bfloat16" else torch.float32
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    capabilities = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    has_units = any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16"))
    return torch.bfloat16 if has_units else torch.float32
