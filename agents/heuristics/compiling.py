"""How players are compiled: kernels with a cache folder of their own, and `choose` as a function pointer.

All players' `choose` have one signature. Compiled to a pointer of it, they are arguments of the loops that
play whole deals: such a loop is compiled once, and a player only if it plays.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

from canasta_agents.heuristics.style import STYLE
from canasta_env.engine.jit import JIT_DISABLED, KernelCache, engine_sources
from canasta_env.engine.state import RULES
from canasta_env.engine.view import VIEW

_FOLDER = Path(__file__).resolve().parent

_SOURCES = [_FOLDER.parent / "uniform.py", *sorted(_FOLDER.glob("*.py"))]

kernel = KernelCache("players", [*engine_sources(), *_SOURCES])

# Numba calls passing functions to kernels experimental; what we use of it is covered by our tests.
warnings.filterwarnings("ignore", "First-class function type", numba.NumbaExperimentalFeatureWarning)


@cache
def compiled(choose: Callable[..., Any]) -> Callable[..., Any]:
    """A `choose(rules, style, view, mask, random) -> action` as kernels take it for an argument.

    Args:
        choose: A plain function that Numba can compile, given a RULES, a STYLE and a VIEW record, a mask
            `(NUM_ACTIONS,) int8` and a number in [0, 1). It returns an action that is legal by the mask.
    """
    if JIT_DISABLED:
        return choose
    signature = numba.int64(
        numba.from_dtype(RULES),
        numba.from_dtype(STYLE),
        numba.from_dtype(VIEW),
        numba.int8[::1],
        numba.float64,
    )
    before = numba.config.CACHE_DIR
    if kernel.folder is not None:
        numba.config.CACHE_DIR = str(kernel.folder)
    try:
        pointer: Callable[..., Any] = numba.cfunc(signature, cache=kernel.folder is not None)(choose)
        return pointer
    finally:
        numba.config.CACHE_DIR = before
