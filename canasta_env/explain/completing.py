"""Why an action that its own clauses allow would leave a turn that cannot be completed (R-TURN-4).

What stands in the way is found by asking the engine what were legal if it did not: with a lower opening
minimum, with cards to spare, with fewer canastas to go out, without the partner's answer.
"""

from __future__ import annotations

from canasta_env.actions import ADD_BLACK_THREE, MELD_BLACK_THREES, TAKE
from canasta_env.engine.state import MUST_GO_OUT, NO_CARD, NOT_ASKED, REFUSED
from canasta_env.explain.situation import Situation, count, in_words

_TO_GO_ON = 2  # cards: one to discard, one to keep
_KEEP = "it would leave no card to discard and one to keep"


def completion_fault(now: Situation, action: int) -> str:
    """Why the turn could not be completed after an action that is allowed by itself."""
    if now.answer == REFUSED and now.would_be_legal(action, answer=NOT_ASKED):
        return "the partner has said no, and after it the turn could only end by going out (R-OUT-3)"
    if now.must_go_out or action in (MELD_BLACK_THREES, ADD_BLACK_THREE):
        return _going_out_fault(now, action)
    if now.opened:
        return _keeping_fault(now, action)
    return _opening_fault(now, action)


def _going_out_fault(now: Situation, action: int) -> str:
    if now.answer == MUST_GO_OUT:
        why, clause = "the partner has said yes, so the turn must end by going out", "R-OUT-3"
    else:
        why, clause = "with black threes melded the turn must end by going out", "R-MELD-8"
    if now.answer == REFUSED:
        return f"{why}, and the partner has said no ({clause}, R-OUT-3)"
    if now.would_be_legal(action, canastas_to_go_out=0):
        needed = count(now.rules.canastas_to_go_out, "canasta")
        return f"{why}, which needs {needed}, and the side would come to fewer ({clause}, R-OUT-1)"
    if not now.opened and now.would_be_legal(action, minimum=0):
        return f"{why}, and the opening would not reach {now.minimum} points ({clause}, R-OPEN-6)"
    return f"{why}, and after it the rest of the hand could not be laid ({clause})"


def _keeping_fault(now: Situation, action: int) -> str:
    if now.would_be_legal(action, canastas_to_go_out=0):
        return f"{_KEEP}, and {_missing_canastas(now)} (R-TURN-4, R-OUT-1)"
    if now.is_modern:
        return f"{_KEEP}, and Modern goes out only by discarding the last card (R-TURN-4, R-OUT-2)"
    return f"{_KEEP} (R-TURN-4)"


def _missing_canastas(now: Situation) -> str:
    needed = count(now.rules.canastas_to_go_out, "canasta")
    return f"going out needs {needed}; the side has {in_words(now.canastas)}"


def _opening_fault(now: Situation, action: int) -> str:
    if now.would_be_legal(action, minimum=0):
        most = _most_points(now, action)
        source = " from the hand" if now.is_modern and (action == TAKE or now.taken != NO_CARD) else ""
        needed = f"the opening needs {now.minimum} points{source}"
        return f"{needed} and could come to {most} at most (R-OPEN-1, R-TURN-4)"
    if now.would_be_legal(action, spare_cards=_TO_GO_ON):
        return f"{_KEEP}, and going out is not possible in this turn (R-OPEN, R-TURN-4)"
    if now.would_be_legal(action, minimum=0, spare_cards=_TO_GO_ON):
        both = f"{now.minimum} points, a card to discard and one to keep"
        return f"the hand does not have all that the opening needs: {both} (R-OPEN-1, R-TURN-4)"
    if now.would_be_legal(action, minimum=0, spare_cards=_TO_GO_ON, without_take=True):
        return "the top card would find no meld of at most six cards and no pair in hand (R-TAKE-5, R-TURN-4)"
    return "the opening could not hold a clean meld or a wild meld (R-OPEN-3, R-TURN-4)"


def _most_points(now: Situation, action: int) -> int:
    """The highest opening minimum with which the action were legal."""
    reached, missed = 0, now.minimum
    while missed - reached > 1:
        middle = (reached + missed) // 2
        if now.would_be_legal(action, minimum=middle):
            reached = middle
        else:
            missed = middle
    return reached
