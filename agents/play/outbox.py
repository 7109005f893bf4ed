"""What a browser is still to be sent."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

from aiohttp import web

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
