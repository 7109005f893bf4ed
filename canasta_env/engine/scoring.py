"""Settle a deal, as a breakdown by clause (R-SCORE)."""

from __future__ import annotations

from canasta_env.cards import ACE, CANASTA_SIZE, COPIES, FIRST_RANK, JOKER, NUM_KINDS, SEVEN, TWO
from canasta_env.engine.jit import kernel
from canasta_env.engine.melds import VALUE, meld_size, meld_wilds
from canasta_env.engine.state import NOBODY, WILD_MELD

# Columns of a breakdown, one for each clause of R-SCORE; the last is their sum.
SCORE_FIELDS = ("melded_cards", "canastas", "going_out", "threes", "cards_in_hand", "penalties", "total")
MELDED_CARDS, CANASTAS, GOING_OUT, THREES, CARDS_IN_HAND, PENALTIES, TOTAL = range(len(SCORE_FIELDS))
_PENALISED_IN_HAND = 3  # R-SCORE-6: aces, or sevens, left in one hand


@kernel
def score_deal(rules, s, breakdown):  # type: ignore[no-untyped-def]
    """Write the points of every side as if the deal ended now, `(>= num_sides, len(SCORE_FIELDS)) int64`."""
    for side in range(rules.num_sides):
        points = breakdown[side]
        points[MELDED_CARDS] = _melded_cards(rules, s, side)
        points[CANASTAS] = _canasta_bonuses(rules, s, side)
        points[GOING_OUT] = _going_out(rules, s, side)
        points[THREES] = _threes(rules, s, side)
        points[CARDS_IN_HAND] = -_cards_in_hand(rules, s, side)
        points[PENALTIES] = -_meld_penalties(rules, s, side) - _hand_penalties(rules, s, side)
        points[TOTAL] = 0
        for field in range(TOTAL):
            points[TOTAL] += points[field]


@kernel
def _melded_cards(rules, s, side):  # type: ignore[no-untyped-def]
    points = 0
    for kind in range(NUM_KINDS):
        points += s.naturals[side, kind] * VALUE[kind]
        points += s.twos[side, kind] * VALUE[TWO] + s.jokers[side, kind] * VALUE[JOKER]
    return -points if rules.subtracts_melds_without_canasta and s.canastas[side] == 0 else points


@kernel
def _canasta_bonuses(rules, s, side):  # type: ignore[no-untyped-def]
    bonus = 0
    for rank in range(FIRST_RANK, NUM_KINDS):
        if meld_size(s, side, rank) >= CANASTA_SIZE:
            bonus += _rank_canasta_bonus(rules, rank, meld_wilds(s, side, rank))
    if meld_size(s, side, WILD_MELD) >= CANASTA_SIZE:
        if s.jokers[side, WILD_MELD] == 0:
            bonus += rules.twos_canasta_bonus
        elif s.jokers[side, WILD_MELD] == COPIES[JOKER]:
            bonus += rules.jokers_canasta_bonus
        else:
            bonus += rules.wild_canasta_bonus
    return bonus


@kernel
def _rank_canasta_bonus(rules, rank, wilds):  # type: ignore[no-untyped-def]
    if wilds > 0:
        return rules.mixed_canasta_bonus
    if rules.has_special_canastas and rank in (SEVEN, ACE):
        return rules.clean_sevens_or_aces_bonus
    return rules.clean_canasta_bonus


@kernel
def _going_out(rules, s, side):  # type: ignore[no-untyped-def]
    if s.went_out == NOBODY or s.went_out % rules.num_sides != side:
        return 0
    return rules.concealed_bonus if s.concealed else rules.going_out_bonus


@kernel
def _threes(rules, s, side):  # type: ignore[no-untyped-def]
    """R-SCORE-4: lost without a canasta, or without a meld where no canasta is asked for."""
    points = 0
    if s.red_threes[side] > 0:
        points += rules.threes_points[s.red_threes[side] - 1]
    if s.black_threes[side] > 0:
        points += rules.threes_points[s.black_threes[side] - 1]
    if rules.canastas_for_threes == 0:
        return points if _has_melded(s, side) else -points
    if s.canastas[side] == 0:
        return -points
    return points if s.canastas[side] >= rules.canastas_for_threes else 0


@kernel
def _has_melded(s, side):  # type: ignore[no-untyped-def]
    for kind in range(NUM_KINDS):
        if meld_size(s, side, kind) > 0:
            return True
    return False


@kernel
def _cards_in_hand(rules, s, side):  # type: ignore[no-untyped-def]
    points = 0
    for seat in range(side, rules.players, rules.num_sides):
        for kind in range(NUM_KINDS):
            points += s.hand[seat, kind] * VALUE[kind]
    return points


@kernel
def _meld_penalties(rules, s, side):  # type: ignore[no-untyped-def]
    """R-SCORE-6: sevens, clean aces and wilds that were begun and not finished."""
    penalty = 0
    if 0 < meld_size(s, side, SEVEN) < CANASTA_SIZE:
        penalty += rules.unfinished_sevens_penalty
    if 0 < meld_size(s, side, ACE) < CANASTA_SIZE and meld_wilds(s, side, ACE) == 0:
        penalty += rules.unfinished_aces_penalty
    if 0 < meld_size(s, side, WILD_MELD) < CANASTA_SIZE:
        if s.jokers[side, WILD_MELD] == COPIES[JOKER]:
            penalty += rules.unfinished_jokers_penalty
        else:
            penalty += rules.unfinished_wilds_penalty
    return penalty


@kernel
def _hand_penalties(rules, s, side):  # type: ignore[no-untyped-def]
    """R-SCORE-6: aces and sevens left in hands."""
    penalty = 0
    for seat in range(side, rules.players, rules.num_sides):
        if s.hand[seat, ACE] >= _PENALISED_IN_HAND:
            penalty += rules.aces_in_hand_penalty
        if s.hand[seat, SEVEN] >= _PENALISED_IN_HAND:
            penalty += rules.sevens_in_hand_penalty
    return penalty
