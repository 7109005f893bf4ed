"""Tables a second that `canasta_env.redeal` draws from views of the seats to move, on one core.

    python -m benchmarks.redeal

"each once" draws one table for each of many views, "one often" many tables for one view, as a search does.
"""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Rate, measure, report
from canasta_env import redeal
from canasta_env.engine import batch
from canasta_env.rules import Rules, classic, modern_american
from canasta_env.vector import VectorTables

NUM_TABLES = 1024
NUM_SAMPLES = 1024
WARM_UP_STEPS = 300  # the tables are then spread over all parts of a deal
CALLS = 50


def redeal_rates(rules: Rules) -> list[Rate]:
    """Measure one game."""
    name = f"{rules.game} {rules.players}"
    vector = VectorTables(rules, NUM_TABLES, seed=1)
    rng = np.random.default_rng(0)
    actions = np.zeros(NUM_TABLES, np.int64)
    for _ in range(WARM_UP_STEPS):
        batch.choose_uniformly(vector.masks, rng.integers(1 << 63, dtype=np.uint64), actions)
        vector.step(actions)
    views = np.array(vector.views)

    def seeds(number: int) -> np.ndarray:
        return rng.integers(1 << 63, size=number, dtype=np.uint64)

    def each_once() -> int:
        for _ in range(CALLS):
            redeal(rules, views, seeds(NUM_TABLES))
        return CALLS * NUM_TABLES

    def one_often() -> int:
        for call in range(CALLS):
            redeal(rules, views[call : call + 1], seeds(1), NUM_SAMPLES)
        return CALLS * NUM_SAMPLES

    return [
        measure(f"{name}: each view once", "tables", each_once),
        measure(f"{name}: one view often", "tables", one_often),
    ]


def main() -> list[Rate]:
    """Measure the four games, print each figure, and return them."""
    rates = []
    for rules in (modern_american(), classic(4), classic(3), classic(2)):
        for rate in redeal_rates(rules):
            print(rate, flush=True)
            rates.append(rate)
    return rates


if __name__ == "__main__":
    print(report(main()))
