"""The page for people who see little, hear it read aloud, or wait for it: contrast, names, headings, size."""

from __future__ import annotations

import re

import pytest

from canasta_agents.play.server import STATIC
from tests.play.browser import IN_A_BROWSER, Browser
from tests.play.seated import CHANCE

MAX_PAGE_BYTES = 300_000

# Every fault as a text. Contrast is told only where one plain colour lies behind a text.
FIND_FAULTS = """
const faults = [];
const shown = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden";
const told = (node) =>
  `${node.tagName.toLowerCase()} ${node.dataset.key ?? node.className}: ${node.textContent.slice(0, 40)}`;
const labels = (node) => [...(node.labels ?? [])].map((label) => label.firstChild.textContent).join("");
if (!document.documentElement.lang) faults.push("the page has no language");
const headings = [...document.querySelectorAll("h1")].filter(shown);
if (headings.length !== 1) faults.push(`${headings.length} headings h1`);
for (const node of document.querySelectorAll("button, a[href], select, input")) {
  const named = node.matches("button, a[href]") ? node.textContent : labels(node);
  const name = node.getAttribute("aria-label") ?? named;
  if (shown(node) && !name.trim()) faults.push(`no name: ${told(node)}`);
}
const light = (channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
const numbers = (color) => color.match(/[0-9.]+/g).map(Number);
const WEIGHTS = [0.2126, 0.7152, 0.0722];
const luminance = (color) =>
  WEIGHTS.reduce((sum, weight, place) => sum + weight * light(numbers(color)[place] / 255), 0);
function behind(node) {
  for (let one = node; one; one = one.parentElement) {
    const style = getComputedStyle(one);
    if (style.backgroundImage !== "none") return null;
    const [,,, alpha = 1] = numbers(style.backgroundColor);
    if (alpha === 1) return style.backgroundColor;
    if (alpha > 0) return null;
  }
  return "rgb(255, 255, 255)";
}
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const node = texts.currentNode.parentElement;
  if (!texts.currentNode.textContent.trim() || !shown(node)) continue;
  if (node.closest(":disabled, option")) continue;
  const ground = behind(node);
  if (ground === null) continue;
  const style = getComputedStyle(node);
  const [darker, lighter] = [luminance(style.color), luminance(ground)].sort((a, b) => a - b);
  const ratio = (lighter + 0.05) / (darker + 0.05);
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if (ratio < (isLarge ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ${told(node)}`);
}
return faults;
"""


def open_replay(browser: Browser, address: str) -> None:
    """Save a deal that is watched, and open its record from the lobby."""
    browser.driver.get(address)
    browser.choose("game", "Modern American, 4 players")
    browser.choose("episode", "one deal")
    browser.choose("part", "watch")
    for seat in range(4):
        browser.choose(f"seat{seat}", CHANCE)
    browser.click('[data-key="start"]')
    browser.choose("pace", "at once")
    browser.wait(lambda: browser.all(".score"))
    browser.click('[data-key="save"]')
    browser.wait(lambda: any("Saved as" in text for text in browser.texts("#notice")))
    browser.click(".brand")
    browser.click(".sheet button.link")
    browser.wait(lambda: browser.all('[data-key="on"]'))


def access_faults(browser: Browser) -> list[str]:
    """What is wrong with the page as it stands."""
    return list(browser.driver.execute_script(FIND_FAULTS))


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
        browser.driver.execute_script("""
            document.documentElement.lang = "";
            document.getElementById("main").innerHTML =
              '<h1>One</h1><h1>Two</h1><button></button><p>pale</p>';
            const pale = document.querySelector("#main p");
            pale.style.color = "#999";
            pale.style.background = "#fff";
        """)
        faults = access_faults(browser)
        assert [fault.partition(":")[0] for fault in faults] == [
            "the page has no language",
            "2 headings h1",
            "no name",
            "contrast 2.85",
        ]

    def test_the_lobby_has_no_fault(self, browser: Browser, address: str) -> None:
        browser.driver.get(address)
        browser.wait(lambda: browser.all('[data-key="start"]'))
        assert access_faults(browser) == []

    def test_the_rules_have_no_fault(self, browser: Browser, address: str) -> None:
        browser.driver.get(f"{address}static/rules.html")
        browser.wait(lambda: browser.all("h1"))
        assert access_faults(browser) == []

    def test_a_watched_deal_its_end_and_its_replay_have_no_fault(
        self, browser: Browser, address: str
    ) -> None:
        browser.driver.get(address)
        browser.choose("game", "Classic, 2 players")
        browser.choose("episode", "one deal")
        browser.choose("seat0", CHANCE)
        browser.choose("seat1", CHANCE)
        browser.click('[data-key="start"]')
        browser.wait(lambda: browser.texts(".moves li"))
        assert access_faults(browser) == []
        browser.choose("pace", "at once")
        browser.wait(lambda: browser.all(".score"))
        assert access_faults(browser) == []
        browser.click('[data-key="save"]')
        browser.wait(lambda: any("Saved as" in text for text in browser.texts("#notice")))
        browser.click(".brand")
        browser.click(".sheet button.link")
        browser.wait(lambda: browser.all('[data-key="on"]'))
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
