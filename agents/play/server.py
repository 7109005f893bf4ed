"""The transport: a page, and a socket for each browser that passes messages between it and the hall."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from .errors import PlayError, text_of
from .hall import Hall, Sitting

STATIC = Path(__file__).parent / "static"
MAX_MESSAGE_BYTES = 4 << 20
_HEARTBEAT_S = 30.0
_POLICY = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
Reply = dict[str, Any]


class Server:
    """Serves a hall to browsers.

    Tables go on by themselves while somebody looks at them, and stand still otherwise.

    Args:
        hall: The tables.
        host: The address it listens on; if it is a loopback address, requests by other names are refused.
    """

    def __init__(self, hall: Hall, host: str) -> None:
        self._hall = hall
        self._is_local = is_loopback(host)
        self._watchers: dict[str, weakref.WeakSet[web.WebSocketResponse]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._runners: dict[str, asyncio.Task[None]] = {}

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
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                await _send(socket, {"type": "error", "reason": "a message is a text of JSON"})
                continue
            try:
                await self._follow(socket, _parse(message.data))
            except PlayError as error:
                await _send(socket, {"type": "error", "reason": str(error)})
            except Exception as error:  # a fault of ours must not end the game
                print(f"canasta-play: {type(error).__name__}: {error}", file=sys.stderr)
                await _send(socket, {"type": "error", "reason": "the server could not follow; see its log"})
        return socket

    async def _follow(self, socket: web.WebSocketResponse, message: dict[str, Any]) -> None:
        kind = text_of(message, "type")
        if kind == "lobby":
            await _send(socket, await asyncio.to_thread(self._hall.lobby))
        elif kind in ("open", "load"):
            open_table = self._hall.open if kind == "open" else self._hall.load
            table = await asyncio.to_thread(open_table, message)
            await _send(socket, {"type": "opened", "table": table})
        else:
            await self._follow_at_table(socket, kind, message)

    async def _follow_at_table(self, socket: web.WebSocketResponse, kind: str, message: Reply) -> None:
        table = text_of(message, "table")
        sitting = self._hall.find(table)
        async with self._locks.setdefault(table, asyncio.Lock()):
            if kind == "join":
                self._watchers.setdefault(table, weakref.WeakSet()).add(socket)
                await _send(socket, {**sitting.state(), "table": table})
            elif kind == "save":
                name = await asyncio.to_thread(self._hall.save, table)
                await _send(socket, {"type": "saved", "table": table, "name": name})
            else:
                for reply in await asyncio.to_thread(sitting.handle, message):
                    if reply["type"] == "state":
                        await self._tell(table, reply)
                    else:
                        await _send(socket, {**reply, "table": table})
        self._keep_going(table, sitting)

    def _keep_going(self, table: str, sitting: Sitting) -> None:
        """Let the agents of a table play on, if they do not already."""
        runner = self._runners.get(table)
        if sitting.waits_s is not None and (runner is None or runner.done()):
            self._runners[table] = asyncio.create_task(self._run(table, sitting))

    async def _run(self, table: str, sitting: Sitting) -> None:
        while (waits_s := sitting.waits_s) is not None:
            await asyncio.sleep(waits_s)
            if not any(not socket.closed for socket in self._watchers.get(table, ())):
                return
            async with self._locks[table]:
                if sitting.waits_s is not None:
                    await self._tell(table, await asyncio.to_thread(sitting.advance))

    async def _tell(self, table: str, reply: Reply) -> None:
        """Send a reply to everybody who looks at a table."""
        for socket in list(self._watchers.get(table, ())):
            await _send(socket, {**reply, "table": table})

    async def _stop(self, app: web.Application) -> None:
        for runner in self._runners.values():
            runner.cancel()
        for sockets in self._watchers.values():
            for socket in list(sockets):
                await socket.close()


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


async def _send(socket: web.WebSocketResponse, reply: Reply) -> None:
    with contextlib.suppress(ConnectionError, RuntimeError):  # it may be gone by now
        await socket.send_json(reply)
