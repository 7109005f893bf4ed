"""The 15 kinds of card: their names, copies and values (R-CARD).

Suits never matter in Canasta, so a card *is* its kind, and cards are counted per kind.
Everything that is indexed by kind (hands, melds, discards) uses the order of `KINDS`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

KINDS = ("joker", "2", "red3", "black3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
NUM_KINDS = len(KINDS)
JOKER, TWO, RED_THREE, BLACK_THREE = range(4)
FIRST_RANK = 4  # kinds 4..14 are the ranks `4` ... `A`
RANKS = KINDS[FIRST_RANK:]
NUM_RANKS = len(RANKS)
SEVEN = KINDS.index("7")
KING = KINDS.index("K")
ACE = KINDS.index("A")
KIND_OF = {name: kind for kind, name in enumerate(KINDS)}

COPIES = (4, 8, 4, 4) + (8,) * NUM_RANKS  # R-CARD-1
NUM_CARDS = sum(COPIES)
VALUES = (50, 20, 5, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 20)  # R-CARD-2

CANASTA_SIZE = 7  # R-MELD-9


class CardError(ValueError):
    """A card that is not one of the 15 kinds, or a number of copies that the deck does not hold."""


def kind_of(name: object, where: str = "cards") -> int:
    """Return the kind of a card's name.

    Args:
        name: One of `KINDS`.
        where: What is being read, for the error.

    Raises:
        CardError: If `name` is not the name of a kind.
    """
    kind = KIND_OF.get(name) if isinstance(name, str) else None
    if kind is None:
        raise CardError(f"{where}: {name!r} is not a card; the kinds are {' '.join(KINDS)}")
    return kind


def count_cards(names: Iterable[str], where: str = "cards") -> NDArray[np.int8]:
    """Count card names per kind: `(NUM_KINDS,) int8`."""
    counts = np.zeros(NUM_KINDS, np.int8)
    for name in names:
        counts[kind_of(name, where)] += 1
    return counts


def deck() -> NDArray[np.int8]:
    """All 108 cards in kind order: `(NUM_CARDS,) int8`."""
    return np.repeat(np.arange(NUM_KINDS, dtype=np.int8), COPIES)
