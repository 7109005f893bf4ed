"""Positions with what is expected of each, in TOML files.

A `[[case]]` is a position in the public notation (docs/positions.md), with `hand` for the cards of seat 1,
whose turn it is, and next to its keys those that the test wants.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from canasta_env import Table


class Case(NamedTuple):
    """A position, and what a test wants of it."""

    position: dict[str, Any]  # the cards named nowhere are dealt as `partial=True` deals them
    told: dict[str, Any]

    def table(self) -> Table:
        """A table in the position.

        Raises:
            PositionError: If it is none; an unknown key is named.
        """
        return Table.from_position(self.position, partial=True)


def read_cases(path: Path, keys: Sequence[str], optional: Sequence[str] = ()) -> list[Case]:
    """The cases of a file.

    Args:
        path: The file.
        keys: What every case tells besides its position.
        optional: What it may tell. Every other key is the position's.

    Raises:
        KeyError: If a case lacks one of `keys`.
        ValueError: If the file holds anything else.
    """
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    if list(content) != ["case"]:
        raise ValueError(f"{path} holds {', '.join(content)}, and should hold nothing but [[case]]")
    return [_case(dict(entry), keys, optional) for entry in content["case"]]


def _case(entry: dict[str, Any], keys: Sequence[str], optional: Sequence[str]) -> Case:
    told = {key: entry.pop(key) for key in keys}
    told |= {key: entry.pop(key) for key in optional if key in entry}
    hands = {1: entry.pop("hand")} | entry.pop("hands", {})
    return Case(entry | {"hands": hands}, told)
