"""The reason for each action, block by block and phase by phase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import (
    ADD_BLACK_THREE,
    ADD_JOKER,
    ADD_JOKER_TO_WILDS,
    ADD_NATURAL,
    ADD_TWO,
    ADD_TWO_TO_WILDS,
    ASK,
    DISCARD_JOKER,
    MELD_BLACK_THREES,
    MELD_CLEAN,
    MELD_WILDS,
    MELD_WITH_JOKER,
    MELD_WITH_TWO,
    NO,
    NOTATIONS,
    PICK_UP,
    TAKE,
    TAKE_WITH_JOKER,
    TAKE_WITH_TWO,
    YES,
    rank_kind,
)
from canasta_env.cards import ACE, BLACK_THREE, CANASTA_SIZE, FIRST_RANK, JOKER, KINDS, NUM_KINDS, SEVEN, TWO
from canasta_env.engine.melds import MELD_START, PAIR
from canasta_env.engine.state import MAX_SEATS, MUST_GO_OUT, NO_CARD, NOBODY, NOT_ASKED, REFUSED, WILD_MELD
from canasta_env.engine.transition import discarded_kind
from canasta_env.explain.situation import Meld, Situation, count, in_words
from canasta_env.rules import Rules


class IllegalActionError(ValueError):
    """An action that is not legal: names it, the seat, the reason with its clause, and what is legal."""


def explain(rules: Rules, state: NDArray[np.void], action: int, mask: NDArray[np.int8]) -> str:
    """Say that an action is not legal, why, and what is.

    Args:
        rules: The game.
        state: The table, `(1,) STATE`.
        action: The action's id; not legal by `mask`.
        mask: The legal actions, `(NUM_ACTIONS,) int8`.
    """
    seat = int(state["to_play"][0])
    who = "" if seat == NOBODY else f" for seat {seat}"
    legal = ", ".join(NOTATIONS[legal] for legal in np.flatnonzero(mask)) or "nothing"
    return f'illegal action "{NOTATIONS[action]}"{who}: {reason(rules, state, action)}; legal: {legal}'


def reason(rules: Rules, state: NDArray[np.void], action: int) -> str:
    """Why an action that the mask refuses is not legal, with its clause."""
    now = Situation(rules, state)
    return _phase_fault(now, action) or _own_fault(now, action) or completion_fault(now, action)


def _phase_fault(now: Situation, action: int) -> str:
    """Why a sort of action has no place in the phase."""
    if now.phase == "over":
        return "the deal is over (R-TURN)"
    if now.phase == "answer":
        return "the partner asks to go out, and is answered with yes or no (R-OUT-3)"
    if action in (YES, NO):
        return "nobody has asked (R-OUT-3)"
    if now.phase == "draw" and action >= PICK_UP:
        return "a turn begins with drawing or taking the pile (R-TURN)"
    if now.phase == "play" and action < PICK_UP:
        return "the turn has begun; drawing or taking comes once, at its start (R-TURN)"
    return ""


def _own_fault(now: Situation, action: int) -> str:
    """What the clauses of the action itself forbid."""
    if action <= TAKE_WITH_JOKER:
        return take_fault(now, action)
    if action == PICK_UP:
        return pick_up_fault(now)
    if action == ASK:
        return ask_fault(now)
    if action < MELD_BLACK_THREES:
        return ""
    if action < ADD_BLACK_THREE:
        return meld_fault(now, action)
    if action < DISCARD_JOKER:
        return add_fault(now, action)
    return discard_fault(now, action)


# Why the partner cannot be asked (R-OUT-3).


def ask_fault(now: Situation) -> str:
    """What forbids to ask the partner."""
    if now.rules.players != MAX_SEATS:
        return f"with {now.rules.players} players there is no partner to ask (R-OUT-3)"
    if now.answer != NOT_ASKED:
        return "the partner has answered in this turn (R-OUT-3)"
    if now.rules.asks_once_a_deal and now.has_asked:
        return f"seat {now.seat} has asked in this deal already (R-OUT-3)"
    if not now.can_ask:
        return "asking is the first action after `draw`, or after a take by a side that had opened (R-OUT-3)"
    if now.hand_size < _TO_GO_ON:
        return "with one card in hand the turn could not be completed if the partner said no (R-OUT-3)"
    needed = count(now.rules.canastas_to_go_out, "canasta")
    return f"the turn cannot end by going out, which needs {needed} and a hand to lay (R-OUT-1, R-OUT-3)"


# Why the pile cannot be taken or picked up (R-TAKE).


def take_fault(now: Situation, action: int) -> str:
    """What forbids to take the pile with a pair, or with a natural and a wild; empty if no clause does."""
    if fault := _pile_fault(now):
        return fault
    if action == TAKE:
        return _pair_fault(now)
    return _wild_taking_fault(now, TWO if action == TAKE_WITH_TWO else JOKER)


def _pile_fault(now: Situation) -> str:
    if now.top == NO_CARD:
        return "the pile is empty (R-TAKE-1)"
    top = KINDS[now.top]
    if now.top <= BLACK_THREE:
        return f"the top card is a {top} (R-TAKE-1)"
    if now.rules.ends_with_stock and now.stock_is_empty:
        return "the stock is empty, and nobody plays on from the pile (R-TURN-3)"
    if now.is_closed(now.top):
        return f"the rank {top} is closed by a clean canasta (R-MELD-7)"
    size, most = now.meld(now.top).size, now.rules.largest_meld_to_take
    if most is not None and size > most:
        has = f"the side's meld of {top} has {count(size, 'card')}"
        return f"{has}, and the pile can join {_takeable_sizes(most)} (R-TAKE-2)"
    return ""


def _takeable_sizes(most: int) -> str:
    if most < MELD_START:
        return "none"
    return "only three or four" if most == MELD_START + 1 else f"only up to {in_words(most)}"


def _pair_fault(now: Situation) -> str:
    if now.hand(now.top) >= PAIR:
        return ""
    if now.wild_frozen:
        return f"the pile is wild-frozen and {now.held(now.top)} (R-TAKE-3)"
    if not now.opened:
        return f"{now.held(now.top)}, and a side that has not opened needs a natural pair (R-TAKE-5)"
    return f"{now.held(now.top)}, and a natural pair is needed (R-TAKE-2)"


def _wild_taking_fault(now: Situation, wild: int) -> str:
    if not now.rules.can_take_with_wild:
        return f"{now.game} takes the pile with a natural pair only (R-TAKE-3)"
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
    return _wild_fault(now, now.top, Meld(meld.naturals + PAIR, meld.twos, meld.jokers))


def pick_up_fault(now: Situation) -> str:
    """What forbids to pick up a taken pile; empty if no clause does."""
    if now.taken == NO_CARD:
        return "no pile waits to be picked up: that follows a take by a side that has not opened (R-TAKE-5)"
    return now.opening_fault()


# Why a card cannot be discarded (R-DISC, R-OUT).


_CLASSES = (  # R-DISC-3
    "naturals that are neither ace nor seven nor of a closed rank",
    "naturals of a closed rank, neither ace nor seven",
    "aces and sevens of ranks that are not closed",
    "aces and sevens of closed ranks",
)


def discard_fault(now: Situation, action: int) -> str:
    """What forbids a discard."""
    kind = int(discarded_kind(action))
    if kind == BLACK_THREE and now.rules.lays_black_threes:
        return f"a three is never discarded in {now.game} (R-DISC-2)"
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
    return _held_back_fault(now, kind)


def _last_card_fault(now: Situation) -> str:
    needed, has = count(now.rules.canastas_to_go_out, "canasta"), in_words(now.canastas)
    return f"it is the last card, and going out needs {needed}; the side has {has} (R-OUT-1)"


def _must_go_out_fault(now: Situation) -> str:
    left = f"the discard would leave {count(now.hand_size - 1, 'card')}"
    if now.must_go_out_for_black_threes:
        return f"black threes were melded, so the turn must end by going out, and {left} (R-MELD-8)"
    return f"the partner has said yes, so the turn must end by going out, and {left} (R-OUT-3)"


def _held_back_fault(now: Situation, kind: int) -> str:
    if kind < FIRST_RANK and now.rules.holds_back_wilds:
        return "a wild is discarded only to go out, or from a hand of wilds only (R-DISC-2)"
    held = [_discard_class(now, rank) for rank in range(FIRST_RANK, NUM_KINDS) if now.hand(rank) > 0]
    first = _CLASSES[min(held)]  # `held` is not empty: a hand without naturals may discard what it holds
    return f"the pile is empty, and the hand holds {first}, which go before {KINDS[kind]} (R-DISC-3)"


def _discard_class(now: Situation, rank: int) -> int:
    return 2 * (rank in (SEVEN, ACE)) + now.is_closed(rank)


# Why an action that its own clauses allow would leave a turn that cannot be completed (R-TURN-4).
#
# What stands in the way is found by asking the engine what were legal if it did not: with a lower opening
# minimum, with cards to spare, with fewer canastas to go out, without the partner's answer.


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
    if now.rules.goes_out_by_discarding:
        return f"{_KEEP}, and {now.game} goes out only by discarding the last card (R-TURN-4, R-OUT-2)"
    return f"{_KEEP} (R-TURN-4)"


def _missing_canastas(now: Situation) -> str:
    needed = count(now.rules.canastas_to_go_out, "canasta")
    return f"going out needs {needed}; the side has {in_words(now.canastas)}"


def _opening_fault(now: Situation, action: int) -> str:
    if now.would_be_legal(action, minimum=0):
        most = _most_points(now, action)
        source = (
            " from the hand" if now.rules.opens_from_hand and (action == TAKE or now.taken != NO_CARD) else ""
        )
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


# Why a meld cannot be begun or added to (R-MELD).


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
    if not now.rules.can_meld_black_threes:
        return f"threes are never melded in {now.game} (R-MELD-8)"
    if now.meld(BLACK_THREE).size > 0:
        return "the black threes are melded already; add to them (R-MELD-1)"
    if now.hand(BLACK_THREE) < MELD_START:
        return f"{now.held(BLACK_THREE)}, and three are needed (R-MELD-8)"
    if now.taken != NO_CARD:
        return "black threes cannot be melded between `take` and `pick up` (R-TAKE-5)"
    return ""


def _add_black_three_fault(now: Situation) -> str:
    if not now.rules.can_meld_black_threes:
        return f"threes are never melded in {now.game} (R-MELD-8)"
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
    if now.rules.melds_end_at_seven and size >= CANASTA_SIZE:
        return f"the canasta of {KINDS[rank]} is finished with seven cards (R-MELD-3)"
    return _closed_fault(now, rank)


def _closed_fault(now: Situation, rank: int) -> str:
    return f"the rank {KINDS[rank]} is closed by a clean canasta (R-MELD-7)" if now.is_closed(rank) else ""


def _hand_fault(now: Situation, kind: int) -> str:
    return f"{now.held(kind)} (R-TURN)" if now.hand(kind) == 0 else ""


def _wild_fault(now: Situation, rank: int, meld: Meld) -> str:
    """What forbids one more wild in a meld of a rank (R-MELD-2 to R-MELD-6)."""
    rules, name = now.rules, KINDS[rank]
    if rank == SEVEN and not rules.sevens_take_wilds:
        return "sevens never take wilds (R-MELD-5)"
    if rules.has_wild_meld and now.has_growing_wild_meld:
        size = count(now.meld(WILD_MELD).size, "card")
        return f"the side's wild meld has {size}, and until it has seven every wild goes there (R-MELD-6)"
    if now.opened and (fault := _late_wild_fault(now, rank, meld)):
        return fault
    if meld.wilds + 1 > rules.max_wilds_in_meld:
        most = count(rules.max_wilds_in_meld, "wild")
        clause = "R-MELD-2" if rules.needs_more_naturals else "R-MELD-3"
        return f"the meld of {name} would hold {in_words(meld.wilds + 1)}, and may hold {most} ({clause})"
    if rules.needs_more_naturals and meld.wilds + 1 >= meld.naturals:
        return f"the meld of {name} would not hold more naturals than wilds (R-MELD-2)"
    return ""


def _late_wild_fault(now: Situation, rank: int, meld: Meld) -> str:
    """What forbids a wild only after the opening (R-MELD-4, R-MELD-5)."""
    if rank == ACE and not now.rules.aces_take_wilds:
        return "aces take wilds only in the opening (R-MELD-5)"
    least = now.rules.naturals_before_wild
    if meld.naturals < least:
        naturals = count(meld.naturals, "natural")
        return (
            f"the meld of {KINDS[rank]} has {naturals}, and a wild needs {in_words(least)} there (R-MELD-4)"
        )
    return ""


def _wild_meld_fault(now: Situation, jokers: int) -> str:
    if not now.rules.has_wild_meld:
        return f"twos and jokers are never melded by themselves in {now.game} (R-MELD-8)"
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
    if not now.rules.has_wild_meld:
        return f"twos and jokers are never melded by themselves in {now.game} (R-MELD-8)"
    size = now.meld(WILD_MELD).size
    if size == 0:
        return "the side has no wild meld to add to (R-MELD-6)"
    if size >= CANASTA_SIZE:
        return "the wild canasta is finished with seven cards (R-MELD-6)"
    return _hand_fault(now, kind)
