"""The felt, and rows and columns of cards on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from canasta_env.rendering import cards
from canasta_env.rendering.cards import SHADOW, Colour, font
from canasta_env.rendering.layout import HEADER_HEIGHT, HEIGHT, TEXT_SIZE, WIDTH, Box, step_for

LIGHT: Colour = (244, 240, 226)
SOFT: Colour = (176, 205, 187)
GOLD: Colour = (240, 200, 104)
ICE: Colour = (150, 214, 250)
_DARK: Colour = (24, 40, 33)
_HEADER: Colour = (13, 44, 35)
_FELT_CENTER, _FELT_EDGE = (31, 112, 84), (15, 68, 51)
_PANEL = (0, 0, 0, 44)
_PANEL_RADIUS = 10
_FRAME_RADIUS = 7


@lru_cache(maxsize=1)
def _felt() -> Image.Image:
    share = np.linspace(-1, 1, HEIGHT)[:, None, None] ** 2  # rows of one colour keep files small
    colours = np.array(_FELT_CENTER) * (1 - share) + np.array(_FELT_EDGE) * share
    felt = Image.fromarray(np.repeat(colours.astype(np.uint8), WIDTH, axis=1), "RGB")
    ImageDraw.Draw(felt).rectangle((0, 0, WIDTH, HEADER_HEIGHT - 1), _HEADER)
    return felt


class Felt:
    """An empty table top to draw on."""

    def __init__(self) -> None:
        self.image = _felt().copy()
        self._draw = ImageDraw.Draw(self.image, "RGBA")

    def panel(self, box: Box) -> None:
        """A darker field."""
        self._draw.rounded_rectangle(_corners(box), _PANEL_RADIUS, _PANEL)

    def frame(self, box: Box, colour: Colour) -> None:
        """A line around a box."""
        self._draw.rounded_rectangle(_corners(box), _FRAME_RADIUS, None, colour, 2)

    def plate(self, box: Box) -> None:
        """The field behind the name of the seat to play."""
        self._draw.rounded_rectangle(_corners(box), _FRAME_RADIUS, GOLD)

    def name(self, box: Box, text: str, is_to_play: bool) -> None:
        """A line in the middle of a box, on a plate if it is that seat's turn."""
        if is_to_play:
            width = round(font(TEXT_SIZE).getlength(text)) + 4 * _PANEL_RADIUS
            self.plate(box._replace(x=box.x + (box.width - width) // 2, width=width))
        at = (box.x + box.width / 2, box.y + box.height / 2)
        self.text(*at, text, text_on(is_to_play), TEXT_SIZE, "mm")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: Colour = LIGHT,
        size: int = TEXT_SIZE,
        anchor: str = "lm",
        width: int | None = None,
    ) -> float:
        """Write a line at an anchor of Pillow, cut to `width`.

        Returns:
            The x where it ends, for the anchors on the left.
        """
        if width is not None:
            text = _cut(text, size, width)
        self._draw.text((x, y), text, colour, font(size), anchor)
        return x + font(size).getlength(text)

    def row(self, box: Box, kinds: Sequence[int], size: tuple[int, int], widest: int) -> None:
        """Cards from left to right in the middle of a box, overlapping as far as they must."""
        step = step_for(len(kinds), size[0], box.width, widest)
        length = size[0] + step * (len(kinds) - 1)
        self._lay(box.x + max(0.0, (box.width - length) / 2), box.y, kinds, size, step, 0)

    def row_from_left(self, box: Box, kinds: Sequence[int], size: tuple[int, int], widest: int) -> None:
        """Cards from the left edge of a box."""
        self._lay(box.x, box.y, kinds, size, step_for(len(kinds), size[0], box.width, widest), 0)

    def column(self, box: Box, kinds: Sequence[int], size: tuple[int, int], widest: int) -> float:
        """Cards from the top of a box, in the middle of its width.

        Returns:
            The y below the last card.
        """
        step = step_for(len(kinds), size[1], box.height, widest)
        self._lay(box.x + (box.width - size[0]) / 2, box.y, kinds, size, 0, step)
        return box.y + size[1] + step * (len(kinds) - 1)

    def _lay(
        self,
        x: float,
        y: float,
        kinds: Sequence[int],
        size: tuple[int, int],
        step_x: float,
        step_y: float,
    ) -> None:
        covered = (round(step_x) or size[0], round(step_y) or size[1])
        for place, kind in enumerate(kinds):
            is_last = place == len(kinds) - 1
            shown = size if is_last else (min(covered[0], size[0]), min(covered[1], size[1]))
            face = cards.card(kind, *size, *(size if kind == cards.BACK else shown))
            at = (round(x + place * step_x) - SHADOW, round(y + place * step_y) - SHADOW)
            self.image.paste(face, at, face)


def text_on(is_gold: bool) -> Colour:
    """The colour of a text on a plate, or on the felt."""
    return _DARK if is_gold else LIGHT


def _cut(text: str, size: int, width: int) -> str:
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + "...") > width:
        text = text[:-1]
    return text.rstrip() + "..."


def _corners(box: Box) -> tuple[int, int, int, int]:
    return box.x, box.y, box.x + box.width - 1, box.y + box.height - 1
