"""A record that is stepped through: messages in, messages out, with the methods of a `Session`."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Mapping
from typing import Any

from canasta_agents.play.game import DealSoFar
from canasta_agents.play.messages import (
    PlayError,
    choice_of,
    open_hands,
    points_on_table,
    text_of,
    whole_number_of,
)
from canasta_agents.play.seat_view import seat_to_look_from
from canasta_agents.play.seated_agents import Question
from canasta_agents.play.session import seated
from canasta_env import Table
from canasta_env.events import Move, play_move, view_message
from canasta_env.records import Record

_KEEP_EVERY = 32  # actions between two tables that are kept of the deal shown


class Replay:
    """A record, open, at one of its positions.

    Args:
        record: A record that `records.verify` has found to agree with the rules.
        name: What it is called.
    """

    def __init__(self, record: Record, name: str) -> None:
        self._record, self._name = record, name
        self.rules = record.rules
        lengths = (len(deal.actions) + 1 for deal in record.deals)
        self._starts = list(itertools.accumulate(lengths, initial=0))  # first step of each deal, and the end
        self._seen_from: int | None = None
        self._begin_deal(0)
        self._go_to(0)

    @classmethod
    def restored(cls, kept: Mapping[str, Any], record: Record) -> Replay:
        """The record at the step at which `kept` was kept; raises as `Session.restored`."""
        replay = cls(record, text_of(kept, "name"))
        replay._go_to(whole_number_of(kept, "step", 0, replay._num_steps - 1))
        replay._seen_from = seat_to_look_from({"seat": kept["seen_from"]}, replay.rules)
        return replay

    def kept(self) -> dict[str, Any]:
        """Where the record is open; the record itself is kept beside it."""
        return {"name": self._name, "step": self._step, "seen_from": self._seen_from}

    def handle(self, message: Mapping[str, Any], seat: int | None = None) -> list[dict[str, Any]]:
        """Follow a message: `go` or `look`; as `Session.handle`. Nobody has a seat."""
        if choice_of(message, "type", ["go", "look"]) == "go":
            self._go(message)
        else:
            self._seen_from = seat_to_look_from(message, self.rules)
        return [self.state()]

    @property
    def waits_s(self) -> float | None:
        """Never: the browser turns the pages."""
        return None

    def is_asking(self, question: Question) -> bool:
        """Nobody plays, so nobody is asked."""
        return False

    def ask(self) -> Question | None:
        """Nobody plays, so nobody is asked."""
        return None

    def apply_answer(self, question: Question, answer: str | PlayError) -> bool:
        """Nobody is asked, so nothing is heard."""
        return False

    @property
    def place(self) -> dict[str, int]:
        """As `Session.place`."""
        return {"deal": self._deal + 1, "at": self._played}

    def table_for_advice(self, seat: int | None = None) -> Table:
        """The table at this step."""
        return self._table.copy()

    def so_far(self) -> DealSoFar:
        """As `Session.so_far`."""
        moves = tuple(self._moves[: self._played])
        return DealSoFar(self._kept[0].copy(), moves, is_first=self._deal == 0)

    def state(self, seat: int | None = None) -> dict[str, Any]:
        """Everything a browser shows, in the form of `Session.state`, and the steps of the record."""
        rules, table = self.rules, self._table
        told = view_message(rules, table.view(self._seen_from or 0))
        if self._seen_from is None:
            told["hands"] = open_hands(table)
        return {
            "type": "state",
            "kind": "replay",
            **told,
            "game": rules.game,
            "target": rules.target,
            "episode": "match" if len(self._record.deals) > 1 else "deal",
            "deal": self._deal + 1,
            "names": [None] * rules.players,
            "seated": seated(rules, self._record.agents or [None] * rules.players),
            "own_seat": None,
            "seen_from": self._seen_from,
            "legal": [],
            "moves": [move.seen_by(self._seen_from) for move in self._moves[: self._played]],
            "on_table": points_on_table(table),
            "score": [vars(score) for score in table.score()] if table.is_over else None,
            "totals": self._totals(table),
            "course": self._course(table),
            "winner": None,
            "is_over": self._step == self._num_steps - 1,
            "name": self._name,
            "step": self._step,
            "num_steps": self._num_steps,
            "deal_starts": self._starts[:-1],
            "fault": None,
        }

    def record(self) -> Record:
        """The record itself."""
        return self._record

    def _go(self, message: Mapping[str, Any]) -> None:
        self._go_to(whole_number_of(message, "step", 0, self._num_steps - 1))

    @property
    def _num_steps(self) -> int:
        return self._starts[-1]

    def _go_to(self, step: int) -> None:
        """Build the table of a step from the nearest one before it that is kept."""
        deal = bisect.bisect_right(self._starts, step) - 1
        if deal != self._deal:
            self._begin_deal(deal)
        self._step, self._played = step, step - self._starts[deal]
        nearest = self._played // _KEEP_EVERY
        self._table = self._kept[nearest].copy()
        for move in self._moves[nearest * _KEEP_EVERY : self._played]:
            self._table.play(move.action)

    def _begin_deal(self, number: int) -> None:
        """Play a deal through once for its moves, and keep a few of its tables."""
        deal = self._record.deals[number]
        table = Table(self.rules, order=deal.order, dealer=deal.dealer, scores=deal.scores)
        self._deal = number  # from 0
        self._moves: list[Move] = []
        self._kept = [table.copy()]
        for action in deal.actions:
            self._moves.append(play_move(table, action))
            if len(self._moves) % _KEEP_EVERY == 0:
                self._kept.append(table.copy())

    def _course(self, table: Table) -> list[list[int]]:
        began = [list(deal.scores) for deal in self._record.deals[: self._deal + 1]]
        return [*began, self._totals(table)] if table.is_over else began

    @staticmethod
    def _totals(table: Table) -> list[int]:
        if not table.is_over:
            return list(table.scores)
        return [before + score.total for before, score in zip(table.scores, table.score(), strict=True)]
