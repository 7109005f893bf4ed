"""Tables kept in a folder, one file each, so that they outlive the server."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from canasta_agents.play.errors import PlayError

FORMAT = "canasta_env table"
VERSION = 1
MAX_KEPT = 1_000
_SUFFIX = ".json"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Keeper:
    """A folder of tables. Its files hold every card: they are for the server alone.

    Args:
        folder: Where they lie; made when first needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, name: str, kept: dict[str, Any]) -> None:
        """Keep a table, in place of what was kept of it before; a file is whole or not there.

        Raises:
            OSError: If the folder cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"format": FORMAT, "version": VERSION, **kept})
        handle, draft = tempfile.mkstemp(prefix=".", suffix=".draft", dir=self._folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(draft).replace(self._file(name))
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise

    def has(self, name: str) -> bool:
        """Whether a table of this name is kept, readable or not."""
        return _NAME.fullmatch(name) is not None and self._file(name).is_file()

    def read(self, name: str) -> dict[str, Any]:
        """What is kept of a table.

        Raises:
            PlayError: If the file cannot be read, or is something else; names file and reason.
        """
        path = self._file(name)
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise PlayError(f"{path}: cannot be read: {error}") from None
        if not isinstance(kept, dict) or kept.get("format") != FORMAT:
            raise PlayError(f"{path}: is no table that was kept")
        if kept.get("version") != VERSION:
            raise PlayError(f"{path}: version {kept.get('version')!r}; this program reads version {VERSION}")
        return kept

    def tidy(self) -> tuple[int, list[str]]:
        """Look through the folder: drop unfinished drafts and, past MAX_KEPT, the oldest tables.

        Returns:
            How many tables can be read, and what is wrong with the others.
        """
        for draft in self._folder.glob(".*.draft"):
            draft.unlink(missing_ok=True)
        files = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[MAX_KEPT:]:
            file.unlink(missing_ok=True)
        faults = []
        for file in files[:MAX_KEPT]:
            try:
                self.read(file.stem)
            except PlayError as error:
                faults.append(str(error))
        return len(files[:MAX_KEPT]) - len(faults), faults

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}{_SUFFIX}"
