"""What each seat has seen of a deal, as lines of text, and its view as a text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.engine.view import VIEW
from canasta_env.events import action_event, deal_event, play_move
from canasta_env.table import Table

_NOBODY_S = -1  # a seat that has no cards: it is told what everybody sees


class Seen:
    """For each seat, and for somebody without cards, the deal and the actions as they saw them.

    A line is an event as programs are told it (docs/protocol.md), JSON without spaces.

    Args:
        players: Number of seats.
    """

    def __init__(self, players: int) -> None:
        self._players = players
        self._lines: list[list[str]] = [[] for _ in range(players + 1)]  # by seat; the last: what all see

    def begin(self, table: Table) -> None:
        """Note the deal at a table that was just dealt."""
        for seat, lines in enumerate(self._lines[:-1]):
            lines.append(_line(deal_event(table, seat, is_first=True)))
        in_the_open = deal_event(table, None, is_first=True)
        del in_the_open["hands"]
        self._lines[-1].append(_line(in_the_open))

    def play(self, table: Table, action: str) -> None:
        """Play an action at a table and note it; raises what `Table.play` raises."""
        move = play_move(table, action)
        for_all = _line(action_event(move, _NOBODY_S))
        for lines in self._lines:
            lines.append(for_all)
        if move.drawn:
            self._lines[move.seat][-1] = _line(action_event(move, move.seat))

    def text(self, seat: int) -> str:
        """What a seat has seen, a line for each event."""
        return "\n".join(self._lines[seat])

    def known_to(self, seat: int) -> Seen:
        """What one seat knows of all this: its own lines, and for the others what everybody sees."""
        other = Seen(self._players)
        other._lines = [self._lines[-1].copy() for _ in self._lines]
        other._lines[seat] = self._lines[seat].copy()
        return other

    def copy(self) -> Seen:
        """An independent copy."""
        twin = Seen(self._players)
        twin._lines = [lines.copy() for lines in self._lines]
        return twin

    def saved(self) -> list[list[str]]:
        """All lines, for `of_saved`."""
        return [lines.copy() for lines in self._lines]

    @classmethod
    def of_saved(cls, players: int, lines: Any) -> Seen:
        """Read what `saved` returned.

        Raises:
            ValueError: If it is something else.
        """
        is_lists = isinstance(lines, list) and all(isinstance(each, list) for each in lines)
        if not is_lists or len(lines) != players + 1:
            raise ValueError(
                f"text: seen must be {players + 1} lists of lines, one for each seat and one for all"
            )
        if not all(isinstance(line, str) for each in lines for line in each):
            raise ValueError("text: seen: every line must be a text")
        seen = cls(players)
        seen._lines = [list(each) for each in lines]
        return seen


def view_text(view: NDArray[np.void]) -> str:
    """A view as a text, every field by name: equal for two views of a game if the views are.

    Args:
        view: `(1,) VIEW`.
    """
    fields = {name: view[name][0] for name in VIEW.names or ()}
    fields["pile"] = fields["pile"][: fields["pile_size"]]
    return " ".join(f"{name}={_numbers(values)}" for name, values in fields.items())


def _numbers(values: Any) -> str:
    """A field's numbers; what it counts by kind or place is a row for each seat or side."""
    rows = np.atleast_2d(values)
    return "/".join(",".join(map(str, row)) for row in rows.astype(np.int64).tolist())


def _line(event: dict[str, Any]) -> str:
    return json.dumps(event, separators=(",", ":"))
