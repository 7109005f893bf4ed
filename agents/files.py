"""Files and folders that are written whole or not at all, whatever ends the process, and by one at a time."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from canasta_env.files import errors_naming, write_file, write_to_disk

CHECKSUMS = "checksums.sha256"  # in a folder: a line for each file, as sha256sum writes and checks them
_CHECKSUM_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
_LOCK = ".lock"
_LONGEST_NAME = 200  # bytes; systems take 255, and results have names with more behind it
_IN_USE = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what a lock that somebody holds answers
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)  # and a file system that has none


class FolderInUseError(OSError):
    """A folder that another process has claimed."""


__all__ = [
    "CHECKSUMS",
    "FolderInUseError",
    "claim_folder",
    "find_damage",
    "find_folder",
    "is_folder_name",
    "with_checksums",
    "write_file",
    "write_folder",
]


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
            write_to_disk(fresh / name, [content])
    with errors_naming(folder):
        _sync_folder(fresh)


def find_folder(folder: Path) -> Path | None:
    """Where the whole content of a folder of `write_folder` is; None if it was never written."""
    return next((place for place in (folder, _beside(folder, "previous")) if place.is_dir()), None)


def with_checksums(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a folder, and one more with their checksums, which `find_damage` reads."""
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()]
    return {**files, CHECKSUMS: "".join(lines).encode()}


def find_damage(folder: Path, *names: str) -> str | None:
    """What is wrong with some files of a folder that was written `with_checksums`; None if nothing is.

    Args:
        folder: Where they are; a folder without checksums has nothing that could be wrong.
        names: The files.
    """
    try:
        lines = (folder / CHECKSUMS).read_text(encoding="utf-8", errors="replace").splitlines()
        sums = {match[2]: match[1] for line in lines if (match := _CHECKSUM_LINE.fullmatch(line))}
        for name in names:
            if name not in sums:
                return f"{folder / CHECKSUMS}: cannot be read (it has no checksum of {name})"
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != sums[name]:
                return (
                    f"{folder / name}: cannot be read as it was written (its checksum is not that of "
                    f"{CHECKSUMS}: it was damaged or changed)"
                )
    except OSError as error:
        if error.filename == str(folder / CHECKSUMS) and error.errno == errno.ENOENT:
            return None
        return f"{error.filename}: cannot be read ({error.strerror})"
    return None


def is_folder_name(name: str) -> bool:
    """Whether a text is the name of one folder in another, and so leads nowhere else."""
    is_one = Path(name).name == name and name not in ("", "..") and "\\" not in name
    return is_one and name.isprintable() and name == name.strip() and len(name.encode()) <= _LONGEST_NAME


@contextmanager
def claim_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made if need be, against every other process that claims it.

    However this process ends, its claim ends with it. A folder that was made here and in which nothing has
    been written is removed again. On a file system without locks nobody is held off.

    Raises:
        FolderInUseError: If another process holds it.
        OSError: If the folder cannot be written.
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with _open_lock(folder) as lock:
        try:
            _lock(lock.fileno())
        except OSError as error:
            if error.errno in _IN_USE:
                raise _in_use(folder, error.errno) from error
            if error.errno not in _NO_LOCKS:
                raise
        if not _is_there(folder / _LOCK, lock.fileno()):  # removed by who held it before
            raise _in_use(folder, errno.EAGAIN)
        try:
            yield
        finally:
            if is_new:
                _remove_unused(folder)


def _open_lock(folder: Path) -> IO[bytes]:
    try:
        tempfile.TemporaryFile(dir=folder).close()  # a lock that is there already says nothing of other files
        return (folder / _LOCK).open("a+b")
    except FileNotFoundError as error:  # the folder was removed by who held it before
        raise _in_use(folder, errno.EAGAIN) from error


def _in_use(folder: Path, number: int) -> FolderInUseError:
    return FolderInUseError(number, "in use by another process", str(folder))


def _is_there(path: Path, handle: int) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        return False


def _remove_unused(folder: Path) -> None:
    """Remove a claimed folder in which there is nothing but the lock."""
    with contextlib.suppress(OSError):
        if [path.name for path in folder.iterdir()] == [_LOCK]:
            (folder / _LOCK).unlink()
            folder.rmdir()


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _beside(path: Path, suffix: str) -> Path:
    return path.parent / f"{path.name}.{suffix}"  # "." has no name that with_name could change


def _sync_folder(folder: Path) -> None:
    """Bring a folder's entries to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
