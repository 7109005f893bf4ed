"""Files and folders that are written whole or not at all, whatever ends the process, and by one at a time."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_LOCK = ".lock"


class FolderInUseError(OSError):
    """A folder that another process has claimed."""


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace `folder` by one with these files.

    The files are written beside it and brought to the disk first; then two renames swap the folders. A
    process killed between them leaves the old content as NAME.previous, where `find_folder` finds it.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh, previous = _beside(folder, "writing"), _beside(folder, "previous")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    for name, content in files.items():
        _write_to_disk(fresh / name, content)
    _sync_folder(fresh)
    if folder.exists():
        shutil.rmtree(previous, ignore_errors=True)
        folder.replace(previous)
    fresh.replace(folder)
    _sync_folder(folder.parent)
    shutil.rmtree(previous, ignore_errors=True)


def find_folder(folder: Path) -> Path | None:
    """Where the whole content of a folder of `write_folder` is; None if it was never written."""
    return next((place for place in (folder, _beside(folder, "previous")) if place.is_dir()), None)


def write_file(path: Path, content: str | bytes, mode: int = 0o644) -> None:
    """Write or replace a file, whole or not at all.

    Args:
        path: The file; folders on the way to it are made.
        content: A text is encoded as UTF-8; what cannot be encoded (half a surrogate pair) becomes `?`.
        mode: Who may read it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    part = Path(name)
    try:
        _write_to_disk(part, content.encode(errors="replace") if isinstance(content, str) else content)
        part.chmod(mode)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def claim_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made if need be, against every other process that claims it.

    However this process ends, its claim ends with it.

    Raises:
        FolderInUseError: If another process holds it.
        OSError: If the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()  # a lock that is there already says nothing of other files
    with (folder / _LOCK).open("a+b") as lock:
        try:
            _lock(lock.fileno())
        except OSError as error:
            raise FolderInUseError(error.errno, "in use by another process", str(folder)) from error
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")


def _write_to_disk(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Bring a folder's entries to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
