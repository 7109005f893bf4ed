"""Take the pictures of the pages of the table and of a report, and film a turn: `python -m docs.photograph`.

They go to docs/images. What they show is dealt and played by fixed rules; without Chromium nothing is taken.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from PIL import Image, ImageDraw
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from canasta_agents.play import lobby
from canasta_agents.play.game import GameProgress
from canasta_env import Table
from tests.play.browser import CHROMIUM, DRIVER, Browser, save_and_replay, served

ROOT = Path(__file__).parents[1]
IMAGES = Path(__file__).parent / "images"
COLOURS = 256  # of a palette
SCREEN = (1280, 800)
FILM = (1000, 690)
REPORT = (1280, 1500)
QUALITY = 82  # of the film
STILL_MS, MOVE_MS, PLAY_MS, END_MS = 900, 60, 700, 2_600  # how long a frame of the film stays
NUM_STEPS = 5  # of the pointer from one place to the next
POINTER = [(0, 0), (0, 19), (5, 15), (8, 22), (11, 21), (8, 14), (14, 14)]
CLEAR = 40  # of 255: a difference of two colours that can be seen
TOLERANCE = 0.002  # share of the pixels by which a picture may differ from the one there is
TOURNAMENT = ("--game", "classic", "--boards", "40", "--episode", "deal", "--seed", "3", "--workers", "2")
ENTRANTS = ("watcher", "closer", "gambler", "builder")
LAY, DISCARD = '.offers [data-key^="lay:"]', '.offers [data-key^="offer:discard"]'
SEED = "7"  # of the deal that is watched
STEP = 60  # of its record
AGENTS = ("closer", "watcher", "closer")  # West, North and East of the film
POSITION: dict[str, Any] = {
    "game": "classic",
    "dealer": 3,
    "scores": [1240, 980],
    "hands": ["K K Q Q Q 9 7 6 4 2 A A", "4 6 10 J J 9 5", "5 8 J 6 7 7 9 A K 4 10", "4 9 J 5 6 7 8 A 10"],
    "melds": [[], ["8 8 8 8", "10 10 10 2"]],
    "threes": [{"red3": 1}, {"red3": 1}],
    "pile": "5 9 J Q 4 K",
    "to_play": 0,
    "phase": "draw",
    "turn": 17,
}


def screenshot(browser: Browser) -> Image.Image:
    """The page as it stands."""
    return Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")


def is_another(taken: Image.Image, name: str) -> bool:
    """Whether there is no such picture, or one that shows something else; a film counts by its end."""
    if not (IMAGES / name).exists():
        return True
    picture = Image.open(IMAGES / name)
    picture.seek(getattr(picture, "n_frames", 1) - 1)
    known = picture.convert("RGB")
    if known.size != taken.size:
        return True
    difference = np.abs(np.asarray(known, dtype=int) - np.asarray(taken, dtype=int)).max(axis=2)
    return bool((difference > CLEAR).mean() > TOLERANCE)


def keep(browser: Browser, name: str) -> None:
    """Take a picture, and write it if it shows something new."""
    taken = screenshot(browser)
    if is_another(taken, name):
        few = taken.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(IMAGES / name, optimize=True)
        tell_of(name)


def tell_of(name: str) -> None:
    print(f"{IMAGES / name}: {(IMAGES / name).stat().st_size / 1000:.0f} kB")


@contextmanager
def browsing(folder: Path, size: tuple[int, int]) -> Iterator[Browser]:
    """A browser whose page has this size."""
    browser = Browser(folder / "profile", *size)
    try:
        yield browser
    finally:
        browser.driver.quit()


@contextmanager
def always_dealt(position: dict[str, Any]) -> Iterator[None]:
    """Tables begin in a position."""
    with (
        patch.object(GameProgress, "dealt", lambda self: Table.from_position(position, partial=True)),
        patch.object(lobby, "warm_up", lambda: None),  # it would want whole deals
    ):
        yield


def open_table(browser: Browser, address: str, game: str, seats: dict[int, str], **choices: str) -> None:
    """Choose a game and who plays in the lobby, and sit down or watch."""
    browser.driver.get(address)
    browser.choose("game", game)
    browser.wait(lambda: browser.all('[data-key="seed"]'))[0].send_keys(SEED, Keys.TAB)
    for key, value in choices.items():
        browser.choose(key, value)
    for seat, agent in seats.items():
        browser.choose(f"seat{seat}", agent)
    browser.click('[data-key="start"]')


def photograph_lobby(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.wait(lambda: browser.all('[data-key="start"]'))
    keep(browser, "page_lobby.png")


def photograph_replay(browser: Browser, address: str) -> None:
    """Watch a deal, save its record, and look at it half-way."""
    watched = {seat: ("watcher", "closer")[seat % 2] for seat in range(4)}
    open_table(browser, address, "Classic, 4 players", watched, episode="one deal", part="watch")
    browser.choose("pace", "at once")
    save_and_replay(browser)
    address = browser.driver.current_url.partition("&")[0]
    browser.driver.get("about:blank")
    browser.driver.get(f"{address}&step={STEP}")
    browser.wait(lambda: browser.all(f'.controls[data-step="{STEP}"]'))
    keep(browser, "page_replay.png")


def photograph_report(folder: Path) -> None:
    """Play a small tournament, and look at its report."""
    command = [sys.executable, str(ROOT / "evaluate.py"), "--agents", *ENTRANTS, *TOURNAMENT, "--name", "x"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with browsing(folder / "report", REPORT) as browser:
        browser.driver.get((folder / "results" / "x" / "report.html").as_uri())
        keep(browser, "page_report.png")


@dataclass
class Film:
    """Frames of the page with a pointer over them, and how long each stays in milliseconds."""

    browser: Browser
    pointer: tuple[float, float] = (FILM[0] * 0.55, FILM[1] * 0.62)
    frames: list[Image.Image] = field(default_factory=list)
    durations: list[int] = field(default_factory=list)

    def shoot(self, duration_ms: int) -> None:
        """The page as it stands; a frame that shows the same as the one before lengthens it."""
        frame = screenshot(self.browser)
        place = [(self.pointer[0] + x, self.pointer[1] + y) for x, y in POINTER]
        ImageDraw.Draw(frame).polygon(place, fill="#ffffff", outline="#111111", width=2)
        if self.frames and self.frames[-1] == frame:
            self.durations[-1] += duration_ms
        else:
            self.frames.append(frame)
            self.durations.append(duration_ms)

    def click(self, selector: str, key: str = "") -> None:
        """Lead the pointer to an element and click it, with a key held."""
        node = self.browser.wait(lambda: self.browser.all(selector))[0]
        self._lead_to(node)
        actions = ActionChains(self.browser.driver)
        if key:
            actions.key_down(key).click(node).key_up(key).perform()
        else:
            actions.click(node).perform()

    def _lead_to(self, node: WebElement) -> None:
        box = node.rect
        goal = (box["x"] + min(box["width"] / 2, 60), box["y"] + box["height"] * 0.6)
        start = self.pointer
        for step in range(1, NUM_STEPS + 1):
            share = step / NUM_STEPS
            self.pointer = (
                start[0] + share * (goal[0] - start[0]),
                start[1] + share * (goal[1] - start[1]),
            )
            self.shoot(MOVE_MS)

    def follow(self, is_over: Callable[[], bool]) -> None:
        """What happens by itself, until something is so."""
        while not is_over():
            self.shoot(PLAY_MS // 4)

    def keep(self, name: str) -> None:
        """Write it if it ends with something new."""
        if not is_another(self.frames[-1], name):
            return
        first, *others = self.frames
        options = {"quality": QUALITY, "method": 6, "loop": 0, "duration": self.durations}
        first.save(IMAGES / name, save_all=True, append_images=others, **options)
        tell_of(name)


def film_turn(browser: Browser, address: str) -> None:
    """Open with the pile, add a card, discard, and see what the others do; a picture is taken on the way."""
    others = {seat + 1: agent for seat, agent in enumerate(AGENTS)}
    open_table(browser, address, "Classic, 4 players", others)
    film = Film(browser)
    browser.wait(lambda: browser.all('[data-key="stock"]'))
    film.shoot(2 * STILL_MS)
    film.click('[data-key="pile"]')
    browser.wait(lambda: browser.all(LAY))
    film.shoot(STILL_MS)
    film.click('.hand [data-kind="Q"]', Keys.SHIFT)
    browser.wait(lambda: any("meld Q Q Q" in text for text in browser.texts(LAY)))
    film.shoot(2 * STILL_MS)
    keep(browser, "page_table.png")
    film.click(LAY)
    browser.wait(lambda: browser.all('[data-key="meld:Q"]'))
    film.shoot(2 * STILL_MS)
    film.click('.hand [data-kind="Q"]')
    browser.wait(lambda: browser.all(LAY))
    film.shoot(STILL_MS)
    film.click(LAY)
    browser.wait(lambda: not browser.all('.hand [data-kind="Q"]'))
    film.shoot(STILL_MS)
    film.click('.hand [data-kind="6"]')
    browser.wait(lambda: browser.all(DISCARD))
    film.shoot(STILL_MS)
    film.click(DISCARD)
    film.follow(lambda: bool(browser.all('[data-key="stock"]')))
    film.shoot(END_MS)
    film.keep("page_turn.webp")


def main() -> None:
    """Take all pictures, if there is a browser."""
    if CHROMIUM is None or DRIVER is None:
        print(
            "docs/images: no Chromium with its chromedriver here; the pictures of the pages stay as they are"
        )
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder, []) as address:
            with browsing(folder, SCREEN) as browser:
                photograph_lobby(browser, address)
                photograph_replay(browser, address)
            with always_dealt(POSITION), browsing(folder / "film", FILM) as browser:
                film_turn(browser, address)
        photograph_report(folder)


if __name__ == "__main__":
    main()
