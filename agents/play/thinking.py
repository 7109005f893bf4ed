"""Calls that may take long, or never come back, apart from the server's own thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from canasta_agents.play.errors import PlayError

Result = TypeVar("Result")


class OverdueError(PlayError):
    """An agent that has not answered in time; it may still be thinking."""


async def in_time(call: Callable[[], Result], limit_s: float, who: str) -> Result:
    """Make a call in a thread of its own: one that hangs holds up nobody, not even the program's end.

    Args:
        call: What is called.
        limit_s: Seconds to wait for it; the call itself cannot be stopped.
        who: Named in the error.

    Returns:
        What the call returns; raises what it raises.

    Raises:
        OverdueError: If it takes longer.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def run() -> None:
        result, fault = None, None
        try:
            result = call()
        except Exception as error:
            fault = error
        except BaseException as error:  # an outsider's SystemExit must not end the server
            fault = PlayError(f"{who}: {type(error).__name__}: {error}")
        with contextlib.suppress(RuntimeError):  # the server may have ended
            loop.call_soon_threadsafe(settle, result, fault)

    threading.Thread(target=run, name=f"canasta-play: {who}", daemon=True).start()
    await asyncio.wait([future], timeout=limit_s)
    if not future.done():
        future.cancel()
        raise OverdueError(f"{who} has not answered in {limit_s:g} s")
    return future.result()
