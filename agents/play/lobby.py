"""The lobby: every table of a server by its name, the agents offered, the folders of records and tables."""

from __future__ import annotations

import functools
import json
import logging
import os
import re
import secrets
import tempfile
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from canasta_agents import registry
from canasta_agents.play.agent_calls import advise, decision
from canasta_agents.play.messages import PlayError, choice_of, text_of, whole_number_of
from canasta_agents.play.replay import Replay
from canasta_agents.play.session import YOU, Make, Session
from canasta_agents.policies import playable_policy
from canasta_env import Rules, RulesError, Table, classic
from canasta_env.agent import Agent
from canasta_env.records import Record, RecordError, verify, write
from canasta_env.rules import GAMES, PLAYERS, Game, standard_rules

_LOG = logging.getLogger(__name__)
MAX_TABLES = 200  # in memory
_NAME_BYTES = 9  # of randomness in the name of a table: only who knows it finds the table
_MAX_SEED = 2**53 - 1  # what JSON numbers hold exactly
_RECORD_SUFFIX = ".jsonl"
FORMAT = "canasta_env table"
VERSION = 1
MAX_KEPT = 1_000
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
    """

    def __init__(
        self, runs: Path, records: Path, extra: Sequence[str] = (), tables: Path | None = None
    ) -> None:
        self._runs, self._records, self._extra = runs, records, tuple(extra)
        self._store = None if tables is None else TableStore(tables)
        self.tables: dict[str, TableSession] = {}  # the one longest not asked for first
        self._order = threading.Lock()  # of `tables`
        self._advisers: dict[tuple[Rules, str], list[Agent]] = {}

    def look_for_kept_tables(self) -> tuple[int, list[str]]:
        """How many tables an earlier server has kept that can be read, and what is wrong with the others."""
        return (0, []) if self._store is None else self._store.tidy()

    def offers(self) -> dict[str, Any]:
        """What can be played, by whom, and which records there are."""
        games = [
            {"game": game, "players": players, "agents": self.offered(standard_rules(game, players))}
            for game in GAMES
            for players in PLAYERS[game]
        ]
        return {"type": "lobby", "games": games, "records": self._saved()}

    def offered(self, rules: Rules) -> list[str]:
        """The agents that can sit down at a game, the strongest rule-based one first."""
        names = ["heuristic", *registry.names(rules)]
        return [*names, *(f"neural:{path}" for path in self._policies(rules)), *self._extra]

    def open(self, message: Mapping[str, Any]) -> str:
        """Open a table: `game`, `players`, `seats`, `episode` and perhaps `seed`; returns its name.

        Raises:
            PlayError: If a field does not fit, or an agent cannot sit down.
        """
        game: Game = choice_of(message, "game", GAMES)  # type: ignore[assignment]
        try:
            rules = standard_rules(game, message.get("players"), message.get("target"))
        except RulesError as error:
            raise PlayError(str(error)) from None
        seats = message.get("seats")
        if not isinstance(seats, list):
            raise PlayError(f"seats: {seats!r} must be a list, one entry a seat")
        for seat in seats:
            if seat != YOU and (not isinstance(seat, str) or seat not in self.offered(rules)):
                raise PlayError(f"seats: {seat!r} is not offered; there are {', '.join(self.offered(rules))}")
        episode: Any = choice_of({"episode": "match", **message}, "episode", ["deal", "match"])
        seed = seed_of(message)
        warm_up()
        return self._add(Session(rules, seats, self.maker(rules), seed, episode))

    def load(self, message: Mapping[str, Any]) -> str:
        """Open a record, one of the folder by its `name`, or a `text`; returns the name of the table.

        Raises:
            PlayError: If it is no record, or does not agree with the rules; names line and reason.
        """
        warm_up()
        try:
            if "text" in message:
                record, name = _verify_text(text_of(message, "text")), "a record"
            else:
                name = choice_of(message, "name", self._saved())
                record = verify(self._records / name)
        except RecordError as error:
            raise PlayError(str(error)) from None
        return self._add(Replay(record, name))

    def save(self, table: str) -> str:
        """Save the record of a table to the folder; returns its file's name."""
        record: Record = self.find(table).record()
        self._records.mkdir(parents=True, exist_ok=True)
        stem = f"{datetime.now():%Y-%m-%d-%H%M%S}-{record.rules.game}-{table[:4]}"
        write(record, self._records / f"{stem}{_RECORD_SUFFIX}")
        return f"{stem}{_RECORD_SUFFIX}"

    def find(self, table: object) -> TableSession:
        """A table by its name, in memory or kept.

        Raises:
            PlayError: If there is none of this name, or what was kept of it cannot be taken up again.
        """
        if not isinstance(table, str):
            raise PlayError(f"table: {table!r} must be a text")
        session = self.tables.get(table)
        if session is None:
            if self._store is None or not self._store.has(table):
                raise PlayError(f"table: there is no {table!r}; it may have been closed with the server")
            session = self._restored(table, self._store.read(table))
        self._hold(table, session)
        return session

    def keep(self, table: str, session: TableSession) -> None:
        """Store how a table stands; a folder that cannot be written is logged, and play goes on."""
        if self._store is None:
            return
        kept = session.kept()
        if isinstance(session, Replay):
            kept["record"] = _text_of_record(session.record())
        try:
            self._store.write(table, kept)
        except OSError as error:
            _LOG.warning("tables are not kept: %s", error)

    def advise(self, spec: str, rules: Rules, table: Table) -> dict[str, Any]:
        """What an agent would do, which nobody has at the table: as `advice.advise`."""
        idle = self._advisers.setdefault((rules, spec), [])
        agent = idle.pop() if idle else self.maker(rules)(spec)
        agent.reset(1, 0)
        advice = advise(agent, table)
        idle.append(agent)
        return advice

    def _add(self, session: TableSession) -> str:
        name = secrets.token_urlsafe(_NAME_BYTES)
        self._hold(name, session)
        self.keep(name, session)
        return name

    def _hold(self, name: str, session: TableSession) -> None:
        with self._order:
            self.tables.pop(name, None)
            while len(self.tables) >= MAX_TABLES:
                del self.tables[next(iter(self.tables))]
            self.tables[name] = session

    def _restored(self, table: str, kept: Mapping[str, Any]) -> TableSession:
        warm_up()
        try:
            if "record" in kept:
                return Replay.restored(kept, _verify_text(text_of(kept, "record")))
            return Session.restored(kept, self.maker(Rules.from_dict(kept["rules"])))
        except Exception as error:  # a file may hold anything
            reason = f"{type(error).__name__}: {error}"
            raise PlayError(f"table: {table!r} was kept, but cannot be taken up again: {reason}") from error

    def maker(self, rules: Rules) -> Make:
        """What makes the agents offered for a game; raises PlayError for others, and for those that fail."""

        def make(spec: str) -> Agent:
            if spec not in self.offered(rules):
                raise PlayError(f"agent: {spec!r} is not offered; there are {', '.join(self.offered(rules))}")
            try:
                return registry.make(spec, rules)
            except (Exception, SystemExit) as error:  # a third party's code may raise anything
                raise PlayError(f"{spec}: {error}") from error

        return make

    def _policies(self, rules: Rules) -> list[str]:
        """The package's policy for this game, and the runs with one, the newest first."""
        found: dict[str, float] = {}
        for card in self._runs.glob("*/*/policy.json"):
            try:
                about = json.loads(card.read_text(encoding="utf-8"))["rules"]
                if (about["game"], about["players"]) == (rules.game, rules.players):
                    found[str(card.parent.parent)] = card.stat().st_mtime
            except (OSError, ValueError, KeyError, TypeError):
                continue
        own = playable_policy(rules)
        return [*([own] if own else []), *sorted(found, key=lambda run: -found[run])]

    def _saved(self) -> list[str]:
        return sorted((path.name for path in self._records.glob(f"*{_RECORD_SUFFIX}")), reverse=True)


def seed_of(message: Mapping[str, Any]) -> int:
    """The `seed` of a message, or one drawn where it has none.

    Raises:
        PlayError: If it is something else than a whole number of 53 bits.
    """
    if message.get("seed") is None:
        return secrets.randbelow(_MAX_SEED)
    return whole_number_of(message, "seed", 0, _MAX_SEED)


def _text_of_record(record: Record) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record"
        write(record, path)
        return path.read_text(encoding="utf-8")


def _verify_text(text: str) -> Record:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record"
        path.write_text(text, encoding="utf-8")
        try:
            return verify(path)
        except RecordError as error:
            raise RecordError(str(error).replace(str(path), "the record")) from None


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
        """Look through the folder: drop unfinished drafts and, past MAX_KEPT, the oldest tables.

        Returns:
            How many tables can be read, and what is wrong with the others.
        """
        for draft in self._folder.glob(".*.draft"):
            draft.unlink(missing_ok=True)
        files = sorted(
            self._folder.glob(f"*{_TABLE_SUFFIX}"), key=lambda file: file.stat().st_mtime, reverse=True
        )
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
        return self._folder / f"{name}{_TABLE_SUFFIX}"


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
