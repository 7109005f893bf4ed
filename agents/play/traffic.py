"""Messages to and from one browser, no faster than it reads and than it may ask."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

from aiohttp import web

_MAX_WAITING = 64  # replies to one browser, before no more of its messages are read
Reply = dict[str, Any]


class RateLimit:
    """Lets so many messages a second pass, and a few more at first.

    Args:
        per_s: Messages a second in the long run.
        burst: Messages that may come at once.
    """

    def __init__(self, per_s: float, burst: int) -> None:
        self._per_s, self._burst = per_s, burst
        self._left, self._then = float(burst), 0.0

    async def wait(self) -> None:
        """Wait until the next message may pass."""
        now = asyncio.get_running_loop().time()
        self._left = min(self._burst, self._left + (now - self._then) * self._per_s) - 1
        self._then = now
        if self._left < 0:
            await asyncio.sleep(-self._left / self._per_s)


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
