"""Links that a review writes lead to the record at that step, in a real browser."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest

from canasta_env import Table, classic
from canasta_env.records import Recorder, write
from tests.play.browser import IN_A_BROWSER, Browser

pytestmark = IN_A_BROWSER
NAME = "my match & more.jsonl"
LAST = 40


@pytest.fixture
def record(tmp_path: Path) -> None:
    """A record of LAST actions in the server's folder."""
    table = Table(classic(players=2), seed=3)
    recorder = Recorder(table.rules)
    recorder.begin(table)
    for _ in range(LAST):
        recorder.play(table.legal()[-1])
    (tmp_path / "records").mkdir()
    write(recorder.record(), tmp_path / "records" / NAME)


def linked(step: object, name: str = NAME) -> str:
    return f"#{urlencode({'record': name, 'step': step})}"


def stands_at(browser: Browser, step: int) -> bool:
    return bool(browser.all(f'.controls[data-step="{step}"]'))


@pytest.mark.usefixtures("record")
def test_a_link_of_a_review_opens_the_record_at_its_step(browser: Browser, address: str) -> None:
    browser.driver.get(address + linked(7))
    browser.wait(lambda: stands_at(browser, 7))
    assert any(NAME in text for text in browser.texts(".controls .note"))
    assert browser.driver.current_url.endswith("&step=7") and "#table=" in browser.driver.current_url
    browser.driver.refresh()
    browser.wait(lambda: stands_at(browser, 7))
    browser.driver.execute_script("location.hash = arguments[0]", linked(LAST))
    browser.wait(lambda: stands_at(browser, LAST))
    assert browser.faults() == []


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize(
    ("link", "reason"),
    [
        (linked(LAST + 1), f"{NAME}: step: {LAST + 1} must be a whole number from 0 to {LAST}"),
        (linked("last"), f"{NAME}: step: 'last' must be a whole number from 0 to {LAST}"),
        (linked(3, "gone.jsonl"), "name: 'gone.jsonl' is not in the server's folder of records (--records)"),
    ],
    ids=["past the end", "no number", "no record"],
)
def test_a_link_that_leads_nowhere_says_so_and_shows_the_lobby(
    browser: Browser, address: str, link: str, reason: str
) -> None:
    browser.driver.get(address + link)
    browser.wait(lambda: browser.texts("#notice") == [reason])
    browser.wait(lambda: browser.all('[data-key="start"]:not(:disabled)'))
    assert "#record" not in browser.driver.current_url
