"""How PyTorch's threads share the cores; to be said before PyTorch is loaded."""

from __future__ import annotations

import os


def wait_passively() -> None:
    """Let threads that wait for each other give up their core; a set `OMP_WAIT_POLICY` is respected.

    Otherwise they wait actively, and one busy process beside them makes training ten times slower
    (docs/performance.md).
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
