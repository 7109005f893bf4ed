"""Thousands of malformed messages: each is answered, none harms a game or tells of a hidden card."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="the server needs aiohttp (extra `play`)")
from aiohttp.test_utils import TestClient, TestServer

from canasta_agents.play import server
from canasta_agents.play.hosts import accepted_names
from canasta_agents.play.lobby import Lobby
from canasta_agents.play.server import Server
from tests.play.seated import CHANCE

LOOPBACK = accepted_names("127.0.0.1")
NUM_MESSAGES = 3_000
KEYS = (
    "type",
    "table",
    "action",
    "at",
    "seat",
    "agent",
    "pace_s",
    "is_paused",
    "step",
    "seats",
    "game",
    "name",
    "target",
    "cards",
    "pile",
    "meld",
    "actions",
)
KINDS = (
    "play",
    "next",
    "undo",
    "again",
    "advise",
    "why",
    "pace",
    "pause",
    "look",
    "go",
    "join",
    "save",
    "load",
    "open",
    "lay",
    "take_back",
    "select",
    "propose",
    "lobby",
    "fly",
)
HIDDEN_WORDS = ("order", "seed", "deals", "stock_order")


def odd_value(rng: Random) -> Any:
    values = [
        None,
        True,
        -1,
        0,
        1e300,
        float("nan"),
        2**70,
        "",
        "draw",
        "../x",
        "\0",
        "é" * 50,
        [],
        [1],
        {},
        {"a": []},
        {"K": 1},
        ["draw", "take"],
    ]
    return rng.choice(values)


def odd_message(rng: Random, table: str, state: dict[str, Any]) -> str | bytes:
    """A message that is wrong in one way or another, and that no rule lets change the game of seat 0."""
    kind = rng.choice(KINDS)
    message: dict[str, Any] = {"type": kind, "table": table}
    for key in rng.sample(KEYS, rng.randrange(5)):
        message[key] = odd_value(rng)
    if message["type"] in ("undo", "next") and message["table"] == table:
        message["table"] = table[:-1]
    if (
        message["type"] == "play"
        and message.get("at") == len(state["moves"])
        and message.get("action") in state["legal"]
    ):
        message["at"] = -1
    text = json.dumps(message)
    shape = rng.random()
    if shape < 0.1:
        return text[: rng.randrange(len(text))]
    if shape < 0.15:
        return bytes(rng.randrange(256) for _ in range(20))
    if shape < 0.2:
        return "[" * rng.randrange(3_000)
    return text


def test_thousands_of_odd_messages_harm_no_game_and_tell_nothing_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MESSAGES_PER_S", 10_000)

    async def talk(client: TestClient[Any, Any]) -> None:
        socket = await client.ws_connect("/socket")
        seats = ["you", CHANCE, CHANCE, CHANCE]
        await socket.send_json({"type": "open", "game": "classic", "players": 4, "seats": seats, "seed": 2})
        table = (await socket.receive_json())["table"]
        await socket.send_json({"type": "join", "table": table})
        state = await socket.receive_json()
        while not state.get("legal"):
            state = await socket.receive_json()
        rng = Random(11)
        for number in range(NUM_MESSAGES):
            odd = odd_message(rng, table, state)
            await (socket.send_bytes(odd) if isinstance(odd, bytes) else socket.send_str(odd))
            if number % 20 == 0:
                await socket.send_json({"type": "why", "table": table, "target": "stock"})
                while (reply := await socket.receive_json())["type"] != "why":
                    assert_tells_nothing_hidden(reply, table)
                    assert reply.get("reason") != "the server could not follow; see its log", odd
        await socket.send_json({"type": "join", "table": table})
        while (reply := await socket.receive_json()).get("table") != table or reply["type"] != "state":
            pass
        same = {key: value for key, value in reply.items() if key not in ("pace_s", "is_paused")}
        assert same == {key: value for key, value in state.items() if key in same}

    async def run() -> None:
        lobby = Lobby(tmp_path / "runs", tmp_path / "records", [CHANCE], tmp_path / "tables")
        async with TestClient(TestServer(Server(lobby, LOOPBACK).app())) as client:
            await asyncio.wait_for(talk(client), 300)

    asyncio.run(run())


def assert_tells_nothing_hidden(reply: dict[str, Any], table: str) -> None:
    assert not set(HIDDEN_WORDS) & set(reply)
    if reply["type"] == "state" and reply["table"] == table:
        assert [hand["cards"] is None for hand in reply["hands"]] == [False, True, True, True]
        assert all(move["seat"] == 0 for move in reply["moves"] if "drawn" in move)
