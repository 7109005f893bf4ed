"""The tables of a tournament as kernels: deal, observe, play, and sum up what happened.

Unlike in `canasta_env.vector` nothing is dealt anew by itself, any subset of the tables can be moved, every
action is kept, and a deal that ends leaves an OUTCOME.
"""

from __future__ import annotations

# mypy: allow-untyped-calls
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena import deal_stats
from canasta_agents.arena.deal_stats import FIELDS
from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.heuristics.jit import kernel as heuristics_kernel
from canasta_agents.heuristics.jit import random_number
from canasta_env.actions import ASK, NO, NUM_ACTIONS, TAKE, TAKE_WITH_JOKER, YES
from canasta_env.agent import Agent
from canasta_env.cards import ACE, CANASTA_SIZE, FIRST_RANK, SEVEN
from canasta_env.cards import NUM_KINDS as END_OF_RANKS
from canasta_env.engine.dealing import deal_cards, first_dealer, shuffle
from canasta_env.engine.jit import KernelCache
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.match import match_winner
from canasta_env.engine.melds import meld_size, meld_wilds
from canasta_env.engine.scoring import SCORE_FIELDS, TOTAL, score_deal
from canasta_env.engine.state import (
    MAX_SEATS,
    MAX_SIDES,
    NOBODY,
    PHASE_OVER,
    WILD_MELD,
    as_kernel_argument,
    scratch_tables,
)
from canasta_env.engine.transition import apply
from canasta_env.engine.view import build_view

_SOURCES = [Path(file).resolve() for file in (__file__, deal_stats.__file__)]
kernel = KernelCache("arena", [*heuristics_kernel.sources, *_SOURCES])

GOES_ON, IS_OVER, IS_ILLEGAL = range(3)  # what became of a table's action
MAX_ACTIONS = 1_024  # of a deal; every turn draws a card or melds three, so no deal comes near it

# What happened in a deal; fields with MAX_SIDES columns have one a side. `went_out` is a seat, -1 if nobody
# did, and `opened_turn` is 0 if the side did not open.
OUTCOME = np.dtype(
    [
        ("scores", np.int64, (MAX_SIDES,)),  # match scores when the deal began
        ("points", np.int32, (MAX_SIDES, len(SCORE_FIELDS))),  # a field for each clause of R-SCORE
        ("table", np.int32),
        ("deal", np.int32),  # of the match, from 0
        ("decisions", np.int16),
        *FIELDS,  # see STATISTICS; counted while the deal is played, or by `sum_up`
    ],
    align=True,
)
_NUM_FIELDS = len(SCORE_FIELDS)


@kernel
def board_dealer(seed: Any, players: Any) -> Any:
    """The first dealer of a board."""
    return first_dealer(seed, players)


@kernel
def order_stock(tables: Any) -> None:
    """Order the stocks of `(num_tables,) STATE` by their seeds and deals."""
    for table in range(tables.size):
        shuffle(tables[table])


@kernel
def deal(rules: Any, tables: Any, which: Any) -> None:
    """Deal at the tables `which`, `(n,) int64`, by their seed, deal, dealer and scores."""
    for table in which:
        shuffle(tables[table])
        deal_cards(rules[0], tables[table])


@kernel
def is_match_won(rules: Any, tables: Any, which: Any) -> Any:
    """Whether the matches of the tables `which` are won, `(n,) bool` (R-MATCH-2)."""
    is_won = np.empty(which.size, np.bool_)
    for i in range(which.size):
        is_won[i] = match_winner(rules[0], tables[which[i]].scores) != NOBODY
    return is_won


@kernel
def observe(rules: Any, tables: Any, which: Any, masks: Any, views: Any) -> None:
    """Write mask and view of the seat to move at table `which[i]` into row i, `(>= n, ...)`."""
    scratch = scratch_tables(1)
    for i in range(which.size):
        s = tables[which[i]]
        legal_mask(rules[0], s, scratch, masks[i])
        build_view(rules[0], s, s.to_play, views[i])


@kernel
def play(
    rules: Any, tables: Any, running: Any, log: Any, masks: Any, which: Any, actions: Any, status: Any
) -> None:
    """Play one action at each of some tables, where it is legal.

    Args:
        rules: `(1,) RULES`.
        tables: `(num_tables,) STATE`.
        running: `(num_tables,) OUTCOME` of the deals under way; counted up.
        log: `(num_tables, MAX_ACTIONS) int8`, the actions of the deals under way; lengthened.
        masks: `(>= n, NUM_ACTIONS) int8`, as `observe` wrote them.
        which: `(n,) int64` tables.
        actions: `(n,) int64`, anything.
        status: `(n,) int8`, overwritten by GOES_ON, IS_OVER, or IS_ILLEGAL where nothing was played.
    """
    for i in range(which.size):
        s = tables[which[i]]
        action = actions[i]
        if action < 0 or action >= NUM_ACTIONS or masks[i, action] == 0:
            status[i] = IS_ILLEGAL
            continue
        play_one(rules[0], s, running[which[i]], log[which[i]], action)
        status[i] = IS_OVER if s.phase == PHASE_OVER else GOES_ON


@kernel
def play_one(rules: Any, s: Any, outcome: Any, log: Any, action: Any) -> None:
    """Play one legal action at one table; see `play`."""
    side = s.to_play % rules.num_sides
    if TAKE <= action <= TAKE_WITH_JOKER:
        outcome.piles_taken[side] += 1
    elif action == ASK:
        outcome.asked[side] += 1
    elif action == YES:
        outcome.answered_yes[side] += 1
    elif action == NO:
        outcome.answered_no[side] += 1
    turn = s.turn
    apply(rules, s, action)
    log[outcome.decisions] = action
    outcome.decisions += 1
    if s.opened[side] and outcome.opened_turn[side] == 0:
        outcome.opened_turn[side] = turn


@kernel
def sum_up(rules: Any, tables: Any, running: Any, which: Any) -> None:
    """Complete the outcomes of the tables `which`, whose deals are over, and settle them.

    The points go to the match scores, and the deal passes on (R-DEAL-4).
    """
    breakdown = np.zeros((MAX_SIDES, _NUM_FIELDS), np.int64)
    for table in which:
        s = tables[table]
        outcome = running[table]
        outcome.table = table
        outcome.deal = s.deal
        outcome.turns = s.turn
        outcome.went_out = s.went_out
        outcome.concealed = s.concealed
        score_deal(rules[0], s, breakdown)
        for side in range(rules[0].num_sides):
            _sum_up_side(s, side, breakdown[side], outcome)
            s.scores[side] += breakdown[side, TOTAL]
        for seat in range(rules[0].players):
            outcome.cards_left[seat % rules[0].num_sides] += s.hand_size[seat]
        s.deal += 1
        s.dealer = (s.dealer + 1) % rules[0].players


@kernel
def _sum_up_side(s: Any, side: Any, points: Any, outcome: Any) -> None:
    outcome.scores[side] = s.scores[side]
    outcome.threes_laid[side] = s.red_threes[side] + s.black_threes[side]
    for field in range(_NUM_FIELDS):
        outcome.points[side, field] = points[field]
    for rank in range(FIRST_RANK, END_OF_RANKS):
        if meld_size(s, side, rank) < CANASTA_SIZE:
            continue
        if meld_wilds(s, side, rank) > 0:
            outcome.mixed_canastas[side] += 1
        else:
            outcome.clean_canastas[side] += 1
            if rank in (SEVEN, ACE):
                outcome.clean_sevens_or_aces[side] += 1
    if meld_size(s, side, WILD_MELD) >= CANASTA_SIZE:
        outcome.wild_canastas[side] += 1


@dataclass
class CompiledSeats:
    """The compiled players of a matchup, as `play_out` takes them: a place for each of MAX_SEATS slots.

    Where every player is a compiled one, a deal is one compiled loop instead of a call for every decision.
    The decisions are those that the agents themselves would make.
    """

    choosers: tuple[Callable[..., Any], ...]
    params: NDArray[np.void]  # (MAX_SEATS,) PARAMS
    seeds: NDArray[np.uint64]  # (MAX_SEATS,)
    decisions: NDArray[np.int64]  # (MAX_SEATS, num_tables) made so far

    @classmethod
    def of(cls, agents: Sequence[Agent], seeds: Sequence[int], num_tables: int) -> CompiledSeats | None:
        """Seat agents; None if one is not compiled, or if two slots share one (and so its chance)."""
        compiled = [agent for agent in agents if type(agent) is CompiledAgent]
        if len(compiled) < len(agents) or len({id(agent) for agent in agents}) < len(agents):
            return None
        spare = MAX_SEATS - len(compiled)
        padded = [*compiled, *compiled[:1] * spare]
        return cls(
            choosers=tuple(agent.choose for agent in padded),
            params=as_kernel_argument(np.concatenate([agent.params for agent in padded])),
            seeds=np.array([*seeds, *[0] * spare], np.uint64),
            decisions=np.zeros((MAX_SEATS, num_tables), np.int64),
        )


@kernel
def play_out(
    rules: Any,
    tables: Any,
    running: Any,
    log: Any,
    which: Any,
    slot_of_seat: Any,
    choosers: Any,
    params: Any,
    seeds: Any,
    decisions: Any,
    views: Any,
    status: Any,
) -> None:
    """Play the deals of some tables to their ends.

    Args:
        rules: `(1,) RULES`.
        tables: `(num_tables,) STATE`.
        running: `(num_tables,) OUTCOME`, counted up as in `tables.play`.
        log: `(num_tables, MAX_ACTIONS) int8`, lengthened.
        which: `(n,) int64` tables.
        slot_of_seat: `(num_tables, players) int64`.
        choosers: See `CompiledSeats`, like all that follow.
        params: Likewise.
        seeds: Likewise.
        decisions: Likewise; counted up.
        views: `(>= 1,) VIEW`, overwritten.
        status: `(n,) int8`, overwritten: IS_OVER, or IS_ILLEGAL where a player chose what is not legal.
    """
    scratch = scratch_tables(1)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for i in range(which.size):
        table = which[i]
        s = tables[table]
        status[i] = IS_OVER
        while s.phase != PHASE_OVER:
            seat = s.to_play
            slot = slot_of_seat[table, seat]
            legal_mask(rules[0], s, scratch, mask)
            build_view(rules[0], s, seat, views[0])
            random = random_number(seeds[slot], table, decisions[slot, table])
            decisions[slot, table] += 1
            action = choosers[slot](rules[0], params[slot], views[0], mask, random)
            if action < 0 or action >= NUM_ACTIONS or mask[action] == 0:
                status[i] = IS_ILLEGAL
                break
            play_one(rules[0], s, running[table], log[table], action)
