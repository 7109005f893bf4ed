"""Why a card cannot be discarded (R-DISC, R-OUT)."""

from __future__ import annotations

from canasta_env.cards import ACE, BLACK_THREE, FIRST_RANK, KINDS, NUM_KINDS, SEVEN
from canasta_env.engine.state import NO_CARD
from canasta_env.engine.transition import discarded_kind
from canasta_env.explain.situation import Situation, count, in_words

_CLASSES = (  # R-DISC-3
    "naturals that are neither ace nor seven nor of a closed rank",
    "naturals of a closed rank, neither ace nor seven",
    "aces and sevens of ranks that are not closed",
    "aces and sevens of closed ranks",
)


def discard_fault(now: Situation, action: int) -> str:
    """What forbids a discard."""
    kind = int(discarded_kind(action))
    if now.is_modern and kind == BLACK_THREE:
        return "a three is never discarded in Modern (R-DISC-2)"
    if now.hand(kind) == 0:
        return f"{now.held(kind)} (R-DISC-1)"
    if now.taken != NO_CARD:
        return "the pile was taken, and no discard is possible before `pick up` (R-TAKE-5)"
    if now.melded_now and not now.opened and (fault := now.opening_fault()):
        return fault
    if now.hand_size == 1:
        return _last_card_fault(now)
    if now.must_go_out:
        return _must_go_out_fault(now)
    return _modern_fault(now, kind)


def _last_card_fault(now: Situation) -> str:
    needed, has = count(now.rules.canastas_to_go_out, "canasta"), in_words(now.canastas)
    return f"it is the last card, and going out needs {needed}; the side has {has} (R-OUT-1)"


def _must_go_out_fault(now: Situation) -> str:
    left = f"the discard would leave {count(now.hand_size - 1, 'card')}"
    if now.must_go_out_for_black_threes:
        return f"black threes were melded, so the turn must end by going out, and {left} (R-MELD-8)"
    return f"the partner has said yes, so the turn must end by going out, and {left} (R-OUT-3)"


def _modern_fault(now: Situation, kind: int) -> str:
    if kind < FIRST_RANK:
        return "a wild is discarded only to go out, or from a hand of wilds only (R-DISC-2)"
    held = [_discard_class(now, rank) for rank in range(FIRST_RANK, NUM_KINDS) if now.hand(rank) > 0]
    first = _CLASSES[min(held)]
    return f"the pile is empty, and the hand holds {first}, which go before {KINDS[kind]} (R-DISC-3)"


def _discard_class(now: Situation, rank: int) -> int:
    return 2 * (rank in (SEVEN, ACE)) + now.is_closed(rank)
