"""The watcher (Classic): discards what the next player can hardly take, holds pairs that take the pile.

Takes piles by their size: two cards with an opening, three with a pair, five with a wild, one less if the top
card fits an own meld; an opening may cost more, the larger the pile that it brings. Completes canastas with
two wilds at most (one with two players). Holds pairs and sets that could take the pile as long as the stock
is large, and lays everything when the deal may end; goes out at the first chance, says no with a heavy hand.
Prices a discard by what it is worth in the hand, and by the chance that the next player holds a pair of it,
times the pile.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.features import (
    NEXT,
    NOTHING,
    OWN,
    TWO_PLAYERS,
    chance_of_pair,
    cheapest_take,
    deal_may_end,
    is_wild,
    lowest_discard,
    no_scores,
    points_in_hand,
    share_of_unseen,
    top_card,
)
from canasta_agents.heuristics.frame import make_player
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import canasta_step, leaves, pair_with_wild
from canasta_agents.heuristics.opening import no_plan, opening_step, plan_opening, prices_by_sort
from canasta_env.actions import ADD_NATURAL, DRAW, MELD_CLEAN, NO, TAKE, YES
from canasta_env.cards import BLACK_THREE, FIRST_RANK, NUM_KINDS
from canasta_env.engine.melds import MELD_START, PAIR, VALUE, meld_size


@kernel
def _draw(rules, params, view, mask, random):
    own = params.watcher
    action = cheapest_take(mask)
    if action == NOTHING:
        return DRAW
    size = own.take_from
    if action != TAKE:
        size = own.take_with_wild_from
    elif not view.opened[OWN]:
        size = own.take_opening_from
    if meld_size(view, OWN, top_card(view)) > 0:
        size -= own.take_fitting
    if view.pile_size < size:
        return DRAW
    if (
        not view.opened[OWN]
        and _opening_price(rules, own, view) > own.price_to_open + own.price_per_pile_card * view.pile_size
    ):
        return DRAW
    return action


@kernel
def _opening_price(rules, own, view):
    """Price of what the opening needs beside the pair and the top card."""
    top = top_card(view)
    missing = view.minimum[OWN] - MELD_START * VALUE[top]
    return plan_opening(rules, view, top, missing, view.hand_size[OWN] - PAIR, _prices(own), no_plan())


@kernel
def _prices(own):
    return prices_by_sort(own.price_of_natural, own.price_of_two, own.price_of_joker, own.price_of_mixed)


@kernel
def _answer(rules, params, view, mask, random):
    return NO if points_in_hand(view) > params.watcher.laden else YES


@kernel
def _lay_opening(rules, params, view, mask, random):
    own = params.watcher
    return opening_step(rules, view, mask, _prices(own), int(own.keep), own.price_to_open)


@kernel
def _lay(rules, params, view, mask, random):
    own = params.watcher
    is_urgent = deal_may_end(rules, view, own.urgent_stock, own.urgent_cards)
    keep = int(own.keep if view.canastas[OWN] > 0 else own.keep_before_canasta)
    most_wilds = own.wilds_per_canasta_of_two if rules.players == TWO_PLAYERS else own.wilds_per_canasta
    action = canasta_step(rules, view, mask, keep, int(most_wilds))
    if action == NOTHING:
        action = _natural(own, view, mask, keep, is_urgent)
    if action == NOTHING:
        action = _clean_set(own, view, mask, keep, is_urgent)
    if action == NOTHING and (is_urgent or view.stock_size < own.pair_with_wild_under):
        action = pair_with_wild(view, mask, keep)
    return action


@kernel
def _natural(own, view, mask, keep, is_urgent):
    """Add a natural to the largest meld, but hold pairs that could take the pile."""
    best, best_size = NOTHING, 0
    if not leaves(view, 1, keep):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        action = ADD_NATURAL + kind - FIRST_RANK
        size = meld_size(view, OWN, kind)
        if mask[action] and size > best_size:
            if is_urgent or view.hand[kind] < PAIR or view.stock_size < own.hold_pairs_above:
                best, best_size = action, size
    return best


@kernel
def _clean_set(own, view, mask, keep, is_urgent):
    """Begin the largest clean set, but hold small ones that could take the pile."""
    best, best_cards = NOTHING, 0
    if not leaves(view, MELD_START, keep):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        action = MELD_CLEAN + kind - FIRST_RANK
        if mask[action] and view.hand[kind] > best_cards:
            if is_urgent or view.hand[kind] >= own.set_from or view.stock_size < own.hold_sets_above:
                best, best_cards = action, view.hand[kind]
    return best


@kernel
def _discard(rules, params, view, mask, random):
    own = params.watcher
    scores = no_scores()
    share = share_of_unseen(rules, view, NEXT)
    for kind in range(NUM_KINDS):
        if view.hand[kind] == 0:
            continue
        if is_wild(kind):
            scores[kind] = own.wild + VALUE[kind]
        elif kind == BLACK_THREE:
            scores[kind] = own.black_three
        else:
            risk = chance_of_pair(rules, view, NEXT, kind, share)
            if not view.opened[NEXT]:
                risk *= own.unopened
            scores[kind] = _worth_of_holding(own, view, kind)
            scores[kind] += risk * own.feed_card * view.pile_size
    return lowest_discard(mask, scores)


@kernel
def _worth_of_holding(own, view, kind):
    """What a natural is worth in the hand."""
    copies, unseen = view.hand[kind], view.unseen[kind]
    worth = -own.point * VALUE[kind]
    if copies >= MELD_START:
        worth += own.triple
    elif copies == PAIR:
        worth += own.pair + own.pair_unseen * unseen
    else:
        worth += own.single_unseen * unseen
    if meld_size(view, OWN, kind) > 0:
        worth += own.fits
    return worth


PLAYER = make_player(
    "watcher",
    ("classic",),
    draw=_draw,
    lay_opening=_lay_opening,
    lay=_lay,
    discard=_discard,
    answer=_answer,
)
