"""A server and a real browser for the tests of the page."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("selenium") is None or importlib.util.find_spec("aiohttp") is None:
    pytest.skip("needs selenium and aiohttp (extras `dev` and `play`)", allow_module_level=True)

from aiohttp import web
from selenium import webdriver
from selenium.common.exceptions import ElementClickInterceptedException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from canasta_agents.play.hosts import accepted_names
from canasta_agents.play.lobby import Lobby
from canasta_agents.play.server import Server
from tests.play.seated import CHANCE

LOOPBACK = accepted_names("127.0.0.1")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
IN_A_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
    pytest.mark.skipif(DRIVER is None, reason="there is no chromedriver here"),
]
PATIENCE_S = 60.0
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def served(folder: Path, agents: list[str], friends_host: str | None = None) -> Iterator[str]:
    """A server on a free port of this machine; yields its address."""
    loop = asyncio.new_event_loop()
    started = threading.Event()
    address: list[str] = []

    async def start() -> web.AppRunner:
        lobby = Lobby(folder / "runs", folder / "records", agents, friends_host=friends_host)
        runner = web.AppRunner(Server(lobby, LOOPBACK).app())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        address.append(f"http://127.0.0.1:{port}/")
        return runner

    def run() -> None:
        asyncio.set_event_loop(loop)
        runner = loop.run_until_complete(start())
        started.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(PATIENCE_S)
    try:
        yield address[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Browser:
    """Chromium, with clicks that wait for what they click.

    Args:
        profile: An empty folder for its settings.
        width: Of the page in pixels.
        height: Of the page in pixels.
    """

    def __init__(self, profile: Path, width: int = 1280, height: int = 900) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(PATIENCE_S)
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        """Give the page another size in pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def all(self, selector: str) -> list[WebElement]:
        """The elements there are now."""
        return list(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def texts(self, selector: str) -> list[str]:
        """Their texts, in one look: the page may redraw between two."""
        script = "return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)"
        return list(self.driver.execute_script(script, selector))

    def wait(self, condition: Callable[[], Any]) -> Any:
        """Wait until something is so; returns what it is."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"waited {PATIENCE_S:g} s in vain; the page shows: {self.texts('body')}")

    def click(self, selector: str) -> None:
        """Click the first element that fits, once it is there."""

        def try_it() -> bool:
            elements = self.all(selector)
            try:
                if elements:
                    elements[0].click()
                return bool(elements)
            except ElementClickInterceptedException:  # something lies over it: a person scrolls on
                self.driver.execute_script("arguments[0].scrollIntoView()", elements[0])
            except StaleElementReferenceException:
                pass
            return False

        self.wait(try_it)

    def press(self, key: str) -> None:
        """Press a key, wherever the focus is."""
        ActionChains(self.driver).send_keys(key).perform()

    def choose(self, key: str, text: str) -> None:
        """Choose an option of a list, by what it shows or by its value."""
        self.wait(lambda: self.all(f'[data-key="{key}"]'))
        script = """
            const list = document.querySelector(`[data-key="${arguments[0]}"]`);
            list.selectedIndex = [...list.options].findIndex(
                (option) => [option.text, option.value].includes(arguments[1]));
            list.dispatchEvent(new Event("change"));
        """
        self.driver.execute_script(script, key, text)

    def messages(self) -> list[dict[str, Any]]:
        """The messages that the server has sent since the last call."""
        received = []
        for entry in self.driver.get_log("performance"):  # type: ignore[no-untyped-call]
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.webSocketFrameReceived":
                received.append(json.loads(event["params"]["response"]["payloadData"]))
        return received

    def faults(self) -> list[str]:
        """What the browser complained of."""
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def fits(self) -> bool:
        """Whether nothing is wider than the page."""
        script = "return document.documentElement.scrollWidth <= innerWidth"
        return bool(self.driver.execute_script(script))


def sit_down(browser: Browser, address: str) -> None:
    """Sit down at a new table of Classic for two: one deal against a player by chance."""
    browser.driver.get(address)
    browser.choose("game", "Classic, 2 players")
    browser.choose("episode", "one deal")
    browser.choose("seat1", CHANCE)
    browser.click('[data-key="start"]')
    browser.choose("pace", "at once")


def save_and_replay(browser: Browser) -> None:
    """Save the record of a deal that ends, and open it from the lobby."""
    browser.wait(lambda: browser.all(".score"))
    browser.click('[data-key="save"]')
    browser.wait(lambda: any("Saved as" in text for text in browser.texts("#notice")))
    browser.click(".brand")
    browser.click(".sheet button.link")
    browser.wait(lambda: browser.all('[data-key="on"]'))
