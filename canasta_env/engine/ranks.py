"""What holds of the ranks, asked of eight at once: their counts are the bytes of a word.

Two words that overlap hold the eleven ranks; loops run over the places at which they begin, `HALVES`.
Counts are below 128, a truth is a byte of 0 or 1.
"""

from __future__ import annotations

import numpy as np

from canasta_env.cards import ACE, FIRST_RANK, NUM_RANKS, SEVEN, VALUES
from canasta_env.engine.jit import kernel
from canasta_env.engine.words import WORD_SIZE, load_word

HALVES = (0, NUM_RANKS - WORD_SIZE)
NONE = np.uint64(0)
LARGEST = 127  # count
ALL = np.uint64(0x0101010101010101)
_BYTE = 8  # bits
_TOP_BIT = np.uint64(_BYTE - 1)
_TOP_BITS = np.uint64(128) * ALL
_COUNT_BITS = np.uint64(127) * ALL
_TOP_BYTE = np.uint64(_BYTE * (WORD_SIZE - 1))
_FULL = np.uint64(255)
_IN_BOTH_HALVES = np.uint64(_BYTE * (2 * WORD_SIZE - NUM_RANKS))
_ONE = np.uint64(1)
POINT_UNIT = VALUES[FIRST_RANK]  # card points are 1, 2 or 4 times as many (R-CARD-2)


@kernel
def load_ranks(counts, at):  # type: ignore[no-untyped-def]
    """The counts of eight ranks from `counts`, `(NUM_KINDS,) int8`."""
    return load_word(counts, FIRST_RANK + at)


@kernel
def each(number):  # type: ignore[no-untyped-def]
    """The same count, 0 to 127, for every rank."""
    return np.uint64(number) * ALL


@kernel
def at_least(counts, number):  # type: ignore[no-untyped-def]
    """Truths: where the count is `number` or more."""
    return ((counts + each(128 - int(number))) >> _TOP_BIT) & ALL


@kernel
def negate(truths):  # type: ignore[no-untyped-def]
    """Truths: where it is not so."""
    return truths ^ ALL


@kernel
def where(truths, counts):  # type: ignore[no-untyped-def]
    """The counts where it is true, elsewhere 0."""
    return counts & (truths * _FULL)


@kernel
def minus(counts, others):  # type: ignore[no-untyped-def]
    """The differences, 0 where they would be negative."""
    differences = (counts | _TOP_BITS) - others
    return where((differences >> _TOP_BIT) & ALL, differences & _COUNT_BITS)


@kernel
def smaller(counts, others):  # type: ignore[no-untyped-def]
    """The smaller of both counts."""
    return counts - minus(counts, others)


@kernel
def not_below(counts, others):  # type: ignore[no-untyped-def]
    """Truths: where the count is no less than the other."""
    return (((counts | _TOP_BITS) - others) >> _TOP_BIT) & ALL


@kernel
def least(truths, counts):  # type: ignore[no-untyped-def]
    """The smallest of the counts where it is true; `LARGEST` if nowhere."""
    if truths == NONE:
        return LARGEST
    number = 0
    while (truths & negate(at_least(counts, number + 1))) == NONE:
        number += 1
    return number


@kernel
def add_up(counts, at):  # type: ignore[no-untyped-def]
    """The sum of a half's counts, up to 255; over `HALVES`, every rank counts once."""
    if at > 0:
        counts = counts >> _IN_BOTH_HALVES
    return np.int64((counts * ALL) >> _TOP_BYTE)


@kernel
def only(kind, at):  # type: ignore[no-untyped-def]
    """Truths: the one rank of this kind; none if `kind` is not a rank of the half."""
    place = kind - FIRST_RANK - at
    if place < 0 or place >= WORD_SIZE:
        return NONE
    return _ONE << np.uint64(_BYTE * place)


@kernel
def add_up_points(counts, at):  # type: ignore[no-untyped-def]
    """The card points of a half's cards; over `HALVES`, every rank counts once."""
    higher = where(negate(_low_ranks(at)), counts)
    return POINT_UNIT * add_up(counts + higher + (where(only(ACE, at), counts) << _ONE), at)


@kernel
def middle_ranks(at):  # type: ignore[no-untyped-def]
    """Truths: eights to kings."""
    return negate(_low_ranks(at) | only(ACE, at))


@kernel
def _low_ranks(at):  # type: ignore[no-untyped-def]
    """Truths: fours to sevens."""
    return ALL >> np.uint64(_BYTE * (WORD_SIZE - 1 - SEVEN + FIRST_RANK + at))
