"""A result.json as it is read: what figures are computed from is checked first, and named if it is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.suite.protocol import NAME, VERSION, Protocol
from canasta_agents.arena.suite.result import FORMAT, TALLIES
from canasta_env.files import from_json
from canasta_env.validation import shown

_MOST = 1e9  # of any number of a board


class _DamageError(ValueError):
    """An entry of a result that is not what it should be."""

    def __init__(self, place: str, found: Any, right: str) -> None:
        super().__init__(f"{place}: {shown(found)} should be {right}")


def read_result(path: Path, protocol: Protocol) -> dict[str, Any]:
    """Read a result of this version of the protocol.

    Raises:
        ArenaError: If the file is none, one of another version, or one that somebody has damaged.
        OSError: If it cannot be read.
    """
    try:
        result: dict[str, Any] = from_json(path.read_text(encoding="utf-8"))
        is_ours = result["format"] == FORMAT
        version, digest = result["protocol"]["version"], result["protocol"]["digest"]
    except (KeyError, TypeError, ValueError) as error:
        raise ArenaError(f"{path}: is no result of {NAME} ({type(error).__name__}: {error})") from None
    if not is_ours:
        raise ArenaError(f"{path}: its format is {result['format']!r}; it should be {FORMAT!r}")
    if (version, digest) != (VERSION, protocol.digest):
        raise ArenaError(
            f"{path}: was played by {NAME} {version} (data {digest}); this package has "
            f"{NAME} {VERSION} (data {protocol.digest}): use the version that it was played with"
        )
    try:
        _check_result(result)
    except _DamageError as error:
        raise ArenaError(f"{path}: is damaged: {error}") from None
    return result


def _check_result(result: dict[str, Any]) -> None:
    _text(_entry(result, "form", dict, "a table"), "name", "form.")
    _text(_entry(result, "entrant", dict, "a table"), "spec", "entrant.")
    seen: set[tuple[str, int]] = set()
    for place, part in _tables(result, "games", ""):
        game = _text(part, "game", f"{place}."), _whole(part.get("players"), f"{place}.players", 2)
        if game in seen:
            raise _DamageError(place, f"{game[0]} {game[1]}", "in it once")
        seen.add(game)
        _check_game(part, f"{place}.")


def _check_game(part: dict[str, Any], place: str) -> None:
    seen: set[tuple[str, str]] = set()
    for where, each in _tables(part, "meetings", place):
        names = _text(each, "first", f"{where}."), _text(each, "second", f"{where}.")
        if names in seen:
            raise _DamageError(where, " – ".join(names), "in it once")
        seen.add(names)
        _check_meeting(each, f"{where}.")
    _entry(part, "summary", dict, "a table", place)
    _entry(part, "frozen_players_are_unchanged", bool, "true or false", place)
    for where, forfeit in _tables(part, "forfeits", place, least=0):
        for name in ("first", "second"):
            _text(forfeit, name, f"{where}.")
        _whole(forfeit.get("board"), f"{where}.board", 0)


def _check_meeting(each: dict[str, Any], place: str) -> None:
    games = _whole(each.get("games"), f"{place}games", 1)
    boards = _entry(each, "per_board", dict, "a table", place)
    of_board = f"{place}per_board."
    columns = {name: _entry(boards, name, list, "a list of numbers", of_board) for name in TALLIES}
    num = len(columns["points"])
    for name, numbers in columns.items():
        if not numbers or len(numbers) != num:
            right = f"a list of {max(num, 1)}, a number for each board"
            raise _DamageError(of_board + name, numbers, right)
        for board, number in enumerate(numbers):
            _check_number(number, f"{of_board}{name}[{board}]")
    for board, deals in enumerate(columns["deals"]):
        _whole(deals, f"{of_board}deals[{board}]", games)
        for name, most in (("deal_wins", deals), ("match_wins", games)):
            if not 0 <= columns[name][board] <= most:
                right = f"from 0 to {most}"
                raise _DamageError(f"{of_board}{name}[{board}]", columns[name][board], right)


def _entry(content: dict[str, Any], name: str, kind: type, right: str, place: str = "") -> Any:
    found = content.get(name)
    if not isinstance(found, kind):
        raise _DamageError(f"{place}{name}", found, right)
    return found


def _tables(
    content: dict[str, Any], name: str, place: str, least: int = 1
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of a list of tables, each with where it stands."""
    found = _entry(content, name, list, "a list", place)
    if len(found) < least:
        raise _DamageError(f"{place}{name}", found, f"a list of at least {least}")
    for number, each in enumerate(found):
        if not isinstance(each, dict):
            raise _DamageError(f"{place}{name}[{number}]", each, "a table")
        yield f"{place}{name}[{number}]", each


def _text(content: dict[str, Any], name: str, place: str) -> str:
    found: str = _entry(content, name, str, "a text", place)
    return found


def _whole(found: Any, place: str, least: int) -> int:
    if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= _MOST:
        raise _DamageError(place, found, f"a whole number from {least} on")
    return found


def _check_number(found: Any, place: str) -> None:
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    if not is_number or not abs(found) <= _MOST:  # nor NaN
        raise _DamageError(place, found, f"a number, at most {_MOST:,.0f} to either side of 0")
