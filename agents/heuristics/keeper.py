"""The keeper (Modern American): keeps the pairs that take the pile, and starts only what can be finished.

Takes piles of three cards or more, but with sevens or aces that will probably stay unfinished only large
ones; an opening may cost more, the larger the pile that it brings. Begins sevens, aces and the wild meld only
if the side will probably collect seven of them; then all wilds go there, else they complete melds of five
naturals. Holds pairs and sets that could take the pile, and lays everything when the deal may end. Asks
before it goes out, stays in while an own meld would be penalised, says no with three aces or sevens or a
heavy hand. Prices a discard by what it is worth in the hand, and by the chance that the next player takes the
pile with a pair of it, times the pile; a third seven or ace should go.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.features import (
    NEXT,
    NOTHING,
    OWN,
    can_be_taken,
    chance_of_clean_canasta,
    chance_of_pair,
    chance_of_wild_canasta,
    deal_may_end,
    has_canastas_to_go_out,
    is_canasta,
    is_finished,
    is_risky,
    is_wild,
    lowest_discard,
    no_scores,
    points_in_hand,
    share_of_unseen,
    top_card,
    wilds_in_hand,
)
from canasta_agents.heuristics.frame import make_player
from canasta_agents.heuristics.going_out import NO_WAY, card_to_hold_back, step_out
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import canasta_step, leaves, wild_onto
from canasta_agents.heuristics.opening import (
    CLEAN_MELD,
    MIXED_MELD,
    NATURALS,
    no_plan,
    opening_step,
    plan_opening,
    prices_by_sort,
)
from canasta_env.actions import ADD_NATURAL, ASK, DRAW, MELD_CLEAN, MELD_WILDS, NO, TAKE, YES
from canasta_env.cards import ACE, CANASTA_SIZE, FIRST_RANK, NUM_KINDS, SEVEN
from canasta_env.engine.melds import MELD_START, PAIR, VALUE, meld_size, meld_wilds, wild_meld_is_growing
from canasta_env.engine.state import NO_CARD, WILD_MELD

_KEEP = 2  # cards that laying leaves in the hand, the discard among them


@kernel
def _draw(rules, params, view, mask, random):
    own = params.keeper
    if not mask[TAKE]:
        return DRAW
    top = top_card(view)
    size = own.take_from if view.opened[OWN] else own.take_opening_from
    if is_risky(top) and meld_size(view, OWN, top) == 0:
        if chance_of_clean_canasta(view, top, view.pile_count[top]) < own.risky_chance:
            size = max(size, own.take_risky_from)
    if view.pile_size < size:
        return DRAW
    if (
        not view.opened[OWN]
        and _opening_price(rules, own, view, top)
        > own.price_to_open + own.price_per_pile_card * view.pile_size
    ):
        return DRAW
    return TAKE


@kernel
def _opening_price(rules, own, view, top):
    """Price of the opening with which the pile would be taken: beside a pair for the top card, or with it."""
    plan = no_plan()
    prices = _prices(own, view)
    missing, spare = view.minimum[OWN] - view.opening_points, view.hand_size[OWN] - PAIR
    price = plan_opening(rules, view, top, missing, spare, prices, plan)
    with_pair = plan_opening(rules, view, NO_CARD, missing, view.hand_size[OWN], prices, plan)
    return min(price, with_pair) if plan[top, NATURALS] >= PAIR else price


@kernel
def _answer(rules, params, view, mask, random):
    """No if the partner's going out would cost dearly here: three aces or sevens, or many points."""
    has_three = view.hand[ACE] >= MELD_START or view.hand[SEVEN] >= MELD_START
    return NO if has_three or points_in_hand(view) > params.keeper.laden else YES


@kernel
def _go_out(rules, params, view, mask, random):
    own = params.keeper
    held = card_to_hold_back(rules, view)
    if held == NO_WAY or not _should_go_out(rules, own, view):
        return NOTHING
    if own.asks > 0 and mask[ASK]:
        return ASK
    return step_out(rules, view, mask, held)


@kernel
def _lay_opening(rules, params, view, mask, random):
    own = params.keeper
    return opening_step(rules, view, mask, _prices(own, view), _KEEP, own.price_to_open)


@kernel
def _should_go_out(rules, own, view):
    """Not while an unfinished meld would cost more, unless opponents are about to go out themselves."""
    if own.stays_in > 0 and _unfinished_risk(view):
        return has_canastas_to_go_out(rules, view, NEXT)
    return True


@kernel
def _unfinished_risk(view):
    """Whether an own meld stands that is penalised as it is."""
    sevens = meld_size(view, OWN, SEVEN)
    aces = meld_size(view, OWN, ACE) if meld_wilds(view, OWN, ACE) == 0 else 0
    wilds = meld_size(view, OWN, WILD_MELD)
    return 0 < sevens < CANASTA_SIZE or 0 < aces < CANASTA_SIZE or 0 < wilds < CANASTA_SIZE


@kernel
def _prices(own, view):
    """What cards and melds are worth to it when it opens."""
    prices = prices_by_sort(own.price_of_natural, own.price_of_two, own.price_of_joker, own.price_of_mixed)
    prices[CLEAN_MELD, SEVEN] = own.price_of_risk
    prices[CLEAN_MELD, ACE] = own.price_of_risk
    if _collects_wilds(own, view):
        for kind in range(FIRST_RANK, NUM_KINDS):
            prices[MIXED_MELD, kind] += own.price_of_lost_wilds
    else:
        prices[CLEAN_MELD, WILD_MELD] = own.price_of_risk
    return prices


@kernel
def _lay(rules, params, view, mask, random):
    """Complete canastas, feed the wild meld, then naturals and new sets as far as they need not be held."""
    own = params.keeper
    is_urgent = deal_may_end(rules, view, own.urgent_stock, own.urgent_cards)
    action = _wild_meld(own, view, mask)
    if action == NOTHING:
        most_wilds = 0 if _collects_wilds(own, view) else wilds_in_hand(view)
        action = canasta_step(rules, view, mask, _KEEP, most_wilds)
    if action == NOTHING:
        action = _natural(rules, own, view, mask, is_urgent)
    if action == NOTHING:
        action = _clean_set(own, view, mask, is_urgent)
    return action


@kernel
def _collects_wilds(own, view):
    """Whether a wild canasta is likely enough to keep all wilds for it."""
    if is_canasta(view, OWN, WILD_MELD):
        return False
    return chance_of_wild_canasta(view) >= own.wild_chance


@kernel
def _wild_meld(own, view, mask):
    """Feed the wild meld, or begin it if it can be finished."""
    if leaves(view, MELD_START, _KEEP) and _collects_wilds(own, view):
        for jokers in range(MELD_START + 1):
            if mask[MELD_WILDS + jokers]:
                return MELD_WILDS + jokers
    if wild_meld_is_growing(view, OWN) and leaves(view, 1, _KEEP):
        return wild_onto(mask, WILD_MELD)
    return NOTHING


@kernel
def _natural(rules, own, view, mask, is_urgent):
    """Add a natural to the largest meld; pairs are held that could still take the pile onto a small one."""
    best, best_size = NOTHING, 0
    if not leaves(view, 1, _KEEP):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        action = ADD_NATURAL + kind - FIRST_RANK
        size = meld_size(view, OWN, kind)
        if mask[action] and size > best_size:
            is_held = view.hand[kind] >= PAIR and size <= rules.largest_meld_to_take
            if not is_held or is_urgent or view.stock_size < own.hold_pairs_above:
                best, best_size = action, size
    return best


@kernel
def _clean_set(own, view, mask, is_urgent):
    """Begin the largest clean set, but hold small ones, and sevens or aces that would stay unfinished."""
    best, best_cards = NOTHING, 0
    if not leaves(view, MELD_START, _KEEP):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        action = MELD_CLEAN + kind - FIRST_RANK
        if mask[action] and view.hand[kind] > best_cards:
            if is_risky(kind) and chance_of_clean_canasta(view, kind, 0) < own.risky_chance:
                continue
            if is_urgent or view.hand[kind] >= own.set_from:
                best, best_cards = action, view.hand[kind]
    return best


@kernel
def _discard(rules, params, view, mask, random):
    own = params.keeper
    scores = no_scores()
    share = share_of_unseen(rules, view, NEXT)
    for kind in range(NUM_KINDS):
        if view.hand[kind] == 0:
            continue
        if is_wild(kind):
            scores[kind] = own.wild + VALUE[kind]
        else:
            scores[kind] = _worth_of_holding(rules, own, view, kind)
            if can_be_taken(rules, view, kind):
                risk = chance_of_pair(rules, view, NEXT, kind, share)
                if not view.opened[NEXT]:
                    risk *= own.unopened
                if view.discarded[NEXT, kind] > 0:
                    risk *= own.thrown_before
                scores[kind] += risk * (own.feed + own.feed_card * view.pile_size)
    return lowest_discard(mask, scores)


@kernel
def _worth_of_holding(rules, own, view, kind):
    """What a natural is worth in the hand."""
    if view.closed[kind] or is_finished(rules, view, OWN, kind):
        return 0.0
    copies, size, unseen = view.hand[kind], meld_size(view, OWN, kind), view.unseen[kind]
    worth = -own.point * VALUE[kind]
    if copies >= MELD_START:
        worth += own.triple
    elif copies == PAIR:
        worth += own.pair + own.pair_unseen * unseen
    else:
        worth += own.single_unseen * unseen
    if is_risky(kind) and size == 0:
        worth += own.risky
        if copies >= MELD_START:
            worth -= own.risky_three
    if size > 0:
        worth += own.fits
    return worth


PLAYER = make_player(
    "keeper",
    ("modern_american",),
    draw=_draw,
    go_out=_go_out,
    lay_opening=_lay_opening,
    lay=_lay,
    discard=_discard,
    answer=_answer,
)
