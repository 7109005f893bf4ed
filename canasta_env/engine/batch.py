"""The engine's boundary: one table by its index, or all tables in one call.

Every function takes `rules`, `(1,) RULES`, and `tables`, `(num_tables,) STATE`, as `state.allocate` makes
them. Loops are serial and release the GIL: whoever has more cores splits the tables over threads. Actions
are not checked here: they must be legal by the mask.
"""

from __future__ import annotations

import numpy as np

from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine.dealing import below, deal_cards, first_dealer, mix, shuffle
from canasta_env.engine.jit import kernel
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.scoring import SCORE_FIELDS, TOTAL, score_deal
from canasta_env.engine.state import MAX_SIDES, PHASE_OVER, STATE
from canasta_env.engine.transition import apply
from canasta_env.engine.view import build_view

_NUM_FIELDS = len(SCORE_FIELDS)


@kernel
def start_match(rules, tables, table, seed):  # type: ignore[no-untyped-def]
    """Begin a match: scores 0, the dealer and every deal's shuffle fixed by `seed`; deal the first."""
    s = tables[table]
    s.seed = seed
    s.deal = 0
    for side in range(MAX_SIDES):
        s.scores[side] = 0
    s.dealer = first_dealer(s.seed, rules[0].players)
    shuffle(s)
    deal_cards(rules[0], s)


@kernel
def start_deal(rules, tables, table, dealer, order):  # type: ignore[no-untyped-def]
    """Deal from `order`, `(NUM_CARDS,) int8`, its first card first; seed, deal and scores stay."""
    s = tables[table]
    s.dealer = dealer
    for place in range(order.size):
        s.stock[place] = order[place]
    deal_cards(rules[0], s)


@kernel
def next_deal(rules, tables, table):  # type: ignore[no-untyped-def]
    """Settle a deal that is over into the match scores and deal the next, the dealer one seat on."""
    s = tables[table]
    breakdown = np.empty((MAX_SIDES, _NUM_FIELDS), np.int64)
    score_deal(rules[0], s, breakdown)
    for side in range(rules[0].num_sides):
        s.scores[side] += breakdown[side, TOTAL]
    s.deal += 1
    s.dealer = (s.dealer + 1) % rules[0].players
    shuffle(s)
    deal_cards(rules[0], s)


@kernel
def mask_one(rules, tables, table, mask):  # type: ignore[no-untyped-def]
    """Write the legal actions of one table into `mask`, `(NUM_ACTIONS,) int8`."""
    scratch = np.empty(1, STATE)
    legal_mask(rules[0], tables[table], scratch, mask)


@kernel
def mask_all(rules, tables, masks):  # type: ignore[no-untyped-def]
    """Write the legal actions of every table into `masks`, `(num_tables, NUM_ACTIONS) int8`."""
    scratch = np.empty(1, STATE)
    for table in range(tables.size):
        legal_mask(rules[0], tables[table], scratch, masks[table])


@kernel
def step_one(rules, tables, table, action):  # type: ignore[no-untyped-def]
    """Play one action at one table."""
    apply(rules[0], tables[table], action)


@kernel
def step_all(rules, tables, actions):  # type: ignore[no-untyped-def]
    """Play one action at every table whose deal is not over."""
    for table in range(tables.size):
        if tables[table].phase != PHASE_OVER:
            apply(rules[0], tables[table], actions[table])


@kernel
def score_one(rules, tables, table, breakdown):  # type: ignore[no-untyped-def]
    """Write the score of one table, `(MAX_SIDES, len(SCORE_FIELDS)) int64`, as if its deal ended now."""
    score_deal(rules[0], tables[table], breakdown)


@kernel
def view_one(rules, tables, table, seat, views, place):  # type: ignore[no-untyped-def]
    """Write what `seat` knows of one table into `views[place]`."""
    build_view(rules[0], tables[table], seat, views[place])


@kernel
def view_all(rules, tables, views):  # type: ignore[no-untyped-def]
    """Write the view of the seat to move at every table whose deal is not over."""
    for table in range(tables.size):
        if tables[table].phase != PHASE_OVER:
            build_view(rules[0], tables[table], tables[table].to_play, views[table])


@kernel
def choose_uniformly(masks, seed, actions):  # type: ignore[no-untyped-def]
    """Draw a legal action for every mask, each with the same chance; `seed` is one uint64 a call."""
    for table in range(masks.shape[0]):
        legal = 0
        for action in range(NUM_ACTIONS):
            legal += masks[table, action]
        chosen = below(mix(seed + np.uint64(table)), max(1, legal))
        actions[table] = 0
        for action in range(NUM_ACTIONS):
            if masks[table, action]:
                if chosen == 0:
                    actions[table] = action
                    break
                chosen -= 1
