"""The site builds without warnings, its pictures show their positions, its tables are those of the code."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docs.draw import GAMES, PARTS, draw
from docs.tabulate import DOCS, pages

LARGEST = 60_000  # bytes of a picture of a position,
LARGEST_PAGE = 150_000  # of one of a page,
LARGEST_FILM = 1_000_000  # and of the film of a turn
POSITIONS = sorted(path.stem for path in (GAMES / "positions").glob("*.json"))


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="the site needs Sphinx (extra `docs`)")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", str(tmp_path / "doctrees")]
    built = subprocess.run([*command, str(DOCS), str(tmp_path / "site")], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    for page in DOCS.rglob("*.md"):
        if "_build" not in page.parts:
            assert (tmp_path / "site" / page.relative_to(DOCS)).with_suffix(".html").exists()


def test_every_position_is_drawn_and_shown() -> None:
    assert sorted(PARTS) == POSITIONS
    text = "".join(page.read_text(encoding="utf-8") for page in GAMES.glob("*.md"))
    assert sorted(re.findall(r"\]\(images/(\w+)\.png\)", text)) == POSITIONS


@pytest.mark.parametrize("name", POSITIONS)
def test_the_picture_is_that_of_the_position(name: str) -> None:
    file = GAMES / "images" / f"{name}.png"
    assert file.stat().st_size < LARGEST
    shown, drawn = (np.asarray(picture.convert("RGB")) for picture in (Image.open(file), draw(name)))
    assert np.array_equal(shown, drawn), "run: python -m docs.draw"


def test_pictures_of_pages_are_light_and_shown_and_the_film_moves() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    files = sorted((DOCS / "images").glob("page_*"))
    assert [file.name for file in files] == sorted(set(re.findall(r"images/(page_\w+\.\w+)\)", text)))
    for file in files:
        assert file.stat().st_size < (LARGEST_FILM if file.suffix == ".webp" else LARGEST_PAGE), file.name
    film = Image.open(DOCS / "images" / "page_turn.webp")
    assert getattr(film, "n_frames", 1) > 20
    assert "docs/images/page_turn.webp" in (DOCS.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", pages())
def test_the_page_says_what_the_code_says(page: str) -> None:
    assert (DOCS / page).read_text(encoding="utf-8") == pages()[page], "run: python -m docs.tabulate"


@pytest.mark.parametrize(
    ("page", "module"),
    [
        ("train", "canasta_agents.learning.cli"),
        ("evaluate", "canasta_agents.arena.cli"),
        ("play", "canasta_agents.play.cli"),
    ],
)
def test_the_options_of_a_page_are_those_of_its_command(
    page: str, module: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        importlib.import_module(module).main(["--help"])
    offered = set(re.findall(r"^\W{1,2}(--[a-z][\w.-]*)", capsys.readouterr().out, re.MULTILINE))
    listed = set(re.findall(r"^\| `(--[\w.-]+)`", pages()[f"commands/{page}.md"], re.MULTILINE))
    assert listed == offered
