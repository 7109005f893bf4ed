"""The score of a deal counted once more, card by card, from what lies on the table (R-SCORE)."""

from __future__ import annotations

from canasta_env import Rules, Table

VALUES = {"joker": 50, "2": 20, "A": 20, "red3": 5, "black3": 5} | dict.fromkeys("4567", 5)
VALUES |= dict.fromkeys(["8", "9", "10", "J", "Q", "K"], 10)


def recount(table: Table) -> list[dict[str, int]]:
    """One breakdown a side."""
    return [_recount_side(table, side) for side in range(table.rules.num_sides)]


def _recount_side(table: Table, side: int) -> dict[str, int]:
    rules, melds, threes = table.rules, table.melds(side), table.threes(side)
    hands = [table.hand(seat) for seat in range(rules.players) if rules.side_of(seat) == side]
    num_canastas = sum(sum(meld) >= 7 for meld in melds.values())
    parts = {
        "melded_cards": sum(_meld_value(name, *meld) for name, meld in melds.items()),
        "canastas": sum(_bonus(rules, name, *meld) for name, meld in melds.items() if sum(meld) >= 7),
        "going_out": _going_out(table, side),
        "threes": sum(_threes(rules, num, num_canastas, bool(melds)) for num in threes.values()),
        "cards_in_hand": -sum(VALUES[kind] * num for hand in hands for kind, num in hand.items()),
        "penalties": -_meld_penalties(rules, melds) - sum(_hand_penalty(rules, hand) for hand in hands),
    }
    if rules.subtracts_melds_without_canasta and num_canastas == 0:
        parts["melded_cards"] = -parts["melded_cards"]
    return parts | {"total": sum(parts.values())}


def _meld_value(name: str, naturals: int, twos: int, jokers: int) -> int:
    return naturals * VALUES.get(name, 0) + 20 * twos + 50 * jokers


def _bonus(rules: Rules, name: str, naturals: int, twos: int, jokers: int) -> int:
    if name == "wilds":
        if twos == 7:
            return rules.twos_canasta_bonus
        return rules.jokers_canasta_bonus if jokers == 4 else rules.wild_canasta_bonus
    if twos + jokers > 0:
        return rules.mixed_canasta_bonus
    if rules.has_special_canastas and name in ("7", "A"):
        return rules.clean_sevens_or_aces_bonus
    return rules.clean_canasta_bonus


def _going_out(table: Table, side: int) -> int:
    if table.went_out is None or table.rules.side_of(table.went_out) != side:
        return 0
    return table.rules.concealed_bonus if table.position()["concealed"] else table.rules.going_out_bonus


def _threes(rules: Rules, num: int, num_canastas: int, has_melds: bool) -> int:
    points = rules.threes_points[num - 1]
    if rules.canastas_for_threes == 0:
        return points if has_melds else -points
    if num_canastas == 0:
        return -points
    return points if num_canastas >= rules.canastas_for_threes else 0


def _meld_penalties(rules: Rules, melds: dict[str, tuple[int, int, int]]) -> int:
    penalty = 0
    for name, (naturals, twos, jokers) in melds.items():
        if naturals + twos + jokers < 7:
            if name == "7":
                penalty += rules.unfinished_sevens_penalty
            elif name == "A" and twos + jokers == 0:
                penalty += rules.unfinished_aces_penalty
            elif name == "wilds":
                penalty += rules.unfinished_jokers_penalty if jokers == 4 else rules.unfinished_wilds_penalty
    return penalty


def _hand_penalty(rules: Rules, hand: dict[str, int]) -> int:
    aces = rules.aces_in_hand_penalty if hand.get("A", 0) >= 3 else 0
    return aces + (rules.sevens_in_hand_penalty if hand.get("7", 0) >= 3 else 0)
