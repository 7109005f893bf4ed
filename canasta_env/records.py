"""Records: a deal or a match as JSON lines, to keep, to replay and to verify.

A file has a line for the game (rules, seed, perhaps who sat where), one for each deal (dealer, scores, order,
actions, points), and a last one with the final scores and a checksum of the lines above it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from canasta_env.cards import KINDS
from canasta_env.engine import batch
from canasta_env.engine.state import NOBODY, allocate, rules_record
from canasta_env.files import write_file
from canasta_env.rules import Rules
from canasta_env.table import Table
from canasta_env.validation import (
    check_order,
    check_rules,
    check_scores,
    check_seat,
    check_seed,
    printable,
    shown,
)

FORMAT = "canasta_env record"
VERSION = 1
_LONGEST_PATH = 300  # what errors show of one: its end
_GAME_KEYS = ("format", "version", "rules", "seed")
_AGENTS = "agents"  # of the game's line, where they are known
LONGEST_AGENT = 1_000  # characters of the name of who sat in a seat
_DEAL_KEYS = ("deal", "dealer", "scores", "order", "actions", "points")
_END_KEYS = ("deals", "scores", "sha256")


class RecordError(ValueError):
    """A record that cannot be read, or that does not agree with the rules: names file, line and reason."""


@dataclass(frozen=True)
class DealRecord:
    """One deal."""

    dealer: int
    scores: tuple[int, ...]  #: of each side when the deal began
    order: tuple[str, ...]  #: all the cards as they leave the stock
    actions: tuple[str, ...]  #: in notation
    points: tuple[int, ...] | None  #: of each side; None if the deal was not played to its end


@dataclass(frozen=True)
class Record:
    """A deal or a match."""

    rules: Rules
    seed: int | None  #: that fixes every order; None if the cards came from elsewhere
    deals: tuple[DealRecord, ...]
    agents: tuple[str, ...] | None = None  #: who sat in each seat; None if nobody has noted it

    @property
    def scores(self) -> tuple[int, ...]:
        """Match score of each side at the end."""
        last = self.deals[-1]
        return tuple(a + b for a, b in zip(last.scores, last.points or (0,) * len(last.scores), strict=True))


class Recorder:
    """Plays at tables and writes down what is played.

    Args:
        rules: The game.
        seed: Of the match that the tables are dealt from, if they are.
    """

    def __init__(self, rules: Rules, seed: int | None = None) -> None:
        self.rules = check_rules(rules)
        self.seed = None if seed is None else check_seed(seed)
        self._tables: list[tuple[Table, tuple[str, ...], list[str]]] = []

    def begin(self, table: Table) -> None:
        """Record the next deal from `table`, at which nothing has been played yet.

        Raises:
            RecordError: If it is of another game or something has been played.
        """
        if not isinstance(table, Table):
            raise RecordError(f"table: {shown(table)} must be a Table")
        if table.rules != self.rules:
            raise RecordError("the table has other rules than the record")
        order = tuple(table.order)
        fresh = Table(self.rules, order=order, dealer=table.dealer, scores=table.scores)
        if fresh.position() != table.position():
            raise RecordError("a record begins with a table at which nothing has been played")
        self._tables.append((table, order, []))

    def play(self, notation: str) -> None:
        """Play an action at the table of the deal under way; raises what `Table.play` raises.

        Raises:
            RecordError: If no deal has begun.
        """
        if not self._tables:
            raise RecordError("begin(table) begins a deal; before it there is none to play at")
        table, _, actions = self._tables[-1]
        table.play(notation)
        actions.append(notation)

    def record(self) -> Record:
        """What was recorded so far."""
        deals = (
            DealRecord(table.dealer, table.scores, order, tuple(actions), _points(table))
            for table, order, actions in self._tables
        )
        return Record(self.rules, self.seed, tuple(deals))


def write(record: Record, path: str | Path) -> None:
    """Write a record to a file, whole or not at all; replaces it, and makes the folders on the way to it.

    Raises:
        RecordError: If the record has no deal.
        OSError: If the file cannot be written; its `filename` is the path.
    """
    file, text = _check_path(path), to_text(record)
    try:
        write_file(file, text)
    except ValueError as error:  # a path that cannot be one
        raise RecordError(f"{_printable(file)}: cannot be written: {error}") from None


def to_text(record: Record) -> str:
    """A record as the text of its file.

    Raises:
        RecordError: If the record has no deal, or `agents` that could not be read again.
    """
    _check_record(record)
    if not record.deals:
        raise RecordError("a record has at least one deal")
    _read_agents(None if record.agents is None else list(record.agents), record.rules)
    game = {"format": FORMAT, "version": VERSION, "rules": record.rules.to_dict(), "seed": record.seed}
    if record.agents is not None:
        game[_AGENTS] = list(record.agents)
    lines = [json.dumps(game)]
    for number, deal in enumerate(record.deals, start=1):
        lines.append(json.dumps({"deal": number, **vars(deal)}))
    end = {"deals": len(record.deals), "scores": record.scores, "sha256": _checksum(lines)}
    return "\n".join([*lines, json.dumps(end)]) + "\n"


def read(path: str | Path) -> Record:
    """Read a record and check its form; `verify` checks what was played.

    Raises:
        RecordError: If the file is no record, or was truncated or altered; names file, line and reason.
    """
    file = _check_path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a path that cannot be one
        reason = getattr(error, "strerror", None) or error
        raise RecordError(f"{_printable(file)}: cannot be read as text: {reason}") from None
    return parse(text, _printable(file))


def parse(text: str, where: str) -> Record:
    """Read the text of a record's file and check its form; `verify` checks what was played.

    Args:
        text: What `to_text` returns.
        where: Names the text in errors.

    Raises:
        RecordError: As `read`.
    """
    lines = _lines_of(text, where)
    objects = [_parse(line, f"{where}, line {number}") for number, line in enumerate(lines, start=1)]
    rules, seed, agents = _read_game(objects[0], f"{where}, line 1")
    if len(objects) < 3 or set(objects[-1]) != set(_END_KEYS):
        raise RecordError(f"{where}, line {len(lines)}: the record is cut off: its last line is missing")
    deals = [
        _read_deal(fields, number, rules, f"{where}, line {number + 1}")
        for number, fields in enumerate(objects[1:-1], start=1)
    ]
    record = Record(rules, seed, tuple(deals), agents)
    _check_end(objects[-1], lines, record, f"{where}, line {len(lines)}")
    return record


def replay(record: Record) -> Iterator[tuple[int, Table]]:
    """Play a record again.

    Yields:
        The number of the deal, from 1, and its table: as dealt, then after each action. The table is one
        object that goes on; copy it to keep it.

    Raises:
        RecordError: If an action is not legal; names deal and action.
    """
    _check_record(record)
    for number, deal in enumerate(record.deals, start=1):
        table = Table(record.rules, order=deal.order, dealer=deal.dealer, scores=deal.scores)
        yield number, table
        for place, action in enumerate(deal.actions, start=1):
            try:
                table.play(action)
            except ValueError as error:
                raise RecordError(f"deal {number}, action {place}: {error}") from None
            yield number, table


def verify(record: Record | str | Path) -> Record:
    """Replay a record and compare everything in it with what the rules say.

    Args:
        record: The record, or the file it is in.

    Returns:
        The record.

    Raises:
        RecordError: On the first disagreement; names deal, action and reason, and file and line if read.
    """
    if isinstance(record, Record):
        _verify(record)
        return record
    read_record = read(record)
    try:
        _verify(read_record)
    except _DisagreementError as error:
        raise RecordError(f"{_printable(record)}, line {error.deal + 1}: {error}") from None
    except RecordError as error:
        raise RecordError(f"{_printable(record)}: {error}") from None
    return read_record


class _DisagreementError(RecordError):
    """A disagreement in a deal."""

    def __init__(self, deal: int, reason: str) -> None:
        super().__init__(f"deal {deal}: {reason}")
        self.deal = deal


def _verify(record: Record) -> None:
    expected: tuple[int, ...] | None = None
    for number, deal in enumerate(record.deals, start=1):
        _check_course(record, number, expected)
        table = Table(record.rules, order=deal.order, dealer=deal.dealer, scores=deal.scores)
        for place, action in enumerate(deal.actions, start=1):
            try:
                table.play(action)
            except ValueError as error:
                raise _DisagreementError(number, f"action {place}: {error}") from None
        if deal.points != _points(table):
            raise _DisagreementError(number, f"points {deal.points}, but the rules give {_points(table)}")
        if deal.points is not None:
            expected = tuple(a + b for a, b in zip(deal.scores, deal.points, strict=True))


def _check_course(record: Record, number: int, expected: tuple[int, ...] | None) -> None:
    """Check that a deal follows the one before it (R-DEAL-4, R-MATCH), and from the seed."""
    deal = record.deals[number - 1]
    if record.seed is not None and deal.order != _order_of(record.rules, record.seed, number - 1):
        raise _DisagreementError(number, f"the order is not that of seed {record.seed}")
    if number == 1:
        return
    before = record.deals[number - 2]
    if expected is None or before.points is None:
        raise _DisagreementError(number, "the deal before it was not played to its end")
    if deal.scores != expected:
        raise _DisagreementError(number, f"scores {deal.scores}, but the deals before it come to {expected}")
    if deal.dealer != (before.dealer + 1) % record.rules.players:
        raise _DisagreementError(number, f"dealer {deal.dealer} after dealer {before.dealer} (R-DEAL-4)")
    if batch.winner_one(rules_record(record.rules), np.array(expected, np.int64)) != NOBODY:
        raise _DisagreementError(number, f"the match was over before it, at {expected} (R-MATCH-2)")


def _order_of(rules: Rules, seed: int, number: int) -> tuple[str, ...]:
    """The order of a deal of a match, numbered from 0."""
    state = allocate(1)
    batch.start_match(rules_record(rules), state, 0, np.uint64(seed))
    if number > 0:
        state["deal"] = number - 1
        batch.next_deal(rules_record(rules), state, 0)
    return tuple(KINDS[kind] for kind in state["stock"][0])


def _points(table: Table) -> tuple[int, ...] | None:
    return tuple(score.total for score in table.score()) if table.is_over else None


def _checksum(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _check_record(record: Any) -> None:
    if not isinstance(record, Record):
        raise RecordError(f"record: {shown(record)} must be a Record, as read(path) and Recorder return it")


def _check_path(path: Any) -> Path:
    if not isinstance(path, (str, Path)):
        raise RecordError(f"path: {shown(path)} must be the path of a file")
    return Path(path)


def _printable(path: str | Path) -> str:
    """A path as text for every terminal, from its end where it is long."""
    return printable(str(path))[-_LONGEST_PATH:]


def _lines_of(text: str, where: str) -> list[str]:
    if not text.isascii():  # a checksum is one of bytes, which half a surrogate pair has not
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise RecordError(f"{where}: cannot be written as UTF-8: {error.reason}") from None
    if not text.strip():
        raise RecordError(f"{where}, line 1: the file is empty")
    return text.rstrip("\n").split("\n")


def _parse(line: str, where: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{where}: not a line of JSON, or cut off: {error}") from None
    if not isinstance(fields, dict):
        raise RecordError(f"{where}: a line of a record is an object, not {type(fields).__name__}")
    return fields


def _read_game(fields: Mapping[str, Any], where: str) -> tuple[Rules, int | None, tuple[str, ...] | None]:
    if fields.get("format") != FORMAT:
        raise RecordError(f'{where}: not a record: "format" is {fields.get("format")!r}, not {FORMAT!r}')
    if fields.get("version") != VERSION:
        raise RecordError(f"{where}: version {fields.get('version')!r}; this program reads version {VERSION}")
    _check_keys({key: field for key, field in fields.items() if key != _AGENTS}, _GAME_KEYS, where)
    try:
        if not isinstance(fields["rules"], Mapping):
            raise RecordError("rules: not an object")
        rules = Rules.from_dict(fields["rules"])
        seed = None if fields["seed"] is None else check_seed(fields["seed"])
        agents = _read_agents(fields.get(_AGENTS), rules)
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from None
    return rules, seed, agents


def _read_agents(agents: Any, rules: Rules) -> tuple[str, ...] | None:
    if agents is None:
        return None
    is_list = isinstance(agents, list) and len(agents) == rules.players
    if not is_list or not all(isinstance(name, str) and len(name) <= LONGEST_AGENT for name in agents):
        raise RecordError(
            f"agents: {shown(agents)} must be a list of {rules.players} texts, one for each seat"
        )
    return tuple(agents)


def _read_deal(fields: Mapping[str, Any], number: int, rules: Rules, where: str) -> DealRecord:
    _check_keys(fields, _DEAL_KEYS, where)
    if fields["deal"] != number:
        raise RecordError(f"{where}: deal {fields['deal']!r}, but {number} comes here")
    for key in ("order", "actions"):
        if not isinstance(fields[key], list) or not all(isinstance(name, str) for name in fields[key]):
            raise RecordError(f"{where}: {key}: not a list of texts")
    try:
        check_order(fields["order"])
        points = None if fields["points"] is None else tuple(check_scores(fields["points"], rules, "points"))
        return DealRecord(
            check_seat(fields["dealer"], rules, "dealer"),
            tuple(check_scores(fields["scores"], rules)),
            tuple(map(sys.intern, fields["order"])),  # a few names, thousands of times: each is kept once
            tuple(map(sys.intern, fields["actions"])),
            points,
        )
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from None


def _check_end(fields: Mapping[str, Any], lines: list[str], record: Record, where: str) -> None:
    if fields["deals"] != len(record.deals):
        raise RecordError(f"{where}: {fields['deals']!r} deals, but there are {len(record.deals)} above")
    if fields["sha256"] != _checksum(lines[:-1]):
        raise RecordError(f"{where}: the lines above were altered: their checksum is another one")
    if fields["scores"] != list(record.scores):
        raise RecordError(f"{where}: scores {fields['scores']!r}; the deals come to {list(record.scores)}")


def _check_keys(fields: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in keys:
        if key not in fields:
            raise RecordError(f"{where}: {key!r} is missing")
    for key in fields:
        if key not in keys:
            raise RecordError(f"{where}: {key!r} does not belong there")
