"""The random number that comes with every decision: a pure function of seed, table and decision.

So a player's chance does not depend on which tables are played together, in which order, or by which worker.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from canasta_agents.heuristics.compiling import kernel
from canasta_env.engine.dealing import mix

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
