"""Files that are written whole or not at all, whatever ends the process; texts of JSON from anybody."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def write_file(path: Path, content: str | bytes | Iterable[str], mode: int = 0o644) -> None:
    """Write or replace a file, whole or not at all: what was there stays until all of the new is on the disk.

    Args:
        path: The file; folders on the way to it are made. A link stays one, and what it leads to is
            replaced. A device or a pipe is written to.
        content: A text is encoded as UTF-8; what cannot be encoded (half a surrogate pair) becomes `?`. Of
            several texts, written one after the other, one at a time is in memory.
        mode: Who may read it.

    Raises:
        OSError: If it cannot be written; its `filename` is the path.
    """
    pieces = [content] if isinstance(content, str | bytes) else content
    data = (piece if isinstance(piece, bytes) else piece.encode(errors="replace") for piece in pieces)
    path.parent.mkdir(parents=True, exist_ok=True)
    with errors_naming(path):
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            with path.open("wb") as file:
                file.writelines(data)
        else:
            _replace(target, data, mode)


def from_json(text: str | bytes) -> Any:
    """What a text of JSON says.

    Raises:
        ValueError: If it is no JSON, or nested deeper than can be read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def write_to_disk(path: Path, content: Iterable[bytes]) -> None:
    """Write a file and bring it to the disk. An error can leave half of it: write beside, then rename."""
    with path.open("wb") as file:
        file.writelines(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def errors_naming(path: Path) -> Iterator[None]:
    """Let the system's errors name this path: that of a full disk names none, others a file beside it."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:  # else it has a text of its own
            error.filename = str(path)
            if error.filename2 is not None:
                del error.filename2  # None would be told as a second name
        raise


def _replace(path: Path, content: Iterable[bytes], mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    part = Path(name)
    try:
        write_to_disk(part, content)
        part.chmod(mode)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
