"""Cores of this machine, how PyTorch's threads share them, and how commands end."""

from __future__ import annotations

import os
import sys

FAILED, REFUSED, INTERRUPTED = 1, 2, 130  # exit statuses of commands


def wait_passively() -> None:
    """Let threads that wait for each other give up their core; a set `OMP_WAIT_POLICY` is respected.

    To be said before PyTorch is loaded. Otherwise they wait actively, and one busy process beside them makes
    training ten times slower (docs/performance.md).
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def machine_memory() -> int:
    """Bytes of memory that this machine has; more than any number, where the system does not say."""
    if not hasattr(os, "sysconf"):
        return sys.maxsize
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def use_one_core() -> None:
    """Keep this process's libraries to one thread each: processes beside it use the other cores."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    if "torch" in sys.modules:  # which reads them when it is imported
        sys.modules["torch"].set_num_threads(1)
