"""Decisions a second of the engine: 1,024 tables, uniformly random legal play, one core.

    python -m benchmarks.engine

One decision is one player's action: its mask computed, an action drawn, the action played. "observed" adds
the view and the encoded observation of the seat to move. Beside it, where it is installed, the same kind of
play in RLCard's gin rummy, a public card environment in Python.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.measure import Rate, measure, report
from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine import batch
from canasta_env.engine.dealing import mix
from canasta_env.engine.encoding import encode
from canasta_env.engine.jit import KernelCache, engine_sources
from canasta_env.engine.layout import observation_size
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.match import deal_next, settle
from canasta_env.engine.state import PHASE_OVER, allocate, rules_record, scratch_tables
from canasta_env.engine.transition import apply
from canasta_env.engine.view import VIEW, build_view
from canasta_env.rules import Rules, classic, modern_american
from canasta_env.vector import VectorTables

NUM_TABLES = 1024
STEPS = 400
WARM_UP_STEPS = 300  # the tables are then spread over all parts of a deal
GIN_RUMMY_DECISIONS = 5_000

kernel = KernelCache("benchmarks", [*engine_sources(), Path(__file__)])


@kernel
def play_observed(rules, tables, views, observations, steps, seed):  # type: ignore[no-untyped-def]
    """Like `batch.play_uniformly`, with the view and the observation of every decision written."""
    scratch = scratch_tables(1)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for step in range(steps):
        for table in range(tables.size):
            s = tables[table]
            legal_mask(rules[0], s, scratch, mask)
            build_view(rules[0], s, s.to_play, views[table])
            encode(rules[0], views[table], mask, observations[table])
            random = mix(seed + np.uint64(step * tables.size + table))
            apply(rules[0], s, batch.choose_one(mask, random))
            if s.phase == PHASE_OVER:
                settle(rules[0], s)
                deal_next(rules[0], s)


def engine_rates(rules: Rules) -> list[Rate]:
    """Measure one game."""
    name = f"{rules.game} {rules.players}"
    record = rules_record(rules)
    tables = allocate(NUM_TABLES)
    for table in range(NUM_TABLES):
        batch.start_match(record, tables, table, np.uint64(table))
    batch.play_uniformly(record, tables, WARM_UP_STEPS, np.uint64(1))
    views = allocate(NUM_TABLES, VIEW)
    observations = np.zeros((NUM_TABLES, observation_size(rules)), np.int8)
    seeds = np.random.default_rng(0)

    def seed() -> np.uint64:
        return seeds.integers(0, 1 << 63, dtype=np.uint64)

    def play() -> int:
        batch.play_uniformly(record, tables, STEPS, seed())
        return NUM_TABLES * STEPS

    def observe() -> int:
        play_observed(record, tables, views, observations, STEPS, seed())
        return NUM_TABLES * STEPS

    vector = VectorTables(rules, NUM_TABLES, seed=2)
    actions = np.zeros(NUM_TABLES, np.int64)

    def step_vector() -> int:
        for _ in range(STEPS // 4):
            batch.choose_uniformly(vector.masks, seed(), actions)
            vector.step(actions)
            vector.observations  # noqa: B018
        return NUM_TABLES * (STEPS // 4)

    return [
        measure(f"{name}: mask and step", "decisions", play),
        measure(f"{name}: mask, view, observation and step", "decisions", observe),
        measure(f"{name}: VectorTables from Python, observed", "decisions", step_vector),
    ]


def gin_rummy_rate() -> list[Rate]:
    """Random play in RLCard's gin rummy, if it is installed."""
    try:
        import rlcard
        from rlcard.agents import RandomAgent
    except ImportError:
        return []
    env = rlcard.make("gin-rummy", config={"seed": 0})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def play() -> int:
        decisions = 0
        while decisions < GIN_RUMMY_DECISIONS:
            trajectories, _ = env.run(is_training=False)
            decisions += sum(len(trajectory) // 2 for trajectory in trajectories)
        return decisions

    return [measure("RLCard gin rummy, for comparison", "decisions", play)]


def main() -> list[Rate]:
    """Measure both games, print each figure, and return them."""
    rates = []
    for rules in (modern_american(), classic(4), classic(3), classic(2)):
        for rate in engine_rates(rules):
            print(rate, flush=True)
            rates.append(rate)
    for rate in gin_rummy_rate():
        print(rate, flush=True)
        rates.append(rate)
    return rates


if __name__ == "__main__":
    print(report(main()))
