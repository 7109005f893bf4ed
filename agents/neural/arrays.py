"""Arrays by name, as weights and the state of a run are handed about, and the files that hold them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.files import find_damage
from canasta_env.files import from_json

Arrays = dict[str, NDArray[Any]]


class CheckpointError(ValueError):
    """A folder that holds no checkpoint, or one that does not fit."""


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


def pack(arrays: Arrays) -> bytes:
    """Arrays by name as safetensors; records (structured arrays) as their bytes."""
    from safetensors.numpy import save as save_arrays

    content: bytes = save_arrays(
        {name: np.ascontiguousarray(as_bytes(array)) for name, array in arrays.items()}
    )
    return content


def unpack(path: Path) -> Arrays:
    """Read what `pack` wrote.

    Raises:
        CheckpointError: If the file cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load as load_arrays

    try:
        arrays: Arrays = load_arrays(path.read_bytes())
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    return arrays


def require_undamaged(folder: Path, *names: str) -> None:
    """See that files of a checkpoint are as they were written; those of older versions have no checksum.

    Raises:
        CheckpointError: Names the file that is not.
    """
    if (damage := find_damage(folder, *names)) is not None:
        raise CheckpointError(damage)


def as_json(content: dict[str, Any]) -> bytes:
    """A JSON object as a file's content."""
    return json.dumps(content, indent=1).encode() + b"\n"


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        CheckpointError: If the file cannot be read, or holds something else.
    """
    try:
        content = from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    if not isinstance(content, dict):
        raise CheckpointError(f"{path}: holds no JSON object")
    return content
