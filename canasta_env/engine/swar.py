"""Eight bytes at once (SIMD within a register): words of counts, and what holds of eight ranks at a time.

The loops over 15 kinds are too short for the compiler to make wide instructions of, and views and
observations consist of little else.

An example: which of the ranks 4 to J can be melded clean, that is, are held three times or more? The
counts of eight ranks are the bytes of one word, the first rank the lowest byte, here written first:

    rank                     4    5    6    7    8    9   10    J
    counts                   0    3    2    0    5    0    1    4
    + each(128 - 3)        125  128  127  125  130  125  126  129
    >> 7, & ALL              0    1    0    0    1    0    0    1

One addition adds 125 to every byte; none overflows into the next, since counts are below 128. A byte's top
bit, worth 128, is then set just where the count is at least 3: these are the truths `at_least(counts, 3)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from canasta_env.cards import ACE, FIRST_RANK, NUM_KINDS, NUM_RANKS, SEVEN, VALUES
from canasta_env.engine.jit import JIT_DISABLED, kernel

WORD_SIZE = 8
# Two words that overlap cover the counts of all kinds.
_STARTS = (0, NUM_KINDS - WORD_SIZE)
_WORD = ir.IntType(8 * WORD_SIZE)


def _place(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    """A pointer to the word that begins at byte `at` of an int8 array."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _WORD.as_pointer())


@intrinsic
def _store_word(typing_context: Any, out: Any, at: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _place(context, builder, signature.args[0], args[0], args[1]), align=1)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.uint64), generate


@intrinsic
def _load_word(typing_context: Any, counts: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_place(context, builder, signature.args[0], args[0], args[1]), align=1)

    return types.uint64(counts, types.int64), generate


def _counts_intrinsic(subtracts: bool) -> Any:
    """An intrinsic on two int8 arrays of counts: copy the second to the first, or subtract it from it."""

    @intrinsic
    def combine(typing_context: Any, target: Any, counts: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            words = []
            for start in _STARTS:  # all is read before anything is written, since the words overlap
                at = ir.Constant(ir.IntType(64), start)
                place = _place(context, builder, signature.args[0], args[0], at)
                word = builder.load(_place(context, builder, signature.args[1], args[1], at), align=1)
                if subtracts:  # no byte borrows from the next: counts do not go below 0
                    word = builder.sub(builder.load(place, align=1), word)
                words.append((word, place))
            for word, place in words:
                builder.store(word, place, align=1)
            return context.get_dummy_value()

        return types.void(target, counts), generate

    return combine


def _load_word_in_python(counts: Any, at: int) -> Any:
    return np.frombuffer(counts[at : at + WORD_SIZE].tobytes(), np.uint64)[0]


def _store_word_in_python(out: Any, at: int, word: Any) -> None:
    out[at : at + WORD_SIZE] = np.frombuffer(np.uint64(word).tobytes(), np.int8)


def _copy_counts_in_python(target: Any, counts: Any) -> None:
    target[:] = counts


def _subtract_counts_in_python(target: Any, counts: Any) -> None:
    target -= counts


store_word = _store_word_in_python if JIT_DISABLED else _store_word
"""`store_word(out, at, word)` writes the eight bytes of a uint64, lowest first, to `out[at : at + 8]`.

`out` is a contiguous int8 array; the place is not checked.
"""

load_word = _load_word_in_python if JIT_DISABLED else _load_word
"""`load_word(counts, at)` is the uint64 of the eight bytes `counts[at : at + 8]`, lowest first, unchecked."""

copy_counts = _copy_counts_in_python if JIT_DISABLED else _counts_intrinsic(subtracts=False)
"""`copy_counts(target, counts)` copies counts per kind, `(NUM_KINDS,) int8` both."""

subtract_counts = _subtract_counts_in_python if JIT_DISABLED else _counts_intrinsic(subtracts=True)
"""`subtract_counts(target, counts)` subtracts counts per kind that are nowhere above the target's."""


# What holds of the ranks, asked of eight at once: their counts are the bytes of a word.
#
# Two words that overlap hold the eleven ranks; loops run over the places at which they begin, `HALVES`.
# Counts are below 128, a truth is a byte of 0 or 1.


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
