"""What happens at the tables of a block, for the players that want to hear of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import NOTATIONS
from canasta_env.agent import Heard
from canasta_env.events import action_event, deal_event, end_event, play_move
from canasta_env.rules import Rules
from canasta_env.table import Table


class Telling:
    """Follows the tables at which somebody hears, and keeps for each hearer what it has not been told yet.

    Args:
        rules: The game.
        hearer_of_seat: `(tables, players)` who sits where: a number of one's choice, −1 who does not hear.
    """

    def __init__(self, rules: Rules, hearer_of_seat: NDArray[np.int64]) -> None:
        self._rules, self._hearer_of_seat = rules, hearer_of_seat
        self._tables: dict[int, Table] = {}
        self._news: dict[int, list[Heard]] = {}

    def begin(self, states: NDArray[np.void], which: NDArray[np.int64], first: bool) -> None:
        """Deals have begun at some tables.

        Args:
            states: `(tables,) STATE`.
            which: The tables that were dealt.
            first: Whether matches begin with these deals.
        """
        for table in which[(self._hearer_of_seat[which] >= 0).any(axis=1)].tolist():
            dealt = Table.of_state(self._rules, states[table : table + 1].copy())
            self._tables[table] = dealt
            self._tell(table, partial(deal_event, dealt, is_first=first))

    def play(self, which: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Actions were played at tables, `(n,)` each."""
        for table, action in zip(which.tolist(), actions.tolist(), strict=True):
            if (at := self._tables.get(table)) is not None:
                move = play_move(at, NOTATIONS[action])
                self._tell(table, partial(action_event, move))

    def end(self, which: NDArray[np.int64], are_last: NDArray[np.bool_]) -> None:
        """Deals have ended at tables; `are_last`: the games there have, too."""
        for table, is_last in zip(which.tolist(), are_last.tolist(), strict=True):
            if (at := self._tables.pop(table, None)) is not None:
                self._tell(table, partial(_seen_by_all, end_event(at, is_last)))

    def take_news(self, hearer: int) -> list[Heard]:
        """What a hearer is to be told now."""
        return self._news.pop(hearer, [])

    def _tell(self, table: int, event_seen_by: Callable[[int], dict[str, Any]]) -> None:
        for seat, hearer in enumerate(self._hearer_of_seat[table].tolist()):
            if hearer >= 0:
                self._news.setdefault(hearer, []).append((table, seat, event_seen_by(seat)))


def _seen_by_all(event: dict[str, Any], _seat: int) -> dict[str, Any]:
    return event
