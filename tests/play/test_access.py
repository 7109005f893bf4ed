"""The page for people who see little, hear it read, or wait for it: what axe-core finds, and its size."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from canasta_agents.play import lobby
from canasta_agents.play.game import GameProgress
from canasta_agents.play.server import STATIC
from canasta_env import Table
from tests.play.axe import access_faults
from tests.play.browser import IN_A_BROWSER, Browser, save_and_replay, served
from tests.play.seated import CHANCE
from tests.play.test_browser_layout import CROWDED
from tests.play.test_selection import CLASSIC
from tests.play.test_take_back import TO_ASK

MAX_PAGE_BYTES = 300_000
BROKEN = "python:tests.play.seated:Broken"
ASKED: dict[str, Any] = TO_ASK | {
    "hands": ["5 5", "6 6", "4 9", "7 7"],
    "to_play": 0,
    "phase": "answer",
}


def open_replay(browser: Browser, address: str) -> None:
    """Save a deal that is watched, and open its record from the lobby."""
    watch(browser, address)
    browser.choose("pace", "at once")
    save_and_replay(browser)


def watch(browser: Browser, address: str) -> None:
    """Open a table at which nobody plays: one deal of Modern American."""
    browser.driver.get(address)
    browser.choose("game", "Modern American, 4 players")
    browser.choose("episode", "one deal")
    browser.choose("part", "watch")
    for seat in range(4):
        browser.choose(f"seat{seat}", CHANCE)
    browser.click('[data-key="start"]')


def sit_down_at(
    browser: Browser,
    address: str,
    position: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    other: str = CHANCE,
) -> None:
    """Sit down as South at a new table in a position, with agents of one kind."""
    table = Table.from_position(position, partial=True)
    monkeypatch.setattr(GameProgress, "dealt", lambda self: table.copy())
    monkeypatch.setattr(lobby, "warm_up", lambda: None)
    browser.driver.get(address)
    game = {"classic": "Classic", "modern_american": "Modern American"}[table.rules.game]
    browser.choose("game", f"{game}, {table.rules.players} players")
    for seat in range(1, table.rules.players):
        browser.choose(f"seat{seat}", other)
    browser.click('[data-key="start"]')


def prompted(browser: Browser, words: str) -> bool:
    return any(words in text for text in browser.texts(".prompt"))


def check(browser: Browser, words: str) -> None:
    """The line under the hand comes to say this, and the page has no fault then."""
    browser.wait(lambda: prompted(browser, words))
    assert access_faults(browser) == []


def test_all_files_of_the_page_together_are_light() -> None:
    sizes = {path.name: path.stat().st_size for path in STATIC.rglob("*") if path.is_file()}
    assert "index.html" in sizes and "app.js" in sizes
    assert sum(sizes.values()) < MAX_PAGE_BYTES, sizes


def test_the_page_loads_nothing_from_another_host() -> None:
    for path in STATIC.rglob("*"):
        if path.suffix in {".html", ".js", ".css"}:
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(?:https?|wss?)://(?!www\.w3\.org/)", text), path.name


class TestInABrowser:
    pytestmark = IN_A_BROWSER

    def test_faults_are_found_where_there_are_some(self, browser: Browser, address: str) -> None:
        browser.driver.get(address)
        browser.wait(lambda: browser.all('[data-key="start"]'))
        assert access_faults(browser) == []
        browser.driver.execute_script("""
            document.documentElement.lang = "";
            document.getElementById("main").innerHTML =
              '<h1>One</h1><button></button><p>pale</p><p>light on a gradient</p>';
            const [pale, light] = document.querySelectorAll("#main p");
            pale.style.color = "#999";
            light.style.color = "#cfe2d7";
            light.style.backgroundImage = "linear-gradient(#1d6a50, #257c5e)";
        """)
        rules = [fault.partition(",")[0] for fault in access_faults(browser)]
        at_each_size = [
            "serious: color-contrast",
            "serious: color-contrast",
            "critical: button-name",
            "serious: html-has-lang",
        ]
        assert sorted(rules) == sorted(2 * at_each_size)

    def test_the_lobby_and_the_rules_have_no_fault(self, browser: Browser, address: str) -> None:
        browser.driver.get(address)
        browser.wait(lambda: browser.all('[data-key="start"]'))
        assert access_faults(browser) == []
        browser.driver.get(f"{address}static/rules.html")
        browser.wait(lambda: browser.all("h1"))
        assert access_faults(browser) == []

    def test_a_watched_deal_its_end_and_its_replay_have_no_fault(
        self, browser: Browser, address: str
    ) -> None:
        watch(browser, address)
        browser.wait(lambda: browser.texts(".moves li"))
        assert access_faults(browser) == []
        browser.choose("pace", "at once")
        browser.wait(lambda: browser.all(".score"))
        assert access_faults(browser) == []
        save_and_replay(browser)
        browser.click('[data-key="on"]')
        browser.wait(lambda: browser.texts(".moves li"))
        assert access_faults(browser) == []

    def test_a_crowded_table_has_no_fault_whatever_is_selected(
        self, browser: Browser, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sit_down_at(browser, address, CROWDED, monkeypatch)
        check(browser, "Draw from the stock")
        browser.click('[data-key="stock"]')
        check(browser, "Select cards to lay")
        browser.click('.hand [data-kind="2"]')
        browser.wait(lambda: len(browser.texts(".refused li")) > 10)
        check(browser, "Lay this, or select more")
        browser.click('[data-key="meld:9"]')
        browser.wait(lambda: not browser.texts(".refused li"))
        check(browser, "Lay this, or select more")

    def test_an_opening_with_the_pile_has_no_fault_on_the_way(
        self, browser: Browser, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sit_down_at(browser, address, CLASSIC, monkeypatch)
        check(browser, "or take the pile")
        browser.click('[data-key="offer:take"]')
        check(browser, "before you pick up the rest")
        for kind in ("9", "2"):
            browser.click(f'.hand [data-kind="{kind}"]')
        check(browser, "cannot be laid")
        browser.press("9")
        browser.wait(lambda: browser.all('.offers [data-key^="lay:"]'))
        assert access_faults(browser) == []

    def test_a_question_of_the_partner_has_no_fault(
        self, browser: Browser, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sit_down_at(browser, address, ASKED, monkeypatch)
        check(browser, "may I go out? Answer yes or no.")

    def test_a_table_that_an_agent_has_stopped_has_no_fault(
        self, tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with served(tmp_path, [BROKEN]) as address:
            sit_down_at(browser, address, CLASSIC | {"phase": "play"}, monkeypatch, BROKEN)
            browser.click('.hand [data-kind="5"]')
            browser.click('.offers [data-key^="offer:discard"]')
            browser.wait(lambda: browser.all('[data-key="again"]'))
            assert access_faults(browser) == []

    @pytest.mark.parametrize("browser", [(360, 740), (844, 390)], indirect=True, ids=["upright", "lying"])
    def test_in_a_replay_on_a_phone_steps_are_at_hand_and_no_hand_covers_the_pile(
        self, browser: Browser, address: str
    ) -> None:
        open_replay(browser, address)
        browser.click('[data-key="on"]')
        places = """
            scrollTo(0, 0);
            const place = (selector) => document.querySelector(selector).getBoundingClientRect();
            return [place('[data-key="on"]').bottom, innerHeight, place(".middle").bottom, place(".own").top];
        """
        button_end, screen_end, pile_end, hand_start = browser.driver.execute_script(places)
        assert button_end <= screen_end
        assert pile_end <= hand_start
