"""Why something is not offered: the reasons of the rules for what a card, a meld or the pile suggests."""

from __future__ import annotations

from collections import Counter

from canasta_agents.play.errors import PlayError
from canasta_env import Table
from canasta_env.actions import ID_OF, NOTATIONS
from canasta_env.explain import IllegalActionError

_WILDS = ("2", "joker")


def refusals(table: Table, target: str) -> list[dict[str, str]]:
    """Why the actions that a target suggests cannot be played; only what the seat to move knows matters.

    Args:
        table: The table; somebody is to move.
        target: "stock", "pile", "card:K" of the hand, or "meld:K" of the own side.

    Returns:
        `action` and `reason` of each; none where everything it suggests is legal.

    Raises:
        PlayError: If there is no such target.
    """
    legal = set(table.legal())
    suggested = [action for action in _suggested(table, target) if action not in legal]
    return [{"action": action, "reason": _reason(table, action)} for action in suggested]


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
        raise PlayError(f"target: {target!r} must be stock, pile, a card of the hand or a meld of the side")
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


def _reason(table: Table, action: str) -> str:
    try:
        table.copy().play(action)
    except IllegalActionError as error:
        return str(error).partition(": ")[2].rpartition("; legal: ")[0]
    raise AssertionError(f"{action} is legal after all")
