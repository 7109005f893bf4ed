"""Faults of the layout as a person would meet them, found in the page itself."""

from __future__ import annotations

from tests.play.browser import Browser

# What can be pressed. Of the cards of a rank in the hand each covers a part of the one before.
_FUNCTIONS = """
const PARTS = "button:not(:disabled), a[href], select, input";
const shown = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden";
const parts = () => [...document.querySelectorAll(PARTS)].filter(shown);
const told = (node) => node.dataset.key ?? (node.textContent.slice(0, 30) || node.tagName);
const STRIP = 10;
function isOnTop(node) {
  const { left, top, width, height } = node.getBoundingClientRect();
  const isCovered = node.closest(".group") && node.nextElementSibling;
  const x = left + (isCovered ? Math.min(STRIP, width) : width) / 2;
  const found = document.elementFromPoint(x, top + height / 2);
  return found !== null && (node.contains(found) || found.closest("label")?.control === node);
}
"""

_FIND_FAULTS = f"""
{_FUNCTIONS}
const faults = [];
const [left, top] = [scrollX, scrollY];
const pageWidth = document.documentElement.clientWidth;
for (const node of parts()) {{
  const box = node.getBoundingClientRect();
  if (box.left < -1 || box.right > pageWidth + 1) faults.push(`${{told(node)}} lies outside the page`);
}}
const layer = (node) => node.closest(".own, .front")?.className ?? "";
const overlap = (a, b) => {{
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  return Math.min(width, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
}};
const all = parts();
all.forEach((one, place) => {{
  for (const other of all.slice(place + 1)) {{
    const isMeant = one.closest(".group") !== null && one.closest(".group") === other.closest(".group");
    if (isMeant || layer(one) !== layer(other) || one.contains(other)) continue;
    if (overlap(one.getBoundingClientRect(), other.getBoundingClientRect()) > 1)
      faults.push(`${{told(one)}} and ${{told(other)}} overlap`);
  }}
}});
for (const node of all) {{
  const canReach = ["nearest", "center", "start", "end"].some((block) => {{
    if (isOnTop(node)) return true;
    node.scrollIntoView({{ block, behavior: "instant" }});
    return isOnTop(node);
  }});
  if (!canReach) faults.push(`${{told(node)}} is covered wherever the page is scrolled to`);
}}
scrollTo(left, top);
return faults;
"""

_FIND_HIDDEN = f"""
{_FUNCTIONS}
const needed = [...document.querySelectorAll(arguments[0])].filter(shown);
return needed.filter((node) => !isOnTop(node)).map(told);
"""


def layout_faults(browser: Browser) -> list[str]:
    """What can be pressed and lies outside the page, over another, or is covered wherever one scrolls."""
    return list(browser.driver.execute_script(_FIND_FAULTS))


def out_of_sight(browser: Browser, selector: str) -> list[str]:
    """Which of these elements are not to be seen and pressed as the page is scrolled now."""
    return list(browser.driver.execute_script(_FIND_HIDDEN, selector))
