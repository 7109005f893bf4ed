"""Arrays by name: how the state of a run is handed about and stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def with_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays whose name begins with `prefix`, named by the rest."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays under longer names; `with_prefix` is the way back."""
    return {prefix + name: array for name, array in arrays.items()}


def as_bytes(array: NDArray[Any]) -> NDArray[Any]:
    """Records as `(n, bytes) uint8`, which every format can store; other arrays as they are."""
    if array.dtype.names is None:
        return array
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), array.dtype.itemsize)


def as_records(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The way back from `as_bytes` to records of `dtype`.

    Raises:
        ValueError: If the bytes are not such records.
    """
    if dtype.names is None:
        return array
    if array.ndim != 2 or array.shape[1] != dtype.itemsize:
        raise ValueError(f"records of {array.shape[1:]} bytes, where this version has {dtype.itemsize}")
    return np.ascontiguousarray(array).view(dtype).reshape(len(array))
