"""Two people, each in a browser of the own, at one table."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("selenium") is None or importlib.util.find_spec("aiohttp") is None:
    pytest.skip("needs selenium and aiohttp (extras `dev` and `play`)", allow_module_level=True)

from canasta_agents.play import lobby
from canasta_agents.play.game import GameProgress
from canasta_env import Table
from tests.play.axe import access_faults
from tests.play.browser import CHROMIUM, DRIVER, Browser, served

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
    pytest.mark.skipif(DRIVER is None, reason="there is no chromedriver here"),
]
CHANCE = "python:tests.play.seated:Chance"
TURNS = 6
LAST_CARD: dict[str, Any] = {
    "game": "classic",
    "players": 2,
    "hands": ["5", "4 4 6"],
    "melds": [["K K K K K K K", "Q Q Q Q Q Q Q"], []],
    "to_play": 0,
    "phase": "play",
}


@pytest.fixture
def browsers(tmp_path: Path) -> Iterator[list[Browser]]:
    browsers = [Browser(tmp_path / f"profile{number}") for number in range(2)]
    yield browsers
    for browser in browsers:
        browser.driver.quit()


def open_table(browser: Browser, address: str, episode: str = "a match") -> str:
    """Open a table with a friend; returns the friend's link."""
    browser.driver.get(address)
    browser.choose("game", "Classic, 2 players")
    browser.choose("episode", episode)
    browser.choose("seat1", "a friend")
    browser.wait(lambda: not browser.all('[data-key="seed"]'))
    browser.click('[data-key="start"]')
    link = browser.wait(lambda: browser.all('[data-key="link:1"]'))[0]
    return str(link.get_attribute("value"))


def write_name(browser: Browser, name: str) -> None:
    browser.wait(lambda: browser.all('[data-key="own-name"]'))
    script = """
        const field = document.querySelector('[data-key="own-name"]');
        field.value = arguments[0];
        field.dispatchEvent(new Event("change"));
    """
    browser.driver.execute_script(script, name)


def play_a_move(browsers: list[Browser]) -> None:
    """Let whoever is to move play what lies nearest, by clicks; the other sees it."""
    ready = ".hand button.able, .middle button.able, .offers button"
    mover, other = sorted(browsers, key=lambda one: not one.all('[data-key="stock"], .hand button.able'))
    moves = len(mover.texts(".moves li"))
    count = mover.texts(".sheet h2")
    mover.wait(lambda: mover.all(ready))
    if mover.all('[data-key="stock"]'):
        mover.click('[data-key="stock"]')
    else:
        mover.click(".hand button.able")
        mover.click(".offers button:last-of-type")
    for browser in (mover, other):
        browser.wait(lambda browser=browser: browser.texts(".sheet h2") != count)
    assert len(other.texts(".moves li")) >= moves


def states_of(browser: Browser) -> list[dict[str, Any]]:
    return [message for message in browser.messages() if message["type"] == "state"]


def test_two_browsers_play_a_few_turns_against_each_other(tmp_path: Path, browsers: list[Browser]) -> None:
    host, friend = browsers
    with served(tmp_path, [CHANCE], friends_host="localhost") as address:
        link = open_table(host, address)
        assert link.startswith(address.replace("127.0.0.1", "localhost") + "#table=")
        assert any("not here: send this link" in text for text in host.texts(".friends li"))
        host.click('[data-key="copy:1"]')
        host.wait(lambda: "Copied" in host.texts('[data-key="copy:1"]'))
        friend.driver.get(link)
        friend.wait(lambda: friend.all(".table .hand"))
        write_name(friend, "<i>Ann</i>")
        host.wait(lambda: any("<i>Ann</i>, here" in text for text in host.texts(".friends li")))
        assert not friend.all('[data-key="undo"], [data-key^="link:"], [data-key^="give:"]')
        for browser in browsers:
            assert access_faults(browser) == []
        for _ in range(2 * TURNS):
            play_a_move(browsers)
        friend.driver.refresh()
        friend.wait(lambda: friend.all(".table .hand"))
        assert host.texts(".moves li b") != friend.texts(".moves li b")  # "you" is another
        for seat, browser in enumerate(browsers):
            states = states_of(browser)
            assert len(states) > TURNS
            for state in states:
                assert [hand["cards"] is not None for hand in state["hands"]] == [seat == 0, seat == 1]
        host.choose("give:1", "give it to: Beginner")
        friend.wait(lambda: any("plays no seat" in text for text in friend.texts("#notice")))
        assert friend.all('[data-key="start"]')
        host.wait(lambda: host.all('[data-key="invite:1"]'))
        assert host.faults() == [] and friend.faults() == []


def test_who_opened_the_table_plays_again_and_the_other_seat_is_dealt_to(
    tmp_path: Path, browsers: list[Browser], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GameProgress, "dealt", lambda self: Table.from_position(LAST_CARD, partial=True))
    monkeypatch.setattr(lobby, "warm_up", lambda: None)
    host, friend = browsers
    with served(tmp_path, [CHANCE], friends_host="127.0.0.1") as address:
        link = open_table(host, address, episode="one deal")
        friend.driver.get(link)
        for _ in range(2):
            for browser, is_mover in ((host, True), (friend, False)):
                browser.wait(lambda browser=browser: browser.all(".table .hand"))
                browser.wait(lambda browser=browser: not browser.all(".score"))
                assert bool(browser.all(".hand button.able")) == is_mover
            assert friend.texts(".prompt") == ["South, the host, is to play."]
            host.click(".hand button.able")
            host.click('.offers [data-key^="offer:discard"]')
            host.wait(lambda: host.all('[data-key="play-again"]'))
            friend.wait(lambda: friend.all(".score"))
            assert host.texts(".score h2") == ["You won the deal"]
            assert friend.texts(".score h2") == ["South won the deal"]
            assert not friend.all('[data-key="play-again"]')
            assert any("stay here" in text for text in friend.texts(".score .note"))
            assert "opened the table" not in " ".join(host.texts(".score"))
            addresses = [browser.driver.current_url for browser in browsers]
            host.click('[data-key="play-again"]')
        friend.wait(lambda: friend.texts(".moves li") == [] and not friend.all(".score"))
        assert [browser.driver.current_url for browser in browsers] == addresses
        states = [state for state in states_of(friend) if state["phase"] != "over"]
        assert all(state["hands"][0]["cards"] is None for state in states)
        assert host.faults() == [] and friend.faults() == []


def test_friends_are_not_offered_where_they_cannot_come(tmp_path: Path, browsers: list[Browser]) -> None:
    browser = browsers[0]
    with served(tmp_path, [CHANCE]) as address:
        browser.driver.get(address)
        browser.wait(lambda: browser.all('[data-key="seat1"]'))
        assert "a friend" not in browser.texts('[data-key="seat1"] option')


def test_on_a_phone_links_and_names_fit(tmp_path: Path) -> None:
    browser = Browser(tmp_path / "phone", 360, 740)
    try:
        with served(tmp_path, [CHANCE], friends_host="localhost") as address:
            assert open_table(browser, address)
            assert browser.fits() and browser.faults() == []
    finally:
        browser.driver.quit()
