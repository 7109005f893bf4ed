"""The watcher (Classic): discards what the next player can hardly take, holds pairs that take the pile."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NEXT,
    NOTHING,
    OWN,
    TWO_PLAYERS,
    chance_of_pair,
    cheapest_take,
    has_canastas_to_go_out,
    is_wild,
    legal,
    lowest_discard,
    no_scores,
    share_of_unseen,
    top_card,
)
from canasta_agents.heuristics.going_out import going_out_step
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import closing_step, leaves, pair_with_wild
from canasta_agents.heuristics.opening import (
    CARD,
    MIXED_MELD,
    needs_opening,
    no_plan,
    no_prices,
    opening_step,
    plan_opening,
)
from canasta_env.actions import ADD_NATURAL, DRAW, MELD_CLEAN, NO, PICK_UP, TAKE, YES
from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import MELD_START, PAIR, VALUE, meld_size
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW


def choose(rules, style, view, mask, random):
    """Choose an action."""
    if view.phase == PHASE_DRAW:
        action = _draw_or_take(rules, style.watcher, view, mask)
    elif view.phase == PHASE_ANSWER:
        action = NO if _points_in_hand(view) > style.watcher.laden else YES
    else:
        action = _lay(rules, style.watcher, view, mask)
        if action == NOTHING:
            action = _discard(rules, style.watcher, view, mask)
    return legal(mask, action)


@kernel
def _draw_or_take(rules, style, view, mask):
    action = cheapest_take(mask)
    if action == NOTHING:
        return DRAW
    size = style.take_from
    if action != TAKE:
        size = style.take_with_wild_from
    elif not view.opened[OWN]:
        size = style.take_opening_from
    if meld_size(view, OWN, top_card(view)) > 0:
        size -= style.take_fitting
    if view.pile_size < size:
        return DRAW
    if not view.opened[OWN] and _opening_price(rules, style, view) > _price_for_pile(style, view):
        return DRAW
    return action


@kernel
def _opening_price(rules, style, view):
    """Price of what the opening needs beside the pair and the top card."""
    top = top_card(view)
    missing = view.minimum[OWN] - MELD_START * VALUE[top]
    return plan_opening(rules, view, top, missing, view.hand_size[OWN] - PAIR, _prices(style), no_plan())


@kernel
def _price_for_pile(style, view):
    return style.price_to_open + style.price_per_pile_card * view.pile_size


@kernel
def _prices(style):
    prices = no_prices()
    for kind in range(FIRST_RANK, NUM_KINDS):
        prices[CARD, kind] = style.price_of_natural
        prices[MIXED_MELD, kind] = style.price_of_mixed
    prices[CARD, JOKER], prices[CARD, TWO] = style.price_of_joker, style.price_of_two
    return prices


@kernel
def _points_in_hand(view):
    points = 0
    for kind in range(NUM_KINDS):
        points += view.hand[kind] * VALUE[kind]
    return points


@kernel
def _lay(rules, style, view, mask):
    if mask[PICK_UP]:
        return PICK_UP
    action = going_out_step(rules, view, mask)
    if action == NOTHING and needs_opening(view, mask):
        return opening_step(rules, view, mask, _prices(style), int(style.keep), style.price_to_open)
    if action == NOTHING:
        action = _lay_opened(rules, style, view, mask)
    return action


@kernel
def _is_urgent(rules, style, view):
    """Whether the deal may soon end: by the stock, or by an opponent with canastas and few cards."""
    if view.stock_size <= style.urgent_stock:
        return True
    for seat in range(1, rules.players):
        side = seat % rules.num_sides
        if (
            side != OWN
            and has_canastas_to_go_out(rules, view, side)
            and view.hand_size[seat] <= style.urgent_cards
        ):
            return True
    return False


@kernel
def _lay_opened(rules, style, view, mask):
    is_urgent = _is_urgent(rules, style, view)
    keep = int(style.keep if view.canastas[OWN] > 0 else style.keep_before_canasta)
    most_wilds = style.wilds_to_close_of_two if rules.players == TWO_PLAYERS else style.wilds_to_close
    action = closing_step(rules, view, mask, keep, int(most_wilds))
    if action == NOTHING:
        action = _natural(style, view, mask, keep, is_urgent)
    if action == NOTHING:
        action = _clean_set(style, view, mask, keep, is_urgent)
    if action == NOTHING and (is_urgent or view.stock_size < style.pair_with_wild_under):
        action = pair_with_wild(view, mask, keep)
    return action


@kernel
def _natural(style, view, mask, keep, is_urgent):
    """Add a natural to the largest meld, but hold pairs that could take the pile."""
    best, best_size = NOTHING, 0
    if not leaves(view, 1, keep):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        action = ADD_NATURAL + kind - FIRST_RANK
        size = meld_size(view, OWN, kind)
        if mask[action] and size > best_size:
            if is_urgent or view.hand[kind] < PAIR or view.stock_size < style.hold_pairs_above:
                best, best_size = action, size
    return best


@kernel
def _clean_set(style, view, mask, keep, is_urgent):
    best, best_cards = NOTHING, 0
    if not leaves(view, MELD_START, keep):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        action = MELD_CLEAN + kind - FIRST_RANK
        if mask[action] and view.hand[kind] > best_cards:
            if is_urgent or view.hand[kind] >= style.set_from or view.stock_size < style.hold_sets_above:
                best, best_cards = action, view.hand[kind]
    return best


@kernel
def _discard(rules, style, view, mask):
    scores = no_scores()
    share = share_of_unseen(rules, view, NEXT)
    for kind in range(NUM_KINDS):
        if view.hand[kind] == 0:
            continue
        if is_wild(kind):
            scores[kind] = style.wild + VALUE[kind]
        elif kind == BLACK_THREE:
            scores[kind] = style.black_three
        else:
            risk = chance_of_pair(rules, view, NEXT, kind, share)
            if not view.opened[NEXT]:
                risk *= style.unopened
            scores[kind] = _worth_of_holding(style, view, kind)
            scores[kind] += risk * style.feed_card * view.pile_size
    return lowest_discard(mask, scores)


@kernel
def _worth_of_holding(style, view, kind):
    copies, unseen = view.hand[kind], view.unseen[kind]
    worth = -style.point * VALUE[kind]
    if copies >= MELD_START:
        worth += style.triple
    elif copies == PAIR:
        worth += style.pair + style.pair_unseen * unseen
    else:
        worth += style.single_unseen * unseen
    if meld_size(view, OWN, kind) > 0:
        worth += style.fits
    return worth
