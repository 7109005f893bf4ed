"""The score of a deal, R-SCORE, as if the deal ended now."""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING

from canasta_env.cards import ACE, BLACK_THREE, CANASTA_SIZE, COPIES, JOKER, RED_THREE, SEVEN, TWO, VALUES
from canasta_env.rules import Rules
from tests.reference.legality import NO_MELD, WILDS, Meld, is_clean

if TYPE_CHECKING:
    from tests.reference.oracle import Oracle

MANY = 3  # R-SCORE-6: aces or sevens in one hand


def score_side(table: Oracle, side: int) -> dict[str, int]:
    """The breakdown of one side, in the form of FORMS.md."""
    rules = table.rules
    melds = {place: meld for place, meld in enumerate(table.melds[side]) if meld != NO_MELD}
    hands = table.hands[side :: rules.num_sides]  # of the seats of the side
    num_canastas = sum(sum(meld) >= CANASTA_SIZE for meld in melds.values())
    is_out = table.went_out is not None and rules.side_of(table.went_out) == side

    cards = sum(meld_points(place, meld) for place, meld in melds.items())
    breakdown = {
        "melded_cards": -cards if rules.subtracts_melds_without_canasta and not num_canastas else cards,
        "canastas": sum(canasta_bonus(rules, place, meld) for place, meld in melds.items()),
        "going_out": (rules.concealed_bonus if table.concealed else rules.going_out_bonus) if is_out else 0,
        "threes": threes_points(rules, table.threes[side], num_canastas, bool(melds)),
        "cards_in_hand": -sum(sum(map(mul, hand, VALUES)) for hand in hands),
        "penalties": -meld_penalties(rules, melds) - sum(hand_penalties(rules, hand) for hand in hands),
    }
    return {**breakdown, "total": sum(breakdown.values())}


def meld_points(place: int, meld: Meld) -> int:
    """The cards of a meld at their values, R-SCORE-1."""
    naturals, twos, jokers = meld
    return naturals * VALUES[place] + twos * VALUES[TWO] + jokers * VALUES[JOKER]


def canasta_bonus(rules: Rules, place: int, meld: Meld) -> int:
    """R-SCORE-2; nothing for a meld that is no canasta."""
    if sum(meld) < CANASTA_SIZE:
        return 0
    if place == WILDS:
        if meld[1] == CANASTA_SIZE:
            return rules.twos_canasta_bonus
        return rules.jokers_canasta_bonus if meld[2] == COPIES[JOKER] else rules.wild_canasta_bonus
    if not is_clean(meld):
        return rules.mixed_canasta_bonus
    is_special = rules.has_special_canastas and place in (SEVEN, ACE)
    return rules.clean_sevens_or_aces_bonus if is_special else rules.clean_canasta_bonus


def threes_points(rules: Rules, threes: list[int], num_canastas: int, has_melds: bool) -> int:
    """R-SCORE-4; each colour by itself."""
    points = three_steps(rules, threes[RED_THREE]) + three_steps(rules, threes[BLACK_THREE])
    needed = rules.canastas_for_threes
    if not (num_canastas if needed else has_melds):
        return -points
    return points if num_canastas >= needed else 0


def three_steps(rules: Rules, num: int) -> int:
    """The points for so many threes of one colour."""
    return rules.threes_points[num - 1] if num else 0


def meld_penalties(rules: Rules, melds: dict[int, Meld]) -> int:
    """R-SCORE-6, for unfinished melds; the numbers are 0 where there is no such clause."""
    unfinished = {place: meld for place, meld in melds.items() if sum(meld) < CANASTA_SIZE}
    points = rules.unfinished_sevens_penalty if SEVEN in unfinished else 0
    if ACE in unfinished and is_clean(unfinished[ACE]):
        points += rules.unfinished_aces_penalty
    if WILDS in unfinished:
        has_all_jokers = unfinished[WILDS][2] == COPIES[JOKER]
        points += rules.unfinished_jokers_penalty if has_all_jokers else rules.unfinished_wilds_penalty
    return points


def hand_penalties(rules: Rules, hand: list[int]) -> int:
    """R-SCORE-6, for three or more aces or sevens in one hand."""
    aces = rules.aces_in_hand_penalty if hand[ACE] >= MANY else 0
    return aces + (rules.sevens_in_hand_penalty if hand[SEVEN] >= MANY else 0)
