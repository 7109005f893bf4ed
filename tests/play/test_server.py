"""The server: pages, sockets, and what it refuses."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="the server needs aiohttp (extra `play`)")
from aiohttp import WSMsgType, WSServerHandshakeError
from aiohttp.test_utils import TestClient, TestServer

from canasta_agents.play.lobby import Lobby
from canasta_agents.play.server import MAX_MESSAGE_BYTES, Server, is_loopback

CHANCE = "python:tests.play.seated:Chance"
TABLE = {"type": "open", "game": "classic", "players": 2, "seats": ["you", CHANCE], "seed": 4}
WATCHED = TABLE | {"seats": [CHANCE, CHANCE], "episode": "deal"}
Client = TestClient[Any, Any]


def serve(tmp_path: Path, talk: Callable[[Client], Awaitable[None]], host: str = "127.0.0.1") -> None:
    """Start a server and talk to it."""

    async def run() -> None:
        lobby = Lobby(tmp_path / "runs", tmp_path / "records", [CHANCE])
        async with TestClient(TestServer(Server(lobby, host).app())) as client:
            await asyncio.wait_for(talk(client), 60)

    asyncio.run(run())


async def open_table(socket: Any, message: dict[str, Any] = TABLE) -> tuple[str, dict[str, Any]]:
    await socket.send_json(message)
    table = (await socket.receive_json())["table"]
    await socket.send_json({"type": "join", "table": table})
    return table, await socket.receive_json()


def test_the_page_and_its_files_are_served_and_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        for path in ("/", "/static/app.js", "/static/table.js", "/static/play.css"):
            response = await client.get(path)
            assert response.status == 200
            text = await response.text()
            assert "http://" not in text and "https://" not in text
        policy = (await client.get("/")).headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'self'")
        assert (await client.get("/static/../server.py")).status == 404

    serve(tmp_path, talk)


def test_a_table_is_opened_joined_and_watched_to_the_end(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        socket = await client.ws_connect("/socket")
        table, state = await open_table(socket, WATCHED)
        await socket.send_json({"type": "pace", "table": table, "pace_s": 0})
        while state["phase"] != "over":
            state = await socket.receive_json()
        await socket.send_json({"type": "save", "table": table})
        saved = await socket.receive_json()
        assert saved["type"] == "saved" and (tmp_path / "records" / saved["name"]).is_file()

    serve(tmp_path, talk)


def test_a_second_socket_finds_the_table_as_it_stands_and_both_are_told(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        first, second = [await client.ws_connect("/socket") for _ in range(2)]
        table, state = await open_table(first)
        while not state["legal"]:
            state = await first.receive_json()
        await first.close()
        await second.send_json({"type": "join", "table": table})
        assert await second.receive_json() == state
        await second.send_json({"type": "play", "table": table, "action": "draw", "at": len(state["moves"])})
        assert (await second.receive_json())["moves"][-1].items() >= {"seat": 0, "action": "draw"}.items()

    serve(tmp_path, talk)


@pytest.mark.parametrize(
    "text",
    [
        *[
            "",
            "{",
            "[]",
            "3",
            '"x"',
            "{}",
            '{"type": 3}',
            '{"type": "fly"}',
            '{"type": "join"}',
            "[" * 100_000,
        ],
        json.dumps({"type": "play", "table": 7}),
        json.dumps({"type": "open"}),
    ],
    ids=lambda text: text[:20] or "empty",
)
def test_a_malformed_message_gets_an_error_and_harms_nothing(tmp_path: Path, text: str) -> None:
    async def talk(client: Client) -> None:
        socket = await client.ws_connect("/socket")
        table, _ = await open_table(socket, WATCHED)
        await socket.send_json({"type": "pause", "table": table, "is_paused": True})
        state = await socket.receive_json()
        while not state["is_paused"]:
            state = await socket.receive_json()
        await socket.send_str(text)
        assert (await socket.receive_json())["type"] == "error"
        await socket.send_bytes(b"\x00")
        assert (await socket.receive_json())["type"] == "error"
        await socket.send_json({"type": "join", "table": table})
        assert await socket.receive_json() == state

    serve(tmp_path, talk)


def test_a_message_too_large_closes_its_socket_only(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        first, second = [await client.ws_connect("/socket") for _ in range(2)]
        with contextlib.suppress(ConnectionError):  # the server may hang up while it is being sent
            await first.send_str("x" * (MAX_MESSAGE_BYTES + 1))
            await first.receive()
        assert first.closed or (await first.receive()).type is not WSMsgType.TEXT
        await second.send_json({"type": "lobby"})
        assert (await second.receive_json())["type"] == "lobby"

    serve(tmp_path, talk)


def test_pages_of_other_sites_and_other_names_of_this_machine_are_refused(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        with pytest.raises(WSServerHandshakeError, match="403"):
            await client.ws_connect("/socket", headers={"Origin": "https://elsewhere.example"})
        assert (await client.get("/", headers={"Host": "rebound.example"})).status == 403

    serve(tmp_path, talk)


def test_only_addresses_of_this_machine_are_loopback() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost")] == [True] * 3
    assert [is_loopback(host) for host in ("0.0.0.0", "192.168.1.2", "::", "example")] == [False] * 4
