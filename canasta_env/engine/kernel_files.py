"""The files that compiled kernels are kept in. Whatever happens to them, the program plays.

A file that is missing, damaged or unreadable, or that another program is writing, is a kernel to compile
anew, and to write anew; a folder that cannot be written leaves kernels uncached. Standard error says so once.

Numba's own cache is not soft: it dies of a damaged file. Its index, shared by the signatures of a kernel, can
also be left by two processes to name the code of the wrong signature. Here every compiled kernel has a file
of its own, named by a hash of all that it depends on, written beside its place and then moved there.
"""

from __future__ import annotations

import hashlib
import marshal
import pickle
import sys
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from canasta_env.engine import inlining

_HASH_SIZE = hashlib.sha256().digest_size


class DamagedFileError(Exception):
    """A file of the cache that is not as it was written."""


class KernelFiles(_Cache):  # type: ignore[misc]
    """The compiled signatures of one function in a folder, as Numba's dispatchers ask for them.

    Args:
        folder: Where the files are; made when the first is written.
        function: The function that is compiled.
        kind: How it is compiled: "called" or "pointer" from outside, "inlined" into other kernels.
    """

    def __init__(self, folder: Path, function: Callable[..., Any], kind: str) -> None:
        self._folder = folder
        self._function = function
        self._kind = kind
        self._is_inlined = kind == "inlined"
        name = f"{function.__module__}.{function.__qualname__}"
        self._stem = name.replace("<", "").replace(">", "")  # Windows has no such files
        self._source = _source(function.__code__)

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled signature, None if there is no file that it can be had from."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            parts = _read(path)
            if self._is_inlined:
                return inlining.rebuild(target_context, parts)
            return CompileResult._rebuild(target_context, *parts)
        except FileNotFoundError:
            return None
        except Exception as error:  # a pickle can fail in any way
            warn_once(self._folder, f"cannot be read ({path.name}: {_reason(error)}): compiling anew")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled signature, if it and the folder allow it."""
        if data.library.has_dynamic_globals or any(not each.can_cache for each in data.lifted):
            return
        try:
            parts = inlining.reduce(data) if self._is_inlined else data._reduce()
            _write(self._path(sig, data.codegen), parts)
        except Exception as error:  # likewise
            warn_once(
                self._folder, f"cannot be written ({_reason(error)}): every process has to compile anew"
            )

    def enable(self) -> None:
        """Numba's interface; these files are always in use."""

    def disable(self) -> None:
        """Likewise."""

    def flush(self) -> None:
        """Likewise: an old file is never taken for a new one."""

    def _path(self, sig: Any, codegen: Any) -> Path:
        function = self._function
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        digest = hashlib.sha256(self._source)
        digest.update(repr((function.__code__.co_firstlineno, str(sig), codegen.magic_tuple())).encode())
        digest.update(function.__code__.co_code)
        digest.update(dumps(cells) if cells else b"")
        return self._folder / f"{self._stem}.{self._kind}-{digest.hexdigest()[:24]}.nbc"


def count_kernels(folder: Path) -> int:
    """The number of functions with a file in a folder."""
    return len({path.name.rpartition("-")[0].rpartition(".")[0] for path in folder.glob("*.nbc")})


def _source(code: Any) -> bytes:
    try:
        return _hash_of_file(code.co_filename)
    except OSError:  # typed at a prompt
        return marshal.dumps(code)


@cache
def _hash_of_file(path: str) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()


def _read(path: Path) -> Any:
    content = path.read_bytes()
    pickled = content[_HASH_SIZE:]
    if hashlib.sha256(pickled).digest() != content[:_HASH_SIZE]:
        raise DamagedFileError("not as it was written")
    return pickle.loads(pickled)


def _write(path: Path, parts: Any) -> None:
    pickled = dumps(parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(hashlib.sha256(pickled).digest() + pickled)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join((text or type(error).__name__).split())


_warned: list[str] = []


def warn_once(folder: Path | str, what: str) -> None:
    """Say on standard error what is wrong with the cache, unless something was said before."""
    if not _warned:
        _warned.append(what)
        if sys.stderr is not None:
            print(f"canasta_env: the kernel cache {folder} {what}", file=sys.stderr)
