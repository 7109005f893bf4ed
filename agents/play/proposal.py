"""The cheapest selection that opens: a walk through what the engine allows, the least spent first."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from typing import Any

from canasta_agents.play.messages import PlayError
from canasta_agents.play.selection import Selection, kinds_of, own_melds, taken_card, uses_of
from canasta_env import Table

_COSTS = {"2": 3, "joker": 4}  # in natural cards: who opens would rather keep wild cards
_MAX_POSITIONS = 4_000


def cheapest_opening(table: Table, with_pile: bool) -> tuple[Selection, tuple[str, ...]]:
    """The selection that completes the opening for the fewest cards, a wild card counted as several.

    Args:
        table: The side to move has not opened.
        with_pile: Whether the pile is to be taken with it, where it is not taken already.

    Returns:
        The selection, and the legal actions that lay it.

    Raises:
        PlayError: If there is none, or none is needed.
    """
    seat = table.to_play
    assert seat is not None
    if table.view(seat)[0]["opened"][0]:
        raise PlayError("your side has opened: any meld may be laid")
    if table.phase == "draw" and not with_pile:
        raise PlayError("draw first, or select the pile to open with it")
    if table.phase == "draw" and "take" not in table.legal():
        raise PlayError("the pile cannot be taken now")
    start = table.copy()
    actions: tuple[str, ...] = ()
    if table.phase == "draw":
        actions = ("take",)
        start.play("take")
    if _is_open(start):
        raise PlayError("the opening is complete already")
    laid = _cheapest_way(start)
    if laid is None:
        raise PlayError("no opening is possible with these cards")
    actions += laid
    if taken_card(start) is not None:
        actions += ("pick up",)
    return Selection(
        kinds_of(sum((uses_of(action) for action in laid), Counter())), taken_card(start) is not None
    ), actions


def _is_open(table: Table) -> bool:
    """Whether the opening under way is complete: what follows it is legal."""
    if table.is_over:
        return True
    if taken_card(table) is not None:
        return "pick up" in table.legal()
    return bool(own_melds(table)) and any(action.startswith("discard") for action in table.legal())


def _cheapest_way(start: Table) -> tuple[str, ...] | None:
    number = itertools.count()  # so that tables are never compared
    waiting: list[tuple[int, int, tuple[str, ...], Table]] = [(0, next(number), (), start)]
    seen: set[Any] = set()
    while waiting and len(seen) < _MAX_POSITIONS:
        cost, _, actions, table = heapq.heappop(waiting)
        if _is_open(table):
            return actions
        key = frozenset(own_melds(table).items())
        if key in seen:
            continue
        seen.add(key)
        for action in table.legal():
            if not action.startswith(("meld ", "add ")):
                continue
            after = table.copy()
            after.play(action)
            heapq.heappush(waiting, (cost + _cost(action), next(number), (*actions, action), after))
    return None


def _cost(action: str) -> int:
    return sum(_COSTS.get(kind, 1) * count for kind, count in kinds_of(uses_of(action)).items())
