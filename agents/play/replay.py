"""A record that is stepped through: messages in, messages out, as at a table that is played at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canasta_env import Table
from canasta_env.records import Record, replay

from ..base import Agent
from .advice import advise
from .errors import choice_of, text_of, whole_number_of
from .seeing import open_hands, what_seat_sees
from .session import Make, adviser, seat_to_look_from


class Replay:
    """A record, open, at one of its positions.

    Args:
        record: A record that `records.verify` has found to agree with the rules.
        name: What it is called.
        make: Makes an agent of a spec, for advice.
    """

    def __init__(self, record: Record, name: str, make: Make) -> None:
        self._record, self._name, self._make = record, name, make
        self._steps: list[tuple[int, int, Table]] = []  # deal from 1, actions played in it, the table then
        for deal, table in replay(record):
            is_first = not self._steps or self._steps[-1][0] != deal
            self._steps.append((deal, 0 if is_first else self._steps[-1][1] + 1, table.copy()))
        self._at = 0
        self._seen_from: int | None = None
        self._advisers: dict[str, Agent] = {}

    def handle(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Follow a message: `go`, `look` or `advise`; as `Session.handle`."""
        kind = choice_of(message, "type", ["go", "look", "advise"])
        if kind == "advise":
            agent = adviser(self._advisers, text_of(message, "agent"), self._make)
            return [{"type": "advice", **advise(agent, self._steps[self._at][2])}]
        if kind == "go":
            self._at = whole_number_of(message, "step", 0, len(self._steps) - 1)
        else:
            self._seen_from = seat_to_look_from(message, self._record.rules)
        return [self.state()]

    @property
    def waits_s(self) -> float | None:
        """Never: the browser turns the pages."""
        return None

    def advance(self) -> dict[str, Any]:
        """Nothing goes on by itself."""
        return self.state()

    def state(self) -> dict[str, Any]:
        """Everything a browser shows, in the form of `Session.state`, and the steps of the record."""
        rules = self._record.rules
        deal, played, table = self._steps[self._at]
        told = what_seat_sees(rules, table.view(self._seen_from or 0))
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
            "moves": self._moves(deal, played),
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

    def _moves(self, deal: int, played: int) -> list[dict[str, Any]]:
        start = self._at - played
        actions = self._record.deals[deal - 1].actions
        return [
            {"seat": self._steps[start + place][2].to_play, "action": actions[place]}
            for place in range(played)
        ]

    @staticmethod
    def _totals(table: Table) -> list[int]:
        if not table.is_over:
            return list(table.scores)
        return [before + score.total for before, score in zip(table.scores, table.score(), strict=True)]
