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

if TYPE_CHECKING:
    from tests.reference.oracle import Oracle

MAX_SEATS = 4
MAX_SIDES = 3
PHASES = ("draw", "play", "answer", "over")


def view_of(table: Oracle, seat: int) -> dict[str, Any]:
    """The view of a seat: seats and sides are counted from the viewer on."""
    rules = table.rules
    seats = [(seat + i) % rules.players for i in range(rules.players)]
    sides = [(seat + i) % rules.num_sides for i in range(rules.num_sides)]

    def relative(other: int | None) -> int:
        return -1 if other is None else (other - seat) % rules.players

    def by_seat(values: list[Any], empty: Any = 0) -> list[Any]:
        return [values[other] for other in seats] + [empty] * (MAX_SEATS - len(seats))

    def by_side(values: list[Any], empty: Any = 0) -> list[Any]:
        return [values[side] for side in sides] + [empty] * (MAX_SIDES - len(sides))

    no_cards = [0] * NUM_KINDS
    closed = table.closed_ranks()
    naturals, twos, jokers = (
        by_side([[meld[part] for meld in melds] for melds in table.melds], no_cards) for part in range(3)
    )
    return {
        "seat": seat,
        "players": rules.players,
        "phase": PHASES.index(table.phase),
        "to_play": relative(table.to_play),
        "dealer": relative(table.dealer),
        "hand": list(table.hands[seat]),
        "hand_size": by_seat([sum(hand) for hand in table.hands]),
        "known": by_seat([list(cards) for cards in table.known], no_cards),
        "discarded": by_seat([list(cards) for cards in table.discarded], no_cards),
        "piles_taken": by_seat(table.piles_taken),
        "melded": by_seat(table.melded),
        "asked": by_seat(table.asked),
        "naturals": naturals,
        "twos": twos,
        "jokers": jokers,
        "red_threes": by_side([threes[RED_THREE] for threes in table.threes]),
        "black_threes": by_side([threes[BLACK_THREE] for threes in table.threes]),
        "opened": by_side(table.opened),
        "canastas": by_side([sum(sum(meld) >= CANASTA_SIZE for meld in melds) for melds in table.melds]),
        "closed": [int(kind in closed) for kind in range(NUM_KINDS)],
        "scores": by_side(table.scores),
        "minimum": by_side([rules.minimum(score) for score in table.scores]),
        "pile": table.pile + [-1] * (NUM_CARDS - len(table.pile)),
        "pile_size": len(table.pile),
        "pile_count": [table.pile.count(kind) for kind in range(NUM_KINDS)],
        "stock_size": len(table.stock),
        "wild_frozen": table.wild_frozen,
        "taken": table.taken,
        "opening_points": table.opening_points,
        "can_ask": table.can_ask,
        "answer": answer_code(table),
        "melded_now": table.melded_now,
        "begun": [int(kind in table.begun) for kind in range(NUM_KINDS)],
        "joined_earlier": table.joined_earlier,
        "went_out": relative(table.went_out),
        "concealed": table.concealed,
        "turn": table.turn,
        "unseen": unseen(table, seat),
    }


def answer_code(table: Oracle) -> int:
    """0 none, 1 no, 2 yes and has to go out (Classic), 3 yes and may (Modern)."""
    if table.answer is None:
        return 0
    if table.answer == "no":
        return 1
    return 3 if table.rules.is_modern else 2


def unseen(table: Oracle, seat: int) -> list[int]:
    """The cards of each kind that the seat cannot place: in the stock and in the other hands."""
    cards = [copies - held for copies, held in zip(COPIES, table.hands[seat], strict=True)]
    for melds in table.melds:
        for place, (naturals, twos, jokers) in enumerate(melds):
            cards[place] -= naturals
            cards[TWO] -= twos
            cards[JOKER] -= jokers
    for threes in table.threes:
        for kind in (RED_THREE, BLACK_THREE):
            cards[kind] -= threes[kind]
    for kind in table.pile:
        cards[kind] -= 1
    return cards
