"""The decorator of the trainer's own kernels."""

from __future__ import annotations

from pathlib import Path

from canasta_env.engine.jit import KernelCache, engine_sources

_SOURCES = (
    "advantages.py",
    "compiled.py",
    "decisions.py",
    "distribution.py",
    "equity.py",
    "equity_estimation.py",
)

kernel = KernelCache("learning", [*engine_sources(), *(Path(__file__).with_name(name) for name in _SOURCES)])
