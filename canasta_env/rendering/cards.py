"""Faces and backs of cards as small pictures."""

from __future__ import annotations

import math
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from canasta_env.cards import BLACK_THREE, JOKER, KINDS, RED_THREE, TWO

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
