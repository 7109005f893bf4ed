"""The engine's boundary: one table by its index, or all tables in one call.

Every function takes `rules`, `(1,) RULES`, and `tables`, `(num_tables,) STATE`, as `state.allocate` makes
them. Loops are serial and release the GIL: whoever has more cores splits the tables over threads. Actions
are not checked here: they must be legal by the mask.
"""

from __future__ import annotations

import numpy as np

from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine.dealing import below, deal_cards, mix
from canasta_env.engine.encoding import encode
from canasta_env.engine.jit import kernel
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.match import begin_match, deal_apart, deal_next, match_winner, seat_points, settle
from canasta_env.engine.scoring import SCORE_FIELDS, TOTAL, score_deal
from canasta_env.engine.state import MAX_SIDES, NOBODY, PHASE_OVER, scratch_tables
from canasta_env.engine.transition import apply
from canasta_env.engine.view import build_view

_NUM_FIELDS = len(SCORE_FIELDS)
_ONES = np.uint64(0x0101010101010101)
_TOP_BYTE = np.uint64(56)
_BYTE = np.uint64(8)
_LOWEST_BIT = np.uint64(1)


@kernel
def start_match(rules, tables, table, seed):  # type: ignore[no-untyped-def]
    """Begin a match fixed by `seed`, uint64, and deal its first deal."""
    begin_match(rules[0], tables[table], seed)


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
    """Settle a deal that is over into the match scores and deal the next."""
    settle(rules[0], tables[table])
    deal_next(rules[0], tables[table])


@kernel
def start_deal_apart(rules, tables, table, with_drawn_scores):  # type: ignore[no-untyped-def]
    """Deal a deal that stands for itself, by the table's seed and number of deal; scores kept or drawn."""
    deal_apart(rules[0], tables[table], with_drawn_scores)


@kernel
def winner_one(rules, scores):  # type: ignore[no-untyped-def]
    """The side that has won a match with these scores, `(>= num_sides,) int64`; NOBODY if it goes on."""
    return match_winner(rules[0], scores)


@kernel
def mask_one(rules, tables, table, mask):  # type: ignore[no-untyped-def]
    """Write the legal actions of one table into `mask`, `(NUM_ACTIONS,) int8`."""
    scratch = scratch_tables(1)
    legal_mask(rules[0], tables[table], scratch, mask)


@kernel
def mask_all(rules, tables, masks):  # type: ignore[no-untyped-def]
    """Write the legal actions of every table into `masks`, `(num_tables, NUM_ACTIONS) int8`."""
    scratch = scratch_tables(1)
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
def observe_all(rules, tables, masks, views):  # type: ignore[no-untyped-def]
    """Write mask and view of the seat to move at every table whose deal is not over."""
    scratch = scratch_tables(1)
    for table in range(tables.size):
        s = tables[table]
        if s.phase != PHASE_OVER:
            legal_mask(rules[0], s, scratch, masks[table])
            build_view(rules[0], s, s.to_play, views[table])


@kernel
def advance_all(rules, tables, actions, is_match, with_drawn_scores, ended, points, totals, winners):  # type: ignore[no-untyped-def]
    """Play one action at every table; a deal that ends is scored and the next one dealt at once.

    Args:
        rules: `(1,) RULES`.
        tables: `(num_tables,) STATE`.
        actions: `(num_tables,)` integer.
        is_match: Whether deals follow each other until a match is won, or each stands for itself.
        with_drawn_scores: For deals apart: draw new match scores for each.
        ended: `(num_tables,) bool`, overwritten: the deal has ended.
        points: `(num_tables, players) float32`, overwritten: rewards of the deals that ended, else 0.
        totals: `(num_tables, num_sides) int64`, overwritten: what each side scored in them, else 0.
        winners: `(num_tables,) int8`, overwritten: the side that has won its match, else NOBODY.
    """
    breakdown = np.empty((MAX_SIDES, _NUM_FIELDS), np.int64)
    for table in range(tables.size):
        s = tables[table]
        apply(rules[0], s, actions[table])
        ended[table] = s.phase == PHASE_OVER
        winners[table] = NOBODY
        points[table, :] = 0
        totals[table, :] = 0
        if not ended[table]:
            continue
        score_deal(rules[0], s, breakdown)
        seat_points(rules[0], breakdown, points[table])
        for side in range(rules[0].num_sides):
            totals[table, side] = breakdown[side, TOTAL]
        if not is_match:
            s.deal += 1
            deal_apart(rules[0], s, with_drawn_scores)
            continue
        for side in range(rules[0].num_sides):
            s.scores[side] += breakdown[side, TOTAL]
        winners[table] = match_winner(rules[0], s.scores)
        if winners[table] == NOBODY:
            deal_next(rules[0], s)
        else:
            begin_match(rules[0], s, mix(s.seed + np.uint64(1)))


@kernel
def choose_uniformly(masks, seed, actions):  # type: ignore[no-untyped-def]
    """Draw a legal action for every mask, each with the same chance; `seed` is one uint64 a call."""
    for table in range(masks.shape[0]):
        actions[table] = choose_one(masks[table], mix(seed + np.uint64(table)))


@kernel
def choose_one(mask, random):  # type: ignore[no-untyped-def]
    """Draw one of the legal actions with 64 random bits; 0 if there is none.

    Eight bytes of the mask are counted at once: the product's top byte is the sum of a word's bytes.
    """
    words = mask.view(np.uint64)
    total = np.uint64(0)
    for place in range(words.size):
        total += words[place]
    legal = np.int64((total * _ONES) >> _TOP_BYTE)
    if legal == 0:
        return 0
    skip = below(random, legal)
    place = 0
    while True:
        here = np.int64((words[place] * _ONES) >> _TOP_BYTE)
        if here > skip:
            break
        skip -= here
        place += 1
    word = words[place]
    action = place * words.itemsize
    while True:
        is_legal = np.int64(word & _LOWEST_BIT)
        if is_legal and skip == 0:
            return action
        skip -= is_legal
        word >>= _BYTE
        action += 1


@kernel
def play_uniformly(rules, tables, steps, seed):  # type: ignore[no-untyped-def]
    """Play `steps` uniformly random legal actions at every table, deal after deal; return the deals ended."""
    scratch = scratch_tables(1)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    deals = 0
    for step in range(steps):
        for table in range(tables.size):
            s = tables[table]
            legal_mask(rules[0], s, scratch, mask)
            apply(rules[0], s, choose_one(mask, mix(seed + np.uint64(step * tables.size + table))))
            if s.phase == PHASE_OVER:
                deals += 1
                settle(rules[0], s)
                deal_next(rules[0], s)
    return deals


# Kernels at the edge of the environments, where each Python call counts: one table, or some of many.


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
def observe_seat(rules, tables, seat, mask, views, observation):  # type: ignore[no-untyped-def]
    """Encode what a seat knows of `tables[0]` into `observation`, of any number; overwrites `views[0]`.

    `mask` is of the seat's legal actions, `(NUM_ACTIONS,) int8`.
    """
    features = np.empty(observation.size, np.int8)
    build_view(rules[0], tables[0], seat, views[0])
    encode(rules[0], views[0], mask, features)
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
def observe_everywhere(rules, tables, seat, masks, views, observations):  # type: ignore[no-untyped-def]
    """Encode what a seat knows of every table, `(num_tables, size)` of any number; overwrites `views[0]`.

    `masks` are of the seat's legal actions, `(num_tables, NUM_ACTIONS) int8`.
    """
    features = np.empty(observations.shape[1], np.int8)
    for table in range(tables.size):
        build_view(rules[0], tables[table], seat, views[0])
        encode(rules[0], views[0], masks[table], features)
        observations[table, :] = features
