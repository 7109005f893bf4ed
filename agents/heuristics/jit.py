"""How players are compiled: kernels with a cache folder of their own, and `choose` as a function pointer.

All players' `choose` have one signature. Compiled to a pointer of it, they are arguments of the loops that
play whole deals: such a loop is compiled once, and a player only if it plays.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

from canasta_agents.heuristics.params import PARAMS
from canasta_env.engine.dealing import mix
from canasta_env.engine.jit import package_cache
from canasta_env.engine.state import RULES
from canasta_env.engine.view import VIEW

kernel = package_cache("heuristics", __file__)

# Numba calls passing functions to kernels experimental; what we use of it is covered by our tests.
warnings.filterwarnings("ignore", "First-class function type", numba.NumbaExperimentalFeatureWarning)


@cache
def compiled(choose: Callable[..., Any], is_cached: bool = True) -> Callable[..., Any]:
    """A `choose(rules, params, view, mask, random) -> action` as kernels take it for an argument.

    Args:
        choose: A plain function that Numba can compile, given a RULES, a PARAMS and a VIEW record, a mask
            `(NUM_ACTIONS,) int8` and a number in [0, 1). It returns an action that is legal by the mask.
        is_cached: False if the function, or what it calls, is not of this folder: an edit there would go
            unnoticed.
    """
    signature = numba.int64(
        numba.from_dtype(RULES),
        numba.from_dtype(PARAMS),
        numba.from_dtype(VIEW),
        numba.int8[::1],
        numba.float64,
    )
    return kernel.pointer(signature, choose, is_cached)


# The random number of a decision is a pure function of seed, table and decision: a player's chance does not
# depend on which tables are played together, in which order, or by which worker.


_GAMMA = np.uint64(0x9E3779B97F4A7C15)  # SplitMix64's step
_SHIFT = np.uint64(11)  # leaves the 53 bits that a float64 holds
_UNIT = 2.0**-53


@kernel
def random_number(seed, table, decision):
    """A number in [0, 1) for a table's decision with this running number."""
    bits = mix(np.uint64(seed) + _GAMMA)
    bits = mix(bits + np.uint64(table) * _GAMMA)
    bits = mix(bits + np.uint64(decision + 1) * _GAMMA)
    return np.float64(bits >> _SHIFT) * _UNIT
