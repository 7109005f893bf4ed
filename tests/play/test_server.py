"""The server: pages, sockets, and what it refuses."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="the server needs aiohttp (extra `play`)")
from aiohttp import WSMsgType, WSServerHandshakeError
from aiohttp.test_utils import TestClient, TestServer

from canasta_agents.play import server
from canasta_agents.play.hosts import accepted_names, canonical_name, is_loopback
from canasta_agents.play.lobby import Lobby
from canasta_agents.play.messages import MAX_REASON
from canasta_agents.play.server import MAX_MESSAGE_BYTES, Server
from canasta_env.records import parse
from tests.play.seated import CHANCE

TABLE = {"type": "open", "game": "classic", "players": 2, "seats": ["you", CHANCE], "seed": 4}
WATCHED = TABLE | {"seats": [CHANCE, CHANCE], "episode": "deal"}
Client = TestClient[Any, Any]


def serve(
    tmp_path: Path,
    talk: Callable[[Client], Awaitable[None]],
    host: str = "127.0.0.1",
    allowed: Sequence[str] = (),
) -> None:
    """Start a server and talk to it."""

    async def run() -> None:
        lobby = Lobby(tmp_path / "runs", tmp_path / "records", [CHANCE])
        async with TestClient(TestServer(Server(lobby, accepted_names(host, allowed)).app())) as client:
            await asyncio.wait_for(talk(client), 60)

    asyncio.run(run())


async def open_table(socket: Any, message: dict[str, Any] = TABLE) -> tuple[str, dict[str, Any]]:
    await socket.send_json(message)
    table = (await socket.receive_json())["table"]
    await socket.send_json({"type": "join", "table": table})
    return table, await socket.receive_json()


def test_the_page_and_its_files_are_served_and_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        for path in ("/", "/static/app.js", "/static/table.js", "/static/play.css", "/static/rules.html"):
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
            "[" * 30_000,
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


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::", "localhost", "0:0::1"])
def test_one_list_of_names_counts_whatever_the_server_listens_on(tmp_path: Path, host: str) -> None:
    async def talk(client: Client) -> None:
        port = client.port
        own = [host, "127.0.0.1", "localhost", "LOCALHOST.", "::1", "0:0:0:0:0:0:0:1", socket.gethostname()]
        for name in (*own, "proxy.example"):
            header = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
            origin = {"Origin": f"http://{header}"}
            assert (await client.get("/", headers={"Host": header} | origin)).status == 200, header
        for name in ("rebound.example", "1.2.3.4", "localhost.example", "[2001:db8::1]"):
            assert (await client.get("/", headers={"Host": f"{name}:{port}"})).status == 403, name

    serve(tmp_path, talk, host, allowed=["proxy.example"])


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": ""},
        {"Host": "["},
        {"Host": "[::1"},
        {"Host": "[fe80::zz]"},
        {"Host": "localhost:port"},
        {"Host": "localhost:1:2"},
        {"Host": "somebody@localhost"},
        {"Host": "é"},
        {"Host": "x" * 5_000},
        {"Origin": "http://["},
        {"Origin": "http://[::1"},
        {"Origin": "http://"},
        {"Origin": "http://localhost/path"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "file://"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "http://localhost:1"},
    ],
    ids=lambda headers: str(headers)[:40],
)
def test_a_malformed_host_or_origin_is_refused_in_one_line(
    tmp_path: Path, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    async def talk(client: Client) -> None:
        for method, path in (("GET", "/"), ("GET", "/socket"), ("POST", "/records"), ("GET", "/nowhere")):
            response = await client.request(method, path, headers=headers)
            text = await response.text()
            assert response.status in (400, 403), text
            assert len(text.splitlines()) == 1 and len(text) < 200

    serve(tmp_path, talk)
    assert "Traceback" not in caplog.text


def test_names_have_one_form() -> None:
    spellings = ("::1", "[::1]", "0:0:0:0:0:0:0:1", "::0001", "::1%lo")
    assert {canonical_name(name) for name in spellings} == {"::1"}
    assert canonical_name("::ffff:127.0.0.1") == "127.0.0.1" and canonical_name("A.Example.") == "a.example"


@pytest.mark.parametrize("spec", ["python:os:system", "neural:/etc", "onnx:/etc/passwd", "nobody", "x" * 900])
def test_only_agents_that_are_offered_can_be_asked_or_seated(tmp_path: Path, spec: str) -> None:
    async def talk(client: Client) -> None:
        browser = await client.ws_connect("/socket")
        table, _ = await open_table(browser, WATCHED)
        for message in (
            {"type": "advise", "table": table, "agent": spec},
            TABLE | {"seats": ["you", spec]},
        ):
            await browser.send_json(message)
            while (reply := await browser.receive_json())["type"] != "error":
                pass
            assert "is not offered" in reply["reason"]
            assert len(reply["reason"]) <= MAX_REASON

    serve(tmp_path, talk)


def test_a_record_is_sent_and_one_that_is_too_large_or_none_is_refused(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        browser = await client.ws_connect("/socket")
        table, state = await open_table(browser, WATCHED)
        await browser.send_json({"type": "pace", "table": table, "pace_s": 0})
        while state["phase"] != "over":
            state = await browser.receive_json()
        await browser.send_json({"type": "save", "table": table})
        name = (await browser.receive_json())["name"]
        assert table[:4] not in name
        content = (tmp_path / "records" / name).read_bytes()
        reply = await (await client.post("/records", data=content)).json()
        await browser.send_json({"type": "join", "table": reply["table"]})
        assert (await browser.receive_json())["kind"] == "replay"
        for body, status in ((b"", 400), (b"\xff", 400), (content[:-9], 400), (b"x" * (5 << 20), 413)):
            response = await client.post("/records", data=body)
            assert response.status == status
            assert (await response.json())["type"] == "error"

    serve(tmp_path, talk)


def test_more_browsers_than_there_is_room_for_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_SOCKETS", 2)

    async def talk(client: Client) -> None:
        first, _ = [await client.ws_connect("/socket") for _ in range(2)]
        with pytest.raises(WSServerHandshakeError, match="503"):
            await client.ws_connect("/socket")
        await first.close()
        assert not (await client.ws_connect("/socket")).closed

    serve(tmp_path, talk)


def test_a_record_is_downloaded_but_not_of_hidden_cards(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        socket = await client.ws_connect("/socket")
        watched, _ = await open_table(socket, WATCHED)
        response = await client.get(f"/tables/{watched}/record")
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert parse(await response.text(), "the record").rules.game == WATCHED["game"]
        played, _ = await open_table(socket)
        response = await client.get(f"/tables/{played}/record")
        assert response.status == 404 and "hidden cards" in (await response.json())["reason"]
        assert (await client.get("/tables/nobody/record")).status == 404

    serve(tmp_path, talk)
