"""Asking an agent where kernels believe every action: its answers are looked at first."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from canasta_agents.config_checks import ConfigError
from canasta_agents.process.program import ProgramError
from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.rules import Rules
from canasta_env.validation import integers, shown


class DecidingTables(Protocol):
    """What is asked about: see `canasta_env.vector.VectorTables`."""

    @property
    def to_play(self) -> NDArray[np.int8]:
        """Seat to move, `(num_tables,)`."""

    @property
    def masks(self) -> NDArray[np.int8]:
        """Legal actions, `(num_tables, NUM_ACTIONS)`, 1 legal."""

    @property
    def views(self) -> NDArray[np.void]:
        """What the seat to move may know, `(num_tables,)`."""


def ask_at(agent: Agent, rules: Rules, tables: DecidingTables, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """An agent's actions at some tables, each legal there; see `ask`. The agent gets copies.

    Args:
        agent: Who is asked.
        rules: The game.
        tables: Where it is asked.
        rows: `(n,) int64` which of the tables.
    """
    return ask(
        agent, DecisionBatch(rules, rows.copy(), tables.to_play[rows], tables.views[rows], tables.masks[rows])
    )


def ask(agent: Agent, batch: DecisionBatch) -> NDArray[np.int64]:
    """An agent's actions, `(n,)` ids, each legal; what it writes into its masks changes nothing.

    Raises:
        ConfigError: If the agent answers anything else; names it, and what it answered.
    """
    masks = batch.masks.copy()
    try:
        answer = integers(agent.act(batch), len(batch), "its actions")
    except (ProgramError, ValueError) as error:
        raise ConfigError(f"{agent.name}: {error}") from error
    are_actions = (answer >= 0) & (answer < NUM_ACTIONS)
    actions: NDArray[np.int64] = np.where(are_actions, answer, 0).astype(np.int64)
    is_legal = are_actions & (masks[np.arange(len(masks)), actions] != 0)
    if not is_legal.all():
        row = int(np.argmin(is_legal))
        raise ConfigError(_describe(agent, int(answer[row]), int(batch.seats[row]), masks[row]))
    return actions


def _describe(agent: Agent, action: int, seat: int, mask: NDArray[np.int8]) -> str:
    name = f'"{NOTATIONS[action]}"' if 0 <= action < NUM_ACTIONS else str(action)
    legal = ", ".join(NOTATIONS[index] for index in np.flatnonzero(mask))
    return f"{agent.name}: {name} is not legal in seat {seat}; legal: {shown(legal)}"
