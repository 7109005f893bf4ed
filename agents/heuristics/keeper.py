"""The keeper (Modern American): keeps the pairs that take the pile, and starts only what can be finished."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NEXT,
    NOTHING,
    OWN,
    can_be_taken,
    chance_of_clean_canasta,
    chance_of_pair,
    chance_of_wild_canasta,
    has_canastas_to_go_out,
    is_canasta,
    is_finished,
    is_wild,
    legal,
    lowest_discard,
    no_scores,
    share_of_unseen,
    top_card,
    wilds_in_hand,
)
from canasta_agents.heuristics.going_out import NO_WAY, card_to_hold_back, step_out
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import closing_step, leaves, wild_onto
from canasta_agents.heuristics.opening import (
    CARD,
    CLEAN_MELD,
    MIXED_MELD,
    NATURALS,
    needs_opening,
    no_plan,
    no_prices,
    opening_step,
    plan_opening,
)
from canasta_env.actions import ADD_NATURAL, ASK, DRAW, MELD_CLEAN, MELD_WILDS, NO, PICK_UP, TAKE, YES
from canasta_env.cards import ACE, CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, SEVEN, TWO
from canasta_env.engine.melds import MELD_START, PAIR, VALUE, meld_size, meld_wilds, wild_meld_is_growing
from canasta_env.engine.state import NO_CARD, PHASE_ANSWER, PHASE_DRAW, WILD_MELD

_LARGEST_TO_TAKE = 4  # R-TAKE-2
_KEEP = 2
_PREVIOUS = 3  # relative seat of the other opponent


def choose(rules, style, view, mask, random):
    """Choose an action."""
    if view.phase == PHASE_DRAW:
        action = _draw_or_take(rules, style.keeper, view, mask)
    elif view.phase == PHASE_ANSWER:
        action = NO if _is_laden(style.keeper, view) else YES
    else:
        action = _lay(rules, style.keeper, view, mask)
        if action == NOTHING:
            action = _discard(rules, style.keeper, view, mask)
    return legal(mask, action)


@kernel
def is_risky(kind):
    """Whether an unfinished clean meld of the rank costs dearly (R-SCORE-6)."""
    return kind in (SEVEN, ACE)


@kernel
def _draw_or_take(rules, style, view, mask):
    if not mask[TAKE]:
        return DRAW
    top = top_card(view)
    size = style.take_from if view.opened[OWN] else style.take_opening_from
    if is_risky(top) and meld_size(view, OWN, top) == 0:
        if chance_of_clean_canasta(view, top, view.pile_count[top]) < style.risky_chance:
            size = max(size, style.take_risky_from)
    if view.pile_size < size:
        return DRAW
    if not view.opened[OWN] and _opening_price(rules, style, view, top) > _price_for_pile(style, view):
        return DRAW
    return TAKE


@kernel
def _opening_price(rules, style, view, top):
    """Price of the opening with which the pile would be taken: beside a pair for the top card, or with it."""
    plan = no_plan()
    prices = _prices(style, view)
    missing, spare = view.minimum[OWN] - view.opening_points, view.hand_size[OWN] - PAIR
    price = plan_opening(rules, view, top, missing, spare, prices, plan)
    with_pair = plan_opening(rules, view, NO_CARD, missing, view.hand_size[OWN] - 0, prices, plan)
    return min(price, with_pair) if plan[top, NATURALS] >= PAIR else price


@kernel
def _price_for_pile(style, view):
    """What an opening may cost that brings the pile."""
    return style.price_to_open + style.price_per_pile_card * view.pile_size


@kernel
def _is_laden(style, view):
    """Whether the partner's going out would cost dearly here: three aces or sevens, or many points."""
    points = 0
    for kind in range(NUM_KINDS):
        points += view.hand[kind] * VALUE[kind]
    return view.hand[ACE] >= MELD_START or view.hand[SEVEN] >= MELD_START or points > style.laden


@kernel
def _lay(rules, style, view, mask):
    if mask[PICK_UP]:
        return PICK_UP
    held = card_to_hold_back(rules, view)
    if held != NO_WAY and _should_go_out(rules, style, view):
        if style.asks > 0 and mask[ASK]:
            return ASK
        return step_out(rules, view, mask, held)
    if needs_opening(view, mask):
        return opening_step(rules, view, mask, _prices(style, view), _KEEP, style.price_to_open)
    return _lay_opened(rules, style, view, mask)


@kernel
def _should_go_out(rules, style, view):
    """Not while an unfinished meld would cost more, unless opponents are about to go out themselves."""
    if style.stays_in > 0 and _unfinished_risk(view):
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
def _prices(style, view):
    """What cards and melds are worth to it when it opens."""
    prices = no_prices()
    for kind in range(FIRST_RANK, NUM_KINDS):
        prices[CARD, kind] = style.price_of_natural
        prices[MIXED_MELD, kind] = style.price_of_mixed
    prices[CARD, JOKER], prices[CARD, TWO] = style.price_of_joker, style.price_of_two
    prices[CLEAN_MELD, SEVEN] = style.price_of_risk
    prices[CLEAN_MELD, ACE] = style.price_of_risk
    if _collects_wilds(style, view):
        for kind in range(FIRST_RANK, NUM_KINDS):
            prices[MIXED_MELD, kind] += style.price_of_lost_wilds
    else:
        prices[CLEAN_MELD, WILD_MELD] = style.price_of_risk
    return prices


@kernel
def _lay_opened(rules, style, view, mask):
    """Close canastas, feed the wild meld, then naturals and new sets as far as they need not be held."""
    is_urgent = _is_threatened(rules, style, view)
    action = _wild_meld(style, view, mask)
    if action == NOTHING:
        most_wilds = 0 if _collects_wilds(style, view) else wilds_in_hand(view)
        action = closing_step(rules, view, mask, _KEEP, most_wilds)
    if action == NOTHING:
        action = _natural(style, view, mask, is_urgent)
    if action == NOTHING:
        action = _clean_set(style, view, mask, is_urgent)
    return action


@kernel
def _is_threatened(rules, style, view):
    """Whether an opponent may soon go out."""
    fewest = min(view.hand_size[NEXT], view.hand_size[_PREVIOUS])
    if view.stock_size <= style.urgent_stock:
        return True
    return has_canastas_to_go_out(rules, view, NEXT) and fewest <= style.urgent_cards


@kernel
def _collects_wilds(style, view):
    """Whether a wild canasta is likely enough to keep all wilds for it."""
    if is_canasta(view, OWN, WILD_MELD):
        return False
    return chance_of_wild_canasta(view) >= style.wild_chance


@kernel
def _wild_meld(style, view, mask):
    """Feed the wild meld, or begin it if it can be finished."""
    if leaves(view, MELD_START, _KEEP) and _collects_wilds(style, view):
        for jokers in range(MELD_START + 1):
            if mask[MELD_WILDS + jokers]:
                return MELD_WILDS + jokers
    if wild_meld_is_growing(view, OWN) and leaves(view, 1, _KEEP):
        return wild_onto(mask, WILD_MELD)
    return NOTHING


@kernel
def _natural(style, view, mask, is_urgent):
    """Add a natural to the largest meld; pairs are held that could still take the pile onto a small one."""
    best, best_size = NOTHING, 0
    if not leaves(view, 1, _KEEP):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        action = ADD_NATURAL + kind - FIRST_RANK
        size = meld_size(view, OWN, kind)
        if mask[action] and size > best_size:
            is_held = view.hand[kind] >= PAIR and size <= _LARGEST_TO_TAKE
            if not is_held or is_urgent or view.stock_size < style.hold_pairs_above:
                best, best_size = action, size
    return best


@kernel
def _clean_set(style, view, mask, is_urgent):
    best, best_cards = NOTHING, 0
    if not leaves(view, MELD_START, _KEEP):
        return NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        action = MELD_CLEAN + kind - FIRST_RANK
        if mask[action] and view.hand[kind] > best_cards:
            if is_risky(kind) and chance_of_clean_canasta(view, kind, 0) < style.risky_chance:
                continue
            if is_urgent or view.hand[kind] >= style.set_from:
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
        else:
            scores[kind] = _worth_of_holding(rules, style, view, kind)
            if can_be_taken(rules, view, kind):
                risk = chance_of_pair(rules, view, NEXT, kind, share)
                if not view.opened[NEXT]:
                    risk *= style.unopened
                if view.discarded[NEXT, kind] > 0:
                    risk *= style.thrown_before
                scores[kind] += risk * (style.feed + style.feed_card * view.pile_size)
    return lowest_discard(mask, scores)


@kernel
def _worth_of_holding(rules, style, view, kind):
    """What a natural is worth in the hand."""
    if view.closed[kind] or is_finished(rules, view, OWN, kind):
        return 0.0
    copies, size, unseen = view.hand[kind], meld_size(view, OWN, kind), view.unseen[kind]
    worth = -style.point * VALUE[kind]
    if copies >= MELD_START:
        worth += style.triple
    elif copies == PAIR:
        worth += style.pair + style.pair_unseen * unseen
    else:
        worth += style.single_unseen * unseen
    if is_risky(kind) and size == 0:
        worth += style.risky
        if copies >= MELD_START:
            worth -= style.risky_three
    if size > 0:
        worth += style.fits
    return worth
