"""The decorator of the trainer's own kernels."""

from __future__ import annotations

from pathlib import Path

from canasta_env.engine.jit import KernelCache, engine_sources

_SOURCES = (
    "updates/advantages.py",
    "compiled.py",
    "rollouts/decisions.py",
    "distribution.py",
    "equity/table.py",
    "equity/estimation.py",
)

kernel = KernelCache("learning", [*engine_sources(), *(Path(__file__).parent / name for name in _SOURCES)])
