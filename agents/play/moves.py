"""What was played at a table, and the cards that it moved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from canasta_env import Table


@dataclass(frozen=True)
class Move:
    """An action, and what is seen of it: all of it by everybody but `drawn`, which its seat alone sees."""

    seat: int
    action: str
    drawn: tuple[str, ...] = ()  # cards that came into the hand from the stock
    threes: tuple[str, ...] = ()  # that were laid on the way (R-THREE)
    taken: tuple[str, ...] = ()  # cards that left the pile, top card last

    def seen_by(self, seat: int | None) -> dict[str, Any]:
        """The move as it is told to a seat, or in the open (None)."""
        told: dict[str, Any] = {"seat": self.seat, "action": self.action}
        if self.drawn and seat in (None, self.seat):
            told["drawn"] = list(self.drawn)
        if self.threes:
            told["threes"] = list(self.threes)
        if self.taken:
            told["taken"] = list(self.taken)
        return told


def play(table: Table, action: str) -> Move:
    """Play an action for the seat to move; raises what `Table.play` raises."""
    seat = table.to_play
    before = table.copy()
    table.play(action)
    assert seat is not None
    side = table.rules.side_of(seat)
    drawn = Counter(table.hand(seat)) - Counter(before.hand(seat)) if action == "draw" else Counter()
    threes = Counter(table.threes(side)) - Counter(before.threes(side))
    pile, rest = before.pile, len(table.pile)
    taken = [] if action.startswith("discard") else pile[rest:] if rest else pile
    return Move(seat, action, tuple(drawn.elements()), tuple(threes.elements()), tuple(taken))
