"""Draw the positions of docs/games/positions as the pictures of docs/games/images: `python -m docs.draw`.

Most pictures show some regions of the table only, below each other and cut to the cards that lie there.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from canasta_env import Table
from canasta_env.rendering import image
from canasta_env.rendering.drawing import GAP, regions

GAMES = Path(__file__).parent / "games"
COLOURS = 256  # of a palette
MARGIN = 8  # pixels around what is cut out

Pixels = NDArray[np.uint8]

PLAY, TURN = ("middle", "melds", "hand"), ("melds", "hand")
PARTS: dict[str, tuple[str, ...]] = {  # none: the whole table
    "classic_start": (),
    "classic_melds": ("melds",),
    "classic_pile": PLAY,
    "classic_frozen": PLAY,
    "classic_opening": TURN,
    "classic_asking": TURN,
    "classic_black_threes": TURN,
    "modern_start": (),
    "modern_melds": ("melds",),
    "modern_opening": ("hand",),
    "modern_pile": ("middle", "hand"),
    "modern_wilds": TURN,
    "modern_discard": PLAY,
    "modern_asking": TURN,
    "modern_penalties": TURN,
}


def draw(name: str) -> Image.Image:
    """The picture of a position, as the seat to move sees it, in a palette of COLOURS."""
    position = json.loads((GAMES / "positions" / f"{name}.json").read_text(encoding="utf-8"))
    table = Table.from_position(position, partial=True)
    assert table.to_play is not None, f"{name}: nobody is to move"
    pixels = image.view_picture(table.rules, table.view(table.to_play))
    if PARTS[name]:
        pixels = _stack([_strip(pixels, part, table.rules.players) for part in PARTS[name]])
    return Image.fromarray(pixels).quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _strip(pixels: Pixels, part: str, players: int) -> Pixels:
    """A region of the table, cut to the cards in it."""
    parts = regions(players)
    box = {"middle": parts.middle, "melds": parts.melds[0], "hand": parts.hands[0]}[part]
    top = box.y - MARGIN
    field = pixels[top : box.y + box.height + MARGIN, box.x : box.x + box.width - GAP]
    columns = np.flatnonzero((field != field[:, -1:]).any(axis=(0, 2)))
    left = columns.min() - MARGIN if part == "hand" else 0
    field = field[:, left : columns.max() + 2 * MARGIN]
    if part == "melds":
        rows = np.flatnonzero((field != field[:, :1]).any(axis=(1, 2))[: -2 * MARGIN])
        field = field[: rows.max() + 2 * MARGIN]
    return field


def _stack(strips: list[Pixels]) -> Pixels:
    """Strips below each other, from the left edge; what is missing at the right is more of the same felt."""
    width = max(strip.shape[1] for strip in strips)
    return np.concatenate(
        [np.pad(strip, ((0, 0), (0, width - strip.shape[1]), (0, 0)), "edge") for strip in strips]
    )


def main() -> None:
    """Draw every position whose picture is not the one it should be."""
    for name in PARTS:
        file, drawn = GAMES / "images" / f"{name}.png", draw(name)
        if not file.exists() or not np.array_equal(drawn.convert("RGB"), Image.open(file).convert("RGB")):
            drawn.save(file, optimize=True)
            print(f"{file}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
