"""The forms in which a position may name cards, melds, seats and flags.

Each function takes a value and `where` it stands, e.g. `hands[2]`, and names that place when it refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from canasta_env.arguments import whole_number
from canasta_env.cards import BLACK_THREE, FIRST_RANK, KINDS, NUM_CARDS, NUM_KINDS, TWO, CardError, kind_of
from canasta_env.engine.state import WILD_MELD
from canasta_env.positions.naming import MELD_KINDS, meld_name

Part = TypeVar("Part")
Meld = tuple[int, int, int]  # naturals, twos, jokers

_MELD_FORMS = '[naturals, twos, jokers], a list of kinds or a text such as "K K 2"'


class PositionError(ValueError):
    """A dict that cannot be a position: names the key and the reason."""


def read_whole(value: Any, where: str, low: int, high: int) -> int:
    """A whole number in low ... high."""
    try:
        return whole_number(value, where, low, high)
    except ValueError as error:
        raise PositionError(str(error)) from None


def read_flag(value: Any, where: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise PositionError(f"{where}: {value!r} must be True or False")
    return bool(value)


def read_choice(value: Any, where: str, choices: Sequence[Any]) -> int:
    """The place of a value among the choices."""
    for place, choice in enumerate(choices):
        if value is choice or (isinstance(choice, str) and isinstance(value, str) and value == choice):
            return place
    raise PositionError(f"{where}: {value!r} must be one of {', '.join(map(repr, choices))}")


def read_kind(value: Any, where: str) -> int:
    """A kind of card by its name."""
    try:
        return kind_of(value, where)
    except CardError as error:
        raise PositionError(str(error)) from None


def read_kinds(value: Any, where: str) -> list[int]:
    """Cards in their order: a list of kinds, or a text of kinds between spaces."""
    names = value.split() if isinstance(value, str) else value
    if isinstance(names, Mapping) or not isinstance(names, (Sequence, np.ndarray)):
        raise PositionError(f"{where}: {value!r} must be a list of kinds or a text of kinds between spaces")
    return [read_kind(name, where) for name in names]


def read_counts(value: Any, where: str) -> NDArray[np.int8]:
    """Cards per kind, `(NUM_KINDS,) int8`, from {kind: count} or what `read_kinds` takes."""
    counts = np.zeros(NUM_KINDS, np.int8)
    if isinstance(value, Mapping):
        for name, count in value.items():
            counts[read_kind(name, where)] = read_whole(count, f"{where}: count of {name}", 0, NUM_CARDS)
        return counts
    kinds = read_kinds(value, where)
    if len(kinds) > NUM_CARDS:
        raise PositionError(f"{where}: {len(kinds)} cards; there are only {NUM_CARDS}")
    for kind in kinds:
        counts[kind] += 1
    return counts


def read_each(
    value: Any, where: str, num: int, read: Callable[[Any, str], Part], missing: Any = False
) -> list[Part]:
    """One entry for each of `num` seats or sides: a list of all, or {seat or side: entry} of some.

    Args:
        value: The list or dict; None stands for an empty dict.
        where: The key.
        num: Number of seats or sides.
        read: Reads one entry.
        missing: What is read in place of an entry that a dict leaves out.
    """
    entries = {} if value is None else value
    if isinstance(entries, Mapping):
        places = {
            read_whole(_as_number(place), f"{where}: place", 0, num - 1): entry
            for place, entry in entries.items()
        }
        return [read(places.get(place, missing), f"{where}[{place}]") for place in range(num)]
    if isinstance(entries, str) or not isinstance(entries, (Sequence, np.ndarray)) or len(entries) != num:
        raise PositionError(f"{where}: {value!r} must be a list of {num} entries")
    return [read(entry, f"{where}[{place}]") for place, entry in enumerate(entries)]


def _as_number(place: Any) -> Any:
    """JSON turns the numbers that are keys into text."""
    return int(place) if isinstance(place, str) and place.isdigit() else place


def read_melds(value: Any, where: str) -> dict[int, Meld]:
    """A side's melds by their kind: {name: meld}, or a list of melds that are lists or texts of kinds."""
    if isinstance(value, Mapping):
        melds = [_read_named_meld(name, meld, where) for name, meld in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, str):
        melds = [_read_listed_meld(meld, f"{where}[{place}]") for place, meld in enumerate(value)]
    else:
        raise PositionError(f"{where}: {value!r} must be {{name: meld}} or a list of melds")
    kinds = [kind for kind, _ in melds]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise PositionError(f"{where}: two melds of {meld_name(kind)}; a side has one of each (R-MELD-1)")
    return dict(melds)


def read_meld_name(name: Any, where: str) -> int:
    """The kind of a meld by its name: a rank, "wilds" or "black3"."""
    kind = MELD_KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise PositionError(f"{where}: {name!r} is not a meld; melds are called {', '.join(MELD_KINDS)}")
    return kind


def _read_named_meld(name: Any, meld: Any, where: str) -> tuple[int, Meld]:
    kind = read_meld_name(name, where)
    place = f"{where}: {name}"
    if isinstance(meld, str) or (isinstance(meld, Sequence) and any(isinstance(card, str) for card in meld)):
        listed_kind, parts = _read_listed_meld(meld, place)
        if listed_kind != kind:
            raise PositionError(f"{place}: these cards are a meld of {meld_name(listed_kind)}")
        return kind, parts
    if not isinstance(meld, (Sequence, np.ndarray)) or len(meld) != 3:
        raise PositionError(f"{place}: {meld!r} must be {_MELD_FORMS}")
    naturals, twos, jokers = (read_whole(count, place, 0, NUM_CARDS) for count in meld)
    return kind, (naturals, twos, jokers)


def _read_listed_meld(meld: Any, where: str) -> tuple[int, Meld]:
    counts = read_counts(meld, where)
    kinds = [kind for kind in range(TWO + 1, NUM_KINDS) if counts[kind]]
    if len(kinds) > 1 or (kinds and kinds[0] < FIRST_RANK and kinds[0] != BLACK_THREE):
        names = " and ".join(KINDS[kind] for kind in kinds)
        raise PositionError(f"{where}: {names} cannot be a meld (R-MELD-1, R-MELD-8)")
    kind = kinds[0] if kinds else WILD_MELD
    return kind, (int(counts[kind]) if kinds else 0, int(counts[TWO]), int(counts[WILD_MELD]))
