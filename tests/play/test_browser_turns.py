"""A turn in a real browser: an opening with the pile laid at once, and undone."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

if importlib.util.find_spec("selenium") is None or importlib.util.find_spec("aiohttp") is None:
    pytest.skip("needs selenium and aiohttp (extras `dev` and `play`)", allow_module_level=True)

from selenium.webdriver.common.action_chains import ActionChains

from canasta_agents.play import lobby
from canasta_agents.play.game import GameProgress
from canasta_env import Table
from tests.play.browser import CHROMIUM, DRIVER, Browser, served
from tests.play.test_browser import CHANCE, sit_down
from tests.play.test_selection import CLASSIC

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
    pytest.mark.skipif(DRIVER is None, reason="there is no chromedriver here"),
]
POSITION = CLASSIC | {"players": 2, "hands": ["K K K 9 9 9 9 2 joker 5", "4 4"]}


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    browser = Browser(tmp_path / "profile")
    yield browser
    browser.driver.quit()


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server at whose tables seat 0 is to move with a hand that opens with the pile."""
    monkeypatch.setattr(GameProgress, "dealt", lambda self: Table.from_position(POSITION, partial=True))
    monkeypatch.setattr(lobby, "warm_up", lambda: None)
    with served(tmp_path, [CHANCE]) as address:
        yield address


def press(browser: Browser, key: str) -> None:
    ActionChains(browser.driver).send_keys(key).perform()


def test_an_opening_with_the_pile_by_keys_is_laid_and_undone_as_a_whole(
    browser: Browser, address: str
) -> None:
    sit_down(browser, address)
    browser.wait(lambda: browser.all('[data-key="offer:draw"]'))
    press(browser, "t")
    press(browser, "9")
    browser.wait(lambda: browser.all('.offers [data-key^="lay:"]'))
    assert len(browser.all('.hand [aria-pressed="true"]')) == 4
    press(browser, "l")
    browser.wait(lambda: any("took the pile" in text for text in browser.texts(".moves li")))
    assert browser.texts(".own-side .stack") != []
    press(browser, "u")
    browser.wait(lambda: browser.texts(".moves li") == [])
    assert browser.all('[data-key="take-back"]')[0].get_attribute("disabled")
    assert browser.faults() == []
