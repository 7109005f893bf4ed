"""Dealing, R-DEAL, and drawing from the stock, R-TURN-1 and 2."""

from __future__ import annotations

from dataclasses import dataclass

from canasta_env.cards import BLACK_THREE, KIND_OF, NUM_KINDS, RED_THREE, TWO
from canasta_env.rules import Rules


@dataclass
class Dealt:
    """The table after the deal."""

    hands: list[list[int]]  # per seat, cards of each kind
    threes: list[list[int]]  # per side, laid threes at their kind
    pile: list[int]
    stock: list[int]  # the first is drawn next
    wild_frozen: bool


def laid_threes(rules: Rules) -> tuple[int, ...]:
    """The kinds that are laid and replaced (R-DEAL-2)."""
    return (RED_THREE, BLACK_THREE) if rules.lays_black_threes else (RED_THREE,)


def deal(rules: Rules, order: list[str], dealer: int) -> Dealt:
    """Deal a shuffled deck, given as card names in the order in which the cards leave it."""
    stock = [KIND_OF[name] for name in order]
    seats = [(dealer + 1 + i) % rules.players for i in range(rules.players)]
    hands = [[0] * NUM_KINDS for _ in range(rules.players)]
    threes = [[0] * NUM_KINDS for _ in range(rules.num_sides)]
    for seat in seats:  # R-DEAL-2: whole hands first, then the threes in the same order
        for _ in range(rules.hand_size):
            hands[seat][stock.pop(0)] += 1
    for seat in seats:
        while in_hand := [kind for kind in laid_threes(rules) if hands[seat][kind]]:
            hands[seat][in_hand[0]] -= 1
            threes[rules.side_of(seat)][in_hand[0]] += 1
            hands[seat][stock.pop(0)] += 1
    pile: list[int] = []
    if rules.turns_up_card:  # R-DEAL-3
        pile.append(stock.pop(0))
        while is_wild(pile[-1]) or pile[-1] in laid_threes(rules):
            pile.append(stock.pop(0))
    return Dealt(hands, threes, pile, stock, rules.wilds_freeze_pile and len(pile) > 1)


def draw(rules: Rules, stock: list[int], hand: list[int], threes: list[int]) -> bool:
    """Draw for one turn; changes `stock`, `hand` and the side's `threes`.

    Returns:
        Whether the deal ends at once.
    """
    if not stock:  # R-TURN-3
        return True
    for _ in range(rules.cards_drawn):
        if not stock:
            break
        kind = stock.pop(0)
        while kind in laid_threes(rules):
            if not stock:  # R-TURN-2
                (hand if rules.keeps_unreplaced_three else threes)[kind] += 1
                return True
            threes[kind] += 1
            kind = stock.pop(0)
        hand[kind] += 1
    return False


def is_wild(kind: int) -> bool:
    """Whether a kind is `joker` or `2`."""
    return kind <= TWO
