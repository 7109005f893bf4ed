"""The table at the sizes that people have: all can be reached, nothing overlaps, what is needed is seen."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from canasta_agents.play import lobby
from canasta_agents.play.game import GameProgress
from canasta_env import Table
from tests.play.browser import IN_A_BROWSER, Browser
from tests.play.layout import layout_faults, out_of_sight
from tests.play.seated import CHANCE

pytestmark = IN_A_BROWSER
SIZES = ((1440, 900), (1024, 690), (820, 1180), (390, 844), (844, 390))
NEEDED = '[data-key="stock"], .pile-place, .prompt, .hand .pick, .offers button:not(:disabled)'
NUM_TURNS = 4
CROWDED: dict[str, Any] = {
    "game": "modern_american",
    "hands": ["4 4 4 5 5 5 6 6 7 7 8 9 10 J J Q Q K K A A 2 2 joker", "6 6", "5 5", "4"],
    "melds": [
        {"8": [4, 1, 0], "9": [5, 0, 0], "10": [5, 2, 0], "J": [3, 0, 1], "Q": [3, 0, 0], "K": [3, 1, 0]},
        {"7": [4, 0, 0], "A": [5, 0, 0], "6": [3, 1, 0]},
    ],
    "pile": "4 5 8 4 J Q K 5 9 7 8 K J Q 10 4 8 K",
    "to_play": 0,
    "phase": "draw",
}
at_each_size = pytest.mark.parametrize(
    "browser", SIZES, indirect=True, ids=[f"{width}x{height}" for width, height in SIZES]
)


def sit_down_with_partner(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.choose("game", "Modern American, 4 players")
    for seat in (1, 2, 3):
        browser.choose(f"seat{seat}", CHANCE)
    browser.choose("speed", "at once")
    assert layout_faults(browser) == []
    browser.click('[data-key="start"]')
    browser.wait(lambda: browser.all(".hand button.pick"))


def is_small(browser: Browser) -> bool:
    width, height = browser.driver.execute_script("return [innerWidth, innerHeight]")
    return width <= 820 or height <= 780


def check(browser: Browser) -> None:
    """The layout has no fault; on a small screen what is needed now is in sight without scrolling."""
    assert layout_faults(browser) == []
    if is_small(browser):
        assert out_of_sight(browser, NEEDED) == []


def is_own_turn_or_the_end(browser: Browser) -> bool:
    return bool(browser.all('[data-key="stock"], .score, [data-key="offer:yes"]'))


def play_a_turn(browser: Browser) -> None:
    """Draw, look at an opening, select a card and discard it; each step is looked at."""
    browser.click('[data-key="stock"]')
    browser.wait(lambda: browser.all(".hand button.able"))
    check(browser)
    if browser.all('[data-key="propose"]'):
        browser.click('[data-key="propose"]')
        browser.wait(lambda: browser.all('.offers [data-key^="lay:"]') or browser.texts(".refused li"))
        check(browser)
    browser.driver.execute_script("document.activeElement.blur()")
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: not browser.all('.hand [aria-pressed="true"]'))
    browser.click(".hand button.able")
    browser.wait(lambda: browser.all('.offers [data-key^="offer:discard"]'))
    check(browser)
    browser.click('.offers [data-key^="offer:discard"]')


@at_each_size
def test_every_step_of_several_turns_is_at_hand(browser: Browser, address: str) -> None:
    sit_down_with_partner(browser, address)
    for _ in range(NUM_TURNS):
        browser.wait(lambda: is_own_turn_or_the_end(browser))
        check(browser)
        if browser.all('[data-key="offer:no"]'):
            browser.click('[data-key="offer:no"]')
        elif browser.all('[data-key="stock"]'):
            play_a_turn(browser)
    assert browser.fits()
    assert browser.faults() == []


@at_each_size
def test_a_long_hand_a_long_pile_and_many_melds_leave_room(
    browser: Browser, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GameProgress, "dealt", lambda self: Table.from_position(CROWDED, partial=True))
    monkeypatch.setattr(lobby, "warm_up", lambda: None)
    sit_down_with_partner(browser, address)
    browser.wait(lambda: browser.all('[data-key="stock"]'))
    check(browser)
    browser.click('[data-key="stock"]')
    browser.wait(lambda: browser.all('[data-key^="meld:"]'))
    check(browser)
    browser.click('.hand [data-kind="2"]')
    browser.wait(lambda: len(browser.texts(".refused li")) > 10)
    check(browser)
    browser.click('[data-key="meld:9"]')
    browser.wait(lambda: browser.all('.offers [data-key^="lay:"]'))
    check(browser)
    browser.click('.offers [data-key^="lay:"]')
    browser.wait(lambda: any("added 2 to 9" in text for text in browser.texts(".moves li")))
    check(browser)
    assert browser.faults() == []


def test_a_button_that_is_covered_or_outside_is_found(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.wait(lambda: browser.all('[data-key="start"]'))
    browser.driver.execute_script("""
        const main = document.getElementById("main");
        main.replaceChildren();
        const put = (tag, text, position, left, top, width) => {
          const node = document.createElement(tag);
          node.textContent = text;
          const [x, y, w] = [left, top, width].map((number) => `${number}px`);
          const place = { position, left: x, top: y, width: w, height: "30px" };
          Object.assign(node.style, { ...place, padding: 0, margin: 0 });
          main.append(node);
        };
        put("button", "one", "fixed", 10, 90, 80);
        put("button", "two", "fixed", 20, 95, 80);
        put("button", "three", "absolute", -30, 200, 80);
        put("button", "four", "fixed", 10, 300, 80);
        put("p", "above it", "fixed", 0, 300, 200);
    """)
    assert layout_faults(browser) == [
        "three lies outside the page",
        "one and two overlap",
        "one is covered wherever the page is scrolled to",
        "four is covered wherever the page is scrolled to",
    ]
    assert out_of_sight(browser, "#main button") == ["one", "four"]
