"""The lobby: every table of a server by its name, the agents offered, the folders of records and tables."""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import re
import secrets
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from canasta_agents import registry
from canasta_agents.files import write_file
from canasta_agents.play.agent_calls import decision
from canasta_agents.play.friends import FRIEND
from canasta_agents.play.messages import PlayError, choice_of, one_line, quoted, text_of, whole_number_of
from canasta_agents.play.offered import OfferedAgents
from canasta_agents.play.portraits import seat_names
from canasta_agents.play.replay import Replay
from canasta_agents.play.session import MAX_SEED, YOU, Session, draw_seed
from canasta_env import Rules, RulesError, classic
from canasta_env.records import Record, RecordError, parse, to_text, verify
from canasta_env.rules import GAMES, PLAYERS, USUAL_TARGETS, Game, standard_rules

_LOG = logging.getLogger(__name__)
MAX_TABLES = 200  # in memory
MAX_REPLAYS = 32  # of them
MAX_RECORD_BYTES = 4 << 20  # of one that is loaded
MAX_RECORD_DEALS = 2_000
MAX_RECORDS = 2_000  # in the folder, before no more are saved
MAX_RECORDS_BYTES = 1 << 30
_MAX_RECORD_LINE = 100_000  # characters: a deal of thousands of actions
_MAX_FILE_NAME = 255
_NAME_BYTES = 9  # of randomness in the name of a table: only who knows it finds the table
_RECORD_SUFFIX = ".jsonl"
FORMAT = "canasta_env table"
VERSION = 1
MAX_KEPT = 1_000  # tables in the folder
MAX_KEPT_BYTES = 256 << 20
_PRIVATE = 0o600
_TABLE_SUFFIX = ".json"
_TABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WARM_UP_MOVES = 40  # of each game: enough to call what the rule-based players are made of
TableSession = Session | Replay  # what is at a table


class Lobby:
    """All tables of a server.

    Args:
        runs: Folder whose runs offer their policies as agents.
        records: Folder to which records are saved and from which they are loaded; made when first needed.
        extra: Specs of further agents, such as "python:module:Class". Browsers can choose no others.
        tables: Folder in which tables are kept, to be taken up again by another server; made when first
            needed. None: they end with the server.
        friends_host: Name or address by which friends reach the server. None: they cannot, and no table has
            seats for them.
    """

    def __init__(
        self,
        runs: Path,
        records: Path,
        extra: Sequence[str] = (),
        tables: Path | None = None,
        friends_host: str | None = None,
    ) -> None:
        self.agents = OfferedAgents(runs, extra)
        self._records = records
        self._store = None if tables is None else TableStore(tables)
        self._friends_host = friends_host
        self.tables: dict[str, TableSession] = {}  # the one longest not asked for first
        self._order = threading.Lock()  # of `tables`

    def look_for_kept_tables(self) -> tuple[int, list[str]]:
        """How many tables an earlier server has kept that can be read, and what is wrong with the others."""
        return (0, []) if self._store is None else self._store.tidy()

    def offers(self) -> dict[str, Any]:
        """What can be played, by whom, and which records there are."""
        games = [self._offer(standard_rules(game, players)) for game in GAMES for players in PLAYERS[game]]
        shared = {} if self._friends_host is None else {"friends_host": self._friends_host}
        return {"type": "lobby", "games": games, "records": self._saved(), **shared}

    def _offer(self, rules: Rules) -> dict[str, Any]:
        return {
            "game": rules.game,
            "players": rules.players,
            "target": rules.target,
            "targets": sorted({*USUAL_TARGETS, rules.target}),
            "seats": list(seat_names(rules.players)),
            "agents": self.agents.specs(rules),
            "portraits": self.agents.portraits(rules),
            "levels": self.agents.levels(rules),
        }

    def open(self, message: Mapping[str, Any]) -> str:
        """Open a table: `game`, `players`, `seats`, `episode`, perhaps `target`, `seed` and `pace_s`.

        Returns:
            Its address: its name; with friends at the table also the secret of who opens it (`split`).

        Raises:
            PlayError: If a field does not fit, or an agent cannot sit down.
        """
        game: Game = choice_of(message, "game", GAMES)  # type: ignore[assignment]
        try:
            rules = standard_rules(game, message.get("players"), message.get("target"))
        except RulesError as error:
            raise PlayError(one_line(error)) from None
        seats = message.get("seats")
        if not isinstance(seats, list):
            raise PlayError(f"seats: {quoted(seats)} must be a list, one entry a seat")
        for seat in seats[: rules.players]:
            if seat not in (YOU, FRIEND):
                self.agents.check(seat, rules)
        if FRIEND in seats:
            self._check_shared(message)
        episode: Any = choice_of({"episode": "match", **message}, "episode", ["deal", "match"])
        seed = seed_of(message)
        warm_up()
        session = Session(rules, seats, self.agents.maker(rules), seed, episode)
        if "pace_s" in message:
            session.handle({"type": "pace", "pace_s": message["pace_s"]})
        name, friends = self._add(session), session.friends
        return name if friends is None else f"{name}.{friends.secret_of(friends.opener)}"

    def _check_shared(self, message: Mapping[str, Any]) -> None:
        """Raise PlayError if a table with friends cannot be opened by this message."""
        if self._friends_host is None:
            raise PlayError(
                "seats: friends cannot reach this server; started with --host it listens to the network"
            )
        if message.get("seed") is not None:
            raise PlayError("seed: with friends it is drawn: who chooses it can find out all cards")

    def load(self, message: Mapping[str, Any]) -> str:
        """Open a record of the folder by its `name`, perhaps at a `step`; returns the name of the table.

        Raises:
            PlayError: If there is none, or as `load_content`.
        """
        name = text_of(message, "name", _MAX_FILE_NAME)
        if name not in self._saved():
            raise PlayError(f"name: {quoted(name)} is not in the server's folder of records (--records)")
        return self.load_content((self._records / name).read_bytes(), name, message.get("step", 0))

    def load_content(self, content: bytes, name: str = "the record", step: object = 0) -> str:
        """Open a record that was sent, at one of its steps; returns the name of the table.

        Raises:
            PlayError: If it is too large, no record, or disagrees with the rules; names line and reason. If
                it has no such step.
        """
        warm_up()
        record = _verified(content, name)
        replay = Replay(record, name)
        try:
            replay.handle({"type": "go", "step": step})
        except PlayError as error:
            raise PlayError(f"{name}: {error}") from None
        return self._add(replay, to_text(record))

    def save(self, table: str) -> str:
        """Save the record of a table to the folder; returns its file's name.

        Raises:
            PlayError: If the folder is full or cannot be written, or the table has no record that may be
                saved.
        """
        record = self.find(table).record()
        files = list(self._records.glob(f"*{_RECORD_SUFFIX}"))
        if len(files) >= MAX_RECORDS or sum(_size(file) for file in files) > MAX_RECORDS_BYTES:
            raise PlayError("the folder of records is full; remove some of its files")
        stem = f"{datetime.now():%Y-%m-%d-%H%M%S}-{record.rules.game}-{secrets.token_hex(2)}"
        try:
            write_file(self._records / f"{stem}{_RECORD_SUFFIX}", to_text(record))
        except OSError as error:
            raise PlayError(f"{error.filename}: the record is not saved: {error.strerror or error}") from None
        return f"{stem}{_RECORD_SUFFIX}"

    def find(self, table: object) -> TableSession:
        """A table by its name, in memory or kept.

        Raises:
            PlayError: If there is none of this name, or what was kept of it cannot be taken up again.
        """
        if not isinstance(table, str):
            raise PlayError(f"table: {quoted(table)} must be a text")
        session = self.held(table)
        if session is None:
            if self._store is None or not self._store.has(table):
                raise PlayError(
                    f"table: there is no {quoted(table)}; it may have been closed with the server"
                )
            session = self._restored(table, self._store.read(table))
            self._hold(table, session)
        return session

    def held(self, table: str) -> TableSession | None:
        """A table that is in memory; None if it is not."""
        with self._order:
            session = self.tables.pop(table, None)
            if session is not None:
                self.tables[table] = session
        return session

    def keep(self, table: str, session: TableSession) -> None:
        """Store how a table stands; a folder that cannot be written is logged, and play goes on."""
        if self._store is None:
            return
        try:
            self._store.write(table, session.kept())
        except OSError as error:
            _LOG.warning("tables are not kept: %s", error)

    def _add(self, session: TableSession, record: str | None = None) -> str:
        name = secrets.token_urlsafe(_NAME_BYTES)
        self._hold(name, session)
        if self._store is not None and record is not None:
            with contextlib.suppress(OSError):  # which `keep` reports
                self._store.write_record(name, record)
        self.keep(name, session)
        if self._store is not None:
            self._store.trim()
        return name

    def _hold(self, name: str, session: TableSession) -> None:
        """Hold a table in memory, and let go of those that were longest not asked for."""
        with self._order:
            self.tables.pop(name, None)
            self.tables[name] = session
            replays = [name for name, held in self.tables.items() if isinstance(held, Replay)]
            for oldest in replays[: max(0, len(replays) - MAX_REPLAYS)]:
                del self.tables[oldest]
            while len(self.tables) > MAX_TABLES:
                del self.tables[next(iter(self.tables))]

    def _restored(self, table: str, kept: Mapping[str, Any]) -> TableSession:
        assert self._store is not None
        warm_up()
        try:
            if "step" in kept:
                return Replay.restored(kept, _verified(self._store.read_record(table, kept), "the record"))
            return Session.restored(kept, self.agents.maker(Rules.from_dict(kept["rules"])))
        except Exception as error:  # a file may hold anything
            reason = f"{type(error).__name__}: {error}"
            raise PlayError(
                f"table: {quoted(table)} was kept, but cannot be taken up again: {reason}"
            ) from error

    def _saved(self) -> list[str]:
        return sorted((path.name for path in self._records.glob(f"*{_RECORD_SUFFIX}")), reverse=True)


def split(address: str) -> tuple[str, str]:
    """The name of a table and the secret of a seat in its address; the secret is empty where it has none."""
    name, _, secret = address.partition(".")
    return name, secret


def seat_of(session: TableSession, secret: str) -> int | None:
    """The seat that an address plays; None: that of who opened the table, or of nobody.

    Raises:
        PlayError: If it plays none.
    """
    friends = session.friends if isinstance(session, Session) else None
    if friends is not None:
        return friends.seat_of(secret)
    if secret:
        raise PlayError("table: the link of a table without friends is shorter")
    return None


def seed_of(message: Mapping[str, Any]) -> int:
    """The `seed` of a message, or one drawn where it has none.

    Raises:
        PlayError: If it is something else than a whole number of 53 bits.
    """
    if message.get("seed") is None:
        return draw_seed()
    return whole_number_of(message, "seed", 0, MAX_SEED)


def _verified(content: bytes, where: str) -> Record:
    """The record that a file holds. No step of it is long enough to hold up the server's other threads."""
    if len(content) > MAX_RECORD_BYTES:
        raise PlayError(f"{where}: {len(content):,} bytes; a record may have {MAX_RECORD_BYTES:,}")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise PlayError(f"{where}: cannot be read as text: {error.reason} at byte {error.start}") from None
    if text.count("\n") > MAX_RECORD_DEALS + 2:
        raise PlayError(f"{where}: more than {MAX_RECORD_DEALS:,} deals")
    if max(map(len, text.split("\n"))) > _MAX_RECORD_LINE:
        raise PlayError(f"{where}: a line of more than {_MAX_RECORD_LINE:,} characters")
    try:
        return verify(parse(text, where))
    except RecordError as error:
        raise PlayError(one_line(error)) from None


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # it has just been removed
        return 0


class TableStore:
    """A folder in which tables are kept, one file each, so that they outlive the server.

    The files hold every card: they are for the server alone.

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
        content = json.dumps({"format": FORMAT, "version": VERSION, **kept})
        write_file(self._file(name), content, mode=_PRIVATE)

    def write_record(self, name: str, record: str) -> None:
        """Keep the record that a table steps through, beside it; raises as `write`."""
        write_file(self._record_file(name), record, mode=_PRIVATE)

    def read_record(self, name: str, kept: Mapping[str, Any]) -> bytes:
        """The record that a table steps through; earlier versions kept it in the table's own file.

        Raises:
            OSError: If it cannot be read.
        """
        return (
            text_of(kept, "record", MAX_RECORD_BYTES).encode()
            if "record" in kept
            else self._record_file(name).read_bytes()
        )

    def has(self, name: str) -> bool:
        """Whether a table of this name is kept, readable or not."""
        return _TABLE_NAME.fullmatch(name) is not None and self._file(name).is_file()

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
        """Remove what unfinished writes have left, and `trim`.

        Returns:
            How many tables can be read, and what is wrong with the others.
        """
        for draft in self._folder.glob(".*"):
            draft.unlink(missing_ok=True)
        self.trim()
        faults = []
        files = list(self._folder.glob(f"*{_TABLE_SUFFIX}"))
        for file in files:
            try:
                self.read(file.stem)
            except PlayError as error:
                faults.append(str(error))
        return len(files) - len(faults), faults

    def trim(self) -> None:
        """Remove the oldest tables past `MAX_KEPT`, and past `MAX_KEPT_BYTES` together."""
        files = [(_written_at(file), file) for file in self._folder.glob(f"*{_TABLE_SUFFIX}")]
        total = 0
        for number, (_, file) in enumerate(sorted(files, reverse=True)):
            record = self._record_file(file.stem)
            total += _size(file) + _size(record)
            if number >= MAX_KEPT or total > MAX_KEPT_BYTES:
                file.unlink(missing_ok=True)
                record.unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}{_TABLE_SUFFIX}"

    def _record_file(self, name: str) -> Path:
        return self._folder / f"{name}{_RECORD_SUFFIX}"


def _written_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # it has just been removed
        return 0.0


@functools.cache
def warm_up() -> None:
    """Play one deal, once in a process, to compile what a table needs: about a minute without a cache."""
    rules = classic(players=2)
    session = _full_table(rules, "random")
    _ = decision(session.table_for_advice()).observations
    session.state()
    while session.waits_s is not None:
        session.advance()
    session.state()
    session.handle({"type": "next"})


def warm_up_players() -> None:
    """Let the strongest rule-based players begin a deal of each game, to compile what they need."""
    for game in GAMES:
        session = _full_table(standard_rules(game), "heuristic")
        for _ in range(_WARM_UP_MOVES):
            if session.waits_s is not None:  # until the deal is over
                session.advance()


def _full_table(rules: Rules, player: str) -> Session:
    """A table with one player in every seat."""
    return Session(rules, [player] * rules.players, functools.partial(registry.make, rules=rules), seed=0)
