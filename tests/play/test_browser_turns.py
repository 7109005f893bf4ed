"""A turn in a real browser: an opening with the pile laid at once, and undone."""

from __future__ import annotations

import pytest

from canasta_agents.play import lobby
from canasta_agents.play.game import GameProgress
from canasta_env import Table
from tests.play.browser import IN_A_BROWSER, Browser, sit_down
from tests.play.test_selection import CLASSIC

pytestmark = IN_A_BROWSER
POSITION = CLASSIC | {"players": 2, "hands": ["K K K 9 9 9 9 2 joker 5", "4 4"]}


@pytest.fixture(autouse=True)
def position(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 is to move at every table, with a hand that opens with the pile."""
    monkeypatch.setattr(GameProgress, "dealt", lambda self: Table.from_position(POSITION, partial=True))
    monkeypatch.setattr(lobby, "warm_up", lambda: None)


def test_an_opening_with_the_pile_by_keys_is_laid_and_undone_as_a_whole(
    browser: Browser, address: str
) -> None:
    sit_down(browser, address)
    browser.wait(lambda: browser.all('[data-key="offer:draw"]'))
    browser.press("t")
    browser.press("9")
    browser.wait(lambda: browser.all('.offers [data-key^="lay:"]'))
    assert len(browser.all('.hand [aria-pressed="true"]')) == 4
    browser.press("l")
    browser.wait(lambda: any("took the pile" in text for text in browser.texts(".moves li")))
    assert browser.texts(".own-side .stack") != []
    browser.press("u")
    browser.wait(lambda: browser.texts(".moves li") == [])
    assert browser.all('[data-key="take-back"]')[0].get_attribute("disabled")
    assert browser.faults() == []
