"""Where everything stands in a picture of a table: the numbers of the layout, and pure arithmetic on them."""

from __future__ import annotations

from typing import NamedTuple

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
