"""Files and folders that are written whole or not at all, whatever ends the process, and by one at a time."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from canasta_env.files import errors_naming, write_file, write_to_disk

__all__ = ["FolderInUseError", "claim_folder", "find_folder", "write_file", "write_folder"]


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace `folder` by one with these files.

    The files are written beside it and brought to the disk first; then two renames swap the folders. A
    process killed between them leaves the old content as NAME.previous, where `find_folder` finds it.

    Raises:
        OSError: If a file cannot be written; its `filename` is where the file was to be.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh, previous = _beside(folder, "writing"), _beside(folder, "previous")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        _fill(fresh, files, folder)
        with errors_naming(folder):
            if folder.exists():
                shutil.rmtree(previous, ignore_errors=True)
                folder.replace(previous)
            fresh.replace(folder)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    with errors_naming(folder):
        _sync_folder(folder.parent)
    shutil.rmtree(previous, ignore_errors=True)


def _fill(fresh: Path, files: Mapping[str, bytes], folder: Path) -> None:
    """Make a folder with these files, which will take the place of `folder`: errors name that."""
    with errors_naming(folder):
        fresh.mkdir()
    for name, content in files.items():
        with errors_naming(folder / name):
            write_to_disk(fresh / name, content)
    with errors_naming(folder):
        _sync_folder(fresh)


def find_folder(folder: Path) -> Path | None:
    """Where the whole content of a folder of `write_folder` is; None if it was never written."""
    return next((place for place in (folder, _beside(folder, "previous")) if place.is_dir()), None)


_LOCK = ".lock"


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


class FolderInUseError(OSError):
    """A folder that another process has claimed."""


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


def _sync_folder(folder: Path) -> None:
    """Bring a folder's entries to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
