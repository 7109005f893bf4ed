"""Hand-made positions: cards as text, and whatever a test does not name as unremarkable as can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any

from canasta_env import Rules, Table
from canasta_env import classic as classic_rules
from canasta_env import modern_american as modern_rules
from canasta_env.cards import COPIES, KINDS, RANKS

COPIES_OF = dict(zip(KINDS, COPIES, strict=True))
WILDS = ("2", "joker")


def classic(hand: str = "", *, players: int = 4, **named: Any) -> Table:
    """A table of Classic; see `position`."""
    return Table.from_position(position(classic_rules(players), hand, **named))


def modern(hand: str = "", **named: Any) -> Table:
    """A table of Modern American; see `position`."""
    return Table.from_position(position(modern_rules(), hand, **named))


def position(
    rules: Rules,
    hand: str,
    *,
    seat: int = 0,
    hands: dict[int, str] | None = None,
    melds: Iterable[str] = (),
    their_melds: Iterable[str] = (),
    threes: str = "",
    their_threes: str = "",
    pile: str | None = None,
    stock: str = "",
    whole_stock: str | None = None,
    score: int = 0,
    their_score: int = 0,
    phase: str = "play",
    **flags: Any,
) -> dict[str, Any]:
    """A whole position, seen from the seat to play.

    Args:
        rules: The game.
        hand: Cards of the seat to play, e.g. `"K K 4 joker"`.
        seat: The seat to play.
        hands: Cards of other seats; a seat not named holds one card of a rank that plays no part.
        melds: Melds of the own side, one text each, e.g. `["Q Q Q 2", "2 2 joker"]`.
        their_melds: Melds of the next seat's side.
        threes: Threes laid by the own side.
        their_threes: Threes laid by the next seat's side.
        pile: Top card last; one card of a rank that plays no part if None.
        stock: What is drawn next; the cards not named anywhere lie below, in kind order.
        whole_stock: The stock to its last card; the cards not named anywhere are the last seat's.
        score: Match score of the own side.
        their_score: Match score of the next seat's side.
        phase: "draw", "play" or "over".
        flags: Any key of a position, as it is.
    """
    next_seat = (seat + 1) % rules.players
    mine, theirs = rules.side_of(seat), rules.side_of(next_seat)
    held = {seat: hand.split()} | {other: cards.split() for other, cards in (hands or {}).items()}
    laid = {mine: [meld.split() for meld in melds], theirs: [meld.split() for meld in their_melds]}
    laid_threes = {mine: threes.split(), theirs: their_threes.split()}
    drawn_next = (stock if whole_stock is None else whole_stock).split()
    discards = None if pile is None else pile.split()

    unnamed = Counter(COPIES_OF)
    for cards in (*held.values(), *chain(*laid.values()), *laid_threes.values(), drawn_next, discards or []):
        unnamed.subtract(cards)
    assert min(unnamed.values()) >= 0, f"more cards than the deck holds: {-unnamed}"
    discards = [_fill(unnamed)] if discards is None else discards
    held = {other: held[other] if other in held else [_fill(unnamed)] for other in range(rules.players)}

    rest = [kind for kind in KINDS for _ in range(unnamed[kind])]
    if whole_stock is None:
        drawn_next += rest
    else:
        to_lay = ("red3", "black3") if rules.lays_black_threes else ("red3",)
        last_seat = (seat - 1) % rules.players
        laid_threes.setdefault(rules.side_of(last_seat), []).extend(kind for kind in rest if kind in to_lay)
        held[last_seat] += [kind for kind in rest if kind not in to_lay]

    sides, seats = range(rules.num_sides), range(rules.players)
    scores = {mine: score, theirs: their_score}
    return {
        "game": rules.game,
        "players": rules.players,
        "target": rules.target,
        "dealer": rules.players - 1,
        "scores": [scores.get(side, 0) for side in sides],
        "hands": [_count(held[other]) for other in seats],
        "melds": [_melds(laid.get(side, [])) for side in sides],
        "threes": [_count(laid_threes.get(side, [])) for side in sides],
        "pile": discards,
        "stock": drawn_next,
        "wild_frozen": False,
        "to_play": None if phase == "over" else seat,
        "phase": phase,
        "opened": [bool(laid.get(side)) for side in sides],
        "opening_points": 0,
        "taken": None,
        "can_ask": False,
        "answer": None,
        "asked": [False for _ in seats],
        "melded": [bool(laid.get(rules.side_of(other))) for other in seats],
        "melded_now": False,
        "begun": [],
        "joined_earlier": False,
        "went_out": None,
        "concealed": False,
        "turn": 9,
        "discarded": [{} for _ in seats],
        "known": [{} for _ in seats],
        "piles_taken": [0 for _ in seats],
    } | flags


def order_of(first: list[str]) -> list[str]:
    """A deck that begins with these cards; the others follow, from the aces down to the jokers."""
    unnamed = Counter(COPIES_OF)
    unnamed.subtract(first)
    assert min(unnamed.values()) >= 0, f"more cards than the deck holds: {-unnamed}"
    return first + [kind for kind in reversed(KINDS) for _ in range(unnamed[kind])]


def play(table: Table, *actions: str) -> Table:
    """Play several actions; returns the table."""
    for action in actions:
        table.play(action)
    return table


def is_legal(table: Table, *actions: str) -> bool:
    """Whether the first action is legal, and each further one after it; the table stays as it is."""
    line = table.copy()
    for action in actions:
        if action not in line.legal():
            return False
        line.play(action)
    return True


def discards(table: Table) -> list[str]:
    """The kinds that may be discarded now."""
    return [action.removeprefix("discard ") for action in table.legal() if action.startswith("discard ")]


def melding(table: Table) -> list[str]:
    """The legal melds and additions."""
    return [action for action in table.legal() if action.startswith(("meld ", "add "))]


def _fill(unnamed: Counter[str]) -> str:
    kind = max(RANKS, key=lambda rank: unnamed[rank])
    unnamed[kind] -= 1
    return kind


def _count(cards: list[str]) -> dict[str, int]:
    counts = Counter(cards)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def _melds(melds: list[list[str]]) -> dict[str, list[int]]:
    named = {}
    for cards in melds:
        naturals = [card for card in cards if card not in WILDS]
        assert len(set(naturals)) <= 1, f"{cards} is not one meld"
        name = naturals[0] if naturals else "wilds"
        assert name not in named, f"two melds of {name}"
        named[name] = [len(naturals), cards.count("2"), cards.count("joker")]
    return named
