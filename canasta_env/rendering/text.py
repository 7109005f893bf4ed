"""A table in text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from canasta_env.table import Table


def picture(table: Table) -> str:
    """A readable picture of the open table."""
    return str(table.position())
