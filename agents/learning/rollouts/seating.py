"""Who sits where at one actor's tables: the learner alone, or the learner's side against others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.config import Opponents

LEARNER = 0  # in `owners`; opponent k of the actor is k + 1
PAST = "past"  # the name of a past self among the opponents


class Seating:
    """The owner of every seat, fixed for a run.

    Tables stand in groups: those of the learner alone first, then those against a past self, then those
    against each reference player. At a table with opponents the learner has one side, in turn over them.

    Args:
        shares: Shares of the groups.
        num_tables: Tables of the actor.
        players: Seats at a table.
        num_sides: Sides of the game; seat s plays for side s % num_sides.
    """

    def __init__(self, shares: Opponents, num_tables: int, players: int, num_sides: int) -> None:
        parts = [shares.past, *[shares.reference / len(shares.players) for _ in shares.players]]
        names = [PAST, *shares.players]
        kept = [(name, part) for name, part in zip(names, parts, strict=True) if part > 0]
        self.opponents = [name for name, _ in kept]
        sizes = _split(num_tables, [shares.itself, *(part for _, part in kept)])
        self.groups = np.repeat(np.arange(len(sizes)), sizes)  # (num_tables,): 0 itself, k + 1 opponent k
        self._every_table = np.arange(num_tables)
        learner_sides = self._every_table % num_sides
        seat_sides = np.arange(players) % num_sides
        is_learner = (self.groups[:, None] == 0) | (learner_sides[:, None] == seat_sides)
        self.owners = np.where(is_learner, LEARNER, self.groups[:, None]).astype(
            np.int8
        )  # (num_tables, players)
        self.learner_seats = learner_sides  # (num_tables,): a seat of the learner's side

    def tables_of(
        self, owner: int, seats: NDArray[np.int8], is_choice: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Tables where `owner` has something to decide.

        Args:
            owner: `LEARNER`, or 1 + the place of an opponent.
            seats: `(num_tables,) int8`, seat to move.
            is_choice: `(num_tables,) bool`, whether that seat has more than one legal action.

        Returns:
            `(n,) int64`, rising.
        """
        return np.flatnonzero(is_choice & (self.owners[self._every_table, seats] == owner))


def _split(num: int, shares: list[float]) -> list[int]:
    """Split `num` tables by shares, rounding where the running sum falls."""
    bounds = np.round(np.cumsum(shares) / np.sum(shares) * num).astype(int)
    return [int(size) for size in np.diff(bounds, prepend=0)]
