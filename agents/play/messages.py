"""Messages of a table: the fields of those that come in, and the content of those that go out.

What a table looks like from a seat is made in `canasta_env.events`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from canasta_env import Table
from canasta_env.actions import ID_OF, NOTATIONS
from canasta_env.events import card_names
from canasta_env.explain import IllegalActionError

MAX_QUOTED = 80
MAX_REASON = 400
MAX_TEXT = 64  # characters of an action, a target, the address of a table
MAX_SPEC = 1_000  # characters of an agent's spec
_WILDS = ("2", "joker")
_CLAUSES = re.compile(r" ?\((R-[A-Z0-9-]+(?:, R-[A-Z0-9-]+)*)\)")  # as reasons name them
_THREES = re.compile(r"(?:\b(two|three|four|five|six|seven|\d+) )?\b(black|red)3\b")
_SEATS = re.compile(r"\bseats? (\d)(?: and (\d))?\b")
_PUBLIC_CLAUSES = ("melded_cards", "canastas", "threes")  # R-SCORE-1, R-SCORE-2, R-SCORE-4


class PlayError(ValueError):
    """A message that cannot be followed: says why, and what would be right. The table has not changed."""


class AgentError(PlayError):
    """What an agent did wrong, or did not do in time: with its name and seat as a log has them.

    Args:
        text: All of it.
        what: What it did, to follow the name by which people know it: "failed: out of luck".
    """

    def __init__(self, text: str, what: str) -> None:
        super().__init__(text)
        self.what = card_words(what)


def card_words(text: str) -> str:
    """A text in which the engine's "black3" and "red3" are words: "no black three", "two black threes"."""

    def spoken(found: re.Match[str]) -> str:
        number, colour = found.groups()
        return f"{number} {colour} threes" if number else f"{colour} three"

    return _THREES.sub(spoken, text)


def with_names(text: str, names: Sequence[str]) -> str:
    """A text in which the engine's "seat 1" and "seats 1 and 3" are the names of those seats."""
    return _SEATS.sub(lambda found: " and ".join(names[int(seat)] for seat in found.groups() if seat), text)


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


def open_hands(table: Table) -> list[dict[str, Any]]:
    """All hands face up, in the form of `events.view_message`: for those who watch and do not play."""
    hands = []
    for seat in range(table.rules.players):
        counts = table.view(seat)[0]["hand"]
        hands.append({"size": int(counts.sum()), "cards": card_names(counts), "known": []})
    return hands


def points_on_table(table: Table) -> list[dict[str, int]]:
    """What each side's laid cards come to so far: the clauses of the score that no hidden card changes."""
    return [{clause: getattr(score, clause) for clause in _PUBLIC_CLAUSES} for score in table.score()]


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
    text = card_words(_CLAUSES.sub("", reason).replace("`", ""))
    seat = table.to_play
    if seat is not None:
        text = text.replace(f"seat {seat} has", "you have")
        text = text.replace(f"side {table.rules.side_of(seat)} has", "your side has")
    return {"text": text.replace("the side has", "your side has"), "clauses": clauses}


def refusal(table: Table, error: IllegalActionError) -> str:
    """What an illegal action is answered with: the action, and the reason in words."""
    action, _, rest = str(error).partition(": ")
    reason = reason_in_words(table, rest.rpartition("; legal: ")[0])
    return f"{action.partition(' for seat ')[0]}: {reason['text']}"


def illegal_reason(table: Table, action: str) -> str:
    """Why an action is illegal, with its clauses; the table does not change."""
    try:
        table.copy().play(action)
    except IllegalActionError as error:
        return str(error).partition(": ")[2].rpartition("; legal: ")[0]
    raise AssertionError(f"{action} is legal after all")
