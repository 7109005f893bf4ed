"""The decisions of a record, each as its seat saw it, and where they stand in the record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import ID_OF, NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.engine.view import VIEW
from canasta_env.records import Record, replay
from canasta_env.rules import Rules
from canasta_env.table import Table


@dataclass(frozen=True)
class Place:
    """Where a decision stands in a record."""

    deal: int  # from 1
    number: int  # of its action in the deal, from 1
    step: int  # of the record, as a replay counts them: each deal as dealt, and after each of its actions


@dataclass
class Decisions:
    """Decisions and what was played."""

    batch: DecisionBatch
    played: NDArray[np.int64]  # (n,)
    places: list[Place]


@dataclass
class Draws:
    """Cards drawn from the stock: what the seat saw before and after each.

    `points` are what the deal paid the seat, own side's less the mean of the others', where a draw ended it.
    """

    before: DecisionBatch
    after: DecisionBatch  # of no meaning where `is_over`
    is_over: NDArray[np.bool_]  # (n,) whether the draw ended the deal
    points: NDArray[np.float64]  # (n,)


@dataclass
class _Rows:
    """A batch of decisions that is being gathered."""

    rules: Rules
    seats: list[int] = field(default_factory=list)
    views: list[NDArray[np.void]] = field(default_factory=list)
    masks: list[NDArray[np.int8]] = field(default_factory=list)

    def add(self, table: Table, seat: int) -> None:
        self.seats.append(seat)
        self.views.append(table.view(seat))
        self.masks.append(table.action_mask())

    def batch(self) -> DecisionBatch:
        num = len(self.seats)
        return DecisionBatch(
            rules=self.rules,
            tables=np.arange(num),
            seats=np.array(self.seats, np.int8),
            views=np.concatenate(self.views) if num else np.zeros(0, VIEW),
            masks=np.stack(self.masks) if num else np.zeros((0, NUM_ACTIONS), np.int8),
        )


def steps(record: Record) -> Iterator[tuple[Place, Table, str | None]]:
    """Every position of a record and what was played there, None at the end; the table goes on.

    Raises:
        RecordError: If an action is not legal.
    """
    deal, played = 0, 0
    for step, (number, table) in enumerate(replay(record)):
        deal, played = number, played + 1 if number == deal else 0
        actions = record.deals[deal - 1].actions
        yield Place(deal, played + 1, step), table, actions[played] if played < len(actions) else None


def read_positions(record: Record) -> tuple[Decisions, Draws]:
    """The decisions at which more than one action was legal, and all cards drawn from the stock.

    Raises:
        RecordError: If an action is not legal.
    """
    asked, before, after = (_Rows(record.rules) for _ in range(3))
    played: list[int] = []
    places: list[Place] = []
    over: list[float | None] = []
    drawing = None  # the seat that has just drawn
    for place, table, action in steps(record):
        if drawing is not None:
            after.add(table, drawing)
            over.append(points_of(table, drawing) if table.is_over else None)
        drawing, seat = None, table.to_play
        if action is None or seat is None:
            continue
        if table.action_mask().sum() > 1:
            asked.add(table, seat)
            played.append(ID_OF[action])
            places.append(place)
        if action == "draw":
            before.add(table, seat)
            drawing = seat
    decisions = Decisions(asked.batch(), np.array(played, np.int64), places)
    points = np.array([0.0 if each is None else each for each in over])
    return decisions, Draws(
        before.batch(), after.batch(), np.array([each is not None for each in over], np.bool_), points
    )


def points_of(table: Table, seat: int) -> float:
    """What a deal that is over paid a seat: its side's points less the mean of the others'."""
    totals = [score.total for score in table.score()]
    own = totals.pop(table.rules.side_of(seat))
    return own - sum(totals) / len(totals)


def tables_at(record: Record, wanted: Iterable[int]) -> dict[int, Table]:
    """Copies of the tables at some steps of a record, by step."""
    steps_wanted = set(wanted)
    return {place.step: table.copy() for place, table, _ in steps(record) if place.step in steps_wanted}
