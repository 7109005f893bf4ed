"""Agents that hang, fail or end the program, and browsers that do not read: nobody else waits for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="the server needs aiohttp (extra `play`)")
from aiohttp.test_utils import TestClient, TestServer

from canasta_agents.play.agent_calls import CallTimeoutError, call_with_timeout
from canasta_agents.play.hosts import accepted_names
from canasta_agents.play.lobby import Lobby
from canasta_agents.play.messages import PlayError
from canasta_agents.play.server import Server
from canasta_agents.play.session import Session
from canasta_agents.play.traffic import SendQueue
from canasta_env import classic
from tests.play.seated import Hanging, make

LOOPBACK = accepted_names("127.0.0.1")
CHANCE, HANGING, LEAVING = (f"python:tests.play.seated:{name}" for name in ("Chance", "Hanging", "Leaving"))
Client = TestClient[Any, Any]


@pytest.fixture(autouse=True)
def gate() -> Iterator[None]:
    Hanging.gate.clear()
    Hanging.asked.clear()
    yield
    Hanging.gate.set()  # let the threads end


def serve(tmp_path: Path, talk: Callable[[Client], Awaitable[None]], agent_timeout_s: float = 0.3) -> None:
    async def run() -> None:
        lobby = Lobby(
            tmp_path / "runs", tmp_path / "records", [CHANCE, HANGING, LEAVING], tmp_path / "tables"
        )
        async with TestClient(TestServer(Server(lobby, LOOPBACK, agent_timeout_s).app())) as client:
            await asyncio.wait_for(talk(client), 60)

    asyncio.run(run())


async def open_table(socket: Any, seats: list[str]) -> tuple[str, dict[str, Any]]:
    await socket.send_json({"type": "open", "game": "classic", "players": 2, "seats": seats, "seed": 4})
    table = (await socket.receive_json())["table"]
    await socket.send_json({"type": "join", "table": table})
    return table, await socket.receive_json()


async def until(socket: Any, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = await socket.receive_json()
        if condition(message):
            return message


def test_an_agent_that_hangs_stops_its_table_and_can_be_tried_again(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        socket = await client.ws_connect("/socket")
        table, _ = await open_table(socket, [HANGING, HANGING])
        state = await until(socket, lambda message: message.get("fault"))
        assert state["fault"] == "North, Hanging (a program of your own), has not answered in 0.3 s"
        assert not state["moves"]
        Hanging.gate.set()
        await socket.send_json({"type": "pace", "table": table, "pace_s": 0})
        await socket.send_json({"type": "again", "table": table})
        state = await until(socket, lambda message: len(message.get("moves", ())) > 5)
        assert state["fault"] is None

    serve(tmp_path, talk)


def test_while_an_agent_hangs_the_lobby_other_tables_and_its_own_table_answer(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        socket = await client.ws_connect("/socket")
        tables = [(await open_table(socket, [HANGING, HANGING]))[0] for _ in range(12)]
        for table in tables:
            await socket.send_json({"type": "pace", "table": table, "pace_s": 0})
        await asyncio.sleep(0.5)
        await socket.send_json({"type": "lobby"})
        await until(socket, lambda message: message["type"] == "lobby")
        await socket.send_json({"type": "pause", "table": tables[0], "is_paused": True})
        await until(socket, lambda message: message.get("is_paused"))
        await open_table(socket, [CHANCE, CHANCE])
        await until(socket, lambda message: len(message.get("moves", ())) > 2)

    serve(tmp_path, talk, agent_timeout_s=60)


def test_going_back_does_not_wait_for_an_agent_that_hangs(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        socket = await client.ws_connect("/socket")
        table, _ = await open_table(socket, [HANGING, HANGING])
        await socket.send_json({"type": "pace", "table": table, "pace_s": 0})
        await asyncio.to_thread(Hanging.asked.wait, 30)
        hangs, Hanging.gate = Hanging.gate, threading.Event()
        Hanging.gate.set()
        await socket.send_json({"type": "undo", "table": table})
        await until(socket, lambda message: len(message.get("moves", ())) > 5)
        hangs.set()

    serve(tmp_path, talk, agent_timeout_s=60)


def test_an_agent_that_hangs_when_asked_for_advice_holds_up_nothing(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        socket = await client.ws_connect("/socket")
        table, _ = await open_table(socket, [CHANCE, CHANCE])
        await socket.send_json({"type": "advise", "table": table, "agent": HANGING})
        await socket.send_json({"type": "lobby"})
        await until(socket, lambda message: message["type"] == "lobby")
        error = await until(socket, lambda message: message["type"] == "error")
        assert error["reason"] == "Hanging (a program of your own) has not answered in 0.3 s"

    serve(tmp_path, talk)


def test_an_agent_that_ends_the_program_ends_its_table_only(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        socket = await client.ws_connect("/socket")
        await open_table(socket, [LEAVING, LEAVING])
        state = await until(socket, lambda message: message.get("fault"))
        assert "Leaving (a program of your own), failed: enough" in state["fault"]

    serve(tmp_path, talk)


def test_what_ends_the_program_is_an_error_of_its_thread_only() -> None:
    def leave() -> None:
        raise SystemExit("enough")

    with pytest.raises(PlayError, match="visitor: SystemExit: enough"):
        asyncio.run(call_with_timeout(leave, 5, "visitor"))
    with pytest.raises(CallTimeoutError, match="visitor has not answered"):
        asyncio.run(call_with_timeout(Hanging.gate.wait, 0.05, "visitor"))


def test_an_answer_that_comes_too_late_is_not_played() -> None:
    session = Session(classic(players=2), ["chance", "chance"], make, 3)
    question = session.ask()
    assert question is not None
    session.handle({"type": "undo"})
    assert not session.apply_answer(question, "draw")
    assert session.state()["moves"] == []
    asked_again = session.ask()
    assert asked_again is not None and asked_again.agent is not question.agent


class Stuck:
    """A socket whose other end does not read."""

    closed = False

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.reads = asyncio.Event()

    async def send_json(self, reply: dict[str, Any]) -> None:
        await self.reads.wait()
        self.sent.append(reply)


def test_a_browser_that_does_not_read_misses_states_between_and_holds_up_nobody() -> None:
    async def run() -> None:
        socket = Stuck()
        queue = SendQueue(socket)  # type: ignore[arg-type]
        sender = asyncio.create_task(queue.send())
        queue.put({"type": "lobby"})
        await asyncio.sleep(0)
        for number in range(1_000):
            queue.put({"type": "state", "table": "a", "number": number})
            queue.put({"type": "state", "table": "b", "number": number})
        queue.put({"type": "advice"})
        socket.reads.set()
        await asyncio.sleep(0.01)
        sender.cancel()
        assert [reply.get("number", reply["type"]) for reply in socket.sent] == ["lobby", 999, 999, "advice"]

    asyncio.run(run())


def test_who_asks_much_and_reads_nothing_is_not_served_on() -> None:
    async def run() -> None:
        socket = Stuck()
        queue = SendQueue(socket)  # type: ignore[arg-type]
        sender = asyncio.create_task(queue.send())
        for _ in range(200):
            queue.put({"type": "error"})
        waiting = asyncio.create_task(queue.wait_for_room())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        socket.reads.set()
        await asyncio.wait_for(waiting, 5)
        sender.cancel()

    asyncio.run(run())
