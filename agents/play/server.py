"""The web server: the page, and a socket for each browser that passes messages between it and the lobby.

What a browser may ask is bounded before it is looked at: the size of a message, how many there are in a
second, how many answers wait, and how many calls of agents run at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
import weakref
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

from canasta_agents.play.agent_calls import CallPool
from canasta_agents.play.hosts import Authority, canonical_name, same_site
from canasta_agents.play.lobby import MAX_RECORD_BYTES, Lobby, TableSession, seat_of, split
from canasta_agents.play.messages import MAX_SPEC, PlayError, one_line, quoted, text_of
from canasta_agents.play.portraits import portrait
from canasta_agents.play.seated_agents import Question
from canasta_agents.play.session import Session
from canasta_agents.play.traffic import RateLimit, Reply, SendQueue
from canasta_env.records import to_text

_LOG = logging.getLogger(__name__)
STATIC = Path(__file__).parent / "static"
MAX_MESSAGE_BYTES = 32 << 10
MAX_SOCKETS = 100
MAX_WATCHED = 16  # tables that one browser is told of
MAX_UPLOADS = 4  # records that are received at once
MESSAGES_PER_S, MESSAGE_BURST = 50, 100  # of one browser
AGENT_TIMEOUT_S = 60.0
_OPENING_S = 600.0  # the engine may have to be compiled, and PyTorch to be loaded
_UPLOAD_S = 60.0
_HEARTBEAT_S = 30.0
_POLICY = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Server:
    """Serves a lobby to browsers.

    Tables go on by themselves while somebody looks at them, and stand still otherwise.

    Args:
        lobby: The tables.
        names: By which browsers may call the server, as `hosts.accepted_names` returns them. The address at
            which a request arrives is accepted as well.
        agent_timeout_s: Seconds that an agent may think about a move; then its table stops and says so.
    """

    def __init__(self, lobby: Lobby, names: frozenset[str], agent_timeout_s: float = AGENT_TIMEOUT_S) -> None:
        self._lobby, self._names = lobby, names
        self._agent_timeout_s = agent_timeout_s
        self._browsers: set[Browser] = set()
        self._watchers: dict[str, list[Watcher]] = {}  # of each table, by its name
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._runners: dict[str, asyncio.Task[None]] = {}
        self._questions: dict[str, Question] = {}  # that the runner of a table waits for
        self._telling: set[asyncio.Task[None]] = set()  # who has left a table
        self._num_uploads = 0
        self._openings = CallPool(max_running=1, max_threads=8)
        self._advice = CallPool(max_running=2, max_threads=16)
        self._moves = CallPool(max_running=4, max_threads=64)

    def app(self) -> web.Application:
        """The web application."""
        # bodies stay as they are sent: what is small packed may be huge unpacked
        app = web.Application(middlewares=[self._guard], handler_args={"auto_decompress": False})
        app.router.add_get("/", self._page)
        app.router.add_get("/socket", self._socket)
        app.router.add_post("/records", self._load_record)
        app.router.add_get("/tables/{table}/record", self._send_record)
        app.router.add_static("/static", STATIC)
        app.on_shutdown.append(self._stop)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Callable[..., Any]) -> web.StreamResponse:
        """Refuse other sites' pages, and names that were made to point here."""
        host = self._host_of(request)
        origins = request.headers.getall("Origin", [])
        try:
            is_own = all(same_site(origin, host) for origin in origins)
        except ValueError as error:
            raise web.HTTPBadRequest(text=f"Origin: {quoted(origins[0])}: {error}") from None
        if not is_own or len(origins) > 1:
            raise web.HTTPForbidden(text=f"Origin: {quoted(origins[0])} is another site")
        response: web.StreamResponse = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = _POLICY
            response.headers["Cache-Control"] = "no-cache"
        return response

    def _host_of(self, request: web.Request) -> Authority:
        """The name by which the server is called; refuses a request by another's."""
        hosts = request.headers.getall("Host", [])
        if len(hosts) != 1:
            raise web.HTTPBadRequest(text=f"Host: {len(hosts)} of them; a request has one")
        try:
            host = Authority.parse(hosts[0])
        except ValueError as error:
            raise web.HTTPBadRequest(text=f"Host: {quoted(hosts[0])}: {error}") from None
        address = request.get_extra_info("sockname")
        arrived_at = canonical_name(address[0]) if isinstance(address, tuple) else None
        if host.name not in self._names and host.name != arrived_at:
            text = f"Host: {quoted(hosts[0])} is not a name of this server; --allowed-host adds one"
            raise web.HTTPForbidden(text=text)
        return host

    async def _page(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(STATIC / "index.html")

    async def _load_record(self, request: web.Request) -> web.Response:
        """Open a table for a record that is sent as the body; answers as to the message `load`."""
        if self._num_uploads >= MAX_UPLOADS:
            return _refusal(503, "other records are being read; try again")
        self._num_uploads += 1
        try:
            async with asyncio.timeout(_UPLOAD_S):
                content = await _read_body(request)
            load = functools.partial(self._lobby.load_content, content)
            table = await self._openings.call(load, _OPENING_S, "the record")
        except web.HTTPRequestEntityTooLarge:
            return _refusal(413, f"a record may have {MAX_RECORD_BYTES:,} bytes")
        except TimeoutError:
            return _refusal(408, f"the record has not arrived in {_UPLOAD_S:g} s")
        except PlayError as error:
            return _refusal(400, one_line(error))
        finally:
            self._num_uploads -= 1
        return web.json_response({"type": "opened", "table": table})

    async def _send_record(self, request: web.Request) -> web.Response:
        """The record of a table, to be kept by who plays there."""
        table, secret = split(request.match_info["table"])
        try:
            async with self._lock(table):
                session, _ = await self._find_seat(table, secret)
                record = session.record()
        except PlayError as error:
            return _refusal(404, one_line(error))
        headers = {"Content-Disposition": f'attachment; filename="{record.rules.game}.jsonl"'}
        return web.Response(text=to_text(record), content_type="application/jsonl", headers=headers)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        if len(self._browsers) >= MAX_SOCKETS:
            raise web.HTTPServiceUnavailable(text=f"{MAX_SOCKETS} browsers are connected already")
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE_BYTES, heartbeat=_HEARTBEAT_S)
        browser = Browser(socket)
        self._browsers.add(browser)
        try:
            await socket.prepare(request)
            browser.start()
            async for message in socket:
                await browser.wait_for_turn()
                if message.type is WSMsgType.TEXT:
                    await self._reply(browser, message.data)
                else:
                    browser.queue.put({"type": "error", "reason": "a message is a text of JSON"})
        finally:
            browser.stop()
            self._browsers.discard(browser)
            for address in list(browser.watched):
                self._unwatch(browser, address)
        return socket

    async def _reply(self, browser: Browser, text: str) -> None:
        with _errors_told_to(browser):
            message = _parse(text)
            kind = text_of(message, "type")
            if kind == "advise":  # this and opening may take long: other messages do not wait
                if browser.is_busy(kind):
                    raise PlayError("advice: one question at a time; the last one is not answered yet")
                browser.run(kind, self._advise(browser, message))
            elif kind in ("open", "load"):
                await browser.wait_for("open")
                browser.run("open", self._open(browser, kind, message))
            else:
                await self._handle(browser, kind, message)

    async def _open(self, browser: Browser, kind: str, message: Reply) -> None:
        with _errors_told_to(browser):
            open_table = self._lobby.open if kind == "open" else self._lobby.load
            open_it = functools.partial(open_table, message)
            table = await self._openings.call(open_it, _OPENING_S, "the table")
            browser.queue.put({"type": "opened", "table": table})

    async def _advise(self, browser: Browser, message: Reply) -> None:
        with _errors_told_to(browser):
            address, spec = text_of(message, "table"), text_of(message, "agent", MAX_SPEC)
            table, secret = split(address)
            async with self._lock(table):
                session, seat = await self._find_seat(table, secret)
                asked, so_far, place = session.table_for_advice(seat), session.so_far(), session.place
            advise = functools.partial(self._lobby.agents.advise, spec, session.rules, asked, so_far)
            title = portrait(spec, session.rules.game).title
            advice = await self._advice.call(advise, self._agent_timeout_s, title)
            browser.queue.put({"type": "advice", "table": address, **place, **advice})

    async def _handle(self, browser: Browser, kind: str, message: Reply) -> None:
        if kind == "lobby":
            browser.queue.put(await asyncio.to_thread(self._lobby.offers))
            return
        address = text_of(message, "table")
        table, secret = split(address)
        async with self._lock(table):
            session, seat = await self._find_seat(table, secret)
            if kind == "join":
                self._watch(browser, address)
                if self._note_who_is_here(table, session):
                    self._tell(table, session)
                else:
                    browser.queue.put({**session.state(seat), "table": address})
            elif kind == "save":
                name = await asyncio.to_thread(self._lobby.save, table)
                browser.queue.put({"type": "saved", "table": address, "name": name})
            else:
                handle = functools.partial(session.handle, message, seat)
                for reply in await self._moves.call(handle, self._agent_timeout_s, "the table"):
                    if reply["type"] == "state":
                        await asyncio.to_thread(self._lobby.keep, table, session)
                        self._tell(table, session, {seat: reply})
                    else:
                        browser.queue.put({**reply, "table": address})
        self._ensure_running(table, session)

    def _lock(self, table: str) -> asyncio.Lock:
        """What lets one change a table at a time."""
        return self._locks.setdefault(table, asyncio.Lock())

    def _watch(self, browser: Browser, address: str) -> None:
        """Tell a browser of a table from now on, and no more of the one it joined first if there are many."""
        if address not in browser.watched:
            self._watchers.setdefault(split(address)[0], []).append(Watcher(browser, address))
        browser.watched.pop(address, None)
        browser.watched[address] = None
        if len(browser.watched) > MAX_WATCHED:
            self._unwatch(browser, next(iter(browser.watched)))

    def _unwatch(self, browser: Browser, address: str) -> None:
        """Tell a browser no more of a table, and the others there that it has left."""
        del browser.watched[address]
        table = split(address)[0]
        self._watchers[table].remove(Watcher(browser, address))
        if not self._watchers[table]:
            del self._watchers[table]
        else:
            task = asyncio.create_task(self._tell_who_is_here(table))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def _tell_who_is_here(self, table: str) -> None:
        async with self._lock(table):
            session = self._lobby.held(table)
            if session is not None and self._note_who_is_here(table, session):
                self._tell(table, session)

    def _note_who_is_here(self, table: str, session: TableSession) -> bool:
        """Note which people look at a shared table; returns whether others do than before."""
        friends = session.friends if isinstance(session, Session) else None
        if friends is None:
            return False
        here = set()
        for watcher in self._watchers.get(table, ()):
            with contextlib.suppress(PlayError):  # its link plays no more
                here.add(friends.seat_of(split(watcher.address)[1]))
        has_changed = here != friends.here
        friends.here = frozenset(here)
        return has_changed

    def _ensure_running(self, table: str, session: TableSession) -> None:
        """Let the agents of a table play on, if they do not already."""
        runner, question = self._runners.get(table), self._questions.get(table)
        if question is not None and not session.is_asking(question) and runner is not None:
            runner.cancel()  # its question has become void
            runner = None
        if session.waits_s is not None and (runner is None or runner.done()) and table in self._watchers:
            runner = asyncio.create_task(self._run(table))
            self._runners[table] = runner
            runner.add_done_callback(functools.partial(self._forget_runner, table))

    def _forget_runner(self, table: str, runner: asyncio.Task[None]) -> None:
        if self._runners.get(table) is runner:
            del self._runners[table]

    async def _run(self, table: str) -> None:
        while True:
            async with self._lock(table):
                waits_s = (await self._find(table)).waits_s
            if waits_s is None:
                return
            await asyncio.sleep(waits_s)
            if table not in self._watchers:
                return
            async with self._lock(table):
                question = (await self._find(table)).ask()
            if question is None:
                continue
            answer = await self._answer(table, question)
            async with self._lock(table):
                session = await self._find(table)
                if session.apply_answer(question, answer):
                    await asyncio.to_thread(self._lobby.keep, table, session)
                    self._tell(table, session)

    async def _answer(self, table: str, question: Question) -> str | PlayError:
        self._questions[table] = question
        try:
            return await self._moves.call(question.answer, self._agent_timeout_s, question.agent.name)
        except PlayError as error:
            return error
        finally:
            if self._questions.get(table) is question:
                del self._questions[table]

    async def _find(self, table: str) -> TableSession:
        """A table, which may have to be taken up again; its lock must be held."""
        session = self._lobby.held(table)
        if session is not None:
            return session
        find = functools.partial(self._lobby.find, table)
        return await self._openings.call(find, _OPENING_S, "the table")

    async def _find_seat(self, table: str, secret: str) -> tuple[TableSession, int | None]:
        """A table as `_find`, and the seat whose secret was told; raises PlayError if it has none."""
        session = await self._find(table)
        return session, seat_of(session, secret)

    def _tell(
        self, table: str, session: TableSession, told: Mapping[int | None, Reply] | None = None
    ) -> None:
        """Send everybody who looks at a table what the own seat sees of it.

        Args:
            table: Its name.
            session: The table.
            told: What is to be sent, by the seat that sees it, where that is known already.
        """
        states = dict(told or {})
        for watcher in tuple(self._watchers.get(table, ())):
            try:
                seat = seat_of(session, split(watcher.address)[1])
            except PlayError as error:  # another plays this seat from now on
                self._unwatch(watcher.browser, watcher.address)
                reply = {"type": "error", "reason": one_line(error)}
            else:
                reply = states[seat] = states.get(seat) or session.state(seat)
            watcher.browser.queue.put({**reply, "table": watcher.address})

    async def _stop(self, app: web.Application) -> None:
        for task in self._runners.values():
            task.cancel()
        await asyncio.gather(*(browser.socket.close() for browser in list(self._browsers)))


@dataclass(frozen=True)
class Watcher:
    """A browser that is told of a table, and the address by which it joined: it says whose view it gets."""

    browser: Browser
    address: str


class Browser:
    """One browser that is connected: what it is sent, what it has asked for, and how fast it may ask.

    Args:
        socket: Its socket.
    """

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self.socket, self.queue = socket, SendQueue(socket)
        self.watched: dict[str, None] = {}  # addresses of tables, the one joined first first
        self._rate = RateLimit(MESSAGES_PER_S, MESSAGE_BURST)
        self._sender: asyncio.Task[None] | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}  # in the background, one of a kind

    def start(self) -> None:
        """Begin to send."""
        self._sender = asyncio.create_task(self.queue.send())

    def stop(self) -> None:
        """End what is done for it."""
        for task in (self._sender, *self._tasks.values()):
            if task is not None:
                task.cancel()

    async def wait_for_turn(self) -> None:
        """Wait while it asks too fast, or has not read what it was sent."""
        await self.queue.wait_for_room()
        await self._rate.wait()

    def is_busy(self, kind: str) -> bool:
        """Whether a background task of this kind has not ended."""
        return kind in self._tasks and not self._tasks[kind].done()

    async def wait_for(self, kind: str) -> None:
        """Wait for the background task of this kind, if there is one."""
        if self.is_busy(kind):
            await asyncio.wait([self._tasks[kind]])

    def run(self, kind: str, work: Coroutine[Any, Any, None]) -> None:
        """Run a background task; none of this kind may be running."""
        assert not self.is_busy(kind)
        self._tasks[kind] = asyncio.create_task(work)


@contextlib.contextmanager
def _errors_told_to(browser: Browser) -> Iterator[None]:
    try:
        yield
    except PlayError as error:
        browser.queue.put({"type": "error", "reason": one_line(error)})
    except Exception:  # a fault of the server must not end the game
        _LOG.exception("a message could not be followed")
        browser.queue.put({"type": "error", "reason": "the server could not follow; see its log"})


def _parse(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PlayError(f"not JSON: {error}") from None
    if not isinstance(message, dict):
        raise PlayError("a message is an object with a type")
    return message


async def _read_body(request: web.Request) -> bytes:
    """The body of a request that sends a record."""
    if (request.content_length or 0) > MAX_RECORD_BYTES:
        raise web.HTTPRequestEntityTooLarge(MAX_RECORD_BYTES, request.content_length or 0)
    content = bytearray()
    async for chunk in request.content.iter_any():
        content += chunk
        if len(content) > MAX_RECORD_BYTES:
            raise web.HTTPRequestEntityTooLarge(MAX_RECORD_BYTES, len(content))
    return bytes(content)


def _refusal(status: int, reason: str) -> web.Response:
    return web.json_response({"type": "error", "reason": reason}, status=status)
