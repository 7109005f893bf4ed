"""The one decorator of all kernels: compiled without the GIL, cached so that no cache can be stale.

Numba notices an edit of the file a kernel stands in, but not of a kernel that it calls. The cache folder
is therefore named by a hash of every source that kernels are made of: an edit makes a new folder.
`CANASTA_CACHE_DIR` moves the folder; where none can be written, kernels are compiled anew in each process.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event, types

Kernel = TypeVar("Kernel", bound=Callable[..., object])

JIT_DISABLED = bool(numba.config.DISABLE_JIT)
_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORTED = re.compile(r"^from canasta_env\.(\w+) import", re.MULTILINE)  # constants beside the engine
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def engine_sources() -> list[Path]:
    """The files that the engine's kernels are compiled from."""
    engine = sorted((_PACKAGE / "engine").glob("*.py"))
    imported = {name for path in engine for name in _IMPORTED.findall(path.read_text(encoding="utf-8"))}
    beside = (_PACKAGE / f"{name}.py" for name in sorted(imported))
    return [*engine, *(path for path in beside if path.is_file())]


class KernelCache:
    """A decorator for kernels made of `sources`, with a cache folder of their own.

    Args:
        name: First part of the folder's name.
        sources: Every file whose edit must lead to a new compilation.
    """

    def __init__(self, name: str, sources: list[Path]) -> None:
        self.sources = sources
        self.folder = _writable_folder(f"{name}-{_fingerprint(sources)}")

    @property
    def is_cold(self) -> bool:
        """Whether kernels will have to be compiled: nothing is cached yet."""
        return not JIT_DISABLED and (self.folder is None or not any(self.folder.rglob("*.nbc")))

    def announce(self) -> None:
        """Say once, on the terminal, that kernels are being compiled, if it comes to that."""
        if not JIT_DISABLED:
            event.register("numba:compile", _Announcement())

    def __call__(self, function: Kernel) -> Kernel:
        """Compile `function` on its first call; other users of Numba keep their own settings."""
        if JIT_DISABLED:
            return function
        if self.folder is None:
            return cast(Kernel, _with_plain_integers(numba.njit(**_OPTIONS)(function)))
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(self.folder)
        try:
            return cast(Kernel, _with_plain_integers(numba.njit(cache=True, **_OPTIONS)(function)))
        finally:
            numba.config.CACHE_DIR = before


class _Announcement(event.Listener):  # type: ignore[misc]
    """Waits for the first kernel of this package that is compiled and not found in the cache."""

    has_spoken = False

    def on_start(self, event: Any) -> None:
        is_ours = event.data["dispatcher"].py_func.__module__.startswith(__package__.partition(".")[0])
        if is_ours and not self.has_spoken:
            self.has_spoken = True
            print(
                "canasta_env: compiling the engine, once for this version (about a minute) ...",
                file=sys.stderr,
            )

    def on_end(self, event: Any) -> None:
        """Nothing more to say."""


def _with_plain_integers(dispatcher: Any) -> Any:
    """Let kernels that call this one share one compilation for all widths and constants of integers.

    Numba compiles a callee anew for int8, int64 and every literal that is passed to it, which made the cold
    compilation four times as long; inlining brings the constants back.
    """
    compile_for_types = dispatcher.get_call_template

    def get_call_template(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return compile_for_types(tuple(_plain(arg) for arg in args), kwargs)

    dispatcher.get_call_template = get_call_template
    return dispatcher


def _plain(numba_type: Any) -> Any:
    plain: Any = types.unliteral(numba_type)  # type: ignore[attr-defined]
    is_signed = isinstance(plain, types.Integer) and bool(plain.signed)  # type: ignore[attr-defined]
    return types.int64 if is_signed else plain


def _fingerprint(sources: list[Path]) -> str:
    digest = hashlib.sha256()
    for part in (numba.__version__, np.__version__, sys.version, platform.machine()):
        digest.update(part.encode())
    digest.update(str(numba.config.BOUNDSCHECK).encode())
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _writable_folder(name: str) -> Path | None:
    root = os.environ.get("CANASTA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        base = Path(root) if root else Path.home() / ".cache"
        folder = base / "canasta_env" / name
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return None


def package_cache(name: str, module_file: str, *others: str) -> KernelCache:
    """The cache for kernels outside the engine: of every file in the folders of some modules, and the engine.

    Args:
        name: First part of the cache folder's name.
        module_file: The `__file__` of a module in the package.
        others: Likewise, of packages whose kernels are called.
    """
    folders = [Path(file).resolve().parent for file in (module_file, *others)]
    return KernelCache(
        name, [*engine_sources(), *(path for each in folders for path in sorted(each.glob("*.py")))]
    )


kernel = KernelCache("engine", engine_sources())
kernel.announce()
