"""Pictures of tables and views: everything has its place, nothing overlaps, nothing hidden is shown."""

from __future__ import annotations

import copy
import importlib
import itertools
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from canasta_env import Rules, Table, raw_env
from canasta_env.__main__ import main
from canasta_env.envs.single_agent import CanastaSeatEnv
from canasta_env.rendering import image
from canasta_env.rendering.display import Window
from canasta_env.rendering.drawing import (
    HAND_CARD,
    HAND_STEP,
    HEADER_HEIGHT,
    HEIGHT,
    MELD_GAP,
    WIDTH,
    Box,
    meld_card,
    regions,
    step_for,
)
from tests.engine.walking import FOUR_GAMES, NAMES, walk
from tests.env.test_rendering_text import POSITION

EVERY = 9  # positions of a walk from one picture to the next
SHAPE = (800, 1280, 3)


def overlap(a: Box, b: Box) -> bool:
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_part_of_the_layout_overlaps_another_or_leaves_the_picture(players: int) -> None:
    parts = regions(players)
    boxes = [*parts.hands, *parts.melds, parts.middle]
    assert len(parts.hands) == players and len(parts.melds) == (2 if players == 4 else players)
    for box in boxes:
        assert box.width > 0 and box.height > 0
        assert box.x >= 0 and box.x + box.width <= WIDTH
        assert box.y >= HEADER_HEIGHT and box.y + box.height <= HEIGHT
    for a, b in itertools.combinations(boxes, 2):
        assert not overlap(a, b), (a, b)


@pytest.mark.parametrize("number", [1, 2, 11, 25, 60])
def test_cards_side_by_side_fit(number: int) -> None:
    room = regions(4).hands[0].width
    assert HAND_CARD[0] + step_for(number, HAND_CARD[0], room, HAND_STEP) * (number - 1) <= room


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("number", [1, 8, 13])
def test_melds_side_by_side_fit(players: int, number: int) -> None:
    for box in regions(players).melds:
        assert number * (meld_card(number, box.width)[0] + MELD_GAP) <= box.width


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_tables_and_views_of_a_deal_can_be_drawn(rules: Rules) -> None:
    for table in itertools.islice(walk(rules, seed=3), 0, None, EVERY):
        for picture in (image.picture(rules, table.views()), image.view_picture(rules, table.view(1))):
            assert picture.shape == SHAPE and picture.dtype == np.uint8


def test_a_view_shows_nothing_hidden() -> None:
    other = copy.deepcopy(POSITION) | {"hands": ["K K 9 joker", "A 6", "5", "5 5 9"]}
    tables = [Table.from_position(position, partial=True) for position in (POSITION, other)]
    views = [image.view_picture(table.rules, table.view(0)) for table in tables]
    assert np.array_equal(*views)
    assert not np.array_equal(*(image.picture(table.rules, table.views()) for table in tables))


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [1250, -80]},
        {"hands": ["K K 9 2", "A A", "4", "5 5 5"]},
        {"hands": ["K K 9 joker", "A A", "4", "5 5 5 5"]},
        {"melds": [{"wilds": "2 2 2", "Q": "Q Q Q Q Q 2 joker"}, {}]},
        {"threes": [{"red3": 1, "black3": 1}, {}]},
        {"pile": "J 10 J"},
        {"stock": "8 8", "pile": "8 J J 10"},
        {"to_play": 1},
        {"phase": "draw"},
        {"turn": 18},
        {"dealer": 2},
        {"known": [{}, {}, {}, "5"]},
    ],
    ids=str,
)
def test_what_a_seat_sees_is_in_its_picture(change: dict[str, object]) -> None:
    tables = [Table.from_position(position, partial=True) for position in (POSITION, POSITION | change)]
    views = [image.view_picture(table.rules, table.view(0)) for table in tables]
    assert not np.array_equal(*views)


def test_drawing_changes_nothing() -> None:
    table = Table.from_position(POSITION, partial=True)
    before = table.position()
    image.picture(table.rules, table.views())
    assert table.position() == before


def test_rgb_array_is_the_open_table_or_the_learners_view() -> None:
    env = raw_env("classic", 4, render_mode="rgb_array")
    env.reset(seed=1)
    assert np.array_equal(env.render(), image.picture(env.rules, env.episode.table().views()))
    seat = CanastaSeatEnv("classic", 4, seat=1, render_mode="rgb_array")
    seat.reset(seed=1)
    assert np.array_equal(seat.render(), image.view_picture(seat.rules, seat.episode.view(1)))


def test_human_shows_every_step_in_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame", reason="the window needs pygame (extra `render`)")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown: list[object] = []
    show = Window.show
    monkeypatch.setattr(Window, "show", lambda window, picture: (shown.append(1), show(window, picture)))
    env = raw_env("classic", 4, render_mode="human")
    env.reset(seed=1)
    env.step(0)
    assert env.render() is None
    assert len(shown) == 3
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.render() is None
        twin.close()
    env.close()
    env.close()


def test_a_closed_window_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame", reason="the window needs pygame (extra `render`)")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window, picture = Window(100), np.zeros(SHAPE, np.uint8)
    window.show(picture)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(picture)
    assert not pygame.display.get_init()
    window.show(picture)
    assert not pygame.display.get_init()


def test_a_display_that_is_none_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame", reason="the window needs pygame (extra `render`)")
    monkeypatch.setenv("SDL_VIDEODRIVER", "nothing")
    with pytest.raises(OSError, match="no window can be opened here"):
        Window(2).show(np.zeros(SHAPE, np.uint8))


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"pip install .canasta-env\[render\]"):
        Window(2).show(np.zeros(SHAPE, np.uint8))
    for name in ("PIL", "canasta_env.rendering.drawing"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "canasta_env.rendering.image")
    with pytest.raises(ImportError, match=r"pip install .canasta-env\[render\]"):
        importlib.import_module("canasta_env.rendering.image")


def test_the_picture_of_the_readme_is_made_by_its_command(tmp_path: Path) -> None:
    images = Path("docs/images")
    assert main(["picture", str(images / "table.json"), str(tmp_path / "table.png"), "--seat", "0"]) == 0
    assert (tmp_path / "table.png").stat().st_size < 150_000
    shown, made = (np.asarray(Image.open(path / "table.png")) for path in (images, tmp_path))
    assert np.array_equal(shown, made)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[" * 100_000, "nested too deep"),
        (b"", "Expecting value"),
        (b"\xff", "codec can't decode"),
        (b'{"game": "classic", "turn": %s}' % (b"9" * 5_000), "integer string conversion"),
    ],
)
def test_a_position_that_cannot_be_read_is_told_by_its_file(
    content: bytes, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "position.json"
    file.write_bytes(content)
    assert main(["picture", str(file), str(tmp_path / "table.png")]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{file}: cannot be read as JSON: ") and reason in error
