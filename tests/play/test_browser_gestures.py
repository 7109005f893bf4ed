"""Drags, double and fast clicks, lost connections and two windows, in a real browser: one thing once."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from canasta_agents.play import lobby
from canasta_agents.play.game import GameProgress
from canasta_env import Table
from tests.play.browser import IN_A_BROWSER, Browser, sit_down
from tests.play.test_selection import CLASSIC

pytestmark = IN_A_BROWSER
POSITION: dict[str, Any] = CLASSIC | {
    "players": 2,
    "hands": ["K K K 9 9 9 9 joker 5 6", "4 4"],
    "pile": "6 Q",
    "stock": "7 8",
}
# Sockets of a page that can be closed, made mute, and whose messages can be held back.
WATCHED_SOCKETS = """
window.sockets = [];
window.held = null;
window.isMute = false;
window.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address);
    sockets.push(this);
  }
  send(text) {
    if (!isMute) super.send(text);
  }
  addEventListener(type, listener) {
    const isHeld = () => type === "message" && held;
    super.addEventListener(type, (event) => (isHeld() ? held.push([listener, event]) : listener(event)));
  }
};
"""


@pytest.fixture(autouse=True)
def position(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 is to move at every table, with a hand that can open."""
    monkeypatch.setattr(GameProgress, "dealt", lambda self: Table.from_position(POSITION, partial=True))
    monkeypatch.setattr(lobby, "warm_up", lambda: None)


@pytest.fixture
def seated(browser: Browser, address: str) -> Browser:
    """A browser at a new table, seat 0 to draw."""
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCHED_SOCKETS})
    sit_down(browser, address)
    browser.wait(lambda: browser.all('[data-key="stock"]'))
    return browser


def run(browser: Browser, script: str) -> None:
    browser.driver.execute_script(script)


def hold(browser: Browser) -> None:
    """Hold back what the server sends from now on."""
    run(browser, "held = []")


def release(browser: Browser) -> None:
    """Let the page have what was held back, in order."""
    run(browser, "const late = held; held = null; for (const [listener, event] of late) listener(event);")


def draw(browser: Browser) -> None:
    browser.click('[data-key="stock"]')
    browser.wait(lambda: browser.all(".hand button.able"))


def has_played(browser: Browser, words: str) -> bool:
    return any(text == f"you {words}" for text in browser.texts(".moves li"))


def notice(browser: Browser) -> str:
    return "".join(browser.texts("#notice:not([hidden])"))


def own_actions(browser: Browser) -> list[str]:
    """The actions of seat 0 in the last state that the server has sent since the last call."""
    states = [message for message in browser.messages() if message["type"] == "state"]
    return [move["action"] for move in states[-1]["moves"] if move["seat"] == 0]


def test_a_card_dragged_to_the_pile_is_discarded(seated: Browser) -> None:
    draw(seated)
    card, pile = seated.all('.hand [data-kind="5"]')[0], seated.all(".pile-place")[0]
    ActionChains(seated.driver).drag_and_drop(card, pile).perform()
    seated.wait(lambda: has_played(seated, "drew 7 8, discarded 5"))
    assert notice(seated) == "" and seated.faults() == []


@pytest.mark.parametrize("is_late", [False, True], ids=["", "though the server answers late"])
def test_cards_dragged_across_and_to_the_melds_are_laid(seated: Browser, is_late: bool) -> None:
    draw(seated)
    if is_late:
        hold(seated)
    cards = seated.all('.hand [data-kind="K"], .hand [data-kind="9"]')
    drag = ActionChains(seated.driver).click_and_hold(cards[0])
    for card in cards[1:]:
        drag.move_to_element(card)
    drag.move_to_element(seated.all(".own-side")[0]).release().perform()
    if is_late:
        seated.wait(lambda: seated.driver.execute_script("return held.length > 0"))
        release(seated)
    seated.wait(lambda: any("melded" in text for text in seated.texts(".moves li")))
    assert len(seated.texts(".own-side .stack")) == 2
    assert notice(seated) == "" and seated.faults() == []


def test_a_double_click_on_the_stock_draws_once_and_on_a_card_discards_it_once(seated: Browser) -> None:
    ActionChains(seated.driver).double_click(seated.all('[data-key="stock"]')[0]).perform()
    seated.wait(lambda: seated.all(".hand button.able"))
    ActionChains(seated.driver).double_click(seated.all('.hand [data-kind="9"]')[0]).perform()
    seated.wait(lambda: has_played(seated, "drew 7 8, discarded 9"))
    seated.wait(lambda: seated.all('[data-key="stock"]'))
    assert own_actions(seated) == ["draw", "discard 9"]
    assert notice(seated) == "" and seated.faults() == []


def test_fast_clicks_on_one_button_do_its_move_once(seated: Browser) -> None:
    run(
        seated,
        """
        const button = document.querySelector('.offers [data-key="offer:draw"]');
        for (const _ of [1, 2, 3]) button.click();
        document.querySelector('[data-key="stock"]')?.click();
    """,
    )
    seated.wait(lambda: seated.all(".hand button.able"))
    seated.click('.hand [data-kind="5"]')
    seated.wait(lambda: seated.all('.offers [data-key="offer:discard 5"]'))
    run(
        seated,
        """
        const button = document.querySelector('.offers [data-key="offer:discard 5"]');
        for (const _ of [1, 2, 3]) button.click();
    """,
    )
    seated.wait(lambda: seated.all('[data-key="stock"]'))
    assert own_actions(seated) == ["draw", "discard 5"]
    assert notice(seated) == "" and seated.faults() == []


def test_a_connection_lost_in_a_turn_comes_back_to_the_table_as_it_was_left(seated: Browser) -> None:
    draw(seated)
    hand = seated.texts(".hand .card")
    run(seated, "sockets.at(-1).close()")
    seated.wait(lambda: notice(seated) == "The connection was lost; trying again. The table is kept.")
    seated.wait(lambda: notice(seated) == "The connection is back; the table is as it was left.")
    assert seated.texts(".hand .card") == hand and has_played(seated, "drew 7 8")
    seated.click('.hand [data-kind="5"]')
    seated.click('.offers [data-key="offer:discard 5"]')
    seated.wait(lambda: has_played(seated, "drew 7 8, discarded 5"))


@pytest.mark.parametrize(
    ("is_mute", "told", "words"),
    [
        (True, "not played: play it again.", "drew 7 8"),
        (False, "played.", "drew 7 8, discarded 5"),
    ],
    ids=["that did not arrive", "that arrived"],
)
def test_a_connection_lost_with_a_move_says_what_became_of_it(
    seated: Browser, is_mute: bool, told: str, words: str
) -> None:
    draw(seated)
    seated.click('.hand [data-kind="5"]')
    seated.wait(lambda: seated.all('.offers [data-key="offer:discard 5"]'))
    run(seated, f"isMute = {str(is_mute).lower()}; held = [];")
    seated.click('.offers [data-key="offer:discard 5"]')
    run(seated, "isMute = false; sockets.at(-1).close(); held = null;")
    seated.wait(lambda: notice(seated) == f"The connection is back. Your last move was {told}")
    assert has_played(seated, words)


def test_a_move_of_another_window_is_seen_and_one_that_comes_too_late_says_why(seated: Browser) -> None:
    table, first = seated.driver.current_url, seated.driver.current_window_handle
    seated.driver.switch_to.new_window("tab")
    seated.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCHED_SOCKETS})
    seated.driver.get(table)
    second = seated.driver.current_window_handle
    draw(seated)
    seated.driver.switch_to.window(first)
    seated.wait(lambda: has_played(seated, "drew 7 8"))
    seated.click('.hand [data-kind="5"]')
    seated.wait(lambda: seated.all('.offers [data-key="offer:discard 5"]'))
    hold(seated)
    seated.driver.switch_to.window(second)
    seated.click('.hand [data-kind="6"]')
    seated.click('.offers [data-key="offer:discard 6"]')
    seated.wait(lambda: has_played(seated, "drew 7 8, discarded 6"))
    seated.wait(lambda: seated.all('[data-key="stock"]'))
    seated.driver.switch_to.window(first)
    seated.click('.offers [data-key="offer:discard 5"]')
    seated.wait(lambda: seated.driver.execute_script("return held.at(-1)?.[1].data.includes('error')"))
    release(seated)
    seated.wait(lambda: "it has gone on since, perhaps in another window" in notice(seated))
    assert has_played(seated, "drew 7 8, discarded 6")
    assert seated.all('[data-key="stock"]')
