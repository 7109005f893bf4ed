"""What a table refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class PlayError(ValueError):
    """A message that cannot be followed: says why, and what would be right. The table has not changed."""


def text_of(message: Mapping[str, Any], key: str) -> str:
    """A text in a message.

    Raises:
        PlayError: If it is missing or something else.
    """
    value = message.get(key)
    if not isinstance(value, str):
        raise PlayError(f"{key}: {value!r} must be a text")
    return value


def whole_number_of(message: Mapping[str, Any], key: str, low: int, high: int) -> int:
    """A whole number in a message, from `low` to `high`.

    Raises:
        PlayError: If it is missing or something else.
    """
    value = message.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise PlayError(f"{key}: {value!r} must be a whole number from {low} to {high}")
    return value


def choice_of(message: Mapping[str, Any], key: str, choices: Sequence[str]) -> str:
    """One of a few texts in a message.

    Raises:
        PlayError: If it is none of them; names them.
    """
    value = message.get(key)
    if not isinstance(value, str) or value not in choices:
        raise PlayError(f"{key}: {value!r} must be one of {', '.join(choices)}")
    return value
