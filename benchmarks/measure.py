"""Timing: repeats with compilation left out, the median and the spread, and what the machine is."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

REPEATS = int(os.environ.get("CANASTA_BENCHMARK_REPEATS", "7"))  # 1 shows that a benchmark runs


@dataclass(frozen=True)
class Rate:
    """A measured rate: units a second over the repeats."""

    name: str
    unit: str
    median: float
    lowest: float
    highest: float
    repeats: int

    def __str__(self) -> str:
        """One line for the terminal."""
        spread = f"({self.lowest:,.0f} to {self.highest:,.0f})"
        return f"{self.name:<58} {self.median:>13,.0f} {self.unit}/s   {spread}"


def measure(name: str, unit: str, run: Callable[[], int], repeats: int = REPEATS) -> Rate:
    """Call `run` once to compile and warm up, then time it.

    Args:
        name: What is measured.
        unit: What is counted.
        run: Does the work and returns how many units it was.
        repeats: How often to time it; the median is the figure.
    """
    run()
    rates = []
    for _ in range(repeats):
        start = time.perf_counter()
        units = run()
        rates.append(units / (time.perf_counter() - start))
    return Rate(name, unit, statistics.median(rates), min(rates), max(rates), repeats)


def machine() -> dict[str, Any]:
    """What the figures depend on: processor, threads, versions, commit."""
    packages = {}
    for package in ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "rlcard"):
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "packages": packages,
        "commit": _commit(),
    }


def report(rates: list[Rate]) -> str:
    """The figures and the machine as JSON."""
    return json.dumps({"machine": machine(), "rates": [asdict(rate) for rate in rates]}, indent=2)


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    try:
        return subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
