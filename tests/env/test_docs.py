"""The examples in the pages about environment and games give what the pages say, errors to the letter."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "page", ["environment.md", "positions.md", "rules.md", "games/classic.md", "games/modern_american.md"]
)
def test_examples(page: str) -> None:
    result = doctest.testfile(str(DOCS / page), module_relative=False)
    assert result.attempted > 3
    assert result.failed == 0
