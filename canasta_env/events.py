"""What a seat sees of a deal, as plain values that JSON can hold: events, and the table as it stands.

The same events, with a seat's own cards only, go to programs that play (docs/protocol.md), and in the open,
with every hand, to those who watch.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import BLACK_THREE, KINDS, NUM_KINDS, RED_THREE
from canasta_env.engine.state import MAY_GO_OUT, MUST_GO_OUT, NO_CARD, NOBODY, PHASES, REFUSED, WILD_MELD
from canasta_env.rules import Rules
from canasta_env.table import Table

_ANSWERS = {REFUSED: "no", MUST_GO_OUT: "yes", MAY_GO_OUT: "yes"}
_DISPLAY_ORDER = (RED_THREE, BLACK_THREE, *range(BLACK_THREE + 1, NUM_KINDS), KINDS.index("2"), WILD_MELD)


@dataclass(frozen=True)
class Move:
    """An action, and what is seen of it: all of it by everybody but `drawn`, which its seat alone sees."""

    seat: int
    action: str
    drawn: tuple[str, ...] = ()  # cards that came into the hand from the stock
    threes: tuple[str, ...] = ()  # that were laid on the way (R-THREE)
    taken: tuple[str, ...] = ()  # cards that left the pile, top card last

    def seen_by(self, seat: int | None) -> dict[str, Any]:
        """The move as it is told to a seat, or in the open (None)."""
        told: dict[str, Any] = {"seat": self.seat, "action": self.action}
        if self.drawn and seat in (None, self.seat):
            told["drawn"] = list(self.drawn)
        if self.threes:
            told["threes"] = list(self.threes)
        if self.taken:
            told["taken"] = list(self.taken)
        return told


def play_move(table: Table, action: str) -> Move:
    """Play an action for the seat to move, and note the cards it moved; raises what `Table.play` raises."""
    seat = table.to_play
    before = table.copy()
    table.play(action)
    assert seat is not None
    side = table.rules.side_of(seat)
    drawn = Counter(table.hand(seat)) - Counter(before.hand(seat)) if action == "draw" else Counter()
    threes = Counter(table.threes(side)) - Counter(before.threes(side))
    pile, rest = before.pile, len(table.pile)
    taken = [] if action.startswith("discard") else pile[rest:] if rest else pile
    return Move(seat, action, tuple(drawn.elements()), tuple(threes.elements()), tuple(taken))


def deal_event(table: Table, seat: int | None, is_first: bool) -> dict[str, Any]:
    """That a deal begins.

    Args:
        table: As it was dealt.
        seat: Who sees it; None: in the open, with the hands of all.
        is_first: Whether it is the first deal of its match.
    """
    seats, sides = range(table.rules.players), range(table.rules.num_sides)
    hands = [Counter(table.hand(each)) for each in seats]
    seen = {"hands": [list(hand.elements()) for hand in hands]} if seat is None else {}
    own = {} if seat is None else {"hand": list(hands[seat].elements())}
    return {
        "type": "deal",
        "first": is_first,
        "dealer": table.dealer,
        "scores": list(table.scores),
        **seen,
        **own,
        "hand_sizes": [hand.total() for hand in hands],
        "threes": [list(Counter(table.threes(side)).elements()) for side in sides],
        "pile": table.pile,
        "stock": table.stock_size,
    }


def action_event(move: Move, seat: int | None) -> dict[str, Any]:
    """That an action was played, as a seat sees it; in the open for None."""
    return {"type": "action", **move.seen_by(seat)}


def end_event(table: Table, is_last: bool) -> dict[str, Any]:
    """That a deal has ended: its points and the new scores, which everybody sees.

    Args:
        table: The deal, over.
        is_last: Whether the match, or the single deal, has ended with it.
    """
    points = [score.total for score in table.score()]
    scores = [before + won for before, won in zip(table.scores, points, strict=True)]
    return {
        "type": "end",
        "last": is_last,
        "went_out": table.went_out,
        "points": points,
        "scores": scores,
    }


def view_message(rules: Rules, view: NDArray[np.void]) -> dict[str, Any]:
    """A seat's view with names for kinds, and absolute seats and sides, to be sent as JSON.

    Args:
        rules: The game.
        view: `(1,) VIEW`.

    Returns:
        `hands` by seat: `size`, `cards` (the own hand; None for the others) and `known`, the cards that
        everybody knows to be in it; `sides`: scores, melds and laid threes; pile, stock, phase, and so on.
    """
    v = view[0]
    viewer = int(v["seat"])
    return {
        "seat": viewer,
        "phase": PHASES[v["phase"]],
        "turn": int(v["turn"]),
        "to_play": _seat(v["to_play"], viewer, rules),
        "dealer": _seat(v["dealer"], viewer, rules),
        "went_out": _seat(v["went_out"], viewer, rules),
        "concealed": bool(v["concealed"]),
        "hands": [_hand(rules, v, seat) for seat in range(rules.players)],
        "sides": [_side(rules, v, side) for side in range(rules.num_sides)],
        "pile": [KINDS[kind] for kind in v["pile"][: v["pile_size"]]],
        "stock": int(v["stock_size"]),
        "wild_frozen": bool(v["wild_frozen"]),
        "taken": None if v["taken"] == NO_CARD else KINDS[v["taken"]],
        "opening_points": int(v["opening_points"]),
        "answer": _ANSWERS.get(int(v["answer"])),
    }


def question_view(rules: Rules, view: NDArray[np.void]) -> dict[str, Any]:
    """All of a seat's view that a program needs to decide: `view_message` and what was discarded by whom.

    Args:
        rules: The game.
        view: `(1,) VIEW`.
    """
    v = view[0]
    places = [(seat - int(v["seat"])) % rules.players for seat in range(rules.players)]
    return view_message(rules, view) | {
        "discarded": [card_names(v["discarded"][place]) for place in places],
        "piles_taken": [int(v["piles_taken"][place]) for place in places],
        "has_melded": [bool(v["melded"][place]) for place in places],
        "unseen": card_names(v["unseen"]),
    }


def _seat(relative: Any, viewer: int, rules: Rules) -> int | None:
    return None if relative == NOBODY else (int(relative) + viewer) % rules.players


def _hand(rules: Rules, v: Any, seat: int) -> dict[str, Any]:
    relative = (seat - int(v["seat"])) % rules.players
    is_own = relative == 0
    return {
        "size": int(v["hand_size"][relative]),
        "cards": card_names(v["hand"]) if is_own else None,
        "known": [] if is_own else card_names(v["known"][relative]),
    }


def _side(rules: Rules, v: Any, side: int) -> dict[str, Any]:
    relative = (side - int(v["seat"])) % rules.num_sides
    threes = ["red3"] * int(v["red_threes"][relative]) + ["black3"] * int(v["black_threes"][relative])
    melds = []
    for kind in (*range(BLACK_THREE, NUM_KINDS), WILD_MELD):
        counts = [int(v[part][relative, kind]) for part in ("naturals", "twos", "jokers")]
        if any(counts):
            name = "wilds" if kind == WILD_MELD else KINDS[kind]
            melds.append({"name": name, "naturals": counts[0], "twos": counts[1], "jokers": counts[2]})
    return {
        "score": int(v["scores"][relative]),
        "minimum": int(v["minimum"][relative]),
        "has_opened": bool(v["opened"][relative]),
        "melds": melds,
        "threes": threes,
    }


def card_names(counts: NDArray[np.int8]) -> list[str]:
    """The cards of counts per kind by name, as people sort them."""
    return [KINDS[kind] for kind in _DISPLAY_ORDER for _ in range(int(counts[kind]))]
