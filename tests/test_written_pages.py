"""The report of a tournament and the review of a record in a browser: axe-core finds nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the review looks match equity up (extra `train`)")
pytest.importorskip("jinja2", reason="reports and reviews are written pages (extra `arena`)")

from canasta_agents.__main__ import main as agents_main
from canasta_agents.arena import guarded
from canasta_agents.arena.cli import main as evaluate
from tests import forked
from tests.play.axe import SIZES, access_faults
from tests.play.browser import IN_A_BROWSER, Browser

pytestmark = IN_A_BROWSER
AGENTS = ("random", "heuristic", "gambler")
FEW = ("--worlds", "4", "--candidates", "2", "--loss-worlds", "8", "--errors", "3", "--policy", "heuristic")


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    browser = Browser(tmp_path / "profile")
    yield browser
    browser.driver.quit()


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small tournament."""
    folder = tmp_path_factory.mktemp("tournament")
    arguments = ("--game", "classic", "--episode", "deal", "--boards", "6", "--workers", "1")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        forked.load_libraries()
        patch.setattr(guarded, "_SPAWN", forked.FORKS)
        assert evaluate(["--agents", *AGENTS, *arguments, "--name", "mine"]) == 0
    return folder / "results" / "mine"


def look_at(browser: Browser, page: Path) -> None:
    """The page has no fault; nothing of it but what scrolls by itself is wider than the screen."""
    browser.driver.get(page.as_uri())
    assert access_faults(browser) == []
    for size in SIZES:
        browser.resize(*size)
        assert browser.fits()
    assert browser.faults() == []


def test_axe_finds_nothing_in_a_report_nor_in_its_replay(results: Path, browser: Browser) -> None:
    look_at(browser, results / "report.html")
    browser.click("#picks button:last-of-type")
    browser.click("summary")
    assert access_faults(browser) == []


def test_axe_finds_nothing_in_a_review(results: Path, tmp_path: Path, browser: Browser) -> None:
    games = json.loads((results / "games" / "index.json").read_text())
    page = tmp_path / "review.html"
    record = results / "games" / games[0]["file"]
    assert agents_main(["review", str(record), *FEW, "--html", str(page)]) == 0
    look_at(browser, page)
    browser.click("summary")
    assert access_faults(browser) == []
