"""Asking an agent at training tables, whose kernels believe every action: answers are looked at first."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from canasta_agents.config_checks import ConfigError
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
    """An agent's actions at some tables, each legal there.

    Args:
        agent: Who is asked. It gets copies, so that what it writes there changes nothing.
        rules: The game.
        tables: Where it is asked.
        rows: `(n,) int64` which of the tables.

    Returns:
        `(n,)` action ids.

    Raises:
        ConfigError: If the agent answers anything else; names it, and what it answered.
    """
    batch = DecisionBatch(rules, rows.copy(), tables.to_play[rows], tables.views[rows], tables.masks[rows])
    try:
        answer = integers(agent.act(batch), len(rows), f"{agent.name}: its actions")
    except ValueError as error:
        raise ConfigError(str(error)) from error
    are_actions = (answer >= 0) & (answer < NUM_ACTIONS)
    actions: NDArray[np.int64] = np.where(are_actions, answer, 0).astype(np.int64)
    is_legal = are_actions & (tables.masks[rows, actions] != 0)
    if not is_legal.all():
        _refuse(agent, tables, rows, answer, int(np.argmin(is_legal)))
    return actions


def _refuse(
    agent: Agent, tables: DecidingTables, rows: NDArray[np.int64], answer: NDArray[np.integer], row: int
) -> None:
    action, mask = int(answer[row]), tables.masks[rows[row]]
    name = f'"{NOTATIONS[action]}"' if 0 <= action < NUM_ACTIONS else str(action)
    legal = ", ".join(NOTATIONS[index] for index in np.flatnonzero(mask))
    raise ConfigError(
        f"{agent.name}: {name} is not legal in seat {tables.to_play[rows[row]]}; legal: {shown(legal)}"
    )
