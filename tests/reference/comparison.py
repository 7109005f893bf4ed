"""Compare a table of the engine with the oracle's, fact by fact.

The facts are compared at every step in the plain lists and bytes in which both sides hold them: naming
every card of every step, as positions do, takes longer than playing. The named forms, and the ways by which
users reach them, are compared every `NAMED_EVERY` steps and at the end of the deal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import chain
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env import Table
from canasta_env.actions import NUM_ACTIONS
from canasta_env.cards import BLACK_THREE, NUM_KINDS, RED_THREE
from canasta_env.engine import batch
from canasta_env.engine.scoring import SCORE_FIELDS
from canasta_env.engine.state import MAX_SIDES, NOBODY, PHASE_OVER, PHASES, allocate
from canasta_env.engine.view import VIEW, view_dict
from tests.reference import view
from tests.reference.oracle import Oracle
from tests.reference.view import answer_code

NAMED_EVERY = 50
SEAT_FIELDS = ("hand", "asked", "melded", "discarded", "known", "piles_taken")
SIDE_FIELDS = ("scores", "opened")
PLAIN_FIELDS = (
    *("dealer", "wild_frozen", "to_play", "phase", "opening_points", "taken", "can_ask", "answer"),
    *("melded_now", "begun", "joined_earlier", "went_out", "concealed", "turn"),
)

# The fields of a view: seen alike by all, told of each seat and of each side, or the viewer's own. Those that
# hold several numbers, or several for each seat or side, come last.
OF_SEATS = ("hand_size", "piles_taken", "melded", "asked")
OF_SEATS_BY_KIND = ("known", "discarded")
OF_SIDES = ("red_threes", "black_threes", "opened", "canastas", "scores", "minimum")
OF_SIDES_BY_KIND = ("naturals", "twos", "jokers")
OWN = ("seat", "to_play", "dealer", "went_out")
OWN_BY_KIND = ("hand", "unseen")
PUBLIC_LISTS = ("closed", "pile", "pile_count", "begun")
_OTHERS = (*OF_SEATS, *OF_SEATS_BY_KIND, *OF_SIDES, *OF_SIDES_BY_KIND, *OWN, *OWN_BY_KIND, *PUBLIC_LISTS)
PUBLIC = tuple(name for name in VIEW.names or () if name not in _OTHERS)
NUMBER_CODES = {1: "b", 2: "h", 4: "i", 8: "q"}  # of struct, by size in bytes

VIEW_PLACES = np.concatenate(  # the bytes of a view that are no gap between fields
    [np.arange(start, start + dtype.itemsize) for dtype, start in (VIEW.fields or {}).values()]
)

Pair = tuple[str, Any, Any]  # what is compared, the oracle's, the engine's


class Comparison:
    """Compares the engine's table with the oracle's at every call of `check`.

    Args:
        table: The engine's table, played on by the caller.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.num_checks = 0
        rules, state = table.rules, table._state
        self._players, self._num_sides = rules.players, rules.num_sides
        # Views into the table's record, which is changed in place: they are made once.
        self._fields = {name: state[name][0, : self._players] for name in SEAT_FIELDS}
        self._fields |= {name: state[name][0, : self._num_sides] for name in SIDE_FIELDS}
        self._fields |= {name: state[name][:1] for name in PLAIN_FIELDS}
        self._melds = [state[part][0, : self._num_sides] for part in ("naturals", "twos", "jokers")]
        self._threes = [state[part][0, : self._num_sides] for part in ("red_threes", "black_threes")]
        self._stock, self._pile = state["stock"][0], state["pile"][0]
        self._next_card, self._pile_size = state["next_card"], state["pile_size"]
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._breakdown = np.zeros((MAX_SIDES, len(SCORE_FIELDS)), np.int64)
        self._views = allocate(self._players, VIEW)
        self._view_bytes = self._views.view(np.ndarray).view(np.uint8).reshape(self._players, VIEW.itemsize)

    def check(self, oracle: Oracle) -> None:
        """Compare position, end, legal actions, all views and scores.

        Raises:
            AssertionError: Names everything that differs.
        """
        pairs = self._pairs(oracle)
        if self.num_checks % NAMED_EVERY == 0 or oracle.is_over:
            pairs += list(self._named_pairs(oracle))
        self.num_checks += 1
        for pair in pairs:
            if pair[1] != pair[2]:
                named = [again for again in self._named_pairs(oracle) if again[1] != again[2]]
                raise AssertionError("\n".join([_report(*each) for each in named or [pair]]))

    def _pairs(self, oracle: Oracle) -> list[Pair]:
        is_over = bool(self._fields["phase"][0] == PHASE_OVER)
        return [
            ("ends", oracle.is_over, is_over),
            ("positions", oracle_facts(oracle), self._facts()),
            ("legal actions", oracle.legal_ids(), [] if is_over else self._legal()),
            ("views", self._expected_views(oracle), self._all_views()),
            ("scores", oracle.score(), self._scores()),
        ]

    def _facts(self) -> dict[str, Any]:
        """The engine's table in the form of `oracle_facts`."""
        facts = {name: field.tolist() for name, field in self._fields.items()}
        parts = zip(*(part.tolist() for part in self._melds), strict=True)
        facts["melds"] = [list(zip(*side, strict=True)) for side in parts]
        threes = zip(*(part.tolist() for part in self._threes), strict=True)
        facts["threes"] = [_at_threes(*side) for side in threes]
        facts["pile"] = self._pile[: self._pile_size[0]].tolist()
        facts["stock"] = self._stock[self._next_card[0] :].tolist()
        return facts

    def _legal(self) -> list[int]:
        self._mask.fill(0)
        batch.mask_one(self.table._rules, self.table._state, 0, self._mask)
        return np.flatnonzero(self._mask).tolist()

    def _all_views(self) -> bytes:
        """The engine's records of what each seat sees."""
        self._view_bytes.fill(0)
        for seat in range(self._players):
            batch.view_one(self.table._rules, self.table._state, 0, seat, self._views, seat)
        return self._view_bytes[:, VIEW_PLACES].tobytes()

    def _expected_views(self, oracle: Oracle) -> bytes:
        """The oracle's views in the form of the engine's records."""
        written, places = _view_layout(self._players, self._num_sides)
        return np.frombuffer(written.pack(*_table_numbers(oracle)), np.uint8)[places].tobytes()

    def _scores(self) -> list[dict[str, int]]:
        self._breakdown.fill(0)
        batch.score_one(self.table._rules, self.table._state, 0, self._breakdown)
        rows = self._breakdown[: self._num_sides].tolist()
        return [dict(zip(SCORE_FIELDS, row, strict=True)) for row in rows]

    def _named_pairs(self, oracle: Oracle) -> Iterator[Pair]:
        """The same facts as `Table` tells them."""
        table = self.table
        yield "ends", oracle.is_over, table.is_over
        yield "positions", oracle.position(), table.position()
        yield "legal actions", oracle.legal(), table.legal()
        for seat in range(self._players):
            yield f"views of seat {seat}", oracle.view(seat), view_dict(table.view(seat))
        yield "scores", oracle.score(), [vars(side) for side in table.score()]


def oracle_facts(oracle: Oracle) -> dict[str, Any]:
    """Everything that a position tells, in the oracle's own lists and in the engine's codes."""
    return {
        "hand": oracle.hands,
        "asked": oracle.asked,
        "melded": oracle.melded,
        "discarded": oracle.discarded,
        "known": oracle.known,
        "piles_taken": oracle.piles_taken,
        "scores": oracle.scores,
        "opened": oracle.opened,
        "dealer": [oracle.dealer],
        "wild_frozen": [oracle.wild_frozen],
        "to_play": [NOBODY if oracle.to_play is None else oracle.to_play],
        "phase": [PHASES.index(oracle.phase)],
        "opening_points": [oracle.opening_points],
        "taken": [oracle.taken],
        "can_ask": [oracle.can_ask],
        "answer": [answer_code(oracle)],
        "melded_now": [oracle.melded_now],
        "begun": [[int(place in oracle.begun) for place in range(NUM_KINDS)]],
        "joined_earlier": [oracle.joined_earlier],
        "went_out": [NOBODY if oracle.went_out is None else oracle.went_out],
        "concealed": [oracle.concealed],
        "turn": [oracle.turn],
        "melds": oracle.melds,
        "threes": oracle.threes,
        "pile": oracle.pile,
        "stock": oracle.stock,
    }


def _table_numbers(oracle: Oracle) -> list[int]:
    """All that views tell, each fact once, seats and sides in absolute order; see `_view_layout`."""
    public, of_seats, of_sides = view.public(oracle), view.of_seats(oracle), view.of_sides(oracle)
    left = view.not_on_the_table(oracle)
    numbers = [public[name] for name in PUBLIC]
    for name in PUBLIC_LISTS:
        numbers += public[name]
    for name in OF_SEATS:
        numbers += of_seats[name]
    for name in OF_SEATS_BY_KIND:
        numbers += chain.from_iterable(of_seats[name])
    for name in OF_SIDES:
        numbers += of_sides[name]
    for name in OF_SIDES_BY_KIND:
        numbers += chain.from_iterable(of_sides[name])
    for seat in range(oracle.rules.players):
        own = view.own(oracle, seat, left)
        numbers += [own[name] for name in OWN]
        for name in OWN_BY_KIND:
            numbers += own[name]
    return numbers


def _num_shown(name: str) -> int:
    """For how many seats or sides a field of a view has room; 1 if it is not told of each."""
    is_of_each = name in (*OF_SEATS, *OF_SEATS_BY_KIND, *OF_SIDES, *OF_SIDES_BY_KIND)
    return VIEW[name].shape[0] if is_of_each else 1


@cache
def _view_layout(players: int, num_sides: int) -> tuple[Struct, NDArray[np.intp]]:
    """How `_table_numbers` are written as bytes, and where in these each seat's view finds its own.

    Returns:
        The form of the bytes; `(players, bytes of a view) int`, the places of the bytes of each view.
    """
    num_owners = dict.fromkeys((*PUBLIC, *PUBLIC_LISTS), 1)
    num_owners |= dict.fromkeys((*OF_SEATS, *OF_SEATS_BY_KIND), players)
    num_owners |= dict.fromkeys((*OF_SIDES, *OF_SIDES_BY_KIND), num_sides)
    keys = [(name, owner) for name, num in num_owners.items() for owner in range(num)]
    keys += [(name, viewer) for viewer in range(players) for name in (*OWN, *OWN_BY_KIND)]
    form, size, places = "=", 0, {}
    for name, owner in keys:
        num_bytes = VIEW[name].itemsize // _num_shown(name)
        form += f"{num_bytes // VIEW[name].base.itemsize}{NUMBER_CODES[VIEW[name].base.itemsize]}"
        places[name, owner] = list(range(size, size + num_bytes))
        size += num_bytes
    views = []
    for viewer in range(players):
        row: list[int] = []
        for name in VIEW.names or ():
            if name in num_owners:
                num, shown = num_owners[name], _num_shown(name)
                first = 0 if shown == 1 else viewer % num
                owners = [(first + i) % num for i in range(num)]
                row += chain.from_iterable(places[name, owner] for owner in owners)
                row += [size] * (len(places[name, 0]) * (shown - num))
            else:
                row += places[name, viewer]
        views.append(row)
    return Struct(form + "x"), np.array(views)  # x, a zero, for the seats and sides that are missing


def _at_threes(red: int, black: int) -> list[int]:
    """Counts per kind of threes alone."""
    return [red if kind == RED_THREE else black if kind == BLACK_THREE else 0 for kind in range(NUM_KINDS)]


def _report(what: str, ours: Any, theirs: Any) -> str:
    sides = {"oracle": ours, "engine": theirs}
    values = [f"{side}: {json.dumps(value, default=str)}" for side, value in sides.items()]
    return "\n".join([f"{what} differ: {first_difference(ours, theirs)}", *values])


def first_difference(ours: Any, theirs: Any) -> str:
    """Where two values begin to differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in [*ours, *theirs]:
            if key not in ours or key not in theirs:
                return f"{key!r} is missing in the {'oracle' if key not in ours else 'engine'}"
            if ours[key] != theirs[key]:
                return f"{key}: {first_difference(ours[key], theirs[key])}"
    return f"oracle {ours!r}, engine {theirs!r}"
