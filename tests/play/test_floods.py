"""Browsers that ask too much: the server stays small, and other browsers are answered.

Each test has a short form for every day and a slow one with the numbers that docs/play.md states.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="the server needs aiohttp (extra `play`)")
import aiohttp

from canasta_agents.play.replay import Replay
from canasta_agents.play.server import MAX_MESSAGE_BYTES
from canasta_env import Table, classic, records
from canasta_env.records import DealRecord, Record
from tests.play.seated import CHANCE

TABLE = {
    "type": "open",
    "game": "classic",
    "players": 2,
    "seats": ["you", CHANCE],
    "episode": "deal",
    "seed": 4,
}
MAX_MIB = 1024
ANSWERED_S = 0.2
STARTS_IN_S = 300
slow = pytest.mark.slow
needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


class Server:
    """`play.py` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.tables = folder / "tables"
        self.address = f"http://127.0.0.1:{port}"
        options = ["--no-open-browser", "--port", str(port), "--agents", CHANCE]
        folders = [f"--{name}={folder / name}" for name in ("runs", "records", "tables")]
        script = "import sys; from canasta_agents.play.cli import main; sys.exit(main())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, *options, *folders], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert "served at" in self.process.stdout.readline()

    def status(self, field: str) -> int:
        """A number of /proc: VmHWM in MiB, or Threads."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        number = int(re.search(rf"^{field}:\s+(\d+)", text, re.M)[1])  # type: ignore[index]
        return number // 1024 if field.startswith("Vm") else number


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("served"))
    asyncio.run(open_first_table(running))  # with the engine to be compiled
    yield running
    running.process.terminate()
    running.process.wait(30)


async def open_first_table(server: Server) -> None:
    async with connected(server) as browser:
        await asyncio.wait_for(open_table(browser), STARTS_IN_S)
    time.sleep(1)


@contextlib.asynccontextmanager
async def connected(server: Server) -> AsyncIterator[Any]:
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{server.address}/socket") as browser:
        yield browser


async def open_table(browser: Any, **changes: Any) -> str:
    await browser.send_json(TABLE | changes)
    return str((await until(browser, "opened"))["table"])


async def until(browser: Any, kind: str) -> dict[str, Any]:
    while True:
        reply: dict[str, Any] = await browser.receive_json()
        if reply["type"] == kind:
            return reply


async def answers_s(browser: Any, table: str, flood: Awaitable[Any], longest_s: float) -> list[float]:
    """How long another browser waited, each time it asked for the table while a flood goes on."""
    task = asyncio.ensure_future(flood)
    waited, end = [], time.monotonic() + longest_s
    while not task.done() and time.monotonic() < end:
        before = time.monotonic()
        await browser.send_json({"type": "join", "table": table})
        await until(browser, "state")
        waited.append(time.monotonic() - before)
        await asyncio.sleep(0.05)
    if task.done():
        task.result()
    task.cancel()
    return waited


def flooded(server: Server, flood: Callable[[Any, str], Awaitable[None]], longest_s: float = 600) -> float:
    """Let one browser flood the server; returns how long another waited at most.

    Half of its answers come within 200 ms; a single one also waits for whatever else this machine does.
    """

    async def run() -> list[float]:
        async with connected(server) as other, connected(server) as sender:
            table, own = await open_table(other), await open_table(sender)
            await other.send_json({"type": "join", "table": table})
            return await answers_s(other, table, flood(sender, own), longest_s)

    waited = asyncio.run(run())
    assert statistics.median(waited) < ANSWERED_S
    return max(waited)


@pytest.mark.parametrize(
    "text",
    [
        "[" * (MAX_MESSAGE_BYTES - 1),
        json.dumps({"type": "x" * (MAX_MESSAGE_BYTES - 100)}),
        json.dumps({"type": "open", "seats": [[0] * 10_000]}),
        '{"type": "fly"}',
    ],
    ids=["deep", "long", "wide", "short"],
)
def test_a_flood_of_messages_leaves_other_browsers_answered(server: Server, text: str) -> None:
    async def flood(browser: Any, table: str) -> None:
        for _ in range(200):
            await browser.send_str(text)
        for _ in range(200):
            reply = await until(browser, "error")
            assert len(reply["reason"]) <= 400

    assert flooded(server, flood) < 1


@needs_proc
@pytest.mark.parametrize("number", [300, pytest.param(3_000, marks=slow)])
def test_a_flood_of_advise_that_nobody_reads_takes_few_threads(server: Server, number: int) -> None:
    most = server.status("Threads") + 8

    async def flood(browser: Any, table: str) -> None:
        for _ in range(number):
            await browser.send_json({"type": "advise", "table": table, "agent": "heuristic"})
            if number > 300:
                await asyncio.sleep(0)
        await asyncio.sleep(number / 100)

    assert flooded(server, flood) < 1
    assert server.status("Threads") <= most
    assert server.status("VmHWM") < MAX_MIB


@needs_proc
@pytest.mark.parametrize("number", [4, pytest.param(60, marks=slow)])
def test_targets_with_an_advice_each_do_not_keep_a_network_each(server: Server, number: int) -> None:
    pytest.importorskip("torch", reason="neural agents need PyTorch (extra `train`)")

    async def flood(browser: Any, own: str) -> None:
        for target in range(number):
            table = await open_table(browser, seats=["you", "neural:classic_2"], target=5_000 + 10 * target)
            await browser.send_json({"type": "join", "table": table})
            await browser.send_json({"type": "pace", "table": table, "pace_s": 0})
            while not (await until(browser, "state"))["legal"]:
                pass
            await browser.send_json({"type": "advise", "table": table, "agent": "neural:classic_2"})
            assert (await until(browser, "advice"))["likely"]

    assert flooded(server, flood) < 3  # PyTorch is loaded on the way, once
    first = server.status("VmRSS")
    assert flooded(server, flood) < 1
    assert server.status("VmRSS") - first < 64 and server.status("VmHWM") < MAX_MIB


@needs_proc
@pytest.mark.parametrize("number", [150, pytest.param(3_000, marks=slow)])
def test_tables_that_are_opened_and_left_do_not_stay(server: Server, number: int) -> None:
    async def flood(browser: Any, table: str) -> None:
        for _ in range(number):
            await browser.send_json(TABLE)
        for _ in range(number):
            await until(browser, "opened")

    assert flooded(server, flood) < 1
    assert server.status("VmHWM") < MAX_MIB
    assert len(list(server.tables.iterdir())) <= 1_000


def long_record(num_deals: int) -> Record:
    """A match to a target out of reach."""
    rules, rng = classic(players=2, target=10**8), Random(3)
    deals: list[DealRecord] = []
    scores, dealer = (0, 0), 0
    for number in range(num_deals):
        table, actions = Table(rules, seed=number, dealer=dealer, scores=scores), []
        order = tuple(table.order)
        while not table.is_over:
            actions.append(rng.choice(table.legal()))
            table.play(actions[-1])
        points = tuple(score.total for score in table.score())
        deals.append(DealRecord(dealer, scores, order, tuple(actions), points))
        scores, dealer = (scores[0] + points[0], scores[1] + points[1]), 1 - dealer
    return Record(rules, None, tuple(deals))


@needs_proc
@pytest.mark.parametrize("num_deals", [30, pytest.param(1_450, marks=slow)])
def test_a_long_record_is_loaded_and_stepped_through_while_others_play(
    server: Server, num_deals: int
) -> None:
    content = records.to_text(long_record(num_deals)).encode()
    before = server.status("VmRSS")
    steps: list[float] = []

    async def flood(browser: Any, own: str) -> None:
        async with aiohttp.ClientSession() as session:
            reply = await (await session.post(f"{server.address}/records", data=content)).json()
        table = reply["table"]
        await browser.send_json({"type": "join", "table": table})
        last = (await until(browser, "state"))["num_steps"] - 1
        for step in (last, 0, last // 2, last // 2 + 1, last // 3):
            start = time.monotonic()
            await browser.send_json({"type": "go", "table": table, "step": step})
            assert (await until(browser, "state"))["step"] == step
            steps.append(time.monotonic() - start)

    assert flooded(server, flood) < 1
    assert max(steps) < 1
    assert server.status("VmRSS") - before < 100


def test_a_replay_keeps_a_few_tables_and_shows_every_step_right() -> None:
    record = long_record(3)
    replay = Replay(record, "long")
    expected = [(deal, table.copy()) for deal, table in records.replay(record)]
    order = list(range(len(expected)))
    Random(1).shuffle(order)
    for step in order:
        state = replay.handle({"type": "go", "step": step})[0]
        deal, table = expected[step]
        assert replay.table_for_advice().position() == table.position()
        assert (state["deal"], state["stock"]) == (deal, int(table.view(0)[0]["stock_size"]))
        assert len(replay._kept) <= len(record.deals[deal - 1].actions) // 32 + 1
