"""Why the partner cannot be asked (R-OUT-3)."""

from __future__ import annotations

from canasta_env.engine.state import MAX_SEATS, NOT_ASKED
from canasta_env.explain.situation import Situation, count

_TO_GO_ON = 2  # cards: one to discard, one to keep


def ask_fault(now: Situation) -> str:
    """What forbids to ask the partner."""
    if now.rules.players != MAX_SEATS:
        return f"with {now.rules.players} players there is no partner to ask (R-OUT-3)"
    if now.answer != NOT_ASKED:
        return "the partner has answered in this turn (R-OUT-3)"
    if now.is_modern and now.has_asked:
        return f"seat {now.seat} has asked in this deal already (R-OUT-3)"
    if not now.can_ask:
        return "asking is the first action after `draw`, or after a take by a side that had opened (R-OUT-3)"
    if now.hand_size < _TO_GO_ON:
        return "with one card in hand the turn could not be completed if the partner said no (R-OUT-3)"
    needed = count(now.rules.canastas_to_go_out, "canasta")
    return f"the turn cannot end by going out, which needs {needed} and a hand to lay (R-OUT-1, R-OUT-3)"
