"""The rollout buffer: one row for each decision of the learner, in order of time, linked seat by seat.

    row  table seat  next_row     reward
     0     0    2    2                 0    seat 2 of table 0 decides next in row 2
     1     1    0    DEAL_ENDED     +120    the deal ended before the seat decided again: its points
     2     0    2    PENDING           0    the seat has not decided again yet

Pending decisions are carried into the next rollout: each decision is learnt from exactly once, with all that
followed it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.config_checks import require_memory
from canasta_agents.learning.jit import kernel
from canasta_agents.neural.arrays import Arrays
from canasta_env.actions import NUM_ACTIONS

NO_ROW = -1  # in `pending_rows`
PENDING = -1  # in `next_row`: the seat has not decided again yet
DEAL_ENDED = -2  # in `next_row`: the deal ended before the seat decided again


@dataclass(frozen=True)
class RolloutArrays:
    """What is kept of decisions: arrays of one length, a row for each decision."""

    observations: NDArray[np.int8]  # (n, observation_size)
    critic_states: NDArray[np.int8]  # (n, critic_size), (n, 0) unless the critic is privileged
    masks: NDArray[np.int8]  # (n, NUM_ACTIONS)
    turns: NDArray[np.int16]  # (n,) number of the turn in the deal
    actions: NDArray[np.int64]  # (n,)
    log_probs: NDArray[np.float32]  # (n,) nats, of the action when it was drawn
    values: NDArray[np.float32]  # (n,) points, when it was drawn
    rewards: NDArray[np.float32]  # (n,) points
    next_row: NDArray[np.int32]  # (n,) row of the seat's next decision, PENDING or DEAL_ENDED

    @classmethod
    def allocate(cls, num: int, observation_size: int, critic_size: int) -> RolloutArrays:
        """Room for `num` decisions.

        Raises:
            ConfigError: If this machine does not have that memory.
        """
        one = cls._zeros(1, observation_size, critic_size)
        num_bytes = num * sum(array.nbytes for _, array in one.items())
        require_memory("rollout", num_bytes, f"it has {num:,} decisions: give fewer tables or fewer steps")
        return cls._zeros(num, observation_size, critic_size)

    @classmethod
    def _zeros(cls, num: int, observation_size: int, critic_size: int) -> RolloutArrays:
        return cls(
            observations=np.zeros((num, observation_size), np.int8),
            critic_states=np.zeros((num, critic_size), np.int8),
            masks=np.zeros((num, NUM_ACTIONS), np.int8),
            turns=np.zeros(num, np.int16),
            actions=np.zeros(num, np.int64),
            log_probs=np.zeros(num, np.float32),
            values=np.zeros(num, np.float32),
            rewards=np.zeros(num, np.float32),
            next_row=np.full(num, PENDING, np.int32),
        )

    def __getitem__(self, rows: slice) -> RolloutArrays:
        """The same memory, fewer rows."""
        return RolloutArrays(**{name: array[rows] for name, array in self.items()})

    def items(self) -> list[tuple[str, NDArray[Any]]]:
        """Arrays by name."""
        return [(field.name, getattr(self, field.name)) for field in dataclasses.fields(self)]


class RolloutBuffer:
    """The decisions at one worker's tables.

    Args:
        arrays: Room for the rows; overwritten.
        num_tables: Tables of the worker.
        players: Seats at a table.
    """

    def __init__(self, arrays: RolloutArrays, num_tables: int, players: int) -> None:
        self.arrays = arrays
        self.size = 0  # rows in use
        self.pending_rows = np.full((num_tables, players), NO_ROW, np.int32)

    def begin_rollout(self) -> None:
        """Keep the pending decisions, at the front, and drop the others."""
        is_pending = self.pending_rows != NO_ROW
        rows = np.sort(self.pending_rows[is_pending])
        for _, array in self.arrays.items():
            array[: len(rows)] = array[rows]
        self.pending_rows[is_pending] = np.searchsorted(rows, self.pending_rows[is_pending])
        self.size = len(rows)

    def clear(self) -> None:
        """Drop every decision, pending ones too."""
        self.pending_rows.fill(NO_ROW)
        self.size = 0

    def append(self, tables: NDArray[np.int64], seats: NDArray[np.int8]) -> RolloutArrays:
        """Add a row for each of these decisions, behind the last one of its seat.

        Args:
            tables: `(n,) int64`, table of each row.
            seats: `(n,) int8`, seat of each row.

        Returns:
            The new rows, to be filled by the caller.
        """
        arrays, first = self.arrays, self.size
        _link(tables, seats, first, self.pending_rows, arrays.next_row, arrays.rewards)
        self.size += len(tables)
        return arrays[first : self.size]

    def end_deals(self, ended: NDArray[np.bool_], points: NDArray[np.float32]) -> None:
        """Pay the last decision of every seat at the tables whose deal has ended.

        Args:
            ended: `(num_tables,) bool`.
            points: `(num_tables, players) float32`, points of each seat where `ended`.
        """
        _end_deals(ended, points, self.pending_rows, self.arrays.next_row, self.arrays.rewards)

    @property
    def finished_rows(self) -> NDArray[np.int64]:
        """Rows that can be learnt from: those that are not pending any more."""
        return np.flatnonzero(self.arrays.next_row[: self.size] != PENDING)

    def get_state(self) -> Arrays:
        """The pending decisions, as arrays by name."""
        self.begin_rollout()
        arrays = {name: array[: self.size].copy() for name, array in self.arrays.items()}
        return {**arrays, "pending_rows": self.pending_rows.copy()}

    def set_state(self, state: Arrays) -> None:
        """Take back what `get_state` gave.

        Raises:
            ValueError: If it is not such a state; says what is wrong. Nothing has changed then.
        """
        self._check(state)
        self.pending_rows[:] = state["pending_rows"]
        self.size = len(state["actions"])
        for name, array in self.arrays.items():
            array[: self.size] = state[name]

    def _check(self, state: Arrays) -> None:
        """Refuse what kernels could not read: they follow rows and actions without looking."""
        pending, num = state["pending_rows"], len(state["actions"])
        _require_like(pending, self.pending_rows, "pending_rows")
        if not np.array_equal(np.sort(pending[pending != NO_ROW]), np.arange(num)):
            raise ValueError(f"buffer: pending_rows are not the rows 0 to {num - 1}, each once")
        for name, array in self.arrays.items():
            _require_like(state[name], array[:num], name)
        masks, actions = state["masks"], state["actions"]
        if ((masks != 0) & (masks != 1)).any():
            raise ValueError("buffer: masks hold other numbers than 0 and 1")
        if ((actions < 0) | (actions >= NUM_ACTIONS)).any() or not masks[np.arange(num), actions].all():
            raise ValueError("buffer: actions hold one that was not legal")
        if (state["next_row"] != PENDING).any():
            raise ValueError("buffer: next_row has an end for a decision that is pending")
        for name in ("log_probs", "values", "rewards"):
            if not np.isfinite(state[name]).all():
                raise ValueError(f"buffer: {name} hold a number that is not finite")


def _require_like(array: NDArray[Any], like: NDArray[Any], name: str) -> None:
    if array.shape != like.shape or array.dtype != like.dtype:
        raise ValueError(
            f"buffer: {name} are {array.dtype}{array.shape}, where this run has {like.dtype}{like.shape}"
        )


@kernel
def _link(
    tables: NDArray[np.int64],
    seats: NDArray[np.int8],
    first_row: int,
    pending_rows: NDArray[np.int32],
    next_row: NDArray[np.int32],
    rewards: NDArray[np.float32],
) -> None:
    for place in range(len(tables)):
        row = first_row + place
        before = pending_rows[tables[place], seats[place]]
        if before != NO_ROW:
            next_row[before] = row
        pending_rows[tables[place], seats[place]] = row
        next_row[row] = PENDING
        rewards[row] = 0.0


@kernel
def _end_deals(
    ended: NDArray[np.bool_],
    points: NDArray[np.float32],
    pending_rows: NDArray[np.int32],
    next_row: NDArray[np.int32],
    rewards: NDArray[np.float32],
) -> None:
    for table in range(len(ended)):
        if ended[table]:
            for seat in range(pending_rows.shape[1]):
                row = pending_rows[table, seat]
                if row != NO_ROW:
                    rewards[row] = points[table, seat]
                    next_row[row] = DEAL_ENDED
                    pending_rows[table, seat] = NO_ROW
