"""Whether the flags of a position fit together, and whether the turn under way can be completed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import ASK, NUM_ACTIONS
from canasta_env.cards import FIRST_RANK, KINDS, NUM_CARDS
from canasta_env.engine.batch import mask_one
from canasta_env.engine.melds import MELD_START
from canasta_env.engine.state import (
    MAX_SEATS,
    NO_CARD,
    NOBODY,
    NOT_ASKED,
    PHASE_ANSWER,
    PHASE_OVER,
    PHASE_PLAY,
    PHASES,
    rules_record,
)
from canasta_env.positions.facts import has_opening_under_way, meld_kinds, meld_points, turn_seat
from canasta_env.positions.forms import PositionError
from canasta_env.positions.naming import meld_name
from canasta_env.rules import Rules


def check_turn(rules: Rules, state: NDArray[np.void]) -> None:
    """Check the flags of the turn, of the seats and of the deal's end in a `(1,) STATE`.

    Raises:
        PositionError: Names the key and the clause.
    """
    s = state[0]
    _check_end(rules, s)
    if s["phase"] in (PHASE_PLAY, PHASE_ANSWER):
        _check_opening(rules, s)
        _check_begun(rules, s)
        _check_taken(rules, s)
        _check_question(rules, s)
    else:
        _check_no_turn(s)
    _check_asked(rules, s)
    _check_melded(rules, s)
    _check_completable(rules, state)


def _check_no_turn(s: Any) -> None:
    flags = {
        "opening_points": s["opening_points"] != 0,
        "taken": s["taken"] != NO_CARD,
        "can_ask": s["can_ask"],
        "answer": s["answer"] != NOT_ASKED,
        "melded_now": s["melded_now"],
        "begun": s["begun"].any(),
        "joined_earlier": s["joined_earlier"],
    }
    for key, is_set in flags.items():
        if is_set:
            raise PositionError(
                f'{key}: a flag of the turn cannot be set in phase "{PHASES[s["phase"]]}" (R-TURN)'
            )


def _check_end(rules: Rules, s: Any) -> None:
    seat = int(s["went_out"])
    if seat == NOBODY:
        if s["concealed"]:
            raise PositionError("concealed: True, but went_out names no seat (R-OUT-4)")
        return
    if s["phase"] != PHASE_OVER:
        raise PositionError(
            f'went_out: {seat}, but the phase is "{PHASES[s["phase"]]}" and not "over" (R-OUT-2)'
        )
    if s["hand_size"][seat]:
        raise PositionError(f"went_out: {seat}, but hands[{seat}] is not empty (R-OUT-2)")
    canastas = s["canastas"][rules.side_of(seat)]
    if canastas < rules.canastas_to_go_out:
        raise PositionError(
            f"went_out: {seat}, but the side has {canastas} of the {rules.canastas_to_go_out} canastas"
            " (R-OUT-1)"
        )
    if s["concealed"] and rules.is_modern:
        raise PositionError("concealed: True, but Modern knows no concealed going out (R-OUT-4)")


def _check_opening(rules: Rules, s: Any) -> None:
    side = rules.side_of(turn_seat(s))
    points = meld_points(s, side) if has_opening_under_way(rules, s) else 0
    if s["opening_points"] != points:
        because = f"the opening under way holds {points} points" if points else "no opening is under way"
        raise PositionError(f"opening_points: {s['opening_points']}, but {because} (R-OPEN-2)")


def _check_begun(rules: Rules, s: Any) -> None:
    melds = set(meld_kinds(s, rules.side_of(turn_seat(s))))
    begun = set(np.flatnonzero(s["begun"]).tolist())
    for kind in sorted(begun - melds):
        raise PositionError(f"begun: {meld_name(kind)}, but the side to move has no such meld")
    if s["joined_earlier"] and not melds - begun:
        raise PositionError("joined_earlier: True, but every meld of the side to move was begun in this turn")
    if has_opening_under_way(rules, s) and melds != begun:
        names = ", ".join(meld_name(kind) for kind in sorted(melds - begun))
        raise PositionError(
            f"begun: in an opening every meld was begun in this turn, but not {names} (R-OPEN)"
        )
    if "black3" in map(meld_name, melds - begun):
        raise PositionError("begun: black threes are melded only in the turn under way (R-MELD-8)")
    has_melded = bool(begun or s["joined_earlier"] or s["taken"] != NO_CARD)
    if s["melded_now"] != has_melded:
        raise PositionError(
            f"melded_now: {not has_melded}, but begun, joined_earlier and taken say that"
            f" {'something' if has_melded else 'nothing'} was melded or taken in this turn"
        )


def _check_taken(rules: Rules, s: Any) -> None:
    """R-TAKE-5: between `take` and `pick up`."""
    kind = int(s["taken"])
    if kind == NO_CARD:
        return
    side = rules.side_of(turn_seat(s))
    fault = ""
    if s["phase"] != PHASE_PLAY:
        fault = 'only in phase "play"'
    elif kind < FIRST_RANK:
        fault = "only a card of a rank can be taken (R-TAKE-1)"
    elif s["opened"][side]:
        fault = f"side {side} has opened, so the pile came into the hand at once (R-TAKE-5)"
    elif rules.is_modern:
        fault = _modern_take_fault(s, kind)
    elif s["naturals"][side, kind] < MELD_START:
        fault = (
            f"the pair and the top card are not melded: side {side} has no three naturals of it (R-TAKE-5)"
        )
    if fault:
        raise PositionError(f"taken: {KINDS[kind]}: {fault}")


def _modern_take_fault(s: Any, kind: int) -> str:
    if s["pile_size"] == 0 or s["pile"][s["pile_size"] - 1] != kind:
        return "it must be the top card of the pile until `pick up` (R-TAKE-5)"
    if s["closed"][kind]:
        return "the rank is closed (R-MELD-7)"
    if s["next_card"] == NUM_CARDS:
        return "nobody plays on from the pile when the stock is empty (R-TURN-3)"
    return ""


def _check_question(rules: Rules, s: Any) -> None:
    """R-OUT-3."""
    seat = turn_seat(s)
    is_partnership = rules.players == MAX_SEATS
    if s["phase"] == PHASE_ANSWER:
        if not is_partnership:
            raise PositionError('phase: "answer" needs a partner, so four players (R-OUT-3)')
        if s["answer"] != NOT_ASKED or s["can_ask"]:
            key = "can_ask" if s["can_ask"] else "answer"
            raise PositionError(
                f'{key}: cannot be set while the partner is asked, in phase "answer" (R-OUT-3)'
            )
    if (s["answer"] != NOT_ASKED or s["phase"] == PHASE_ANSWER) and not s["asked"][seat]:
        raise PositionError(f"asked[{seat}]: False, but seat {seat} has asked in this turn (R-OUT-3)")
    if s["can_ask"]:
        fault = _question_fault(rules, s, seat)
        if fault:
            raise PositionError(f"can_ask: True, but {fault} (R-OUT-3)")


def _check_asked(rules: Rules, s: Any) -> None:
    if rules.players == MAX_SEATS:
        return
    for key in ("can_ask", "asked"):
        if s[key].any():
            raise PositionError(
                f"{key}: nobody asks without a partner, with {rules.players} players (R-OUT-3)"
            )


def _question_fault(rules: Rules, s: Any, seat: int) -> str:
    if s["taken"] != NO_CARD:
        return "the pile was taken by a side that had not opened"
    if s["answer"] != NOT_ASKED:
        return "the partner has answered in this turn"
    if rules.is_modern and s["asked"][seat]:
        return f"seat {seat} has asked in this deal"
    if s["melded_now"] and not _has_only_taken(rules, s, seat):
        return "the player has melded in this turn"
    return ""


def _has_only_taken(rules: Rules, s: Any, seat: int) -> bool:
    """Whether what was melded in this turn may be a take and no more, by a side that had opened."""
    side = rules.side_of(seat)
    begun = np.flatnonzero(s["begun"]).tolist()
    if s["pile_size"] or not s["opened"][side] or len(begun) + int(s["joined_earlier"]) != 1:
        return False
    return not begun or bool(
        sum(s[part][side, begun[0]] for part in ("naturals", "twos", "jokers")) == MELD_START
    )


def _check_melded(rules: Rules, s: Any) -> None:
    """R-OUT-4: who melded in an earlier turn, against what lies there since."""
    turn_side = NOBODY if turn_seat(s) == NOBODY else rules.side_of(turn_seat(s))
    for side in range(rules.num_sides):
        seats = range(side, rules.players, rules.num_sides)
        earlier = set(meld_kinds(s, side))
        if side == turn_side:
            earlier -= set(np.flatnonzero(s["begun"]).tolist())
        has_melded = [seat for seat in seats if s["melded"][seat]]
        if earlier and not has_melded:
            raise PositionError(f"melded: nobody, but side {side} has melds from earlier turns (R-OUT-4)")
        if has_melded and not earlier:
            raise PositionError(
                f"melded[{has_melded[0]}]: True, but side {side} has no meld from an earlier turn (R-OUT-4)"
            )


def _check_completable(rules: Rules, state: NDArray[np.void]) -> None:
    """R-TURN-4: a player to move has a legal action, and a player who asked was allowed to."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    if state["phase"][0] == PHASE_ANSWER:
        before = state.copy()
        before["phase"], before["to_play"], before["can_ask"] = PHASE_PLAY, turn_seat(state[0]), 1
        mask_one(rules_record(rules), before, 0, mask)
        if not mask[ASK]:
            raise PositionError(
                f'phase: "answer", but seat {turn_seat(state[0])} could not ask:'
                " the turn cannot be completed both by going out and without (R-OUT-3)"
            )
        return
    mask_one(rules_record(rules), state, 0, mask)
    if state["phase"][0] != PHASE_OVER and not mask.any():
        raise PositionError(
            f"phase: seat {state['to_play'][0]} has no legal action: the turn cannot be completed (R-TURN-4)"
        )
