"""An agent that counts cards over a deal, and complains when it is told of deals wrongly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import DecisionBatch

LAYS = np.zeros(NUM_ACTIONS, np.int64)
LAYS[8:82] = 1_000  # actions that lay cards come first, so that deals end


class ContractError(AssertionError):
    """What the contract of `AgentWithMemory` rules out."""


@dataclass
class Seen:
    """What a seat saw when it was last asked."""

    turn: int
    stock: int
    own_discards: int
    discarded: NDArray[np.int8]  # by kind, of all seats

    @classmethod
    def of(cls, view: np.void) -> Seen:
        discarded = view["discarded"]
        return cls(
            int(view["turn"]), int(view["stock_size"]), int(discarded[0].sum()), discarded.sum(axis=0).copy()
        )

    def can_precede(self, later: Seen) -> bool:
        """Whether both can be of one deal: turns go on, the stock shrinks, discards are not taken back."""
        return (
            self.turn <= later.turn
            and self.stock >= later.stock
            and bool((self.discarded <= later.discarded).all())
        )


class CardCounter:
    """Lays what it can; raises ContractError when what it counted cannot be of the deal it is asked about."""

    name = "counter"

    checks_first = False  # that deals begin at 0 : 0 where a match begins, and nowhere else

    def __init__(self) -> None:
        self.told: list[int] = []  # how often, over all resets: the number of tables each time
        self.resets = 0
        self.tables_told: set[int] = set()
        self.tables_asked: set[int] = set()
        self.seen: dict[tuple[int, int], Seen] = {}
        self.last: dict[tuple[int, int], Seen] = {}

    def reset(self, num_tables: int, seed: int) -> None:
        self.resets += 1
        self.num_tables = num_tables
        self.seen, self.last = {}, {}  # of this deal, and of the one before it
        self.is_first: dict[int, bool] = {}  # of the tables that were told of
        self.is_asked: set[int] = set()  # tables with a decision in this deal

    def begin_deals(self, tables: NDArray[np.int64], are_first: NDArray[np.bool_]) -> None:
        assert tables.dtype == np.int64
        assert are_first.dtype == np.bool_
        assert tables.shape == are_first.shape
        assert len(set(tables.tolist())) == len(tables) > 0
        for table, is_first in zip(tables.tolist(), are_first.tolist(), strict=True):
            if not 0 <= table < self.num_tables:
                raise ContractError(f"told of table {table} of {self.num_tables}")
            if table in self.is_first and table not in self.is_asked:
                raise ContractError(f"told twice of a deal at table {table}")
            self.is_first[table] = is_first
            self.is_asked.discard(table)
            for key in [key for key in self.seen if key[0] == table]:
                self.last[key] = self.seen.pop(key)
        self.told.append(len(tables))
        self.tables_told |= set(tables.tolist())

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        for table, seat, view in zip(batch.tables.tolist(), batch.seats.tolist(), batch.views, strict=True):
            self.count(table, seat, view)
        return np.argmax((np.arange(NUM_ACTIONS, 0, -1) + LAYS) * batch.masks, axis=1)

    def count(self, table: int, seat: int, view: np.void) -> None:
        if table not in self.is_first:
            raise ContractError(f"not told of the first deal at table {table}")
        now, before, last = Seen.of(view), self.seen.get((table, seat)), self.last.pop((table, seat), None)
        if before is not None and not before.can_precede(now):
            raise ContractError(f"not told of a new deal at table {table}")
        if before is None and now.own_discards:
            raise ContractError(f"told in the middle of a deal at table {table}")
        if before is None and last is not None and last.can_precede(now):
            raise ContractError(f"told of a new deal at table {table} where the old one goes on")
        is_level = not view["scores"].any()
        if self.checks_first and before is None and is_level != self.is_first[table]:
            raise ContractError(
                f"table {table}: first of a match {self.is_first[table]}, at 0 : 0 {is_level}"
            )
        self.seen[table, seat] = now
        self.is_asked.add(table)
        self.tables_asked.add(table)


class MatchCardCounter(CardCounter):
    """Knows that its matches begin at 0 : 0."""

    checks_first = True
