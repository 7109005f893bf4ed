"""Kernels at the edge of the environments, where each Python call counts: one table, or some of many."""

from __future__ import annotations

import numpy as np

from canasta_env.encoding import encode
from canasta_env.engine.batch import choose_one
from canasta_env.engine.dealing import mix
from canasta_env.engine.jit import kernel
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.state import PHASE_OVER, scratch_tables
from canasta_env.engine.transition import apply
from canasta_env.engine.view import build_view

ILLEGAL = -2  # returned by `play_legal`; no seat and not NOBODY


@kernel
def play_legal(rules, tables, action, mask):  # type: ignore[no-untyped-def]
    """Play an action if it is legal.

    Args:
        rules: `(1,) RULES`.
        tables: `(1,) STATE`.
        action: An action id, 0 ... NUM_ACTIONS − 1.
        mask: `(NUM_ACTIONS,) int8`, the legal actions; becomes those of the next seat.

    Returns:
        The seat to move, NOBODY if the deal is over, or ILLEGAL, and then nothing has changed.
    """
    if mask[action] == 0:
        return ILLEGAL
    s = tables[0]
    apply(rules[0], s, action)
    scratch = scratch_tables(1)
    legal_mask(rules[0], s, scratch, mask)
    return int(s.to_play)


@kernel
def observe_seat(rules, tables, seat, views, observation):  # type: ignore[no-untyped-def]
    """Encode what a seat knows of `tables[0]` into `observation`, of any number; overwrites `views[0]`."""
    features = np.empty(observation.size, np.int8)
    build_view(rules[0], tables[0], seat, views[0])
    encode(rules[0], views[0], features)
    observation[:] = features


@kernel
def play_at(rules, tables, rows, actions, masks):  # type: ignore[no-untyped-def]
    """Play one legal action at each of some tables.

    Args:
        rules: `(1,) RULES`.
        tables: `(num_tables,) STATE`.
        rows: `(n,) int64`, at which tables.
        actions: `(n,) int64`.
        masks: `(num_tables, NUM_ACTIONS) int8`; those of `rows` become those of the next seats.
    """
    scratch = scratch_tables(1)
    for place in range(rows.size):
        table = rows[place]
        apply(rules[0], tables[table], actions[place])
        legal_mask(rules[0], tables[table], scratch, masks[table])


@kernel
def view_at(rules, tables, rows, views):  # type: ignore[no-untyped-def]
    """Write what the seats to move at some tables know, `(n,) int64`, into `views`, `(n,) VIEW`."""
    for place in range(rows.size):
        s = tables[rows[place]]
        build_view(rules[0], s, s.to_play, views[place])


@kernel
def play_by_chance(rules, tables, rows, is_chance, seeds, cycles, max_cycles, masks):  # type: ignore[no-untyped-def]
    """Draw and play legal actions at some tables while a seat is to move that chance plays.

    Args:
        rules: `(1,) RULES`.
        tables: `(num_tables,) STATE`.
        rows: `(n,) int64`, at which tables.
        is_chance: `(players,) int8`, the seats that chance plays.
        seeds: `(num_tables,) uint64`; a draw is fixed by the table's seed and its count of decisions.
        cycles: `(num_tables,) int64`, decisions so far; counted on.
        max_cycles: Where to stop; negative if nowhere.
        masks: `(num_tables, NUM_ACTIONS) int8`; those of `rows` become those of the next seats.
    """
    scratch = scratch_tables(1)
    for place in range(rows.size):
        table = rows[place]
        s = tables[table]
        while s.phase != PHASE_OVER and is_chance[s.to_play] and cycles[table] != max_cycles:
            action = choose_one(masks[table], mix(seeds[table] + np.uint64(cycles[table])))
            apply(rules[0], s, action)
            legal_mask(rules[0], s, scratch, masks[table])
            cycles[table] += 1


@kernel
def observe_everywhere(rules, tables, seat, views, observations):  # type: ignore[no-untyped-def]
    """Encode what a seat knows of every table, `(num_tables, size)` of any number; overwrites `views[0]`."""
    features = np.empty(observations.shape[1], np.int8)
    for table in range(tables.size):
        build_view(rules[0], tables[table], seat, views[0])
        encode(rules[0], views[0], features)
        observations[table, :] = features
