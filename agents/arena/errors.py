"""The arena's one exception."""

from __future__ import annotations


class ArenaError(ValueError):
    """A tournament that cannot be played as asked: says what is wrong, where, and what would be right."""
