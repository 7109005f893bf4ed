"""Opening plans: the cheapest cards that make an opening, by a player's own prices.

A plan is an array `(NUM_KINDS, 3)` of naturals, twos and jokers that the hand still has to lay for each meld
(the wild meld at `WILD_MELD`). It is made anew at every step. Prices add up, and what lies on the table is
paid: a plan that was begun stays the cheapest and is finished as it was meant.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from canasta_agents.heuristics.features import NOTHING, OWN, can_discard
from canasta_agents.heuristics.jit import kernel
from canasta_env.actions import (
    ADD_JOKER,
    ADD_JOKER_TO_WILDS,
    ADD_NATURAL,
    ADD_TWO,
    ADD_TWO_TO_WILDS,
    MELD_CLEAN,
    MELD_WILDS,
    MELD_WITH_JOKER,
    MELD_WITH_TWO,
)
from canasta_env.cards import CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import (
    LARGEST_BEFORE_TOP_CARD,
    MELD_START,
    PAIR,
    VALUE,
    meld_size,
    meld_wilds,
    wild_meld_is_growing,
    wild_room,
)
from canasta_env.engine.state import NO_CARD, WILD_MELD

NATURALS, TWOS, JOKERS = range(3)  # columns of a plan
_NUM_COLUMNS = 3
CARD, CLEAN_MELD, MIXED_MELD = range(3)  # rows of prices: a card, its meld begun clean, or made mixed
_NUM_PRICES = 3
UNAFFORDABLE = 1e9  # price where there is no opening
_MOST_TRIALS = 20_000  # a bound for freak hands; a plan takes some hundred
_TWOS_LEFT, _JOKERS_LEFT, _CARDS_SPARE, _POINTS_MISSING, _IS_ANCHORED = range(5)  # columns of what is left
_NUM_LEFT = 5

# Prices of `fewest_wilds`: a joker is as dear as three twos, and naturals decide between equal wilds only.
_PRICE_OF_JOKER = 60.0
_PRICE_OF_TWO = 20.0
_PRICE_OF_MIXING = 10.0  # a meld that would do without wilds
_PRICE_OF_NATURAL = 0.01


@kernel
def no_prices():
    """Prices to be filled in: `(3, NUM_KINDS)`, all zero. Prices must not be negative."""
    return np.zeros((_NUM_PRICES, NUM_KINDS), np.float64)


@kernel
def fewest_wilds(view):
    """Prices by which wilds go last, the cheapest first and with pairs, and else as few cards as will do."""
    prices = no_prices()
    for kind in range(FIRST_RANK, NUM_KINDS):
        prices[CARD, kind] = _PRICE_OF_NATURAL
        if view.hand[kind] + view.naturals[OWN, kind] >= MELD_START:
            prices[MIXED_MELD, kind] = _PRICE_OF_MIXING
    prices[CARD, JOKER], prices[CARD, TWO] = _PRICE_OF_JOKER, _PRICE_OF_TWO
    return prices


@kernel
def prices_by_sort(natural, two, joker, mixed):
    """Prices that are equal for all ranks: of a natural, a two, a joker, and of making a meld mixed."""
    prices = no_prices()
    for kind in range(FIRST_RANK, NUM_KINDS):
        prices[CARD, kind] = natural
        prices[MIXED_MELD, kind] = mixed
    prices[CARD, TWO], prices[CARD, JOKER] = two, joker
    return prices


@kernel
def no_plan():
    """A plan that lays nothing."""
    return np.zeros((NUM_KINDS, _NUM_COLUMNS), np.int64)


@kernel
def plan_opening(rules, view, pair, points, spare, prices, plan):
    """Write the cheapest opening into `plan` and return its price, UNAFFORDABLE if there is none.

    Args:
        rules: The rules' record.
        view: The view, for what lies on the table.
        pair: A kind of which two cards are spoken for, NO_CARD if there is none.
        points: Points still missing to the minimum.
        spare: Most cards that may be laid.
        prices: See `no_prices`.
        plan: Overwritten.
    """
    hand = _hand_without(view, pair)
    reach = _points_in_reach(view, hand)
    trial = no_plan()
    left = np.zeros((NUM_KINDS + 1, _NUM_LEFT), np.int64)  # what is left before each kind's turn
    spent = np.zeros(NUM_KINDS + 1, np.float64)
    is_free = not (rules.has_wild_meld and wild_meld_is_growing(view, OWN))  # wilds may join ranks
    _begin(
        left,
        hand[TWO] * is_free,
        hand[JOKER] * is_free,
        spare,
        points,
        not rules.needs_clean_opening or _has_anchor(view),
    )
    price = _try_ranks(rules, view, hand, prices, reach, left, spent, trial, plan, UNAFFORDABLE)
    if not rules.has_wild_meld:
        return price
    for twos in range(hand[TWO] + 1):
        for jokers in range(hand[JOKER] + 1):
            if _fits_wild_meld(view, twos + jokers):
                _begin(left, 0, 0, spare - twos - jokers, points - _worth(twos, jokers), True)
                spent[FIRST_RANK] = prices[CARD, TWO] * twos + prices[CARD, JOKER] * jokers
                if meld_size(view, OWN, WILD_MELD) == 0:
                    spent[FIRST_RANK] += prices[CLEAN_MELD, WILD_MELD]
                trial[WILD_MELD, TWOS], trial[WILD_MELD, JOKERS] = twos, jokers
                price = _try_ranks(rules, view, hand, prices, reach, left, spent, trial, plan, price)
    return price


@kernel
def needs_opening(view, mask):
    """Whether the side has yet to open, or is in the middle of it."""
    return not view.opened[OWN] and not (view.melded_now and can_discard(mask))


@kernel
def opening_step(rules, view, mask, prices, keep, dearest):
    """The next step of the cheapest opening; NOTHING if there is none, or none worth beginning.

    Args:
        rules: The rules' record.
        view: The view.
        mask: Legal actions.
        prices: See `no_prices`.
        keep: Cards to keep in the hand.
        dearest: An opening that costs more is not begun.
    """
    plan = no_plan()
    missing = view.minimum[OWN] - view.opening_points
    price = plan_opening(rules, view, NO_CARD, missing, view.hand_size[OWN] - keep, prices, plan)
    if can_discard(mask):
        return _first_step(view, mask, plan) if price <= dearest else NOTHING
    if price >= UNAFFORDABLE:  # it was begun, or the pile taken, counting on every card
        plan_opening(rules, view, NO_CARD, missing, view.hand_size[OWN], prices, plan)
    return _first_step(view, mask, plan)


@kernel
def _first_step(view, mask, plan):
    """The next legal action of a plan, high ranks first; NOTHING if there is none."""
    for kind in range(NUM_KINDS - 1, -1, -1):
        action = _step_of(view, plan, kind)
        if action != NOTHING and mask[action]:
            return action
    return NOTHING


@kernel
def num_cards(plan):
    """Cards that a plan lays."""
    cards = 0
    for kind in range(NUM_KINDS):
        for column in range(_NUM_COLUMNS):
            cards += plan[kind, column]
    return cards


@kernel
def _hand_without(view, pair):
    hand = np.zeros(NUM_KINDS, np.int64)
    for kind in range(NUM_KINDS):
        hand[kind] = view.hand[kind] - (PAIR if kind == pair else 0)
    return hand


@kernel
def _worth(twos, jokers):
    return twos * VALUE[TWO] + jokers * VALUE[JOKER]


@kernel
def _has_anchor(view):
    """Whether the clean or wild meld that R-OPEN-3 asks for lies on the table."""
    if meld_size(view, OWN, WILD_MELD) > 0:
        return True
    for kind in range(FIRST_RANK, NUM_KINDS):
        if view.naturals[OWN, kind] > 0 and meld_wilds(view, OWN, kind) == 0:
            return True
    return False


@kernel
def _fits_wild_meld(view, cards):
    """Whether so many wilds can begin or join the wild meld (R-MELD-6)."""
    size = meld_size(view, OWN, WILD_MELD)
    if cards == 0 or size + cards < MELD_START or size + cards > CANASTA_SIZE:
        return False
    for kind in range(FIRST_RANK, NUM_KINDS):
        if size == 0 and meld_wilds(view, OWN, kind) > 0:
            return False
    return True


@kernel
def _points_in_reach(view, hand):
    """Points that the naturals from each kind on can bring at most."""
    reach = np.zeros(NUM_KINDS + 1, np.int64)
    for kind in range(NUM_KINDS - 1, FIRST_RANK - 1, -1):
        reach[kind] = reach[kind + 1]
        if hand[kind] >= PAIR or meld_size(view, OWN, kind) > 0:
            reach[kind] += hand[kind] * VALUE[kind]
    return reach


@kernel
def _try_ranks(rules, view, hand, prices, reach, left, spent, trial, plan, cheapest):
    """Try every way to lay ranks from what is left before the first one; write the cheapest into `plan`.

    A search in depth with an explicit stack (`left`, `spent` and `trial` by kind), since cached kernels must
    not call themselves. Returns the price of the plan that stands, `cheapest` if none is cheaper.
    """
    if spent[FIRST_RANK] < cheapest and _is_opening(left, FIRST_RANK):
        _copy(trial, plan)
        return spent[FIRST_RANK]
    trials = 0
    kind = FIRST_RANK
    _before_first_way(trial, kind)
    while kind >= FIRST_RANK:
        trials += 1
        if trials > _MOST_TRIALS or not _next_way(hand, left, trial, kind):
            _lay_nothing(trial, kind)
            kind -= 1
        elif _follow(rules, view, prices, left, spent, trial, kind) and spent[kind + 1] < cheapest:
            if _is_opening(left, kind + 1):
                _copy(trial, plan)
                cheapest = spent[kind + 1]
            elif kind + 1 < NUM_KINDS:
                in_reach = reach[kind + 1] + _worth(left[kind + 1, _TWOS_LEFT], left[kind + 1, _JOKERS_LEFT])
                if left[kind + 1, _POINTS_MISSING] <= in_reach:
                    kind += 1
                    _before_first_way(trial, kind)
    return cheapest


@kernel
def _begin(left, twos, jokers, spare, points, is_anchored):
    left[FIRST_RANK, _TWOS_LEFT] = twos
    left[FIRST_RANK, _JOKERS_LEFT] = jokers
    left[FIRST_RANK, _CARDS_SPARE] = spare
    left[FIRST_RANK, _POINTS_MISSING] = points
    left[FIRST_RANK, _IS_ANCHORED] = is_anchored


@kernel
def _is_opening(left, kind):
    return left[kind, _POINTS_MISSING] <= 0 and left[kind, _IS_ANCHORED] > 0


@kernel
def _lay_nothing(trial, kind):
    for column in range(_NUM_COLUMNS):
        trial[kind, column] = 0


@kernel
def _copy(trial, plan):
    for kind in range(NUM_KINDS):
        for column in range(_NUM_COLUMNS):
            plan[kind, column] = trial[kind, column]


@kernel
def _before_first_way(trial, kind):
    _lay_nothing(trial, kind)
    trial[kind, JOKERS] = -1


@kernel
def _next_way(hand, left, trial, kind):
    """Go on to the next numbers of naturals, twos and jokers for a rank, as an odometer does."""
    trial[kind, JOKERS] += 1
    if trial[kind, JOKERS] > left[kind, _JOKERS_LEFT]:
        trial[kind, JOKERS] = 0
        trial[kind, TWOS] += 1
    if trial[kind, TWOS] > left[kind, _TWOS_LEFT]:
        trial[kind, TWOS] = 0
        trial[kind, NATURALS] += 1
    return trial[kind, NATURALS] <= hand[kind]


@kernel
def _follow(rules, view, prices, left, spent, trial, kind):
    """Lay a rank as `trial` has it: write what is left after it, or return False if that is no meld."""
    naturals, twos, jokers = trial[kind, NATURALS], trial[kind, TWOS], trial[kind, JOKERS]
    laid = naturals + twos + jokers
    if laid > left[kind, _CARDS_SPARE] or not _is_meld(rules, view, kind, naturals, twos + jokers):
        return False
    points = naturals * VALUE[kind] + _worth(twos, jokers)
    left[kind + 1, _TWOS_LEFT] = left[kind, _TWOS_LEFT] - twos
    left[kind + 1, _JOKERS_LEFT] = left[kind, _JOKERS_LEFT] - jokers
    left[kind + 1, _CARDS_SPARE] = left[kind, _CARDS_SPARE] - laid
    left[kind + 1, _POINTS_MISSING] = left[kind, _POINTS_MISSING] - points
    is_clean = laid > 0 and twos + jokers + meld_wilds(view, OWN, kind) == 0
    left[kind + 1, _IS_ANCHORED] = 1 if is_clean else left[kind, _IS_ANCHORED]
    spent[kind + 1] = spent[kind] + _price(view, prices, kind, naturals, twos, jokers)
    return True


@kernel
def _is_meld(rules, view, kind, naturals, wilds):
    """Whether the cards, or none at all, may be laid to a rank in an opening (R-MELD, R-TAKE-5)."""
    if naturals + wilds == 0:
        return True
    size = meld_size(view, OWN, kind)
    all_naturals = view.naturals[OWN, kind] + naturals
    all_wilds = meld_wilds(view, OWN, kind)
    if view.closed[kind] or all_naturals < PAIR or size + naturals + wilds < MELD_START:
        return False
    if rules.opens_from_hand and kind == view.taken and size + naturals + wilds > LARGEST_BEFORE_TOP_CARD:
        return False
    if rules.melds_end_at_seven and size + naturals + wilds > CANASTA_SIZE:
        return False
    if rules.needs_clean_opening and wilds > 0 and size > 0 and all_wilds == 0:
        return False  # the clean meld that lies there may be the one that is needed
    return wilds == 0 or wilds <= wild_room(rules, kind, all_naturals, all_wilds, True)


@kernel
def _price(view, prices, kind, naturals, twos, jokers):
    price = naturals * prices[CARD, kind] + twos * prices[CARD, TWO] + jokers * prices[CARD, JOKER]
    if twos + jokers > 0 and meld_wilds(view, OWN, kind) == 0:
        price += prices[MIXED_MELD, kind]
    elif naturals > 0 and meld_size(view, OWN, kind) == 0:
        price += prices[CLEAN_MELD, kind]
    return price


@kernel
def _step_of(view, plan, kind):
    """The action that a plan has next for one meld, which a wild begins if it is to hold one."""
    naturals, twos, jokers = plan[kind, NATURALS], plan[kind, TWOS], plan[kind, JOKERS]
    rank = kind - FIRST_RANK
    if naturals + twos + jokers == 0:
        return NOTHING
    is_new = meld_size(view, OWN, kind) == 0
    if kind == WILD_MELD:
        if is_new:
            return MELD_WILDS + min(jokers, MELD_START)
        return ADD_TWO_TO_WILDS if twos > 0 else ADD_JOKER_TO_WILDS
    if is_new:
        if twos > 0:
            return MELD_WITH_TWO + rank
        return MELD_WITH_JOKER + rank if jokers > 0 else MELD_CLEAN + rank
    if naturals > 0:
        return ADD_NATURAL + rank
    return ADD_TWO + rank if twos > 0 else ADD_JOKER + rank
