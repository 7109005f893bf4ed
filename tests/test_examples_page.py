"""examples/README.md names every example, and nothing that is not there."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("torch", reason="the commands of the page train policies (extra `train`)")

from tests.document_blocks import ROOT
from tests.test_commands import OPTION, options_of_example

FOLDER = ROOT / "examples"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_example_has_a_row_and_every_link_a_file() -> None:
    links = re.findall(r"\]\(([^)]+)\)", PAGE)
    there = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.suffix != ".md"}
    examples = {name for name in there if name.endswith((".py", ".js", ".ipynb"))}
    assert examples <= set(links)
    assert all((FOLDER / link).exists() for link in links)


def test_options_that_it_names_exist() -> None:
    known = {option for path in FOLDER.glob("*.py") for option in options_of_example(path)}
    train = set(OPTION.findall((ROOT / "docs" / "commands" / "train.md").read_text(encoding="utf-8")))
    named = set(OPTION.findall(PAGE))
    assert len(named) > 3
    assert named <= known | train
