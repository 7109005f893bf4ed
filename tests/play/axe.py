"""What axe-core finds in a page, at the sizes of a phone and of a screen on a desk."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

if importlib.util.find_spec("axe_core_python") is None:
    pytest.skip("needs axe-core-python (extra `dev`)", allow_module_level=True)

from axe_core_python.selenium import Axe

from tests.play.browser import Browser

SIZES = ((360, 740), (1280, 900))
_AXE = Axe()

# axe-core judges contrast over plain colours only. The texts over a gradient are light, so what is hardest to
# read is one over its lightest colour.
_FLATTEN_GRADIENTS = r"""
const sum = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number).reduce((one, other) => one + other);
for (const node of document.querySelectorAll("body *")) {
  const colours = getComputedStyle(node).backgroundImage.match(/rgb\([^)]*\)/g);
  if (!colours) continue;
  node.style.backgroundImage = "none";
  node.style.backgroundColor = colours.sort((a, b) => sum(b) - sum(a))[0];
}
"""


def access_faults(browser: Browser) -> list[str]:
    """What is wrong with the page as it stands, at each of the sizes: how grave it is, the rule, and where.

    The page has the last of the sizes afterwards, and until it draws anew plain colours for gradients.
    """
    return [fault for width, height in SIZES for fault in _faults(browser, width, height)]


def _faults(browser: Browser, width: int, height: int) -> list[str]:
    browser.resize(width, height)
    browser.driver.execute_script(_FLATTEN_GRADIENTS)
    found: dict[str, Any] = _AXE.run(browser.driver)
    return [
        f"{violation['impact']}: {violation['id']}, {width} x {height}: {node['html'][:120]}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
