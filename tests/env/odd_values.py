"""Values of every sort that an argument may get by mistake, and what is said of those that do not fit."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

import canasta_env

Fits = Callable[[Any], bool | None]

_READ_ONLY = np.array([1, 2])
_READ_ONLY.flags.writeable = False

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 3, 4, 5, 90, 2**31, 2**63, 2**64, 10**30, 10**5_000, -(2**63) - 1),
    *(
        1.0,
        0.5,
        float("nan"),
        float("inf"),
        1j,
        "",
        "x",
        "1",
        "²",
        "zero",
        "classic",
        "\ud800",
        "x\x00",
        "x" * 10**6,
    ),
    *(
        b"1",
        [],
        [1],
        [1, 2],
        [1.0, 2],
        [True, False],
        [None, None],
        [[1], [1, 2]],
        ["K", "K"],
        (),
    ),
    *((1, 2), {}, {"a": 1}, {1: 2}, {"game": "classic"}, set(), object(), int, len, range(2), iter([1, 2])),
    *(np.int8(1), np.int64(2), np.uint64(2**63), np.float64(1), np.bool_(True), np.str_("classic")),
    *(np.array(1), np.array([1]), np.array([1, 2]), np.array([1, 2], np.uint64), np.array([1, 2], ">i2")),
    *(np.array([2**63, 1], np.uint64), np.array([1.5, 2]), np.array([True, False]), np.array(["K", "K"])),
    *(np.array([1, None], object), np.array([1, 2], object), np.zeros((2, 2), np.int64), np.zeros(0)),
    *(_READ_ONLY, np.arange(4)[::2], np.array(None), np.ma.masked_array([1, 2], [True, False])),
    *(np.zeros(2, [("a", int)]), np.datetime64("2020-01-01"), pathlib.Path("x")),
)


def whole(low: int, high: int | None = None) -> Fits:
    """Python's and NumPy's integers of a range, and no truth values."""

    def fits(value: Any) -> bool:
        is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        return is_whole and value >= low and (high is None or value <= high)

    return fits


def word(*words: str) -> Fits:
    return lambda value: isinstance(value, str) and value in words


def none_or(fits: Fits) -> Fits:
    return lambda value: value is None or fits(value)


def listed(fits: Fits, num: int) -> Fits:
    """A list, a tuple, a range or an array of `num` of them."""

    def all_fit(value: Any) -> bool:
        is_list = isinstance(value, (list, tuple, range))
        if isinstance(value, np.ndarray):
            is_list = value.ndim > 0
        return is_list and len(value) == num and all(map(fits, value))

    return all_fit


def faults(call: Callable[[Any], Any], fits: Fits, *names: str) -> list[str]:
    """Call with each odd value; tell of those that are taken and do not fit, or are refused without a reason.

    Args:
        call: Raises ValueError or TypeError, with one of the names in its text, for what does not fit.
        fits: Which values should be taken; None where both is right.
        names: What an error may call the argument.
    """
    found = []
    for value in ODD_VALUES:
        shown = ascii(type(value)) if isinstance(value, int) and abs(value) > 2**70 else ascii(value)[:60]
        fault = _fault(call, value, fits(value), names)
        if fault:
            found.append(f"{shown}: {fault}")
    return found


def _fault(call: Callable[[Any], Any], value: Any, is_right: bool | None, names: tuple[str, ...]) -> str:
    try:
        call(value)
    except (ValueError, TypeError) as error:
        if is_right:
            return f"refused: {error}"
        return _fault_of_refusal(error, names)
    except Exception as error:
        return f"{type(error).__name__} {error}"
    return "taken" if is_right is False else ""


def _fault_of_refusal(error: Exception, names: tuple[str, ...]) -> str:
    text = str(error)
    if not any(name in text for name in names):
        return f"refused without a name: {type(error).__name__} {text}"
    if len(text) > 500 or "\n" in text or not text.isprintable():
        return f"refused in a text for no terminal: {text[:100]!a}"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    home = str(pathlib.Path(canasta_env.__file__).parent)
    if not trace.tb_frame.f_code.co_filename.startswith(home):
        return f"refused by {trace.tb_frame.f_code.co_filename}: {text}"
    return ""
