"""The weigher (Classic): weighs what the pile brings against what it costs; goes out with judgement.

A pile brings its cards: wilds most, then ranks that it holds or its side has on the table. Taking costs what
it lays down for it: nothing if the top card fits a meld, a pair, a wild by its points, cards to open. Opens
with the fewest cards; naturals always, new clean sets, wilds only to complete a canasta, a pair with a wild
late. Goes out only with reason (a partner with few cards, a short stock, opponents behind or about to go
out), else asks; says yes with a light hand. Discards single cards of low points, black threes on large piles,
and nothing that the next player could add to a meld on an open pile.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from canasta_agents.heuristics.features import (
    NEXT,
    NOTHING,
    OWN,
    PARTNER,
    buried,
    by_copies,
    cheapest_take,
    has_canastas_to_go_out,
    is_wild,
    lowest_discard,
    no_scores,
    pile_is_open,
    points_in_hand,
    top_card,
    wilds_in_hand,
)
from canasta_agents.heuristics.frame import make_player
from canasta_agents.heuristics.going_out import NO_WAY, card_to_hold_back, step_out
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import canasta_step, clean_set, natural_onto_largest, pair_with_wild
from canasta_agents.heuristics.opening import (
    CARD,
    UNAFFORDABLE,
    no_plan,
    no_prices,
    num_cards,
    opening_step,
    plan_opening,
)
from canasta_env.actions import ASK, DRAW, NO, TAKE, TAKE_WITH_TWO, YES
from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import MELD_START, PAIR, VALUE, meld_size
from canasta_env.engine.state import MAX_SEATS, MUST_GO_OUT

_KEEP = 2  # cards that laying leaves in the hand, the discard among them
_LATE = 20  # with less cards than that in the stock, high points go and a pair with a wild is laid
_VERY_LATE = 12  # ... and the deal should end

# What a pile brings.
_PILE_BASE = 1.0
_BURIED_WILD = 2.5  # then each card under the top one
_BURIED_FITTING = 1.5  # ... of a rank in hand or on the side's table
_BURIED_RANK = 0.7
_BURIED_REST = 0.2

# What taking it costs.
_COST_OF_PAIR = 0.5
_COST_OF_WILD = 1.0  # with a natural
_COST_PER_WILD_POINT = 1.5 / 20  # ... and the wild's points
_COST_PER_OPENING_CARD = 0.3  # each card that the opening needs beside
_WORTH_PER_COST = 2.5  # a pile is taken that brings so many times its cost

# Going out.
_FEW_CARDS = 5  # the partner holds no more
_CARDS_AHEAD = 4  # an opponent holds so many more than it does
_HAND_TO_SAY_YES = 70  # points of its hand, at most
_CARDS_TO_SAY_YES = 4  # ... or so many cards, at most

# Scores of a discard, the lowest goes.
_WILD = 60.0
_BLACK_THREE = 3.0
_BLACK_THREE_ON_LARGE_PILE = -4.0  # ... which it blocks, from _LARGE_PILE cards on
_LARGE_PILE = 5
_SINGLE = 5.0
_PAIR = 18.0
_SET = 30.0
_PER_POINT = 0.05
_PER_POINT_LATE = -0.35
_FITTING = 12.0  # more, if it fits an own meld
_PER_PILE_CARD_FED = 3.0  # more for each card of an open pile, if the next player has the rank on the table

_PRICE_OF_TWO = 0.05  # of an opening, beside the card: among as few cards, wilds stay in the hand
_PRICE_OF_JOKER = 0.1


@kernel
def _draw(rules, params, view, mask, random):
    action = cheapest_take(mask)
    if action == NOTHING:
        return DRAW
    if view.stock_size == 0 or _pile_brings(view) >= _WORTH_PER_COST * _taking_costs(rules, view, action):
        return action
    return DRAW


@kernel
def _pile_brings(view):
    brings = _PILE_BASE
    for kind in range(NUM_KINDS):
        each = _BURIED_REST
        if is_wild(kind):
            each = _BURIED_WILD
        elif kind >= FIRST_RANK:
            is_fitting = view.hand[kind] > 0 or meld_size(view, OWN, kind) > 0
            each = _BURIED_FITTING if is_fitting else _BURIED_RANK
        brings += each * buried(view, kind)
    return brings


@kernel
def _taking_costs(rules, view, action):
    top = top_card(view)
    if action != TAKE:
        wild = TWO if action == TAKE_WITH_TWO else JOKER
        return _COST_OF_WILD + _COST_PER_WILD_POINT * VALUE[wild]
    if not view.opened[OWN]:
        return _COST_OF_PAIR + _COST_PER_OPENING_CARD * _cards_to_open_after_taking(rules, view, top)
    return 0.0 if meld_size(view, OWN, top) > 0 else _COST_OF_PAIR


@kernel
def _cards_to_open_after_taking(rules, view, top):
    """Cards that the opening needs beside the pair and the top card."""
    plan = no_plan()
    missing = view.minimum[OWN] - MELD_START * VALUE[top]
    plan_opening(rules, view, top, missing, view.hand_size[OWN] - PAIR, _fewest_cards(), plan)
    return num_cards(plan)


@kernel
def _fewest_cards():
    """Prices that count cards; among as many, wilds stay in the hand."""
    prices = no_prices()
    for kind in range(NUM_KINDS):
        prices[CARD, kind] = 1.0
    prices[CARD, TWO] += _PRICE_OF_TWO
    prices[CARD, JOKER] += _PRICE_OF_JOKER
    return prices


@kernel
def _go_out(rules, params, view, mask, random):
    """Go out with reason or by the partner's leave, else ask for it."""
    held = card_to_hold_back(rules, view)
    if held != NO_WAY and (_should_go_out(rules, view) or view.answer == MUST_GO_OUT):
        return step_out(rules, view, mask, held)
    return ASK if held != NO_WAY and mask[ASK] else NOTHING


@kernel
def _should_go_out(rules, view):
    """The partner holds few cards, the stock is short, opponents are behind in cards or about to go out."""
    if view.stock_size < _VERY_LATE:
        return True
    if rules.players == MAX_SEATS and view.hand_size[PARTNER] <= _FEW_CARDS:
        return True
    for seat in range(1, rules.players):
        side = seat % rules.num_sides
        if side != OWN:
            if view.hand_size[seat] >= view.hand_size[OWN] + _CARDS_AHEAD:
                return True
            if has_canastas_to_go_out(rules, view, side):
                return True
    return False


@kernel
def _answer(rules, params, view, mask, random):
    is_light = points_in_hand(view) <= _HAND_TO_SAY_YES or view.hand_size[OWN] <= _CARDS_TO_SAY_YES
    return YES if is_light or view.stock_size < _VERY_LATE else NO


@kernel
def _lay_opening(rules, params, view, mask, random):
    return opening_step(rules, view, mask, _fewest_cards(), _KEEP, UNAFFORDABLE)


@kernel
def _lay(rules, params, view, mask, random):
    """Naturals always, new clean sets, wilds to reach seven, late a pair with a wild."""
    action = natural_onto_largest(view, mask, _KEEP)
    if action == NOTHING:
        action = clean_set(view, mask, _KEEP)
    if action == NOTHING:
        action = canasta_step(rules, view, mask, _KEEP, wilds_in_hand(view))
    if action == NOTHING and view.stock_size < _LATE:
        action = pair_with_wild(view, mask, _KEEP)
    return action


@kernel
def _discard(rules, params, view, mask, random):
    scores = no_scores()
    is_open = pile_is_open(view)
    per_point = _PER_POINT_LATE if view.stock_size < _LATE else _PER_POINT
    for kind in range(NUM_KINDS):
        if is_wild(kind):
            scores[kind] = _WILD
        elif kind == BLACK_THREE:
            is_blocking = view.pile_size >= _LARGE_PILE
            scores[kind] = _BLACK_THREE_ON_LARGE_PILE if is_blocking else _BLACK_THREE
        else:
            scores[kind] = by_copies(view.hand[kind], _SINGLE, _PAIR, _SET) + per_point * VALUE[kind]
            if meld_size(view, OWN, kind) > 0:
                scores[kind] += _FITTING
            if is_open and view.naturals[NEXT, kind] > 0:
                scores[kind] += _PER_PILE_CARD_FED * view.pile_size
    return lowest_discard(mask, scores)


PLAYER = make_player(
    "weigher",
    ("classic",),
    draw=_draw,
    go_out=_go_out,
    lay_opening=_lay_opening,
    lay=_lay,
    discard=_discard,
    answer=_answer,
)
