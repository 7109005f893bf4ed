"""Why a meld cannot be begun or added to (R-MELD)."""

from __future__ import annotations

from canasta_env.actions import (
    ADD_BLACK_THREE,
    ADD_JOKER,
    ADD_JOKER_TO_WILDS,
    ADD_NATURAL,
    ADD_TWO,
    ADD_TWO_TO_WILDS,
    MELD_BLACK_THREES,
    MELD_CLEAN,
    MELD_WILDS,
    MELD_WITH_JOKER,
    MELD_WITH_TWO,
    rank_kind,
)
from canasta_env.cards import (
    ACE,
    BLACK_THREE,
    CANASTA_SIZE,
    FIRST_RANK,
    JOKER,
    KINDS,
    NUM_KINDS,
    SEVEN,
    TWO,
)
from canasta_env.engine.melds import MELD_START, PAIR
from canasta_env.engine.state import NO_CARD, WILD_MELD
from canasta_env.explain.situation import Meld, Situation, count, in_words


def meld_fault(now: Situation, action: int) -> str:
    """What forbids to begin a meld; empty if no clause does."""
    if action == MELD_BLACK_THREES:
        return _black_threes_fault(now)
    if action < MELD_WITH_TWO:
        return _clean_meld_fault(now, rank_kind(action - MELD_CLEAN))
    if action < MELD_WITH_JOKER:
        return _mixed_meld_fault(now, rank_kind(action - MELD_WITH_TWO), TWO)
    if action < MELD_WILDS:
        return _mixed_meld_fault(now, rank_kind(action - MELD_WITH_JOKER), JOKER)
    return _wild_meld_fault(now, action - MELD_WILDS)


def add_fault(now: Situation, action: int) -> str:
    """What forbids to add a card to a meld; empty if no clause does."""
    if action == ADD_BLACK_THREE:
        return _add_black_three_fault(now)
    if action < ADD_TWO:
        return _add_natural_fault(now, rank_kind(action - ADD_NATURAL))
    if action < ADD_JOKER:
        return _add_wild_fault(now, rank_kind(action - ADD_TWO), TWO)
    if action < ADD_TWO_TO_WILDS:
        return _add_wild_fault(now, rank_kind(action - ADD_JOKER), JOKER)
    return _add_to_wild_meld_fault(now, JOKER if action == ADD_JOKER_TO_WILDS else TWO)


def _black_threes_fault(now: Situation) -> str:
    if now.is_modern:
        return "threes are never melded in Modern (R-MELD-8)"
    if now.meld(BLACK_THREE).size > 0:
        return "the black threes are melded already; add to them (R-MELD-1)"
    if now.hand(BLACK_THREE) < MELD_START:
        return f"{now.held(BLACK_THREE)}, and three are needed (R-MELD-8)"
    if now.taken != NO_CARD:
        return "black threes cannot be melded between `take` and `pick up` (R-TAKE-5)"
    return ""


def _add_black_three_fault(now: Situation) -> str:
    if now.is_modern:
        return "threes are never melded in Modern (R-MELD-8)"
    if now.meld(BLACK_THREE).size == 0:
        return "the side has no meld of black threes (R-MELD-8)"
    return _hand_fault(now, BLACK_THREE)


def _clean_meld_fault(now: Situation, rank: int) -> str:
    if fault := _new_meld_fault(now, rank):
        return fault
    if now.hand(rank) < MELD_START:
        return f"{now.held(rank)}, and three are needed (R-MELD-1)"
    return ""


def _mixed_meld_fault(now: Situation, rank: int, wild: int) -> str:
    if fault := _new_meld_fault(now, rank):
        return fault
    if now.hand(rank) < PAIR:
        return f"{now.held(rank)}, and two naturals are needed (R-MELD-1)"
    return _hand_fault(now, wild) or _wild_fault(now, rank, Meld(PAIR, 0, 0))


def _new_meld_fault(now: Situation, rank: int) -> str:
    if now.meld(rank).size > 0:
        return f"the side has a meld of {KINDS[rank]} already; add to it (R-MELD-1)"
    return _closed_fault(now, rank)


def _add_natural_fault(now: Situation, rank: int) -> str:
    return _old_meld_fault(now, rank) or _hand_fault(now, rank)


def _add_wild_fault(now: Situation, rank: int, wild: int) -> str:
    return _old_meld_fault(now, rank) or _hand_fault(now, wild) or _wild_fault(now, rank, now.meld(rank))


def _old_meld_fault(now: Situation, rank: int) -> str:
    size = now.meld(rank).size
    if size == 0:
        return f"the side has no meld of {KINDS[rank]} to add to (R-MELD-1)"
    if now.is_modern and size >= CANASTA_SIZE:
        return f"the canasta of {KINDS[rank]} is finished with seven cards (R-MELD-3)"
    return _closed_fault(now, rank)


def _closed_fault(now: Situation, rank: int) -> str:
    return f"the rank {KINDS[rank]} is closed by a clean canasta (R-MELD-7)" if now.is_closed(rank) else ""


def _hand_fault(now: Situation, kind: int) -> str:
    return f"{now.held(kind)} (R-TURN)" if now.hand(kind) == 0 else ""


def _wild_fault(now: Situation, rank: int, meld: Meld) -> str:
    """What forbids one more wild in a meld of a rank (R-MELD-2 to R-MELD-6)."""
    name = KINDS[rank]
    clause = "R-MELD-3" if now.is_modern else "R-MELD-2"
    if now.is_modern and (fault := _modern_wild_fault(now, rank, meld)):
        return fault
    if meld.wilds + 1 > now.rules.max_wilds_in_meld:
        most = count(now.rules.max_wilds_in_meld, "wild")
        return f"the meld of {name} would hold {in_words(meld.wilds + 1)}, and may hold {most} ({clause})"
    if not now.is_modern and meld.wilds + 1 >= meld.naturals:
        return f"the meld of {name} would not hold more naturals than wilds (R-MELD-2)"
    return ""


def _modern_wild_fault(now: Situation, rank: int, meld: Meld) -> str:
    name = KINDS[rank]
    if rank == SEVEN:
        return "sevens never take wilds (R-MELD-5)"
    if now.has_growing_wild_meld:
        size = count(now.meld(WILD_MELD).size, "card")
        return f"the side's wild meld has {size}, and until it has seven every wild goes there (R-MELD-6)"
    if not now.opened:
        return ""
    if rank == ACE:
        return "aces take wilds only in the opening (R-MELD-5)"
    least = now.rules.naturals_before_wild
    if meld.naturals < least:
        naturals = count(meld.naturals, "natural")
        return f"the meld of {name} has {naturals}, and a wild needs {in_words(least)} there (R-MELD-4)"
    return ""


def _wild_meld_fault(now: Situation, jokers: int) -> str:
    if not now.is_modern:
        return "twos and jokers are never melded by themselves in Classic (R-MELD-8)"
    if now.meld(WILD_MELD).size > 0:
        return "the side has a wild meld already; add to it (R-MELD-6)"
    for kind, needed in ((TWO, MELD_START - jokers), (JOKER, jokers)):
        if now.hand(kind) < needed:
            return f"{now.held(kind)}, and {in_words(needed)} must go there (R-MELD-6)"
    mixed = [rank for rank in range(FIRST_RANK, NUM_KINDS) if now.meld(rank).wilds > 0]
    if mixed and not now.opened:
        return f"the opening under way has wilds in its meld of {KINDS[mixed[0]]} (R-MELD-6)"
    return ""


def _add_to_wild_meld_fault(now: Situation, kind: int) -> str:
    if not now.is_modern:
        return "twos and jokers are never melded by themselves in Classic (R-MELD-8)"
    size = now.meld(WILD_MELD).size
    if size == 0:
        return "the side has no wild meld to add to (R-MELD-6)"
    if size >= CANASTA_SIZE:
        return "the wild canasta is finished with seven cards (R-MELD-6)"
    return _hand_fault(now, kind)
