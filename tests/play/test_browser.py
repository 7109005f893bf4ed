"""The page in a real browser: a deal by clicks, a reload, a record, the keyboard, a phone."""

from __future__ import annotations

import re

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.play.browser import IN_A_BROWSER, Browser, sit_down
from tests.play.seated import CHANCE

pytestmark = IN_A_BROWSER
PHONE = (360, 740)


def test_a_match_to_a_target_of_the_list(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.choose("game", "Modern American, 4 players")
    browser.choose("target", "2,500")
    browser.choose("game", "Classic, 2 players")
    assert "5,000, as usual" in browser.texts('[data-key="target"] option')
    browser.choose("target", "10,000")
    browser.choose("episode", "one deal")
    browser.wait(lambda: not browser.all('[data-key="target"]'))
    browser.choose("episode", "a match")
    browser.click('[data-key="start"]')
    browser.wait(lambda: any("Classic, 2 players, to 10,000" in text for text in browser.texts("body")))
    assert not browser.faults()


def play_a_move(browser: Browser) -> bool:
    """Play what lies nearest by clicks; returns False when the deal is over."""
    browser.wait(lambda: browser.all(".score, button.able"))
    if browser.all(".score"):
        return False
    before = browser.texts(".moves li")
    if browser.all('[data-key="stock"]'):
        browser.click('[data-key="stock"]')
    elif browser.all(".offers button"):
        browser.click(".offers button")
    else:
        browser.click(".hand button.able")
        browser.click(".offers button:last-of-type")
    browser.wait(
        lambda: (
            browser.all(".score")
            or not browser.all(".offers [data-key]")
            or browser.texts(".moves li") != before
        )
    )
    return True


def test_a_whole_deal_by_clicks_a_reload_and_its_record(browser: Browser, address: str) -> None:
    sit_down(browser, address)
    for _ in range(8):
        assert play_a_move(browser)
    browser.wait(lambda: browser.all("button.able"))
    before = [browser.texts(selector) for selector in (".hand .card", ".moves li", ".melds .card")]
    browser.driver.refresh()
    browser.wait(lambda: browser.all("button.able"))
    assert [browser.texts(selector) for selector in (".hand .card", ".moves li", ".melds .card")] == before
    while play_a_move(browser):
        pass
    assert "this deal" in browser.texts(".score th")
    states = [message for message in browser.messages() if message["type"] == "state"]
    assert states[-1]["phase"] == "over" and states[-1]["is_over"]
    for state in states:
        assert state["hands"][0]["cards"] is not None
        assert (state["hands"][1]["cards"] is None) == (state["phase"] != "over")

    browser.click('[data-key="save"]')
    browser.wait(lambda: any("Saved as" in text for text in browser.texts("#notice")))
    browser.click(".brand")
    browser.click(".sheet button.link")
    browser.wait(lambda: browser.all('[data-key="on"]'))
    browser.click('[data-key="on"]')
    browser.wait(lambda: browser.texts(".moves li")[:1])
    steps = browser.driver.execute_script("return document.querySelector('input[type=range]').max")
    for key, step in ((Keys.ARROW_RIGHT, "2"), (Keys.END, "last"), (Keys.HOME, "0"), (Keys.ARROW_RIGHT, "1")):
        ActionChains(browser.driver).send_keys(key).perform()
        expected = steps if step == "last" else step
        browser.wait(lambda expected=expected: browser.all(f'.controls[data-step="{expected}"]'))
    browser.click('[data-key="last"]')
    browser.wait(lambda: browser.all(".score"))
    browser.click('.moves [data-key^="turn:"]')
    browser.wait(lambda: not browser.all(".score"))
    step = browser.all(".controls[data-step]")[0].get_attribute("data-step")
    position = browser.driver.current_url
    assert position.endswith(f"&step={step}")
    browser.click('[data-key="last"]')
    browser.wait(lambda: browser.all(".score"))
    browser.driver.get("about:blank")
    browser.driver.get(position)
    browser.wait(lambda: browser.all(f'.controls[data-step="{step}"]'))
    browser.click('[data-key="last"]')
    browser.wait(lambda: browser.all(".score"))
    replayed = [message for message in browser.messages() if message["type"] == "state"][-1]
    assert [move["action"] for move in replayed["moves"]] == [move["action"] for move in states[-1]["moves"]]
    for part in ("score", "totals", "sides", "pile"):
        assert replayed[part] == states[-1][part]
    assert browser.faults() == []


def test_the_keyboard_alone_plays(browser: Browser, address: str) -> None:
    sit_down(browser, address)
    browser.wait(lambda: browser.all('.offers [data-key="offer:draw"]'))
    keys = ActionChains(browser.driver)
    keys.send_keys("1").perform()
    browser.wait(lambda: any("you drew" in text for text in browser.texts(".moves li")))
    browser.wait(lambda: browser.all(".hand button.able"))
    for _ in range(60):
        keys.send_keys(Keys.TAB).perform()
        if browser.driver.switch_to.active_element.get_attribute("data-key").startswith("card:"):
            break
    keys.send_keys(Keys.ENTER).perform()
    discard = browser.wait(lambda: browser.all('.offers [data-key^="offer:discard"]'))[0]
    place = discard.find_element("css selector", "kbd").text
    keys.send_keys(Keys.ESCAPE).perform()
    browser.wait(lambda: not browser.all(".offers button"))
    keys.send_keys(Keys.ENTER).perform()
    browser.wait(lambda: browser.all('.offers [data-key^="offer:discard"]'))
    keys.send_keys(place).perform()
    browser.wait(
        lambda: any(re.search(r"you drew .*, discarded", text) for text in browser.texts(".moves li"))
    )
    browser.wait(lambda: browser.all(".offers button"))
    browser.wait(
        lambda: (browser.driver.switch_to.active_element.get_attribute("data-key") or "").startswith(
            ("offer:", "card:")
        )
    )
    assert browser.faults() == []


@pytest.mark.parametrize("browser", [PHONE], indirect=True, ids=["phone"])
def test_everything_fits_on_a_phone(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.wait(lambda: browser.all('[data-key="start"]'))
    assert browser.fits()
    browser.choose("seat0", CHANCE)
    browser.click('[data-key="start"]')
    browser.choose("pace", "at once")
    browser.wait(lambda: len(browser.texts(".moves li")) > 40)
    assert browser.fits()
    browser.choose("look", "what South sees")
    browser.wait(lambda: browser.all(".felt .back"))
    assert browser.fits()
    assert browser.faults() == []


def test_what_is_not_offered_says_why(browser: Browser, address: str) -> None:
    sit_down(browser, address)
    browser.wait(lambda: browser.all('[data-key="stock"]'))
    browser.click(".hand button.pick")
    browser.wait(lambda: any("a turn begins with drawing" in text for text in browser.texts(".refused li")))
    browser.click('[data-key="stock"]')
    browser.wait(lambda: any("you drew" in text for text in browser.texts(".moves li")))
    browser.wait(lambda: browser.all(".hand .card.new"))
    browser.click('[data-key="pile"]')
    browser.wait(lambda: any("the turn has begun" in text for text in browser.texts(".refused li")))
    assert browser.faults() == []


def test_several_tables_at_once_and_one_that_is_gone(browser: Browser, address: str) -> None:
    sit_down(browser, address)
    first = browser.driver.current_url
    browser.wait(lambda: browser.all("button.able"))
    browser.driver.switch_to.new_window("tab")
    sit_down(browser, address)
    assert browser.driver.current_url != first
    browser.click(".brand")
    browser.wait(lambda: len(browser.all(".sheet a")) == 2)
    browser.driver.get(f"{address}#table=nobody")
    browser.wait(lambda: any("there is no 'nobody'" in text for text in browser.texts("#notice")))
    browser.wait(lambda: browser.all('[data-key="start"]'))


@pytest.mark.parametrize("browser", [PHONE], indirect=True, ids=["phone"])
def test_a_match_ends_with_its_course_and_is_played_again(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.choose("game", "Classic, 2 players")
    browser.choose("target", "2,500")
    for seat in ("seat0", "seat1"):
        browser.choose(seat, "watcher")
    browser.wait(lambda: browser.all('[data-key="seed"]'))[0].send_keys("7", Keys.TAB)
    browser.click('[data-key="start"]')
    browser.choose("pace", "at once")
    deal = 0
    while not browser.all('[data-key="play-again"]'):
        deal += 1
        browser.wait(lambda deal=deal: any(f"deal {deal} ·" in text for text in browser.texts("#heading")))
        browser.wait(lambda: browser.all('[data-key="onward"], [data-key="play-again"]'))
        if browser.all('[data-key="onward"]'):
            browser.click('[data-key="onward"]')
    assert deal > 1  # else there is no course to plot
    assert any("won the match" in text for text in browser.texts(".score h2"))
    assert len(browser.all(".plot polyline")) == 2
    assert browser.fits()
    address_of_first = browser.driver.current_url
    browser.click('[data-key="play-again"]')
    browser.wait(lambda: browser.driver.current_url != address_of_first)
    browser.wait(lambda: any("to 2,500 · deal 1" in text for text in browser.texts("#heading")))
    assert browser.faults() == []


def test_the_lobby_offers_rules_a_seed_and_the_last_table_again(browser: Browser, address: str) -> None:
    browser.driver.get(f"{address}static/rules.html")
    assert browser.texts("h1") == ["The rules"]
    assert any("Modern American" in text for text in browser.texts("h2"))
    hands = []
    for _ in range(2):
        browser.driver.get(address)
        browser.choose("game", "Classic, 2 players")
        browser.choose("seat1", CHANCE)
        browser.choose("speed", "at once")
        browser.wait(lambda: browser.all('[data-key="seed"]'))[0].send_keys("7", Keys.TAB)
        browser.click('[data-key="start"]')
        browser.wait(lambda: browser.all(".hand .card"))
        hands.append(browser.texts(".hand .card"))
    assert hands[0] == hands[1]
    table = browser.driver.current_url
    browser.click(".brand")
    browser.click('[data-key="continue"]')
    browser.wait(lambda: browser.all(".hand .card"))
    assert browser.driver.current_url == table
    browser.click(".brand")
    browser.choose("part", "watch")
    browser.wait(lambda: "Watch" in browser.texts('[data-key="start"]'))
    assert browser.faults() == []
