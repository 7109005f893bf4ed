"""What the documents show is what happens: every `>>>` of README and docs/ is run."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize(
    "document", [path for path in DOCUMENTS if ">>> " in path.read_text()], ids=lambda path: path.name
)
def test_examples_print_what_they_show(document: Path) -> None:
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, tried = doctest.testfile(str(document), module_relative=False, optionflags=flags)
    assert tried > 0 and failed == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    for link in document.read_text().split("](")[1:]:
        target = link.partition(")")[0].partition("#")[0]
        if target and "://" not in target:
            assert (document.parent / target).exists(), f"{document.name}: {target}"
