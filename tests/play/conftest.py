"""A server and a browser for the tests of the page; what they need is imported only where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.play.seated import CHANCE

if TYPE_CHECKING:
    from tests.play.browser import Browser


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a server that offers the player `CHANCE`."""
    from tests.play.browser import served

    with served(tmp_path, [CHANCE]) as address:
        yield address


@pytest.fixture
def browser(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser with a page of its own size; its parameter is another size, width and height."""
    from tests.play.browser import Browser

    browser = Browser(tmp_path / "profile", *getattr(request, "param", ()))
    yield browser
    browser.driver.quit()
