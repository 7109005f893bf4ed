"""Eight bytes at once: loading and storing, copying and subtracting counts per kind.

The loops over 15 kinds are too short for the compiler to make wide instructions of, and views and
observations consist of little else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from canasta_env.cards import NUM_KINDS
from canasta_env.engine.jit import JIT_DISABLED

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
