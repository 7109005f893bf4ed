"""Eight bytes stored at once, at any place of an int8 array: what encoding spends most of its time on."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from canasta_env.engine.jit import JIT_DISABLED

WORD_SIZE = 8


@intrinsic
def _store_word(typing_context: Any, out: Any, at: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.bitcast(builder.gep(array.data, [args[1]]), ir.IntType(64).as_pointer())
        builder.store(args[2], place, align=1)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.uint64), generate


def _store_word_in_python(out: Any, at: int, word: Any) -> None:
    out[at : at + WORD_SIZE] = np.frombuffer(np.uint64(word).tobytes(), np.int8)


store_word = _store_word_in_python if JIT_DISABLED else _store_word
"""`store_word(out, at, word)` writes the eight bytes of a uint64, lowest first, to `out[at : at + 8]`.

`out` is a contiguous int8 array; the place is not checked.
"""
