"""Messages of a table: the fields of those that come in, and the content of those that go out.

What goes out is made from the VIEW of one seat, so it holds no more than that seat knows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env import Rules, Table
from canasta_env.actions import ID_OF, NOTATIONS
from canasta_env.cards import BLACK_THREE, KINDS, NUM_KINDS, RED_THREE
from canasta_env.engine.state import MAY_GO_OUT, MUST_GO_OUT, NO_CARD, NOBODY, PHASES, REFUSED, WILD_MELD
from canasta_env.explain import IllegalActionError

MAX_QUOTED = 80
MAX_REASON = 400
MAX_TEXT = 64  # characters of an action, a target, the name of a table
_ANSWERS = {REFUSED: "no", MUST_GO_OUT: "yes", MAY_GO_OUT: "yes"}
_WILDS = ("2", "joker")
_CLAUSES = re.compile(r" ?\((R-[A-Z0-9-]+(?:, R-[A-Z0-9-]+)*)\)")  # as reasons name them
_PUBLIC_CLAUSES = ("melded_cards", "canastas", "threes")  # R-SCORE-1, R-SCORE-2, R-SCORE-4
_DISPLAY_ORDER = (RED_THREE, BLACK_THREE, *range(BLACK_THREE + 1, NUM_KINDS), KINDS.index("2"), WILD_MELD)


class PlayError(ValueError):
    """A message that cannot be followed: says why, and what would be right. The table has not changed."""


def quoted(value: object) -> str:
    """What was sent, as an error quotes it: at most `MAX_QUOTED` characters."""
    text = repr(value)
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"


def one_line(error: BaseException) -> str:
    """What an error says, as a browser is told it: one line of at most `MAX_REASON` characters."""
    text = " ".join(str(error).split())
    return text if len(text) <= MAX_REASON else f"{text[: MAX_REASON - 1]}…"


def text_of(message: Mapping[str, Any], key: str, max_length: int = MAX_TEXT) -> str:
    """A text in a message.

    Raises:
        PlayError: If it is missing, something else, or too long.
    """
    value = message.get(key)
    if not isinstance(value, str):
        raise PlayError(f"{key}: {quoted(value)} must be a text")
    if len(value) > max_length:
        raise PlayError(f"{key}: {quoted(value)} has {len(value)} characters; it may have {max_length}")
    return value


def whole_number_of(message: Mapping[str, Any], key: str, low: int, high: int) -> int:
    """A whole number in a message, from `low` to `high`.

    Raises:
        PlayError: If it is missing or something else.
    """
    value = message.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise PlayError(f"{key}: {quoted(value)} must be a whole number from {low} to {high}")
    return value


def truth_of(message: Mapping[str, Any], key: str) -> bool:
    """True or false in a message.

    Raises:
        PlayError: If it is missing or something else.
    """
    value = message.get(key)
    if not isinstance(value, bool):
        raise PlayError(f"{key}: {quoted(value)} must be true or false")
    return value


def choice_of(message: Mapping[str, Any], key: str, choices: Sequence[str]) -> str:
    """One of a few texts in a message.

    Raises:
        PlayError: If it is none of them; names them.
    """
    value = message.get(key)
    if not isinstance(value, str) or value not in choices:
        raise PlayError(f"{key}: {quoted(value)} must be one of {', '.join(choices)}")
    return value


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


def open_hands(table: Table) -> list[dict[str, Any]]:
    """All hands face up, in the form of `view_message`: for those who watch and do not play."""
    hands = []
    for seat in range(table.rules.players):
        counts = table.view(seat)[0]["hand"]
        hands.append({"size": int(counts.sum()), "cards": _names(counts), "known": []})
    return hands


def points_on_table(table: Table) -> list[dict[str, int]]:
    """What each side's laid cards come to so far: the clauses of the score that no hidden card changes."""
    return [{clause: getattr(score, clause) for clause in _PUBLIC_CLAUSES} for score in table.score()]


def _seat(relative: Any, viewer: int, rules: Rules) -> int | None:
    return None if relative == NOBODY else (int(relative) + viewer) % rules.players


def _hand(rules: Rules, v: Any, seat: int) -> dict[str, Any]:
    relative = (seat - int(v["seat"])) % rules.players
    is_own = relative == 0
    return {
        "size": int(v["hand_size"][relative]),
        "cards": _names(v["hand"]) if is_own else None,
        "known": [] if is_own else _names(v["known"][relative]),
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


def _names(counts: NDArray[np.int8]) -> list[str]:
    return [KINDS[kind] for kind in _DISPLAY_ORDER for _ in range(int(counts[kind]))]


def illegal_reasons(table: Table, target: str) -> list[dict[str, str]]:
    """Why the actions that a target suggests are illegal, in the words of the rules.

    Only what the seat to move knows matters.

    Args:
        table: The table; somebody is to move.
        target: "stock", "pile", "card:K" of the hand, or "meld:K" of the own side.

    Returns:
        `action` and `reason` of each, and the reason as `reason_in_words`; none where everything it suggests
        is legal.

    Raises:
        PlayError: If there is no such target.
    """
    legal = set(table.legal())
    suggested = [action for action in _suggested(table, target) if action not in legal]
    reasons = [illegal_reason(table, action) for action in suggested]
    return [
        {"action": action, "reason": reason, **reason_in_words(table, reason)}
        for action, reason in zip(suggested, reasons, strict=True)
    ]


def _suggested(table: Table, target: str) -> list[str]:
    seat = table.to_play
    assert seat is not None
    hand = Counter(table.hand(seat))
    sort, _, kind = target.partition(":")
    if target == "stock":
        return ["draw"]
    if target == "pile":
        wilds = [f"take with {wild}" for wild in _WILDS if hand[wild]]
        return ["take", *(wilds if table.phase == "draw" else ["pick up"])]
    melds = table.melds(table.rules.side_of(seat))
    if sort == "meld" and kind in melds:
        return [action for card in (kind, *_WILDS) if hand[card] for action in _additions(card, [kind])]
    if sort != "card" or not hand[kind]:
        raise PlayError(
            f"target: {quoted(target)} must be stock, pile, a card of the hand or a meld of the side"
        )
    additions = _additions(kind, [meld for meld in melds if kind in (meld, *_WILDS)])
    return [*_meldings(kind, hand), *additions, *_existing([f"discard {kind}"])]


def _meldings(kind: str, hand: Counter[str]) -> list[str]:
    """Melds of a kind that the hand has the cards for, or the plainest, to say what is missing."""
    plainest = _existing([f"meld {kind} {kind} {kind}"])
    wanted = [action for action in NOTATIONS if action.startswith("meld ") and kind in action.split()[1:]]
    at_hand = [action for action in wanted if not Counter(action.split()[1:]) - hand]
    return at_hand or plainest


def _additions(card: str, melds: list[str]) -> list[str]:
    return _existing([f"add {card}" if card == meld else f"add {card} to {meld}" for meld in melds])


def _existing(actions: list[str]) -> list[str]:
    return [action for action in actions if action in ID_OF]


def reason_in_words(table: Table, reason: str) -> dict[str, str]:
    """A reason as it is told to the seat to move: `text` without the clauses, and the `clauses` apart."""
    clauses = ", ".join(clause for group in _CLAUSES.findall(reason) for clause in group.split(", "))
    text = _CLAUSES.sub("", reason).replace("`", "")
    seat = table.to_play
    if seat is not None:
        text = text.replace(f"seat {seat} has", "you have")
        text = text.replace(f"side {table.rules.side_of(seat)} has", "your side has")
    return {"text": text.replace("the side has", "your side has"), "clauses": clauses}


def illegal_reason(table: Table, action: str) -> str:
    """Why an action is illegal, with its clauses; the table does not change."""
    try:
        table.copy().play(action)
    except IllegalActionError as error:
        return str(error).partition(": ")[2].rpartition("; legal: ")[0]
    raise AssertionError(f"{action} is legal after all")
