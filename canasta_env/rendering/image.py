"""A table, or what one seat knows of it, as a picture of 1280 x 800 pixels.

Needs Pillow (the extra `render`). The seat that it is seen from sits below, the others follow clockwise.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, JOKER, NUM_KINDS, RED_THREE, TWO
from canasta_env.engine.state import PHASES, WILD_MELD
from canasta_env.files import write_file
from canasta_env.rendering.text import GAME_NAMES, kinds_of, outcome, turn_facts
from canasta_env.rules import Rules

try:
    from PIL import Image

    from canasta_env.rendering.drawing import (
        BACK,
        CAPTION_HEIGHT,
        GAP,
        GOLD,
        HAND_CARD,
        HAND_STEP,
        HEADER_HEIGHT,
        ICE,
        LABEL_HEIGHT,
        LABEL_SIZE,
        MARGIN,
        MELD_GAP,
        MELD_STEP,
        OTHER_CARD,
        OTHER_STEP,
        PILE_CARD,
        PILE_STEP,
        PLATE_HEIGHT,
        SIDE_PLATE_HEIGHT,
        SOFT,
        STOCK_WIDTH,
        TITLE_SIZE,
        WIDTH,
        Box,
        Felt,
        meld_card,
        regions,
        text_on,
    )
except ImportError as error:
    raise ImportError('a picture needs Pillow: pip install "canasta-env[render]"') from error

Hand = Sequence[int] | None  # None: hidden
_DISPLAY_ORDER = (RED_THREE, BLACK_THREE, *range(BLACK_THREE + 1, NUM_KINDS), TWO, JOKER)
_DOES = {"draw": "draws or takes", "play": "melds or discards", "answer": "answers the partner"}
_PLACE = {kind: place for place, kind in enumerate(_DISPLAY_ORDER)}


def picture(rules: Rules, views: NDArray[np.void], seat: int = 0) -> NDArray[np.uint8]:
    """The open table, all hands face up, `(800, 1280, 3) uint8`.

    Args:
        rules: The game.
        views: `(players,) VIEW`, what each seat knows.
        seat: The seat that it is seen from.
    """
    hands: list[Hand] = [kinds_of(view["hand"]) for view in np.roll(views, -seat)]
    return _draw(rules, views[seat], hands)


def view_picture(rules: Rules, view: NDArray[np.void]) -> NDArray[np.uint8]:
    """What one seat knows, `(800, 1280, 3) uint8`: other hands face down, save the cards that are known.

    Args:
        rules: The game.
        view: `(1,) VIEW`.
    """
    hands: list[Hand] = [kinds_of(view[0]["hand"]), *[None] * (rules.players - 1)]
    return _draw(rules, view[0], hands)


def write(picture: NDArray[np.uint8], path: Path) -> None:
    """Write a picture to a file, whole or not at all, in the format that its name ends in; replaces it.

    Raises:
        ValueError: If no format has this ending.
        OSError: If the file cannot be written; its `filename` is the path.
    """
    formats = Image.registered_extensions()
    if (ending := path.suffix.lower()) not in formats:
        raise ValueError(f"{path}: no picture's name ends in {ending!r}; .png and .jpg are among those known")
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, formats[ending], optimize=True)
    write_file(path, buffer.getvalue())


def _draw(rules: Rules, v: Any, hands: Sequence[Hand]) -> NDArray[np.uint8]:
    """The picture; `v` is a record of VIEW, hands are by relative seat."""
    felt = Felt()
    parts = regions(rules.players)
    _draw_header(felt, rules, v)
    _draw_middle(felt, parts.middle, v)
    for side, box in enumerate(parts.melds):
        _draw_side(felt, box, rules, v, side)
    for seat, (box, hand) in enumerate(zip(parts.hands, hands, strict=True)):
        cards = _cards_of(v, seat, hand)
        if box.width < box.height:
            _draw_column_seat(felt, box, rules, v, seat, cards)
        else:
            _draw_row_seat(felt, box, rules, v, seat, cards)
    return np.asarray(felt.image)


def _draw_header(felt: Felt, rules: Rules, v: Any) -> None:
    y = HEADER_HEIGHT // 2
    x = felt.text(MARGIN, y, GAME_NAMES[rules.game], GOLD, TITLE_SIZE)
    x = felt.text(x + MARGIN, y, f"to {rules.target:,} · turn {v['turn']}", SOFT)
    room = round(WIDTH - MARGIN - x - 2 * MARGIN)
    felt.text(WIDTH - MARGIN, y, _status(rules, v), anchor="rm", width=room)


def _status(rules: Rules, v: Any) -> str:
    """Who is to do what."""
    phase = PHASES[v["phase"]]
    if phase == "over":
        return outcome(rules, v)
    seat = (int(v["to_play"]) + int(v["seat"])) % rules.players
    return ", ".join([f"seat {seat} {_DOES[phase]}", *turn_facts(v)])


def _draw_middle(felt: Felt, box: Box, v: Any) -> None:
    """The stock and the pile."""
    felt.panel(Box(box.x, box.y - GAP // 2, box.width, box.height + GAP))
    y = box.y + PLATE_HEIGHT // 2
    stock, pile = int(v["stock_size"]), v["pile"][: v["pile_size"]].tolist()
    felt.text(box.x + GAP, y, f"stock: {_cards(stock)}", SOFT)
    x = felt.text(box.x + STOCK_WIDTH, y, f"pile: {_cards(len(pile))}", SOFT)
    if v["wild_frozen"]:
        felt.text(x + GAP, y, "wild-frozen", ICE)
    top = box.y + PLATE_HEIGHT
    slot = Box(box.x + GAP, top, *PILE_CARD)
    row = Box(box.x + STOCK_WIDTH, top, box.width - STOCK_WIDTH - GAP, PILE_CARD[1])
    for empty, is_empty in ((slot, stock == 0), (Box(row.x, row.y, *PILE_CARD), not pile)):
        if is_empty:
            felt.frame(empty, SOFT)
    if stock:
        felt.row_from_left(slot, [BACK], PILE_CARD, PILE_STEP)
    felt.row_from_left(row, pile, PILE_CARD, PILE_STEP)


def _draw_side(felt: Felt, box: Box, rules: Rules, v: Any, side: int) -> None:
    """A side's score and opening, its melds, and the threes it has laid."""
    felt.panel(box)
    absolute = (int(v["seat"]) + side) % rules.num_sides
    seats = " + ".join(map(str, range(absolute, rules.players, rules.num_sides)))
    y = box.y + CAPTION_HEIGHT // 2 + 1
    x = felt.text(box.x + GAP, y, f"seat{'s' if '+' in seats else ''} {seats}", GOLD)
    state = "opened" if v["opened"][side] else f"opens with {v['minimum'][side]}"
    canastas = int(v["canastas"][side])
    if canastas:
        state += f" · {canastas} canasta{'' if canastas == 1 else 's'}"
    felt.text(x + GAP, y, f"score {int(v['scores'][side]):,} · {state}")

    columns = list(_columns(v, side))
    size = meld_card(len(columns), box.width - GAP)
    room = Box(box.x, box.y + CAPTION_HEIGHT, size[0], box.height - CAPTION_HEIGHT - LABEL_HEIGHT - GAP // 2)
    for place, (kinds, label, is_canasta) in enumerate(columns):
        column = room._replace(x=box.x + GAP + place * (size[0] + MELD_GAP))
        end = round(felt.column(column, kinds, size, MELD_STEP))
        if is_canasta:
            around = Box(column.x - 3, column.y - 3, size[0] + 6, end - column.y + 6)
            felt.frame(around, GOLD)
        colour = GOLD if is_canasta else SOFT
        felt.text(column.x + size[0] / 2, end + LABEL_HEIGHT / 2 + 3, label, colour, LABEL_SIZE, "mm")


def _columns(v: Any, side: int) -> Iterator[tuple[list[int], str, bool]]:
    """Cards, label, and whether it is a canasta, of each meld and of the laid threes."""
    for kind in (*range(BLACK_THREE, NUM_KINDS), WILD_MELD):
        naturals, twos, jokers = (int(v[part][side, kind]) for part in ("naturals", "twos", "jokers"))
        number = naturals + twos + jokers
        if number:
            is_canasta = number >= CANASTA_SIZE
            sort = "wild" if kind == WILD_MELD else "mixed" if twos + jokers else "clean"
            label = f"{number} {sort}" if is_canasta else str(number)
            yield [kind] * naturals + [TWO] * twos + [JOKER] * jokers, label, is_canasta
    threes = [RED_THREE] * int(v["red_threes"][side]) + [BLACK_THREE] * int(v["black_threes"][side])
    if threes:
        yield threes, "threes", False


def _draw_row_seat(felt: Felt, box: Box, rules: Rules, v: Any, seat: int, cards: list[int]) -> None:
    """The seat below or at the top."""
    size, step = (HAND_CARD, HAND_STEP) if seat == 0 else (OTHER_CARD, OTHER_STEP)
    words = " · ".join(_seat_words(rules, v, seat))
    felt.name(box._replace(height=PLATE_HEIGHT - 3), words, seat == v["to_play"])
    felt.row(Box(box.x, box.y + PLATE_HEIGHT, box.width, size[1]), cards, size, step)


def _draw_column_seat(felt: Felt, box: Box, rules: Rules, v: Any, seat: int, cards: list[int]) -> None:
    """A seat to the left or to the right."""
    is_to_play = seat == v["to_play"]
    if is_to_play:
        felt.plate(box._replace(height=SIDE_PLATE_HEIGHT))
    words = _seat_words(rules, v, seat)
    pitch = SIDE_PLATE_HEIGHT / len(words)
    for place, line in enumerate(words):
        y = box.y + (place + 0.5) * pitch
        felt.text(box.x + box.width / 2, y, line, text_on(is_to_play), LABEL_SIZE + 1, "mm")
    top = SIDE_PLATE_HEIGHT + GAP
    felt.column(box._replace(y=box.y + top, height=box.height - top), cards, OTHER_CARD, OTHER_STEP)


def _seat_words(rules: Rules, v: Any, seat: int) -> list[str]:
    words = [f"seat {(int(v['seat']) + seat) % rules.players}", _cards(int(v["hand_size"][seat]))]
    if seat == v["dealer"]:
        words.append("dealer")
    return words


def _cards_of(v: Any, seat: int, hand: Hand) -> list[int]:
    """A hand in the order it is shown in; of a hidden one the cards that are known, then backs."""
    if hand is not None:
        return sorted(hand, key=_PLACE.__getitem__)
    known = sorted(kinds_of(v["known"][seat]), key=_PLACE.__getitem__)
    return known + [BACK] * (int(v["hand_size"][seat]) - len(known))


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"
