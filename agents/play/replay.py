"""A record that is stepped through: messages in, messages out, with the methods of a `Session`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canasta_agents.play.game import Move, play_move
from canasta_agents.play.messages import (
    PlayError,
    choice_of,
    open_hands,
    points_on_table,
    text_of,
    view_message,
    whole_number_of,
)
from canasta_agents.play.session import Question, seat_to_look_from
from canasta_env import Table
from canasta_env.records import Record


class Replay:
    """A record, open, at one of its positions.

    Args:
        record: A record that `records.verify` has found to agree with the rules.
        name: What it is called.
    """

    def __init__(self, record: Record, name: str) -> None:
        self._record, self._name = record, name
        self.rules = record.rules
        self._steps: list[tuple[int, int, Table]] = []  # deal from 1, actions played in it, the table then
        self._moves: list[list[Move]] = []  # of each deal
        for number, deal in enumerate(record.deals, start=1):
            table = Table(record.rules, order=deal.order, dealer=deal.dealer, scores=deal.scores)
            self._steps.append((number, 0, table.copy()))
            self._moves.append([])
            for played, action in enumerate(deal.actions, start=1):
                self._moves[-1].append(play_move(table, action))
                self._steps.append((number, played, table.copy()))
        self._at = 0
        self._seen_from: int | None = None

    @classmethod
    def restored(cls, kept: Mapping[str, Any], record: Record) -> Replay:
        """The record at the step at which `kept` was kept; raises as `Session.restored`."""
        replay = cls(record, text_of(kept, "name"))
        replay._go(kept)
        replay._seen_from = seat_to_look_from({"seat": kept["seen_from"]}, replay.rules)
        return replay

    def kept(self) -> dict[str, Any]:
        """Where the record is open; the record itself is kept beside it."""
        return {"name": self._name, "step": self._at, "seen_from": self._seen_from}

    def handle(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Follow a message: `go` or `look`; as `Session.handle`."""
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
        deal, played, _ = self._steps[self._at]
        return {"deal": deal, "at": played}

    def table_for_advice(self) -> Table:
        """The table at this step."""
        return self._steps[self._at][2].copy()

    def state(self) -> dict[str, Any]:
        """Everything a browser shows, in the form of `Session.state`, and the steps of the record."""
        rules = self.rules
        deal, played, table = self._steps[self._at]
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
            "deal": deal,
            "names": [None] * rules.players,
            "own_seat": None,
            "seen_from": self._seen_from,
            "legal": [],
            "moves": [move.seen_by(self._seen_from) for move in self._moves[deal - 1][:played]],
            "on_table": points_on_table(table),
            "score": [vars(score) for score in table.score()] if table.is_over else None,
            "totals": self._totals(table),
            "winner": None,
            "is_over": self._at == len(self._steps) - 1,
            "name": self._name,
            "step": self._at,
            "num_steps": len(self._steps),
            "deal_starts": [place for place, step in enumerate(self._steps) if step[1] == 0],
            "fault": None,
        }

    def record(self) -> Record:
        """The record itself."""
        return self._record

    def _go(self, message: Mapping[str, Any]) -> None:
        self._at = whole_number_of(message, "step", 0, len(self._steps) - 1)

    @staticmethod
    def _totals(table: Table) -> list[int]:
        if not table.is_over:
            return list(table.scores)
        return [before + score.total for before, score in zip(table.scores, table.score(), strict=True)]
