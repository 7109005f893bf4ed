"""What a picture of a table is drawn with: its measures, cards as small pictures, and a canvas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from canasta_env.cards import BLACK_THREE, JOKER, KINDS, RED_THREE, TWO

WIDTH, HEIGHT = 1280, 800
MARGIN = 16
HEADER_HEIGHT = 42
GAP = 10

HAND_CARD = (64, 88)  # the seat that the picture is seen from
OTHER_CARD = (46, 63)  # the other seats
MELD_CARD = (46, 60)
PILE_CARD = (56, 76)

PLATE_HEIGHT = 24  # a seat's name above its cards
CAPTION_HEIGHT = 24  # a side's line above its melds
LABEL_HEIGHT = 16  # a meld's size below it
SIDE_WIDTH = 104  # the columns of the seats to the left and to the right
SIDE_PLATE_HEIGHT = 58
STOCK_WIDTH = 150

HAND_STEP = 46  # from one card to the next, where there is room
OTHER_STEP = 24
PILE_STEP = 30
MELD_STEP = 17
MELD_GAP = 16

TITLE_SIZE, TEXT_SIZE, LABEL_SIZE = 20, 15, 13


class Box(NamedTuple):
    """A rectangle in pixels, from its upper left corner."""

    x: int
    y: int
    width: int
    height: int


class Regions(NamedTuple):
    """The parts of a picture; seats and sides are relative to the seat that it is seen from."""

    hands: tuple[Box, ...]  # by seat
    melds: tuple[Box, ...]  # by side
    middle: Box


def regions(players: int) -> Regions:
    """Divide the picture among the seats: the own below, the others in play order to the left, top, right."""
    top = HEADER_HEIGHT + GAP
    bottom = HEIGHT - MARGIN
    has_columns = players > 2
    left = MARGIN + (SIDE_WIDTH + GAP if has_columns else 0)
    center = WIDTH - 2 * left
    own_height = PLATE_HEIGHT + HAND_CARD[1]
    own = Box(left, bottom - own_height, center, own_height)
    top_height = PLATE_HEIGHT + OTHER_CARD[1] if players != 3 else 0
    across = Box(left, top, center, top_height)
    west = Box(MARGIN, top, SIDE_WIDTH, bottom - top)
    east = Box(WIDTH - MARGIN - SIDE_WIDTH, top, SIDE_WIDTH, bottom - top)
    hands = {2: (own, across), 3: (own, west, east), 4: (own, west, across, east)}[players]

    upper = top + (top_height + GAP if top_height else 0)
    middle_height = PLATE_HEIGHT + PILE_CARD[1]
    meld_height = (own.y - upper - middle_height - 3 * GAP) // 2
    middle = Box(left, upper + meld_height + GAP, center, middle_height)
    own_melds = Box(left, middle.y + middle_height + GAP, center, meld_height)
    others: tuple[Box, ...] = (Box(left, upper, center, meld_height),)
    if players == 3:
        half = (center - GAP) // 2
        others = (Box(left, upper, half, meld_height), Box(left + half + GAP, upper, half, meld_height))
    return Regions(hands, (own_melds, *others), middle)


def step_for(number: int, card: int, room: int, widest: int) -> float:
    """Pixels from one of `number` overlapping cards to the next: `widest`, or less so that all fit."""
    if number < 2:
        return widest
    return min(widest, (room - card) / (number - 1))


def meld_card(number: int, room: int) -> tuple[int, int]:
    """Width and height of the cards of `number` melds side by side in `room`."""
    width = min(MELD_CARD[0], room // max(1, number) - MELD_GAP)
    return width, round(width * MELD_CARD[1] / MELD_CARD[0])


# Faces and backs of cards as small pictures.


Colour = tuple[int, int, int]

BACK = -1  # in place of a kind
_SCALE = 4  # cards are drawn larger and made smaller, for smooth edges
_CORNER = 0.11  # radius of a corner, in widths of the card; so are the other sizes
_INDEX_SIZE = 0.3
_INDEX_AT = (0.08, 0.06)
_INDEX_WIDTH, _INDEX_HEIGHT = 1.2, 0.8  # of "10", in sizes of the font, with some air
_FACE_SIZE = 0.62
_NARROWER = 0.88  # for 10
_STAR_RADIUS = 0.27
_LEAST_SHOWN = 0.6  # of the width: a card that is covered further shows its index only
SHADOW = 3  # pixels around a card

_PAPER: Colour = (253, 251, 245)
_EDGE: Colour = (170, 160, 140)
_INK: Colour = (34, 40, 49)
_RED: Colour = (184, 38, 44)
_VIOLET: Colour = (110, 52, 150)
_BLUE: Colour = (22, 92, 158)
_BACK: Colour = (128, 32, 44)
_BACK_LINES: Colour = (176, 84, 86)
_INKS = {JOKER: _VIOLET, TWO: _BLUE, RED_THREE: _RED, BLACK_THREE: (0, 0, 0)}
_TINTS: dict[int, Colour] = {JOKER: (246, 238, 252), TWO: (234, 243, 252), RED_THREE: (255, 240, 236)}


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    """The font of all texts: Pillow's own, so that pictures are the same on every machine."""
    chosen = ImageFont.load_default(size)
    assert isinstance(chosen, ImageFont.FreeTypeFont), "Pillow was built without FreeType"
    return chosen


@lru_cache(maxsize=1024)
def card(kind: int, width: int, height: int, shown_width: int, shown_height: int) -> Image.Image:
    """A card with its shadow, RGBA; `SHADOW` pixels stand around it.

    Args:
        kind: Its kind, or BACK.
        width: Its width in pixels.
        height: Its height in pixels.
        shown_width: The part of the width that no other card covers; what is drawn stands in it.
        shown_height: The part of the height.
    """
    large = Image.new("RGBA", (width * _SCALE, height * _SCALE))
    draw = ImageDraw.Draw(large)
    paper = _BACK if kind == BACK else _TINTS.get(kind, _PAPER)
    frame = (0, 0, large.width - 1, large.height - 1)
    draw.rounded_rectangle(frame, _CORNER * large.width, paper, _EDGE, _SCALE)
    if kind == BACK:
        _draw_back(draw, large.width, large.height)
    else:
        _draw_face(large, kind, shown_width / width, shown_height / height)
    small = large.resize((width, height), Image.Resampling.LANCZOS)
    return _on_shadow(small)


def _on_shadow(face: Image.Image) -> Image.Image:
    whole = Image.new("RGBA", (face.width + 2 * SHADOW, face.height + 2 * SHADOW))
    mask = Image.new("L", whole.size)
    mask.paste(face.getchannel("A").point(lambda alpha: alpha * 2 // 5), (SHADOW, SHADOW + 1))
    whole.putalpha(mask.filter(ImageFilter.GaussianBlur(SHADOW / 2)))
    whole.alpha_composite(face, (SHADOW, SHADOW))
    return whole


def _draw_face(large: Image.Image, kind: int, shown_across: float, shown_down: float) -> None:
    """The index in the corner; where they show, the rank or a star in the middle and the other index."""
    width, height = large.size
    ink = _INKS.get(kind, _INK)
    corner = Image.new("RGBA", large.size)
    draw = ImageDraw.Draw(corner)
    x, y = _INDEX_AT[0] * width, _INDEX_AT[1] * width
    room = min((width * shown_across - x) / _INDEX_WIDTH, (height * shown_down - y) / _INDEX_HEIGHT)
    size = round(min(_INDEX_SIZE * width, room))
    if kind == JOKER:
        _draw_star(draw, x + size * 0.45, y + size * 0.4, size * 0.5, ink)
    else:
        _text(draw, (x, y), _name(kind), size, ink, "lt")
    large.alpha_composite(corner)
    if shown_down < 1 or shown_across < _LEAST_SHOWN:
        return
    if shown_across >= 1:
        large.alpha_composite(corner.rotate(180))
    draw = ImageDraw.Draw(large)
    middle = (width * shown_across / 2, height / 2)
    if kind == JOKER:
        _draw_star(draw, *middle, _STAR_RADIUS * width, ink)
    else:
        large_size = _FACE_SIZE * width * min(1, shown_across + 0.1) * _NARROWER ** (len(_name(kind)) - 1)
        _text(draw, middle, _name(kind), round(large_size), ink, "mm")


def _name(kind: int) -> str:
    return "3" if kind in (RED_THREE, BLACK_THREE) else KINDS[kind]


def _text(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int, ink: Colour, anchor: str
) -> None:
    """A text in bold: the font has one weight, a stroke makes it heavier."""
    stroke = max(1, size // 24)
    draw.text(at, text, ink, font(size), anchor, stroke_width=stroke, stroke_fill=ink)


def _draw_star(draw: ImageDraw.ImageDraw, x: float, y: float, radius: float, ink: Colour) -> None:
    points = []
    for place in range(10):
        reach = radius if place % 2 == 0 else radius * 0.42
        angle = math.pi * place / 5
        points.append((x + reach * math.sin(angle), y - reach * math.cos(angle)))
    draw.polygon(points, ink)


def _draw_back(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    inset = width * 0.1
    frame = (inset, inset, width - inset, height - inset)
    draw.rounded_rectangle(frame, _CORNER * width / 2, None, _BACK_LINES, _SCALE)
    pitch = (width - 2 * inset) / 4
    columns, rows = 4, max(1, round((height - 2 * inset) / pitch))
    row_pitch = (height - 2 * inset) / rows
    for column in range(columns):
        for row in range(rows):
            x, y = inset + (column + 0.5) * pitch, inset + (row + 0.5) * row_pitch
            reach_x, reach_y = pitch * 0.32, row_pitch * 0.32
            draw.polygon(
                [(x, y - reach_y), (x + reach_x, y), (x, y + reach_y), (x - reach_x, y)], _BACK_LINES
            )


# The felt, and rows and columns of cards on it.


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
    felt = Image.fromarray(np.repeat(colours.astype(np.uint8), WIDTH, axis=1))
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
            face = card(kind, *size, *(size if kind == BACK else shown))
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
