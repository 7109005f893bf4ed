"""Kernels for one table at the edge of an environment, where each Python call counts."""

from __future__ import annotations

import numpy as np

from canasta_env.encoding import encode
from canasta_env.engine.jit import kernel
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.state import scratch_tables
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
