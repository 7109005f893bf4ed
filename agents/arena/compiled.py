"""The fast way through a deal when every player at the table is a compiled one.

The decisions are those that the agents themselves would make (a test compares them): only the way there
differs, one compiled loop a deal instead of a call for every decision.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.tables import IS_ILLEGAL, IS_OVER, play_one
from canasta_agents.heuristics import jit as chance
from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.heuristics.jit import random_number
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import Agent
from canasta_env.engine.jit import KernelCache, engine_sources
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.state import MAX_SEATS, PHASE_OVER, as_kernel_argument, scratch_tables
from canasta_env.engine.view import build_view

_FOLDER = Path(__file__).resolve().parent
_PLAYERS = sorted(Path(chance.__file__).resolve().parent.glob("*.py"))

kernel = KernelCache(
    "arena-players", [*engine_sources(), *_PLAYERS, _FOLDER / "tables.py", _FOLDER / "compiled.py"]
)


@dataclass
class CompiledSeats:
    """The compiled players of a contest, as `play_out` takes them: a place for each of MAX_SEATS slots."""

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
