"""What one seat may know of a table, in the form of FORMS.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canasta_env.cards import (
    BLACK_THREE,
    CANASTA_SIZE,
    COPIES,
    JOKER,
    NUM_CARDS,
    NUM_KINDS,
    RED_THREE,
    TWO,
)
from tests.reference.legality import NO_MELD

if TYPE_CHECKING:
    from tests.reference.oracle import Oracle

MAX_SEATS = 4
MAX_SIDES = 3
PHASES = ("draw", "play", "answer", "over")


def view_of(table: Oracle, seat: int) -> dict[str, Any]:
    """The view of a seat: seats and sides are counted from the viewer on."""
    rules = table.rules
    side, num_sides = rules.side_of(seat), rules.num_sides
    return {
        **public(table),
        **{name: _from(row, seat, rules.players, MAX_SEATS) for name, row in of_seats(table).items()},
        **{name: _from(row, side, num_sides, MAX_SIDES) for name, row in of_sides(table).items()},
        **own(table, seat, not_on_the_table(table)),
    }


def _from(values: list[Any], first: int, num: int, length: int) -> list[Any]:
    """The values of all seats or sides from one on, filled up with those of none."""
    empty = [0] * NUM_KINDS if isinstance(values[0], list) else 0
    ordered = [values[(first + i) % num] for i in range(num)] + [empty] * (length - num)
    return [list(value) if isinstance(value, list) else value for value in ordered]


def own(table: Oracle, seat: int, left: list[int]) -> dict[str, Any]:
    """What the seat alone sees, or sees in its own way; `left` is what `not_on_the_table` returns."""

    def relative(other: int | None) -> int:
        return -1 if other is None else (other - seat) % table.rules.players

    hand = table.hands[seat]
    return {
        "seat": seat,
        "to_play": relative(table.to_play),
        "dealer": relative(table.dealer),
        "went_out": relative(table.went_out),
        "hand": list(hand),
        "unseen": [num - held for num, held in zip(left, hand, strict=True)],
    }


def public(table: Oracle) -> dict[str, Any]:
    """What every seat sees alike."""
    closed = table.closed_ranks()
    pile_count = [0] * NUM_KINDS
    for kind in table.pile:
        pile_count[kind] += 1
    return {
        "players": table.rules.players,
        "phase": PHASES.index(table.phase),
        "closed": [int(kind in closed) for kind in range(NUM_KINDS)],
        "pile": table.pile + [-1] * (NUM_CARDS - len(table.pile)),
        "pile_size": len(table.pile),
        "pile_count": pile_count,
        "stock_size": len(table.stock),
        "wild_frozen": table.wild_frozen,
        "taken": table.taken,
        "opening_points": table.opening_points,
        "can_ask": table.can_ask,
        "answer": answer_code(table),
        "melded_now": table.melded_now,
        "begun": [int(kind in table.begun) for kind in range(NUM_KINDS)],
        "joined_earlier": table.joined_earlier,
        "concealed": table.concealed,
        "turn": table.turn,
    }


def of_seats(table: Oracle) -> dict[str, list[Any]]:
    """What every seat sees of each seat, in absolute order."""
    return {
        "hand_size": [sum(hand) for hand in table.hands],
        "known": table.known,
        "discarded": table.discarded,
        "piles_taken": table.piles_taken,
        "melded": table.melded,
        "asked": table.asked,
    }


def of_sides(table: Oracle) -> dict[str, list[Any]]:
    """What every seat sees of each side, in absolute order."""
    parts = [list(map(list, zip(*melds, strict=True))) for melds in table.melds]
    return {
        "naturals": [naturals for naturals, _, _ in parts],
        "twos": [twos for _, twos, _ in parts],
        "jokers": [jokers for _, _, jokers in parts],
        "red_threes": [threes[RED_THREE] for threes in table.threes],
        "black_threes": [threes[BLACK_THREE] for threes in table.threes],
        "opened": table.opened,
        "canastas": [sum(size >= CANASTA_SIZE for size in map(sum, melds)) for melds in table.melds],
        "scores": table.scores,
        "minimum": [table.rules.minimum(score) for score in table.scores],
    }


def answer_code(table: Oracle) -> int:
    """0 none, 1 no, 2 yes and has to go out, 3 yes and may."""
    if table.answer is None:
        return 0
    if table.answer == "no":
        return 1
    return 2 if table.rules.is_yes_binding else 3


def not_on_the_table(table: Oracle) -> list[int]:
    """The cards of each kind in the stock and in the hands, as who sees the table counts them."""
    cards = list(COPIES)
    for melds in table.melds:
        for place, meld in enumerate(melds):
            if meld != NO_MELD:
                cards[place] -= meld[0]
                cards[TWO] -= meld[1]
                cards[JOKER] -= meld[2]
    for threes in table.threes:
        cards[RED_THREE] -= threes[RED_THREE]
        cards[BLACK_THREE] -= threes[BLACK_THREE]
    for kind in table.pile:
        cards[kind] -= 1
    return cards
