"""What a selection of cards means: the legal actions that lay all of it, found by asking the engine.

Only what the seat to move knows matters: its hand, the melds and the pile. No card is drawn here.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from canasta_agents.play.messages import (
    PlayError,
    illegal_reason,
    quoted,
    reason_in_words,
    text_of,
    truth_of,
    whole_number_of,
)
from canasta_env import Table
from canasta_env.actions import NOTATIONS
from canasta_env.cards import KINDS, VALUES
from canasta_env.engine.state import NO_CARD

WILDS = ("2", "joker")
WILD_MELD = "wilds"
MAX_MEANINGS = 6
_MAX_POSITIONS = 1_000  # that one selection may lead through before the search for its meanings is given up
_MAX_HELD = 108
_TAKES = ("take", "take with 2", "take with joker")
LAYING = (*_TAKES, "pick up", *(name for name in NOTATIONS if name.startswith(("meld ", "add "))))
Uses = Counter[tuple[str, str]]  # cards that leave the hand, by (meld, kind)


@dataclass(frozen=True)
class Selection:
    """Cards of the hand, perhaps the pile, and perhaps the meld that the wild cards are to join."""

    cards: Counter[str]
    with_pile: bool = False
    meld: str | None = None

    @classmethod
    def of_message(cls, message: Mapping[str, Any], table: Table) -> Selection:
        """The selection of a message: `cards` (`{kind: count}`), `pile` and `meld`.

        Raises:
            PlayError: If it is none, or the seat to move does not hold the cards.
        """
        told = message.get("cards")
        if not isinstance(told, dict) or not set(told) <= set(KINDS):
            raise PlayError(f"cards: {quoted(told)} must be counts of kinds, such as {{'K': 3}}")
        meld = None if message.get("meld") is None else text_of(message, "meld")
        cards = Counter({kind: whole_number_of(told, kind, 1, _MAX_HELD) for kind in told})
        assert table.to_play is not None
        if missing := cards - Counter(table.hand(table.to_play)):
            raise PlayError(f"cards: {quoted(dict(missing))} are not in the hand")
        if meld is not None and meld not in own_melds(table):
            raise PlayError(f"meld: {quoted(meld)} is no meld of the side")
        return cls(cards, truth_of({"pile": False, **message}, "pile"), meld)

    @property
    def wilds(self) -> dict[str, int]:
        """How many of each wild kind are selected."""
        return {kind: self.cards[kind] for kind in WILDS if self.cards[kind]}

    @property
    def naturals(self) -> Uses:
        """Where the selected cards that are not wild go: each to the meld of its rank."""
        return Counter({(kind, kind): count for kind, count in self.cards.items() if kind not in WILDS})


@dataclass(frozen=True)
class Meaning:
    """Legal actions that lay a whole selection.

    Attributes:
        actions: What is played, in order.
        words: The same for people: "meld K K K 2, add 9 to the meld of 9".
        points: The opening comes to this after it; 0 for a side that had opened.
        is_complete: Whether an opening is complete by it: the turn may then end, or the pile is in the hand.
    """

    actions: tuple[str, ...]
    words: str
    points: int
    is_complete: bool


def own_melds(table: Table) -> dict[str, tuple[int, int, int]]:
    """The melds of the side to move, as `Table.melds`."""
    assert table.to_play is not None
    return table.melds(table.rules.side_of(table.to_play))


def uses_of(action: str) -> Uses:
    """The cards of the hand that a meld or an addition lays, and where."""
    word, *kinds = action.split()
    if word == "add":
        return Counter({(kinds[2] if len(kinds) > 1 else kinds[0], kinds[0]): 1})
    meld = WILD_MELD if kinds[0] in WILDS else kinds[0]
    return Counter((meld, kind) for kind in kinds)


_USES = {action: uses_of(action) for action in LAYING if action.startswith(("meld ", "add "))}


def laid_between(before: Table, after: Table, side: int) -> Uses:
    """The cards that a side's melds have gained."""
    gained: Uses = Counter()
    old = before.melds(side)
    for meld, counts in after.melds(side).items():
        kinds = ("" if meld == WILD_MELD else meld, *WILDS)
        for kind, now, then in zip(kinds, counts, old.get(meld, (0, 0, 0)), strict=True):
            if now > then:
                gained[meld, kind] = now - then
    return gained


def meanings(table: Table, selection: Selection) -> list[Meaning]:
    """The ways to lay a selection, at most MAX_MEANINGS; none if there is no legal one.

    Wild cards go with the ranks selected beside them, or else to melds that lie there. Taking the pile uses
    cards that were not selected only where it needs them.
    """
    search = _Search(table, selection)
    for destinations in search.tiers():
        found: dict[object, _Position] = {}
        for end in search.ends(destinations):
            found.setdefault(frozenset(own_melds_after(table, end.table).items()), end)
        if found:
            fewest = min(end.unasked for end in found.values())
            ends = [end for end in found.values() if end.unasked == fewest]
            return [meaning_of(table, end.actions) for end in ends[:MAX_MEANINGS]]
    return []


def own_melds_after(table: Table, after: Table) -> dict[str, tuple[int, int, int]]:
    """The melds that lie `after` on the side which is to move at `table`."""
    assert table.to_play is not None
    return after.melds(table.rules.side_of(table.to_play))


def meaning_of(table: Table, actions: tuple[str, ...]) -> Meaning:
    """What legal actions of one turn come to."""
    assert table.to_play is not None
    after = table.copy()
    points = 0
    for action in actions:
        after.play(action)
        # the engine counts an opening until it is complete, which picking up the rest of the pile makes it
        points = max(points, int(after.view(table.to_play)[0]["opening_points"]))
    can_discard = any(action.startswith("discard") for action in after.legal())
    is_complete = after.is_over or can_discard or "pick up" in actions
    return Meaning(actions, words_of(table, actions), points, is_complete)


def words_of(table: Table, actions: tuple[str, ...]) -> str:
    """Actions in the words of the game: what is laid to one meld is told together."""
    before = own_melds(table)
    laid: dict[str, list[str]] = {}
    for action in actions:
        if action in _USES:
            for (meld, kind), count in _USES[action].items():
                laid.setdefault(meld, []).extend([_spoken(kind)] * count)
    top = table.pile[-1] if any(action in _TAKES for action in actions) else None
    parts = [_taking(action) for action in actions if action in _TAKES]
    for meld, kinds in laid.items():
        is_new = meld not in before and meld != top
        cards = " ".join(kinds)
        parts.append(f"meld {cards}" if is_new else f"add {cards} to the {_meld_name(meld)}")
    if "pick up" in actions:
        parts.append("pick up the rest of the pile")
    return ", ".join(parts)


def _taking(action: str) -> str:
    wild = action.partition(" with ")[2]
    return f"take the pile with a {wild}" if wild else "take the pile"


def _spoken(kind: str) -> str:
    return {"black3": "black 3", "red3": "red 3"}.get(kind, kind)


def _meld_name(meld: str) -> str:
    return "wild cards" if meld == WILD_MELD else f"meld of {_spoken(meld)}"


def selection_message(table: Table, selection: Selection, found: list[Meaning]) -> dict[str, Any]:
    """What a selection means, as it is told to the seat to move.

    Returns:
        `cards`, `pile` and `meld` as in the message; the `meanings`; `points` that the opening comes to, or
        that the cards count where they cannot be laid; `needed`, None once the side has opened; `why_not`.
    """
    assert table.to_play is not None
    view = table.view(table.to_play)[0]
    points = found[0].points if found else int(view["opening_points"]) + points_of(selection.cards)
    return {
        "cards": dict(selection.cards),
        "pile": selection.with_pile,
        "meld": selection.meld,
        "meanings": [vars(meaning) | {"actions": list(meaning.actions)} for meaning in found],
        "points": points,
        "needed": None if view["opened"][0] else int(view["minimum"][0]),
        "why_not": None if found else reason_in_words(table, why_not(table, selection)),
    }


def _plans(selection: Selection, destinations: tuple[str, ...]) -> Iterator[Uses]:
    """Every way to send the selected wild cards to destinations."""
    ways = [
        [Counter((meld, wild) for meld in way) for way in _combinations(destinations, count)]
        for wild, count in selection.wilds.items()
    ]
    for parts in itertools.product(*ways):
        yield sum(parts, selection.naturals.copy())


def _combinations(destinations: tuple[str, ...], count: int) -> Iterator[tuple[str, ...]]:
    return itertools.combinations_with_replacement(destinations, count)


@dataclass(frozen=True)
class _Position:
    """A position on the way: the actions that lead to it, and the selected cards that are not laid yet."""

    table: Table
    actions: tuple[str, ...]
    rest: Counter[str]
    unasked: int  # cards laid that were not selected: taking the pile needed them

    def play(self, action: str, uses: Counter[str]) -> _Position:
        unasked = self.unasked + (uses - self.rest).total()
        return _Position(_played(self.table, action), (*self.actions, action), self.rest - uses, unasked)

    @property
    def key(self) -> object:
        melds = frozenset(own_melds(self.table).items())
        return melds, frozenset(self.rest.items()), taken_card(self.table), self.unasked


class _Search:
    """Walks through the positions that a selection can lead to."""

    def __init__(self, table: Table, selection: Selection) -> None:
        self._table, self._selection = table, selection
        self._positions_left = _MAX_POSITIONS

    def tiers(self) -> list[tuple[str, ...]]:
        """Where wild cards may go, the likeliest destinations first."""
        selection = self._selection
        if selection.meld is not None:
            return [(selection.meld,)]
        ranks = [kind for kind in selection.cards if kind not in WILDS]
        top = top_card(self._table) if selection.with_pile else None
        if top is not None and top not in ranks:
            ranks.append(top)
        many = [WILD_MELD] if sum(selection.wilds.values()) >= 3 else []
        laid = [meld for meld in own_melds(self._table) if meld not in ranks and meld != WILD_MELD]
        return [(*ranks, *many), (*ranks, *laid, WILD_MELD)] if selection.wilds else [()]

    def ends(self, destinations: tuple[str, ...]) -> Iterator[_Position]:
        """The positions in which the whole selection is laid, wild cards at one of the destinations."""
        waiting, seen = self._starts(), set()
        while waiting and self._positions_left > 0:
            position = waiting.pop()
            if position.key in seen:
                continue
            seen.add(position.key)
            self._positions_left -= 1
            following = list(self._following(position, destinations))
            picking_up = [after for after in following if after.actions[-1] == "pick up"]
            if not position.rest and position.actions and not picking_up:
                yield position
            waiting += reversed(following)

    def _starts(self) -> list[_Position]:
        start = _Position(self._table, (), self._selection.cards, 0)
        if not self._selection.with_pile or self._table.phase != "draw":
            return [start]
        takes = [action for action in _TAKES if action in self._table.legal()]
        return [start.play(action, _taking_uses(self._table, action)) for action in reversed(takes)]

    def _following(self, position: _Position, destinations: tuple[str, ...]) -> Iterator[_Position]:
        for action in position.table.legal():
            uses = _USES.get(action)
            if uses is not None and all(kind in (meld, *WILDS) for meld, kind in uses):
                kinds = kinds_of(uses)
                is_meant = all(kind not in WILDS or meld in destinations for meld, kind in uses)
                if is_meant and kinds <= position.rest:
                    yield position.play(action, kinds)
            elif action == "pick up" and self._selection.with_pile:
                yield position.play(action, _taking_uses(position.table, action))


def kinds_of(uses: Uses) -> Counter[str]:
    """Cards by kind, wherever they are laid."""
    kinds: Counter[str] = Counter()
    for (_, kind), count in uses.items():
        kinds[kind] += count
    return kinds


def _taking_uses(table: Table, action: str) -> Counter[str]:
    """The cards of the hand that a taking uses: what the meld of the top card gains, but for that card."""
    assert table.to_play is not None
    laid = laid_between(table, _played(table, action), table.rules.side_of(table.to_play))
    top = top_card(table) or ""
    if laid[top, top]:
        laid[top, top] -= 1
    return kinds_of(+laid)


def taken_card(table: Table) -> str | None:
    """The top card of a pile that was taken and waits to be picked up."""
    taken = int(table.view(0)[0]["taken"])
    return None if taken == NO_CARD else KINDS[taken]


def top_card(table: Table) -> str | None:
    """The top card of the pile that the seat to move may take, or has taken and may pick up."""
    if table.phase == "draw":
        return table.pile[-1] if table.pile else None
    return taken_card(table)


def points_of(cards: Counter[str]) -> int:
    """What cards count (R-CARD-2)."""
    return sum(VALUES[KINDS.index(kind)] * count for kind, count in cards.items())


def why_not(table: Table, selection: Selection) -> str:
    """Why a selection cannot be laid, with the clauses: of the action that comes next and is not legal."""
    if table.phase == "draw":
        return _why_not_before_drawing(table, selection)
    for destinations in _Search(table, selection).tiers():
        for plan in itertools.islice(_plans(selection, destinations), MAX_MEANINGS):
            stuck, rest = _as_far_as_possible(table, plan)
            if wanted := _wanted(stuck, rest):
                return illegal_reason(stuck, wanted)
    cards = " ".join(_spoken(kind) for kind in selection.cards.elements())
    if any(count < 3 for kind, count in selection.cards.items() if kind not in own_melds(table)):
        return f"{cards}: a new meld is three or more cards of a rank, some of them wild (R-MELD-1)"
    return f"{cards} cannot be laid together (R-MELD-1)"


def _why_not_before_drawing(table: Table, selection: Selection) -> str:
    takes = [action for action in _TAKES if action in table.legal()]
    if not selection.with_pile or not takes:
        return illegal_reason(table, "take" if selection.with_pile else "meld 4 4 4")
    after = _played(table, takes[0])
    assert table.to_play is not None
    used = Counter(table.hand(table.to_play)) - Counter(after.hand(table.to_play))
    return why_not(after, Selection(selection.cards - used, True, selection.meld))


def _played(table: Table, action: str) -> Table:
    after = table.copy()
    after.play(action)
    return after


def _wanted(table: Table, rest: Uses) -> str | None:
    """The illegal action that would lay some of what is left of a plan."""
    if table.is_over:
        return None
    legal, laid = set(table.legal()), own_melds(table)
    for action, uses in _USES.items():
        is_possible = action.startswith("meld ") or all(meld in laid for meld, _ in uses)
        if is_possible and uses <= rest and action not in legal:
            return action
    return None


def _as_far_as_possible(table: Table, plan: Uses) -> tuple[Table, Uses]:
    rest = plan
    while not table.is_over:
        fitting = [action for action in table.legal() if action in _USES and _USES[action] <= rest]
        if not fitting:
            break
        table, rest = _played(table, fitting[0]), rest - _USES[fitting[0]]
    return table, rest
