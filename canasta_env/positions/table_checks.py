"""Whether the cards of a position can lie as they do: melds, threes, hands, pile."""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.cards import (
    BLACK_THREE,
    CANASTA_SIZE,
    COPIES,
    FIRST_RANK,
    KINDS,
    RED_THREE,
    SEVEN,
)
from canasta_env.engine.melds import MELD_START, PAIR
from canasta_env.engine.state import NO_CARD, NOBODY, PHASE_OVER, PHASE_PLAY, WILD_MELD
from canasta_env.positions.facts import meld_kinds, turn_seat
from canasta_env.positions.forms import PositionError
from canasta_env.positions.naming import meld_name
from canasta_env.rules import Rules


def check_table(rules: Rules, s: Any) -> None:
    """Check what lies on the table and in the hands.

    Raises:
        PositionError: Names the key and the clause.
    """
    for side in range(rules.num_sides):
        for kind in meld_kinds(s, side):
            _check_meld(rules, s, side, kind)
        _check_side(rules, s, side)
    for seat in range(rules.players):
        _check_hand(rules, s, seat)
    _check_pile(rules, s)
    _check_frozen(rules, s)


def _check_meld(rules: Rules, s: Any, side: int, kind: int) -> None:
    naturals = int(s["naturals"][side, kind])
    wilds = int(s["twos"][side, kind] + s["jokers"][side, kind])
    if kind == WILD_MELD:
        reason = _wild_meld_fault(rules, naturals, wilds)
    elif kind == BLACK_THREE:
        reason = _black_three_fault(rules, s, side, naturals, wilds)
    elif naturals < PAIR or naturals + wilds < MELD_START:
        reason = "a meld of a rank is three or more cards, two of them naturals (R-MELD-1)"
    elif rules.is_modern:
        reason = _modern_fault(rules, kind, naturals, wilds)
    else:
        reason = _classic_fault(rules, naturals, wilds)
    if reason:
        parts = ", ".join(str(s[part][side, kind]) for part in ("naturals", "twos", "jokers"))
        raise PositionError(f"melds[{side}]: {meld_name(kind)} ({parts}): {reason}")


def _wild_meld_fault(rules: Rules, naturals: int, wilds: int) -> str:
    if not rules.is_modern:
        return "Classic has no wild meld (R-MELD-8)"
    if naturals or not MELD_START <= wilds <= CANASTA_SIZE:
        return "a wild meld is three to seven wilds (R-MELD-6)"
    return ""


def _black_three_fault(rules: Rules, s: Any, side: int, naturals: int, wilds: int) -> str:
    if rules.is_modern:
        return "threes are never melded (R-MELD-8)"
    if wilds or not MELD_START <= naturals <= COPIES[BLACK_THREE]:
        return "black threes are melded as three or four of them, without wilds (R-MELD-8)"
    seat = s["went_out"] if s["phase"] == PHASE_OVER else s["to_play"]
    if seat == NOBODY or rules.side_of(int(seat)) != side or s["phase"] not in (PHASE_PLAY, PHASE_OVER):
        return "black threes are melded only in the turn in which the player goes out (R-MELD-8)"
    return ""


def _classic_fault(rules: Rules, naturals: int, wilds: int) -> str:
    if wilds > rules.max_wilds_in_meld:
        return f"a meld holds at most {rules.max_wilds_in_meld} wilds (R-MELD-2)"
    if wilds >= naturals:
        return "a meld holds more naturals than wilds (R-MELD-2)"
    return ""


def _modern_fault(rules: Rules, kind: int, naturals: int, wilds: int) -> str:
    if naturals + wilds > CANASTA_SIZE:
        return "a meld is three to seven cards (R-MELD-3)"
    if wilds > rules.max_wilds_in_meld:
        return f"a meld holds at most {rules.max_wilds_in_meld} wilds (R-MELD-3)"
    if wilds and kind == SEVEN:
        return "sevens never take wilds (R-MELD-5)"
    return ""


def _check_side(rules: Rules, s: Any, side: int) -> None:
    """Opened or not, and what only an opening under way may hold."""
    melds = meld_kinds(s, side)
    if s["black_threes"][side] and not rules.is_modern:
        raise PositionError(f"threes[{side}]: black3: Classic lays red threes only (R-DEAL-2)")
    if s["opened"][side]:
        if not melds:
            raise PositionError(f"opened[{side}]: True, but side {side} has no meld (R-OPEN-2)")
        return
    if not melds:
        return
    seat = turn_seat(s)
    if s["phase"] != PHASE_PLAY or rules.side_of(seat) != side:
        raise PositionError(
            f"opened[{side}]: False, but side {side} has melds, and it is not the one to move in phase"
            ' "play"; an opening is completed in its turn (R-OPEN-5)'
        )
    growing = WILD_MELD in melds and s["twos"][side, WILD_MELD] + s["jokers"][side, WILD_MELD] < CANASTA_SIZE
    mixed = [kind for kind in melds if kind >= FIRST_RANK and _wilds(s, side, kind)]
    if growing and mixed:
        raise PositionError(
            f"melds[{side}]: an opening under way holds an unfinished wild meld and"
            f" {KINDS[mixed[0]]} with wilds (R-MELD-6)"
        )


def _wilds(s: Any, side: int, kind: int) -> int:
    return int(s["twos"][side, kind] + s["jokers"][side, kind])


def _check_hand(rules: Rules, s: Any, seat: int) -> None:
    hand = s["hand"][seat]
    if not rules.is_modern and hand[RED_THREE]:
        raise PositionError(f"hands[{seat}]: red3: a red three is laid, never held (R-DEAL-2)")
    if rules.is_modern and s["phase"] != PHASE_OVER and (hand[RED_THREE] or hand[BLACK_THREE]):
        three = KINDS[RED_THREE if hand[RED_THREE] else BLACK_THREE]
        raise PositionError(
            f"hands[{seat}]: {three}: a three is laid; one stays in a hand only"
            " when the deal is over (R-TURN-2)"
        )
    more = np.flatnonzero(s["known"][seat] > hand)
    if more.size:
        kind = more[0]
        raise PositionError(
            f"known[{seat}]: {s['known'][seat, kind]} {KINDS[kind]}, but the hand holds {hand[kind]} of them"
        )
    discarded = s["discarded"][seat]
    if discarded[RED_THREE] or (rules.is_modern and discarded[BLACK_THREE]):
        three = KINDS[RED_THREE if discarded[RED_THREE] else BLACK_THREE]
        raise PositionError(f"discarded[{seat}]: {three} cannot be discarded (R-DEAL-2, R-DISC-2)")
    if seat == turn_seat(s) and not hand.any() and s["taken"] == NO_CARD:
        raise PositionError(f"hands[{seat}]: empty, but a player to move holds at least one card (R-TURN)")


def _check_pile(rules: Rules, s: Any) -> None:
    pile = s["pile"][: s["pile_size"]].tolist()
    if rules.is_modern:
        for three in (RED_THREE, BLACK_THREE):
            if three in pile:
                raise PositionError(f"pile: {KINDS[three]}: no three comes into a Modern pile (R-DISC-2)")
        return
    turned = 0  # wilds and red threes turned up at the start
    while turned < len(pile) and pile[turned] < BLACK_THREE:
        turned += 1
    if RED_THREE in pile[turned:]:
        raise PositionError(
            "pile: red3 above other cards: a red three is turned at the start of the deal,"
            " with only wilds and red threes under it (R-DEAL-3)"
        )
    if pile and pile[-1] == RED_THREE and s["taken"] == NO_CARD:
        raise PositionError("pile: red3 on top: another card is turned on a red three (R-DEAL-3)")


def _check_frozen(rules: Rules, s: Any) -> None:
    pile = s["pile"][: s["pile_size"]]
    if not s["wild_frozen"]:
        if not rules.is_modern and (pile < BLACK_THREE).any():
            raise PositionError(
                "wild_frozen: False, but the pile holds a wild or a red three (R-DEAL-3, R-DISC-1)"
            )
    elif rules.is_modern:
        raise PositionError("wild_frozen: True, but a Modern pile is never wild-frozen (R-DEAL-3)")
    elif not pile.size and s["taken"] == NO_CARD:
        raise PositionError("wild_frozen: True, but the pile is empty (R-TAKE-6)")
