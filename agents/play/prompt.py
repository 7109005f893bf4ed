"""The one line that says what can be done now, in the words of the game."""

from __future__ import annotations

from collections.abc import Sequence

from canasta_agents.play.messages import illegal_reason, reason_in_words
from canasta_agents.play.selection import own_melds, taken_card
from canasta_env import Table
from canasta_env.engine.state import MAY_GO_OUT, MUST_GO_OUT, REFUSED

_ANSWERS = {
    REFUSED: "Your partner said no: you cannot go out this turn.",
    MAY_GO_OUT: "Your partner said yes: you may go out this turn.",
    MUST_GO_OUT: "Your partner said yes: you must go out this turn, so nothing else is offered.",
}


def prompt(table: Table) -> dict[str, str]:
    """What the seat to move can do, from what it knows.

    Returns:
        `text`, and the `clauses` of the rules behind a reason in it, for who asks for them.
    """
    legal = table.legal()
    if table.phase == "answer":
        return _said("Your partner asks: may I go out? Answer yes or no.")
    if table.phase == "draw":
        return _to_draw(table, legal)
    assert table.to_play is not None
    answer = _ANSWERS.get(int(table.view(table.to_play)[0]["answer"]))
    now = _to_pick_up(table, legal) if taken_card(table) is not None else _to_lay(table, legal)
    return {**now, "text": f"{answer} {now['text']}"} if answer else now


def _said(text: str) -> dict[str, str]:
    return {"text": text, "clauses": ""}


def _to_draw(table: Table, legal: Sequence[str]) -> dict[str, str]:
    draw = "Draw from the stock" if table.stock_size else "The stock is empty: to draw ends the deal"
    if any(action.startswith("take") for action in legal):
        return _said(f"{draw}, or take the pile with {_named(table.pile[-1])} on top.")
    why = reason_in_words(table, illegal_reason(table, "take"))
    return {**why, "text": f"{draw}. The pile cannot be taken: {why['text']}."}


def _to_pick_up(table: Table, legal: Sequence[str]) -> dict[str, str]:
    if legal == ["pick up"]:
        return _said("Pick up the rest of the pile.")
    took = f"You took the pile with {_named(taken_card(table) or '')} on top"
    if "pick up" in legal:
        return _said(f"{took}: pick up the rest, or lay more first.")
    return _said(f"{took}: {_opening(table)} before you pick up the rest.")


def _to_lay(table: Table, legal: Sequence[str]) -> dict[str, str]:
    can_lay = any(action.startswith(("meld ", "add ")) for action in legal)
    can_discard = any(action.startswith("discard ") for action in legal)
    ask = " You may ask your partner whether to go out." if "ask" in legal else ""
    if not can_discard:
        return _said(f"{_before_discarding(table)}{ask}")
    if not can_lay:
        return _said(f"Discard a card to end your turn.{ask}")
    opened = "" if _has_opened(table) or own_melds(table) else _to_open(table)
    return _said(f"Select cards to lay{opened}, or discard one to end your turn.{ask}")


def _before_discarding(table: Table) -> str:
    if not _has_opened(table) and own_melds(table):
        return f"Your opening is not complete: {_opening(table)}, or undo, before you discard."
    return "Lay cards: no discard is possible yet."


def _to_open(table: Table) -> str:
    return f" (your side opens with {_minimum(table)} points)"


def _opening(table: Table) -> str:
    """What an opening under way still needs."""
    assert table.to_play is not None
    points, minimum = int(table.view(table.to_play)[0]["opening_points"]), _minimum(table)
    if points >= minimum:
        return "lay what the opening still needs"
    return f"lay {minimum - points} more points ({points} of {minimum})"


def _minimum(table: Table) -> int:
    assert table.to_play is not None
    return int(table.view(table.to_play)[0]["minimum"][0])


def _has_opened(table: Table) -> bool:
    assert table.to_play is not None
    return bool(table.view(table.to_play)[0]["opened"][0])


def _named(kind: str) -> str:
    article = "an" if kind in ("A", "8") else "a"
    return f"{article} {kind}"
