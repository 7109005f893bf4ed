"""The web server: the page, and a socket for each browser that passes messages between it and the lobby."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from canasta_agents.play.agent_calls import call_with_timeout
from canasta_agents.play.lobby import Lobby, TableSession
from canasta_agents.play.messages import PlayError, text_of
from canasta_agents.play.session import Question

STATIC = Path(__file__).parent / "static"
MAX_MESSAGE_BYTES = 4 << 20
_HEARTBEAT_S = 30.0
_POLICY = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
AGENT_TIMEOUT_S = 60.0
_MAX_WAITING = 64  # replies to one browser, before no more of its messages are read
_OPENING_S = 600.0  # the engine may have to be compiled, and PyTorch to be loaded
Reply = dict[str, Any]


class Server:
    """Serves a lobby to browsers.

    Tables go on by themselves while somebody looks at them, and stand still otherwise.

    Args:
        lobby: The tables.
        host: The address it listens on; if it is a loopback address, requests by other names are refused.
        agent_timeout_s: Seconds that an agent may think about a move; then its table stops and says so.
    """

    def __init__(self, lobby: Lobby, host: str, agent_timeout_s: float = AGENT_TIMEOUT_S) -> None:
        self._lobby = lobby
        self._is_local = is_loopback(host)
        self._agent_timeout_s = agent_timeout_s
        self._watchers: dict[str, weakref.WeakSet[SendQueue]] = {}
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._runners: dict[str, asyncio.Task[None]] = {}
        self._questions: dict[str, Question] = {}  # that the runner of a table waits for
        self._sockets: weakref.WeakSet[web.WebSocketResponse] = weakref.WeakSet()
        self._background: set[asyncio.Task[None]] = set()

    def app(self) -> web.Application:
        """The web application."""
        app = web.Application(middlewares=[self._guard])
        app.router.add_get("/", self._page)
        app.router.add_get("/socket", self._socket)
        app.router.add_static("/static", STATIC)
        app.on_shutdown.append(self._stop)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Callable[..., Any]) -> web.StreamResponse:
        """Refuse other sites' pages, and names that were made to point here."""
        host = urlsplit(f"//{request.host}").hostname
        if self._is_local and host not in _LOCAL_NAMES:
            raise web.HTTPForbidden(text=f"{request.host} is not a name of this server")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text=f"{origin} is another site")
        response: web.StreamResponse = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = _POLICY
            response.headers["Cache-Control"] = "no-cache"
        return response

    async def _page(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(STATIC / "index.html")

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE_BYTES, heartbeat=_HEARTBEAT_S)
        await socket.prepare(request)
        queue = SendQueue(socket)
        self._sockets.add(socket)
        sender = asyncio.create_task(queue.send())
        try:
            async for message in socket:
                await queue.wait_for_room()
                if message.type is WSMsgType.TEXT:
                    await self._reply(queue, message.data)
                else:
                    queue.put({"type": "error", "reason": "a message is a text of JSON"})
        finally:
            sender.cancel()
        return socket

    async def _reply(self, queue: SendQueue, text: str) -> None:
        with self._errors_told_to(queue):
            message = _parse(text)
            kind = text_of(message, "type")
            if kind in ("open", "load", "advise"):  # these may take long: later messages do not wait
                task = asyncio.create_task(self._run_background(queue, kind, message))
                self._background.add(task)
                task.add_done_callback(self._background.discard)
            else:
                await self._handle(queue, kind, message)

    @contextlib.contextmanager
    def _errors_told_to(self, queue: SendQueue) -> Iterator[None]:
        try:
            yield
        except PlayError as error:
            queue.put({"type": "error", "reason": str(error)})
        except Exception as error:  # a fault of the server must not end the game
            print(f"canasta-play: {type(error).__name__}: {error}", file=sys.stderr)
            queue.put({"type": "error", "reason": "the server could not follow; see its log"})

    async def _run_background(self, queue: SendQueue, kind: str, message: Reply) -> None:
        with self._errors_told_to(queue):
            if kind == "advise":
                await self._advise(queue, message)
            else:
                open_table = self._lobby.open if kind == "open" else self._lobby.load
                table = await call_with_timeout(lambda: open_table(message), _OPENING_S, "the table")
                queue.put({"type": "opened", "table": table})

    async def _advise(self, queue: SendQueue, message: Reply) -> None:
        table, spec = text_of(message, "table"), text_of(message, "agent")
        async with self._lock(table):
            session = await self._find(table)
            asked, place = session.table_for_advice(), session.place
        advice = await call_with_timeout(
            lambda: self._lobby.advise(spec, session.rules, asked), self._agent_timeout_s, spec
        )
        queue.put({"type": "advice", "table": table, **place, **advice})

    async def _handle(self, queue: SendQueue, kind: str, message: Reply) -> None:
        if kind == "lobby":
            queue.put(await asyncio.to_thread(self._lobby.offers))
            return
        table = text_of(message, "table")
        async with self._lock(table):
            session = await self._find(table)
            if kind == "join":
                self._watchers.setdefault(table, weakref.WeakSet()).add(queue)
                queue.put({**session.state(), "table": table})
            elif kind == "save":
                name = await asyncio.to_thread(self._lobby.save, table)
                queue.put({"type": "saved", "table": table, "name": name})
            else:
                replies = await call_with_timeout(
                    lambda: session.handle(message), self._agent_timeout_s, "the table"
                )
                for reply in replies:
                    if reply["type"] == "state":
                        await asyncio.to_thread(self._lobby.keep, table, session)
                        self._tell(table, reply)
                    else:
                        queue.put({**reply, "table": table})
        self._ensure_running(table, session)

    def _lock(self, table: str) -> asyncio.Lock:
        """What lets one change a table at a time."""
        return self._locks.setdefault(table, asyncio.Lock())

    def _ensure_running(self, table: str, session: TableSession) -> None:
        """Let the agents of a table play on, if they do not already."""
        runner, question = self._runners.get(table), self._questions.get(table)
        if question is not None and not session.is_asking(question) and runner is not None:
            runner.cancel()  # its question has become void
            runner = None
        if session.waits_s is not None and (runner is None or runner.done()):
            self._runners[table] = asyncio.create_task(self._run(table))

    async def _run(self, table: str) -> None:
        while True:
            async with self._lock(table):
                waits_s = (await self._find(table)).waits_s
            if waits_s is None:
                return
            await asyncio.sleep(waits_s)
            if all(queue.is_closed for queue in self._watchers.get(table, ())):
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
                    self._tell(table, session.state())

    async def _answer(self, table: str, question: Question) -> str | PlayError:
        self._questions[table] = question
        try:
            return await call_with_timeout(question.answer, self._agent_timeout_s, question.agent.name)
        except PlayError as error:
            return error
        finally:
            if self._questions.get(table) is question:
                del self._questions[table]

    async def _find(self, table: str) -> TableSession:
        """A table, which may have to be taken up again; its lock must be held."""
        if table in self._lobby.tables:
            return self._lobby.find(table)
        return await call_with_timeout(lambda: self._lobby.find(table), _OPENING_S, "the table")

    def _tell(self, table: str, reply: Reply) -> None:
        """Send a reply to everybody who looks at a table."""
        for queue in list(self._watchers.get(table, ())):
            queue.put({**reply, "table": table})

    async def _stop(self, app: web.Application) -> None:
        for task in [*self._runners.values(), *self._background]:
            task.cancel()
        await asyncio.gather(*(socket.close() for socket in list(self._sockets)))


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parse(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PlayError(f"not JSON: {error}") from None
    if not isinstance(message, dict):
        raise PlayError("a message is an object with a type")
    return message


class SendQueue:
    """The replies that one browser is still to be sent, in order: a slow browser delays no other.

    A state that has not been sent when a newer one of the same table comes is left out.

    Args:
        socket: The browser's.
    """

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket
        self._waiting: deque[Reply] = deque()
        self._has_some = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def is_closed(self) -> bool:
        """Whether nobody listens any more."""
        return self._socket.closed

    def put(self, reply: Reply) -> None:
        """Send a reply as soon as the browser takes it."""
        if reply["type"] == "state":
            for older in [one for one in self._waiting if _is_state_of(one, reply.get("table"))]:
                self._waiting.remove(older)
        self._waiting.append(reply)
        self._has_some.set()
        if len(self._waiting) >= _MAX_WAITING:
            self._has_room.clear()

    async def wait_for_room(self) -> None:
        """Wait until a browser that asks much and reads little has caught up."""
        await self._has_room.wait()

    async def send(self) -> None:
        """Send what is put in, until cancelled."""
        while True:
            await self._has_some.wait()
            while self._waiting:
                reply = self._waiting.popleft()
                if len(self._waiting) < _MAX_WAITING:
                    self._has_room.set()
                with contextlib.suppress(ConnectionError, RuntimeError):  # it may be gone by now
                    await self._socket.send_json(reply)
            self._has_some.clear()


def _is_state_of(reply: Reply, table: object) -> bool:
    return reply["type"] == "state" and reply.get("table") == table
