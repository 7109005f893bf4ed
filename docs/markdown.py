"""Pieces of Markdown that the pages made from the code share."""

from __future__ import annotations


def table(*names: str, rows: list[str], right: int = 0) -> str:
    """A table, its first `right` columns flush right."""
    marks = ["---:" if place < right else "---" for place in range(len(names))]
    return "\n".join([f"| {' | '.join(names)} |", f"|{'|'.join(marks)}|", *rows])


def page(*parts: str) -> str:
    """A page of parts, an empty line between them."""
    return "\n\n".join(part.strip() for part in parts) + "\n"
