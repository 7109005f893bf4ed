"""Why the pile cannot be taken or picked up (R-TAKE)."""

from __future__ import annotations

from canasta_env.actions import TAKE, TAKE_WITH_TWO
from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, JOKER, KINDS, TWO
from canasta_env.engine.melds import PAIR
from canasta_env.engine.state import NO_CARD
from canasta_env.explain.situation import Situation, count


def take_fault(now: Situation, action: int) -> str:
    """What forbids to take the pile with a pair, or with a natural and a wild; empty if no clause does."""
    if fault := _pile_fault(now):
        return fault
    if action == TAKE:
        return _pair_fault(now)
    return _wild_fault(now, TWO if action == TAKE_WITH_TWO else JOKER)


def _pile_fault(now: Situation) -> str:
    if now.top == NO_CARD:
        return "the pile is empty (R-TAKE-1)"
    top = KINDS[now.top]
    if now.top <= BLACK_THREE:
        return f"the top card is a {top} (R-TAKE-1)"
    if not now.is_modern:
        return ""
    if now.stock_is_empty:
        return "the stock is empty, and nobody plays on from the pile (R-TURN-3)"
    if now.is_closed(now.top):
        return f"the rank {top} is closed by a clean canasta (R-MELD-7)"
    size = now.meld(now.top).size
    if size + PAIR + 1 > CANASTA_SIZE:
        has = f"the side's meld of {top} has {count(size, 'card')}"
        return f"{has}, and the pile can join only three or four (R-TAKE-2)"
    return ""


def _pair_fault(now: Situation) -> str:
    if now.hand(now.top) >= PAIR:
        return ""
    if now.wild_frozen:
        return f"the pile is wild-frozen and {now.held(now.top)} (R-TAKE-3)"
    if not now.opened:
        return f"{now.held(now.top)}, and a side that has not opened needs a natural pair (R-TAKE-5)"
    return f"{now.held(now.top)}, and a natural pair is needed (R-TAKE-2)"


def _wild_fault(now: Situation, wild: int) -> str:
    if now.is_modern:
        return "Modern takes the pile with a natural pair only (R-TAKE-3)"
    for kind in (now.top, wild):
        if now.hand(kind) == 0:
            return f"{now.held(kind)} (R-TAKE-3)"
    if not now.opened:
        return f"side {now.side} has not opened, and only a natural pair takes for it (R-TAKE-3)"
    if now.wild_frozen:
        return "the pile is wild-frozen, and only a natural pair takes it (R-TAKE-3)"
    meld, top = now.meld(now.top), KINDS[now.top]
    if meld.wilds + 1 > now.rules.max_wilds_in_meld:
        return f"the meld of {top} would hold {count(meld.wilds + 1, 'wild')} (R-MELD-2)"
    return ""


def pick_up_fault(now: Situation) -> str:
    """What forbids to pick up a taken pile; empty if no clause does."""
    if now.taken == NO_CARD:
        return "no pile waits to be picked up: that follows a take by a side that has not opened (R-TAKE-5)"
    return now.opening_fault()
