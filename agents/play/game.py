"""A deal or a match at a table: what was dealt, what was played, and what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from canasta_env import Rules, Table
from canasta_env.engine import batch
from canasta_env.engine.state import NOBODY, allocate, rules_record
from canasta_env.events import Move, play_move
from canasta_env.records import DealRecord, Record

Episode = Literal["deal", "match"]


def _shows_nothing(action: str) -> bool:
    """Whether an action shows nobody a card that was hidden, and leaves the turn to whoever plays it.

    A pile that is taken lay open. To ask the partner shows nothing until it answers.
    """
    return action in ("pick up", "ask") or action.startswith(("take", "meld ", "add "))


@dataclass(frozen=True)
class DealSoFar:
    """How a deal was dealt and what was played in it, kept apart from a table that is played on."""

    dealt: Table
    moves: tuple[Move, ...]
    is_first: bool  # of its match

    def tables_of(self, seat: int) -> Iterator[Table]:
        """The tables at which a seat was to move."""
        table = self.dealt.copy()
        for move in self.moves:
            if move.seat == seat:
                yield table.copy()
            table.play(move.action)


class GameProgress:
    """A deal or a match under way.

    Args:
        rules: The game.
        seed: Fixes the cards of every deal.
        episode: "deal": one deal. "match": deals until a side has won.

    Attributes:
        table: The deal under way, or the last one.
        moves: What was played in this deal.
        finished: The deals before this one.
    """

    _steps: list[
        tuple[int, Table]
    ]  # that may be taken back: how many moves there were before, at which table

    def __init__(self, rules: Rules, seed: int, episode: Episode) -> None:
        self.rules, self.episode = rules, episode
        self._rules = rules_record(rules)
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Deal the first deal; whatever was played before is forgotten."""
        self.seed = seed
        state = allocate(1)
        batch.start_match(self._rules, state, 0, np.uint64(seed))
        self._start = state
        self.finished: list[DealRecord] = []
        self.undo()

    def undo(self) -> None:
        """Go back to the beginning of this deal."""
        self.table = self.dealt()
        self.moves: list[Move] = []
        self._steps = []

    def dealt(self) -> Table:
        """A table as this deal was dealt."""
        return Table.of_state(self.rules, self._start.copy())

    def so_far(self) -> DealSoFar:
        """This deal until now."""
        return DealSoFar(self.dealt(), tuple(self.moves), is_first=not self.finished)

    def play(self, notation: str) -> None:
        """Play an action for the seat to move; raises what `Table.play` raises."""
        self.play_together([notation])

    def play_together(self, actions: Sequence[str]) -> None:
        """Play actions that are taken back together, all or none; raises what `Table.play` raises."""
        table, moves = self.table.copy(), []
        for action in actions:
            moves.append(play_move(table, action))
        self._steps.append((len(self.moves), self.table))
        self.table = table
        self.moves += moves
        if table.is_over or not all(_shows_nothing(action) for action in actions):
            self._steps.clear()

    @property
    def taken_back_next(self) -> list[str]:
        """The actions that `take_back` would take back."""
        return [move.action for move in self.moves[self._steps[-1][0] :]] if self._steps else []

    def take_back(self) -> None:
        """Take back the last step of this turn; `taken_back_next` must not be empty."""
        num_moves, self.table = self._steps.pop()
        del self.moves[num_moves:]

    @property
    def winner(self) -> int | None:
        """The side that has won, None if there is none, or not yet."""
        if not self.table.is_over:
            return None
        totals = self.totals
        if self.episode == "match":
            side = int(batch.winner_one(self._rules, np.array(totals, np.int64)))
            return None if side == NOBODY else side
        points = [score.total for score in self.table.score()]
        return points.index(max(points)) if points.count(max(points)) == 1 else None

    @property
    def totals(self) -> list[int]:
        """Match score of each side, this deal included once it is over."""
        if not self.table.is_over:
            return list(self.table.scores)
        return [
            before + score.total for before, score in zip(self.table.scores, self.table.score(), strict=True)
        ]

    @property
    def course(self) -> list[list[int]]:
        """Match score of each side as every deal began, and after this one once it is over."""
        began = [list(deal.scores) for deal in self.finished] + [list(self.table.scores)]
        return [*began, self.totals] if self.table.is_over else began

    @property
    def is_over(self) -> bool:
        """Whether no deal follows."""
        return self.table.is_over and (self.episode == "deal" or self.winner is not None)

    def next_deal(self) -> None:
        """Deal the next deal of a match; this one must be over, and not the last."""
        assert self.table.is_over and not self.is_over
        self.finished.append(self._deal_record())
        state = self._start.copy()
        table = Table.of_state(self.rules, state)
        for move in self.moves:
            table.play(move.action)
        batch.next_deal(self._rules, state, 0)
        self._start = state
        self.undo()

    def record(self, *, with_this_deal: bool = True) -> Record:
        """All deals so far, this one as far as it was played, or only those before it.

        It names the seed only if no deal follows: it gives away the cards of all deals.
        """
        under_way = (self._deal_record(),) if with_this_deal else ()
        seed = self.seed if with_this_deal and self.is_over else None
        return Record(self.rules, seed, (*self.finished, *under_way))

    def _deal_record(self) -> DealRecord:
        table = self.table
        points = tuple(score.total for score in table.score()) if table.is_over else None
        actions = tuple(move.action for move in self.moves)
        return DealRecord(table.dealer, table.scores, tuple(table.order), actions, points)
