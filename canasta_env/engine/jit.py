"""The one decorator of all kernels: compiled without the GIL, cached so that no cache can be stale.

Numba notices an edit of the file a kernel stands in, but not of a kernel that it calls. The cache folder
is therefore named by a hash of every source that kernels are made of: an edit makes a new folder.
`CANASTA_CACHE_DIR` moves the folder; where none can be written, kernels are compiled anew in each process.
Every kernel can be called in two ways, and is compiled for those that occur: by Python, and by kernels, which
inline it (`inlining`).
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event, types
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

from canasta_env.engine.compiling import Progress
from canasta_env.engine.inlining import INLINED, InliningCompiler
from canasta_env.engine.kernel_files import KernelFiles, warn_once

Kernel = TypeVar("Kernel", bound=Callable[..., object])

JIT_DISABLED = bool(numba.config.DISABLE_JIT)
_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORTED = re.compile(r"^from canasta_env\.(\w+) import", re.MULTILINE)  # constants beside the engine
_OPTIONS = {"nogil": True, "error_model": "numpy"}
_progress = Progress()
event.register("numba:compile", _progress)


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
        self.name = name
        self.sources = sources
        self.folder = _cache_folder(f"{name}-{_fingerprint(sources)}")

    @property
    def is_cold(self) -> bool:
        """Whether kernels will have to be compiled: nothing is cached yet."""
        return not JIT_DISABLED and (self.folder is None or not any(self.folder.glob("*.nbc")))

    def __call__(self, function: Kernel) -> Kernel:
        """Compile `function` on its first call; other users of Numba keep their own settings."""
        if JIT_DISABLED:
            return function
        _progress.expect(function, self.name, self.folder)
        called = numba.njit(**_OPTIONS)(function)
        inlined = numba.njit(pipeline_class=InliningCompiler, **INLINED, **_OPTIONS)(function)
        self._keep(called, function, "called")
        self._keep(inlined, function, "inlined")
        _let_kernels_call(called, inlined)
        return cast(Kernel, called)

    def pointer(
        self, signature: Any, function: Callable[..., Any], is_cached: bool = True
    ) -> Callable[..., Any]:
        """Compile `function` to a function pointer, which kernels take for an argument.

        Args:
            signature: Numba's, of arguments and result.
            function: What to compile; it may call kernels.
            is_cached: False if the function, or what it calls, is not of this cache's sources: an edit there
                would go unnoticed.
        """
        if JIT_DISABLED:
            return function
        pointer = CFunc(function, normalize_signature(signature), locals={}, options={})
        if is_cached:
            self._keep(pointer, function, "pointer")
        pointer.compile()
        return cast(Callable[..., Any], pointer)

    def _keep(self, compiled: Any, function: Callable[..., Any], kind: str) -> None:
        if self.folder is not None:
            compiled._cache = KernelFiles(self.folder, function, kind)


def _let_kernels_call(called: Any, inlined: Any) -> None:
    """Give kernels that call `called` the code of `inlined`, one for all widths and constants of integers.

    Numba compiles a callee anew for int8, int64 and every literal that is passed to it, which made the cold
    compilation four times as long; inlining brings the constants back.
    """

    def get_call_template(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return inlined.get_call_template(tuple(_plain(arg) for arg in args), kwargs)

    called.get_call_template = get_call_template
    called.get_overload = inlined.get_overload


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


def _cache_folder(name: str) -> Path | None:
    root = os.environ.get("CANASTA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(root) if root else Path.home() / ".cache") / "canasta_env" / name
    except RuntimeError:
        warn_once(name, "has no place, as there is no home folder: every process has to compile anew")
        return None


def package_cache(name: str, module_file: str, *others: str) -> KernelCache:
    """The cache for kernels outside the engine: of every file in the folders of some modules, and the engine.

    Args:
        name: First part of the cache folder's name.
        module_file: The `__file__` of a module in the package.
        others: Likewise, of packages whose kernels are called.
    """
    folders = [Path(file).resolve().parent for file in (module_file, *others)]
    sources = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    return KernelCache(name, [*engine_sources(), *sources])


kernel = KernelCache("engine", engine_sources())
