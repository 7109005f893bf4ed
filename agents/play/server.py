"""The transport: a page, and a socket for each browser that passes messages between it and the hall."""

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

from canasta_agents.play.agent_calls import in_time
from canasta_agents.play.lobby import Hall, Sitting
from canasta_agents.play.messages import PlayError, text_of
from canasta_agents.play.session import Question

STATIC = Path(__file__).parent / "static"
MAX_MESSAGE_BYTES = 4 << 20
_HEARTBEAT_S = 30.0
_POLICY = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
PATIENCE_S = 60.0
_OPENING_S = 600.0  # the engine may have to be compiled, and PyTorch to be loaded


class Server:
    """Serves a hall to browsers.

    Tables go on by themselves while somebody looks at them, and stand still otherwise.

    Args:
        hall: The tables.
        host: The address it listens on; if it is a loopback address, requests by other names are refused.
        patience_s: Seconds that an agent may think about a move; then its table stops and says so.
    """

    def __init__(self, hall: Hall, host: str, patience_s: float = PATIENCE_S) -> None:
        self._hall = hall
        self._is_local = is_loopback(host)
        self._patience_s = patience_s
        self._watchers: dict[str, weakref.WeakSet[Outbox]] = {}
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._runners: dict[str, asyncio.Task[None]] = {}
        self._questions: dict[str, Question] = {}  # that the runner of a table waits for
        self._sockets: weakref.WeakSet[web.WebSocketResponse] = weakref.WeakSet()
        self._errands: set[asyncio.Task[None]] = set()

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
        outbox = Outbox(socket)
        self._sockets.add(socket)
        sender = asyncio.create_task(outbox.send())
        try:
            async for message in socket:
                await outbox.wait_for_room()
                if message.type is WSMsgType.TEXT:
                    await self._reply(outbox, message.data)
                else:
                    outbox.put({"type": "error", "reason": "a message is a text of JSON"})
        finally:
            sender.cancel()
        return socket

    async def _reply(self, outbox: Outbox, text: str) -> None:
        with self._errors_told_to(outbox):
            message = _parse(text)
            kind = text_of(message, "type")
            if kind in ("open", "load", "advise"):  # these may take long: what comes after does not wait
                errand = asyncio.create_task(self._run_errand(outbox, kind, message))
                self._errands.add(errand)
                errand.add_done_callback(self._errands.discard)
            else:
                await self._follow(outbox, kind, message)

    @contextlib.contextmanager
    def _errors_told_to(self, outbox: Outbox) -> Iterator[None]:
        try:
            yield
        except PlayError as error:
            outbox.put({"type": "error", "reason": str(error)})
        except Exception as error:  # a fault of ours must not end the game
            print(f"canasta-play: {type(error).__name__}: {error}", file=sys.stderr)
            outbox.put({"type": "error", "reason": "the server could not follow; see its log"})

    async def _run_errand(self, outbox: Outbox, kind: str, message: Reply) -> None:
        with self._errors_told_to(outbox):
            if kind == "advise":
                await self._advise(outbox, message)
            else:
                open_table = self._hall.open if kind == "open" else self._hall.load
                table = await in_time(lambda: open_table(message), _OPENING_S, "the table")
                outbox.put({"type": "opened", "table": table})

    async def _advise(self, outbox: Outbox, message: Reply) -> None:
        table, spec = text_of(message, "table"), text_of(message, "agent")
        async with self._lock(table):
            sitting = await self._find(table)
            asked, place = sitting.asked_for_advice(), sitting.place
        advice = await in_time(lambda: self._hall.advise(spec, sitting.rules, asked), self._patience_s, spec)
        outbox.put({"type": "advice", "table": table, **place, **advice})

    async def _follow(self, outbox: Outbox, kind: str, message: Reply) -> None:
        if kind == "lobby":
            outbox.put(await asyncio.to_thread(self._hall.lobby))
            return
        table = text_of(message, "table")
        async with self._lock(table):
            sitting = await self._find(table)
            if kind == "join":
                self._watchers.setdefault(table, weakref.WeakSet()).add(outbox)
                outbox.put({**sitting.state(), "table": table})
            elif kind == "save":
                name = await asyncio.to_thread(self._hall.save, table)
                outbox.put({"type": "saved", "table": table, "name": name})
            else:
                replies = await in_time(lambda: sitting.handle(message), self._patience_s, "the table")
                for reply in replies:
                    if reply["type"] == "state":
                        await asyncio.to_thread(self._hall.keep, table, sitting)
                        self._tell(table, reply)
                    else:
                        outbox.put({**reply, "table": table})
        self._keep_going(table, sitting)

    def _lock(self, table: str) -> asyncio.Lock:
        """What lets one change a table at a time."""
        return self._locks.setdefault(table, asyncio.Lock())

    def _keep_going(self, table: str, sitting: Sitting) -> None:
        """Let the agents of a table play on, if they do not already."""
        runner, question = self._runners.get(table), self._questions.get(table)
        if question is not None and not sitting.is_asking(question) and runner is not None:
            runner.cancel()  # it waits for an answer that nobody wants any more
            runner = None
        if sitting.waits_s is not None and (runner is None or runner.done()):
            self._runners[table] = asyncio.create_task(self._run(table))

    async def _run(self, table: str) -> None:
        while True:
            async with self._lock(table):
                waits_s = (await self._find(table)).waits_s
            if waits_s is None:
                return
            await asyncio.sleep(waits_s)
            if all(outbox.is_closed for outbox in self._watchers.get(table, ())):
                return
            async with self._lock(table):
                question = (await self._find(table)).ask()
            if question is None:
                continue
            answer = await self._answer(table, question)
            async with self._lock(table):
                sitting = await self._find(table)
                if sitting.hear(question, answer):
                    await asyncio.to_thread(self._hall.keep, table, sitting)
                    self._tell(table, sitting.state())

    async def _answer(self, table: str, question: Question) -> str | PlayError:
        self._questions[table] = question
        try:
            return await in_time(question.answer, self._patience_s, question.agent.name)
        except PlayError as error:
            return error
        finally:
            if self._questions.get(table) is question:
                del self._questions[table]

    async def _find(self, table: str) -> Sitting:
        """A table, which may have to be taken up again; its lock must be held."""
        if table in self._hall.tables:
            return self._hall.find(table)
        return await in_time(lambda: self._hall.find(table), _OPENING_S, "the table")

    def _tell(self, table: str, reply: Reply) -> None:
        """Send a reply to everybody who looks at a table."""
        for outbox in list(self._watchers.get(table, ())):
            outbox.put({**reply, "table": table})

    async def _stop(self, app: web.Application) -> None:
        for task in [*self._runners.values(), *self._errands]:
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


# What a browser is still to be sent.


Reply = dict[str, Any]
_MOST_WAITING = 64


class Outbox:
    """Sends replies to one browser in their order, so that a slow one holds up nobody else.

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
        if len(self._waiting) >= _MOST_WAITING:
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
                if len(self._waiting) < _MOST_WAITING:
                    self._has_room.set()
                with contextlib.suppress(ConnectionError, RuntimeError):  # it may be gone by now
                    await self._socket.send_json(reply)
            self._has_some.clear()


def _is_state_of(reply: Reply, table: object) -> bool:
    return reply["type"] == "state" and reply.get("table") == table
