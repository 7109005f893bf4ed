"""What the terminal says while kernels are compiled."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import event

from canasta_env.engine.kernel_files import count_kernels

MARK = "announced"  # a file in a cache folder


class Progress(event.Listener):  # type: ignore[misc]
    """Counts the kernels that are compiled, not found in the cache.

    A cache folder is announced by one line, by the process that first compiles for it, and a process prints
    one such line at most. On a terminal a count stands below while compilation goes on.
    """

    def __init__(self) -> None:
        self._caches: dict[Callable[..., Any], tuple[str, Path | None]] = {}
        self._compiled: set[Callable[..., Any]] = set()
        self._marked: set[Path | None] = set()
        self._has_spoken = False
        self._depth = 0
        self._total = 0

    def expect(self, function: Callable[..., Any], name: str, folder: Path | None) -> None:
        """A kernel that may be compiled, and the name and folder of its cache."""
        self._caches[function] = (name, folder)

    def on_start(self, event: Any) -> None:
        """A kernel of anybody's is about to be compiled."""
        function = event.data["dispatcher"].py_func
        if function not in self._caches:
            return
        if self._depth == 0:
            self._total = self._count_missing()
        self._depth += 1
        name, folder = self._caches[function]
        if folder not in self._marked:
            self._marked.add(folder)
            if _mark(folder) and not self._has_spoken:
                self._has_spoken = True
                _say(
                    f"canasta_env: compiling the {name} kernels, once for this version (up to a minute) ...\n"
                )

    def on_end(self, event: Any) -> None:
        """A kernel of anybody's is compiled, or could not be."""
        function = event.data["dispatcher"].py_func
        if function not in self._caches:
            return
        self._depth -= 1
        self._compiled.add(function)
        if sys.stderr is not None and sys.stderr.isatty():
            count = f"  {len(self._compiled)} of at most {max(self._total, len(self._compiled))} kernels"
            _say(f"\r\x1b[K{count if self._depth else ''}")

    def _count_missing(self) -> int:
        folders = {folder for _, folder in self._caches.values() if folder is not None}
        cached = sum(count_kernels(folder) for folder in folders)
        return len(self._caches) - cached + len(self._compiled)


def _mark(folder: Path | None) -> bool:
    """Whether nobody announced a folder before; of two processes at once, one is told so."""
    if folder is None:
        return True
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).touch(exist_ok=False)
    except FileExistsError:
        return not folder.is_dir()
    except OSError:
        return True
    return True


def _say(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()
