"""The parts of a search that are loops over tables."""

from __future__ import annotations

# mypy: allow-untyped-calls
from pathlib import Path
from typing import Any

import numpy as np

from canasta_agents.heuristics.jit import kernel as heuristics_kernel
from canasta_agents.heuristics.jit import random_number
from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine.dealing import mix
from canasta_env.engine.jit import KernelCache
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.match import seat_points
from canasta_env.engine.scoring import SCORE_FIELDS, score_deal
from canasta_env.engine.state import MAX_SEATS, MAX_SIDES, PHASE_OVER, scratch_tables
from canasta_env.engine.transition import apply
from canasta_env.engine.view import build_view

kernel = KernelCache("search", [*heuristics_kernel.sources, Path(__file__).resolve()])

GOES_ON, AT_NEXT_TURN, IS_OVER = range(3)  # where a rollout stands
_NUM_FIELDS = len(SCORE_FIELDS)
_EMPTY = -1


@kernel
def play_on(
    rules: Any,
    tables: Any,
    seats: Any,
    turns: Any,
    to_the_end: Any,
    which: Any,
    actions: Any,
    masks: Any,
    views: Any,
    status: Any,
) -> None:
    """Play an action at each of some tables, and all forced ones after it.

    Args:
        rules: `(1,) RULES`.
        tables: `(num_tables,) STATE`.
        seats: `(num_tables,)` the seat that searches.
        turns: `(num_tables,)` number of the turn in which it does.
        to_the_end: Whether only the deal's end ends a rollout, not the seat's first choice in a later turn.
        which: `(n,) int64` tables.
        actions: `(n,) int64`, legal ones.
        masks: `(>= n, NUM_ACTIONS) int8`; row i becomes that of the seat to move at table `which[i]`.
        views: `(>= n,) VIEW`, likewise.
        status: `(>= n,) int8`, overwritten: GOES_ON, AT_NEXT_TURN or IS_OVER.
    """
    scratch = scratch_tables(1)
    for i in range(which.size):
        s = tables[which[i]]
        action = actions[i]
        while action >= 0:
            apply(rules[0], s, action)
            if s.phase == PHASE_OVER:
                break
            legal_mask(rules[0], s, scratch, masks[i])
            action = _only_action(masks[i])
        if s.phase == PHASE_OVER:
            status[i] = IS_OVER
            continue
        build_view(rules[0], s, s.to_play, views[i])
        is_at_next_turn = s.to_play == seats[which[i]] and s.turn != turns[which[i]]
        status[i] = AT_NEXT_TURN if is_at_next_turn and not to_the_end else GOES_ON


@kernel
def _only_action(mask: Any) -> Any:
    """The one legal action; −1 if there are several."""
    found = -1
    for action in range(NUM_ACTIONS):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found


@kernel
def play_out(
    rules: Any, params: Any, choose: Any, tables: Any, seeds: Any, actions: Any, views: Any, is_legal: Any
) -> None:
    """Play an action at every table, and then the deal to its end by one compiled player in all seats.

    Args:
        rules: `(1,) RULES`.
        params: `(1,) PARAMS`, the player's.
        choose: The player; see `CompiledAgent.choose`.
        tables: `(n,) STATE`.
        seeds: `(n,) uint64`, of the player's chance.
        actions: `(n,) int64`, legal ones.
        views: `(>= 1,) VIEW`, overwritten.
        is_legal: `(n,) bool`, overwritten: False where the player chose what is not legal.
    """
    scratch = scratch_tables(1)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for i in range(tables.size):
        s = tables[i]
        action = actions[i]
        decision = 0
        is_legal[i] = True
        while True:
            apply(rules[0], s, action)
            if s.phase == PHASE_OVER:
                break
            legal_mask(rules[0], s, scratch, mask)
            build_view(rules[0], s, s.to_play, views[0])
            random = random_number(seeds[i], s.to_play, decision)
            action = choose(rules[0], params[0], views[0], mask, random)
            decision += 1
            if action < 0 or action >= NUM_ACTIONS or mask[action] == 0:
                is_legal[i] = False
                break


@kernel
def score(rules: Any, tables: Any, seats: Any, which: Any, points: Any) -> None:
    """Write what each searching seat gets for the deal, at the tables `which`, into `points[which]`.

    Own side's points less the mean of the other sides', as if the deal ended now; `(num_tables,) float64`.
    """
    breakdown = np.empty((MAX_SIDES, _NUM_FIELDS), np.int64)
    of_seats = np.empty(MAX_SEATS, np.float32)
    for table in which:
        score_deal(rules[0], tables[table], breakdown)
        seat_points(rules[0], breakdown, of_seats)
        points[table] = of_seats[seats[table]]


@kernel
def find_distinct(words: Any, group: Any, first: Any) -> Any:
    """Find the distinct rows of an array.

    Args:
        words: `(n, num_words) uint64`.
        group: `(n,) int64`, overwritten: which of the distinct rows each row is.
        first: `(n,) int64`, overwritten: the first of its kind for each distinct row.

    Returns:
        How many distinct rows there are.
    """
    size = 2
    while size < 2 * words.shape[0]:
        size *= 2
    slots = np.full(size, _EMPTY, np.int64)
    num = 0
    for row in range(words.shape[0]):
        bits = np.uint64(0)
        for word in range(words.shape[1]):
            bits = mix(bits ^ words[row, word])
        slot = np.int64(bits & np.uint64(size - 1))
        while slots[slot] != _EMPTY and not _is_same(words[row], words[first[slots[slot]]]):
            slot = (slot + 1) & (size - 1)
        if slots[slot] == _EMPTY:
            slots[slot] = num
            first[num] = row
            num += 1
        group[row] = slots[slot]
    return num


@kernel
def _is_same(one: Any, other: Any) -> Any:
    for word in range(one.size):
        if one[word] != other[word]:
            return False
    return True
