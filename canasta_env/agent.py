"""What an agent is, and what it is asked: decisions in batches, each a view and its legal actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from canasta_env.engine.encoding import encode_views
from canasta_env.engine.layout import observation_size
from canasta_env.engine.state import rules_record
from canasta_env.rules import Rules


@dataclass
class DecisionBatch:
    """Decisions to be made at once, at tables that do not depend on each other.

    The arrays may be buffers of the caller: read them while choosing, do not keep or write them.
    """

    rules: Rules
    tables: NDArray[np.int64]  #: (n,) which of the tables that the agent was reset for
    seats: NDArray[np.int8]  #: (n,) absolute seat to move
    views: NDArray[np.void]  #: (n,) VIEW of that seat
    masks: NDArray[np.int8]  #: (n, NUM_ACTIONS), 1 = legal
    _observations: NDArray[np.int8] | None = field(default=None, repr=False)

    @classmethod
    def single(cls, rules: Rules, seat: int, view: NDArray[np.void], mask: NDArray[np.int8]) -> DecisionBatch:
        """One decision, at the only table.

        Args:
            rules: The game.
            seat: Absolute seat to move.
            view: `()` or `(1,)` VIEW of that seat.
            mask: `(NUM_ACTIONS,)`, 1 = legal.
        """
        return cls(
            rules, np.zeros(1, np.int64), np.array([seat], np.int8), np.asarray(view).reshape(1), mask[None]
        )

    def __len__(self) -> int:
        return len(self.views)

    @property
    def observations(self) -> NDArray[np.int8]:
        """The decisions as observations, `(n, observation_size) int8`; encoded when first asked for."""
        if self._observations is None:
            record, size = _encoding(self.rules)
            self._observations = np.empty((len(self), size), np.int8)
            encode_views(record, self.views, self.masks, self._observations)
        return self._observations


@lru_cache(maxsize=16)
def _encoding(rules: Rules) -> tuple[NDArray[np.void], int]:
    """The rules as kernels read them, and the size of an observation.

    Both take longer to make than one decision takes to encode, and agents may be asked one by one.
    """
    return rules_record(rules), observation_size(rules)


class Agent(Protocol):
    """Whoever chooses actions. An agent sees views and legal actions, never the state of a table.

    It may be one object for several seats of a table; only decisions where several actions are legal need be
    asked for. An agent that remembers what it has seen has to be an `AgentWithMemory`: others may be reset
    between any two decisions.
    """

    name: str

    def reset(self, num_tables: int, seed: int) -> None:
        """Forget everything and get ready for `num_tables` tables; all chance comes from `seed`."""
        ...

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """Choose an action for each decision: `(n,)` ids, each legal by its mask."""
        ...


class AgentWithMemory(Agent, Protocol):
    """An agent that is told when deals begin, because it keeps something from one decision to another.

    Whoever seats agents keeps this order, at every table for itself:

    - `reset` comes first, before any deal of the new tables; never in the middle of a deal.
    - `begin_deals` comes once for every deal, after the deal before it has ended (or was given up) and before
      the agent's first decision in it; also for the first deal after a reset. It names those tables only at
      which the agent has a seat in that deal. A deal in which the agent has no decision may be left out.
    - Nothing else is told: what a deal is like is in the views of the decisions.
    - A reset in a match under way (a table of the browser that goes back to its deal's start) is followed by
      `begin_deals` with `are_first` False: of the deals before, the agent has seen nothing.
    - Who sits where changes between deals only.
    """

    def begin_deals(self, tables: NDArray[np.int64], are_first: NDArray[np.bool_]) -> None:
        """Learn that new deals begin: what was seen of the last ones at these tables counts no more.

        Args:
            tables: `(n,)` which of the tables that the agent was reset for, each once.
            are_first: `(n,)` whether the deal is also the first of a match; single deals always are.
        """
        ...


def remembers(agent: Agent) -> TypeGuard[AgentWithMemory]:
    """Whether an agent wants to be told when deals begin."""
    return hasattr(agent, "begin_deals")


def tell_of_deals(agent: Agent, tables: NDArray[np.int64], *, first: bool) -> None:
    """Tell an agent that deals begin, if it wants to know.

    Args:
        agent: Who has a seat at these tables.
        tables: `(n,) int64`; nothing is told if there are none.
        first: Whether matches begin with these deals.
    """
    if len(tables) and remembers(agent):
        agent.begin_deals(tables.copy(), np.full(len(tables), first))


Heard = tuple[int, int, Mapping[str, Any]]
"""A table that the agent was reset for, the seat that sees an event there, and the event."""


class AgentThatHears(Agent, Protocol):
    """An agent that is told what happens at its tables between its decisions.

    Tournaments, the browser and the terminal tell it. Environments and training do not: there it has to do
    with its decisions, whose views say what a deal has come to.
    """

    def hear(self, events: Sequence[Heard]) -> None:
        """Learn of events (`canasta_env.events`), in order; those of a deal come after `begin_deals`."""
        ...


def can_hear(agent: Agent) -> TypeGuard[AgentThatHears]:
    """Whether an agent wants to be told of events."""
    return hasattr(agent, "hear")
