"""Ask agents about tables, one decision at a time or deal by deal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_agents.registry import make
from canasta_env import Rules, Table, classic, modern_american
from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.engine import batch
from canasta_env.engine.state import NOBODY, PHASE_OVER, allocate, rules_record
from canasta_env.engine.view import VIEW

GAMES = {
    "classic-2": classic(2),
    "classic-3": classic(3),
    "classic-4": classic(4),
    "modern": modern_american(),
}


def decide(agent: Agent | str, table: Table) -> str:
    """The notation of what an agent, or the player of that name, does at a table."""
    if isinstance(agent, str):
        agent = make(agent, table.rules)
    seat = table.to_play
    assert seat is not None
    decision = DecisionBatch(
        rules=table.rules,
        tables=np.zeros(1, np.int64),
        seats=np.array([seat], np.int8),
        views=table.view(seat),
        masks=table.action_mask()[None],
    )
    return NOTATIONS[agent.act(decision)[0]]


def play_turn(agent: Agent | str, table: Table) -> list[str]:
    """Let an agent play until another seat is to move or the deal is over; the actions."""
    seat, played = table.to_play, []
    while table.to_play == seat:
        played.append(decide(agent, table))
        table.play(played[-1])
    return played


@dataclass
class Step:
    """What stood before an action at every table of a walk."""

    tables: NDArray[np.void]  # STATE
    views: NDArray[np.void]  # VIEW of the seat to move
    masks: NDArray[np.int8]
    seats: NDArray[np.int64]  # NOBODY where the deal is over
    actions: NDArray[np.int64]


def walk(rules: Rules, agents: list[Agent], num_tables: int, seed: int, scores: int = 0) -> Iterator[Step]:
    """Deal tables and let `agents[seat % len(agents)]` play them, a step at all of them at a time."""
    record = rules_record(rules)
    tables, views = allocate(num_tables), allocate(num_tables, VIEW)
    masks = np.zeros((num_tables, NUM_ACTIONS), np.int8)
    for table in range(num_tables):
        tables["scores"][table] = 0
        batch.start_match(record, tables, table, np.uint64(seed * 1_000 + table))
        tables["scores"][table, : rules.num_sides] = scores
    for number, agent in enumerate(agents):
        agent.reset(num_tables, seed + number)
    while not (tables["phase"] == PHASE_OVER).all():
        batch.mask_all(record, tables, masks)
        batch.view_all(record, tables, views)
        seats = np.where(tables["phase"] == PHASE_OVER, NOBODY, tables["to_play"]).astype(np.int64)
        actions = np.zeros(num_tables, np.int64)
        for number, agent in enumerate(agents):
            which = np.flatnonzero((seats != NOBODY) & (seats % len(agents) == number))
            if len(which):
                actions[which] = agent.act(
                    DecisionBatch(rules, which, seats[which].astype(np.int8), views[which], masks[which])
                )
        yield Step(tables, views, masks, seats, actions)
        batch.step_all(record, tables, actions)


def on_every_view(step: Step, function: Callable[[int], None]) -> None:
    """Call `function` with the number of each table that is still played."""
    for table in np.flatnonzero(step.seats != NOBODY):
        function(int(table))
