"""A table, or what one seat knows of it, in text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, JOKER, KINDS, NUM_KINDS, RED_THREE, TWO
from canasta_env.engine.state import MAY_GO_OUT, MUST_GO_OUT, NO_CARD, NOBODY, PHASES, REFUSED, WILD_MELD
from canasta_env.rules import Rules

WIDTH = 100
GAME_NAMES = {"classic": "Classic Canasta", "modern_american": "Modern American Canasta"}
_ANSWERS = {
    REFUSED: "partner said no",
    MUST_GO_OUT: "partner said yes: must go out",
    MAY_GO_OUT: "partner said yes: may go out",
}


def picture(rules: Rules, views: NDArray[np.void]) -> str:
    """A readable picture of the open table, all hands face up.

    Args:
        rules: The game.
        views: `(players,) VIEW`, what each seat knows.
    """
    return "\n".join(_lines(rules, views[0], [kinds_of(view["hand"]) for view in views]))


def view_picture(rules: Rules, view: NDArray[np.void]) -> str:
    """A readable picture of what one seat knows; of the other hands only the numbers, and the cards known.

    Args:
        rules: The game.
        view: `(1,) VIEW`.
    """
    hands: list[list[int] | None] = [None] * rules.players
    hands[int(view[0]["seat"])] = kinds_of(view[0]["hand"])
    return "\n".join(_lines(rules, view[0], hands))


def kinds_of(counts: NDArray[np.int8]) -> list[int]:
    """Cards one by one, from cards per kind."""
    kinds: list[int] = np.repeat(np.arange(NUM_KINDS), counts).tolist()
    return kinds


def _names(kinds: Sequence[int]) -> str:
    return " ".join(KINDS[kind] for kind in kinds)


def _lines(rules: Rules, v: Any, hands: Sequence[list[int] | None]) -> Iterator[str]:
    """The picture, line by line; `v` is a record of VIEW, hands are None where they are hidden."""
    yield f"{GAME_NAMES[rules.game]}, {rules.players} players, to {rules.target:,}"
    yield f"turn {v['turn']}: {_status(rules, v)}"
    yield from _pile(v)
    viewer = int(v["seat"])
    for side in range(rules.num_sides):
        relative_side = (side - viewer) % rules.num_sides
        seats = range(side, rules.players, rules.num_sides)
        yield from _side(rules, v, side, relative_side, seats)
        for seat in seats:
            yield from _seat(v, seat, (seat - viewer) % rules.players, hands[seat])


def _status(rules: Rules, v: Any) -> str:
    if PHASES[v["phase"]] == "over":
        return outcome(rules, v)
    seat = (int(v["to_play"]) + int(v["seat"])) % rules.players
    return ", ".join([f'seat {seat} to play, phase "{PHASES[v["phase"]]}"', *turn_facts(v)])


def outcome(rules: Rules, v: Any) -> str:
    """How a deal that is over has ended; `v` is a record of VIEW."""
    if v["went_out"] == NOBODY:
        return "the deal is over, nobody went out"
    seat = (int(v["went_out"]) + int(v["seat"])) % rules.players
    return f"the deal is over, seat {seat} went out{', concealed' if v['concealed'] else ''}"


def turn_facts(v: Any) -> Iterator[str]:
    """What the turn under way has brought; `v` is a record of VIEW."""
    if v["opening_points"]:
        yield f"opening at {v['opening_points']} points"
    if v["taken"] != NO_CARD:
        yield f"took the pile with {KINDS[v['taken']]} on top"
    if int(v["answer"]) in _ANSWERS:
        yield _ANSWERS[int(v["answer"])]


def _pile(v: Any) -> Iterator[str]:
    yield f"stock: {_cards(int(v['stock_size']))}"
    frozen = ", wild-frozen" if v["wild_frozen"] else ""
    names = _names(v["pile"][: v["pile_size"]])
    yield from _wrapped(f"pile:  {_cards(int(v['pile_size']))}{frozen}", names)


def _side(rules: Rules, v: Any, side: int, relative: int, seats: Sequence[int]) -> Iterator[str]:
    who = f"seats {seats[0]} and {seats[1]}" if len(seats) > 1 else f"seat {seats[0]}"
    state = "opened" if v["opened"][relative] else f"opens with {v['minimum'][relative]} points"
    yield ""
    yield f"side {side} ({who}): score {int(v['scores'][relative]):,}, {state}"
    for kind in range(NUM_KINDS):
        meld = [int(v[part][relative, kind]) for part in ("naturals", "twos", "jokers")]
        if any(meld):
            yield from _wrapped(f"  {_meld_title(kind, meld)}", _meld(kind, meld))
    laid = [RED_THREE] * int(v["red_threes"][relative]) + [BLACK_THREE] * int(v["black_threes"][relative])
    if laid:
        yield f"  threes: {_names(laid)}"


def _meld_title(kind: int, meld: list[int]) -> str:
    if sum(meld) < CANASTA_SIZE:
        return "meld"
    if kind == WILD_MELD:
        return "wild canasta"
    return "mixed canasta" if meld[1] + meld[2] else "clean canasta"


def _meld(kind: int, meld: list[int]) -> str:
    naturals, twos, jokers = meld
    return _names([kind] * naturals + [TWO] * twos + [JOKER] * jokers)


def _seat(v: Any, seat: int, relative: int, hand: list[int] | None) -> Iterator[str]:
    is_to_play = relative == v["to_play"]
    dealer = ", dealer" if relative == v["dealer"] else ""
    title = f"{'>' if is_to_play else ' '} seat {seat}{dealer}: {_cards(int(v['hand_size'][relative]))}"
    if hand is not None:
        yield from _wrapped(title, _names(hand))
        return
    known = kinds_of(v["known"][relative])
    yield from _wrapped(f"{title}, known" if known else title, _names(known))


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def _wrapped(title: str, text: str) -> list[str]:
    """A title and what follows it, broken into lines of at most WIDTH."""
    indent = " " * (len(title) - len(title.lstrip()) + 4)
    return wrap(
        f"{title}: {text}" if text else title, WIDTH, subsequent_indent=indent, drop_whitespace=True
    ) or [title]
