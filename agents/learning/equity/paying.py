"""Tables whose deals pay what they change in the chance to win the match."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.arrays import Arrays
from canasta_agents.learning.equity.table import EquityTable
from canasta_env.vector import VectorTables


class MatchTables:
    """`VectorTables` of single deals, paid in percent of a match in place of points.

    Args:
        tables: The tables, which draw match scores for their deals.
        equity: What scores are worth.
    """

    def __init__(self, tables: VectorTables, equity: EquityTable) -> None:
        self._tables = tables
        self._equity = equity
        rules = tables.rules
        self._side_of_seat = np.array([rules.side_of(seat) for seat in range(rules.players)])
        self._gains = np.zeros((tables.num_tables, rules.players), np.float32)

    @property
    def to_play(self) -> NDArray[np.int8]:
        """See `Tables.to_play`."""
        return self._tables.to_play

    @property
    def masks(self) -> NDArray[np.int8]:
        """See `Tables.masks`."""
        return self._tables.masks

    @property
    def views(self) -> NDArray[np.void]:
        """See `Tables.views`."""
        return self._tables.views

    @property
    def observations(self) -> NDArray[np.int8]:
        """See `Tables.observations`."""
        return self._tables.observations

    @property
    def critic_states(self) -> NDArray[np.int8]:
        """See `Tables.critic_states`."""
        return self._tables.critic_states

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """See `Tables.step`; what a deal pays is in percent of a match."""
        before = self._tables.scores
        ended, _ = self._tables.step(actions)
        self._gains.fill(0)
        if ended.any():
            gains = self._equity.gains(before[ended], self._tables.deal_totals[ended])
            self._gains[ended] = gains[:, self._side_of_seat]
        return ended, self._gains

    def get_state(self) -> Arrays:
        """See `Tables.get_state`."""
        return self._tables.get_state()

    def set_state(self, state: Arrays) -> None:
        """See `Tables.set_state`."""
        self._tables.set_state(state)
