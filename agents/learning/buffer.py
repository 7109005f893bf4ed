"""The learner's decisions of a rollout: one row each in order of time, linked seat by seat."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.jit import kernel
from canasta_agents.neural.policy_file import Arrays
from canasta_env.actions import NUM_ACTIONS

NO_ROW = -1
OPEN = -1  # in `following`: the seat has not decided again yet
CLOSED = -2  # in `following`: the deal ended before the seat decided again


@dataclass(frozen=True)
class Columns:
    """What is kept of a decision, a row each."""

    observations: NDArray[np.int8]  # (n, observation_size)
    critic_states: NDArray[np.int8]  # (n, critic_size), (n, 0) unless the critic is privileged
    masks: NDArray[np.int8]  # (n, NUM_ACTIONS)
    turns: NDArray[np.int16]  # (n,) number of the turn in the deal
    actions: NDArray[np.int64]  # (n,)
    log_probs: NDArray[np.float32]  # (n,) nats, of the action when it was drawn
    values: NDArray[np.float32]  # (n,) points, when it was drawn
    rewards: NDArray[np.float32]  # (n,) points
    following: NDArray[np.int32]  # (n,) row of the seat's next decision, OPEN or CLOSED

    @classmethod
    def allocate(cls, num: int, observation_size: int, critic_size: int) -> Columns:
        """Room for `num` decisions."""
        return cls(
            observations=np.zeros((num, observation_size), np.int8),
            critic_states=np.zeros((num, critic_size), np.int8),
            masks=np.zeros((num, NUM_ACTIONS), np.int8),
            turns=np.zeros(num, np.int16),
            actions=np.zeros(num, np.int64),
            log_probs=np.zeros(num, np.float32),
            values=np.zeros(num, np.float32),
            rewards=np.zeros(num, np.float32),
            following=np.full(num, OPEN, np.int32),
        )

    def __getitem__(self, rows: slice) -> Columns:
        """The same memory, fewer rows."""
        return Columns(**{name: column[rows] for name, column in self.items()})

    def items(self) -> list[tuple[str, NDArray[Any]]]:
        """Columns by name."""
        return [(field.name, getattr(self, field.name)) for field in dataclasses.fields(self)]


class Decisions:
    """The decisions that one actor's tables ask of the learner.

    A decision is *open* until its seat decides again or its deal ends. Open decisions are carried into the
    next rollout, so that each decision is learnt from exactly once, with all that followed it.

    Args:
        columns: Room for the rows; overwritten.
        num_tables: Tables of the actor.
        players: Seats at a table.
    """

    def __init__(self, columns: Columns, num_tables: int, players: int) -> None:
        self.columns = columns
        self.size = 0
        self.open_rows = np.full((num_tables, players), NO_ROW, np.int32)

    def carry_over(self) -> None:
        """Keep the open decisions, at the front, and forget the others."""
        is_open = self.open_rows != NO_ROW
        rows = np.sort(self.open_rows[is_open])
        for _, column in self.columns.items():
            column[: len(rows)] = column[rows]
        self.open_rows[is_open] = np.searchsorted(rows, self.open_rows[is_open])
        self.size = len(rows)

    def forget(self) -> None:
        """Drop every decision, open ones too."""
        self.open_rows.fill(NO_ROW)
        self.size = 0

    def room_for(self, num: int) -> Columns:
        """The next `num` rows, to be filled and then given to `link`."""
        return self.columns[self.size : self.size + num]

    def link(self, tables: NDArray[np.int64], seats: NDArray[np.int8]) -> None:
        """Take the rows that `room_for` gave into the chains of their seats.

        Args:
            tables: `(n,) int64`, table of each row.
            seats: `(n,) int8`, seat of each row.
        """
        _link(tables, seats, self.size, self.open_rows, self.columns.following, self.columns.rewards)
        self.size += len(tables)

    def close(self, ended: NDArray[np.bool_], points: NDArray[np.float32]) -> None:
        """End the chains of all seats at the tables whose deal has ended.

        Args:
            ended: `(num_tables,) bool`.
            points: `(num_tables, players) float32`, points of each seat where `ended`.
        """
        _close(ended, points, self.open_rows, self.columns.following, self.columns.rewards)

    @property
    def closed_rows(self) -> NDArray[np.int64]:
        """Rows that can be learnt from: those that are not open any more."""
        return np.flatnonzero(self.columns.following[: self.size] != OPEN)

    def get_state(self) -> Arrays:
        """The open decisions, as arrays by name."""
        self.carry_over()
        columns = {name: column[: self.size].copy() for name, column in self.columns.items()}
        return {**columns, "open_rows": self.open_rows.copy()}

    def set_state(self, state: Arrays) -> None:
        """Take back what `get_state` gave."""
        self.open_rows[:] = state["open_rows"]
        self.size = len(state["actions"])
        for name, column in self.columns.items():
            column[: self.size] = state[name]


@kernel
def _link(
    tables: NDArray[np.int64],
    seats: NDArray[np.int8],
    first_row: int,
    open_rows: NDArray[np.int32],
    following: NDArray[np.int32],
    rewards: NDArray[np.float32],
) -> None:
    for place in range(len(tables)):
        row = first_row + place
        before = open_rows[tables[place], seats[place]]
        if before != NO_ROW:
            following[before] = row
        open_rows[tables[place], seats[place]] = row
        following[row] = OPEN
        rewards[row] = 0.0


@kernel
def _close(
    ended: NDArray[np.bool_],
    points: NDArray[np.float32],
    open_rows: NDArray[np.int32],
    following: NDArray[np.int32],
    rewards: NDArray[np.float32],
) -> None:
    for table in range(len(ended)):
        if ended[table]:
            for seat in range(open_rows.shape[1]):
                row = open_rows[table, seat]
                if row != NO_ROW:
                    rewards[row] = points[table, seat]
                    following[row] = CLOSED
                    open_rows[table, seat] = NO_ROW
