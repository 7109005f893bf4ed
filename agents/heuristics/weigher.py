"""The weigher (Classic): weighs what the pile brings against what it costs; goes out with judgement."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.features import (
    NEXT,
    NOTHING,
    OWN,
    buried,
    cheapest_take,
    has_canastas_to_go_out,
    is_wild,
    legal,
    lowest_discard,
    no_scores,
    pile_is_open,
    top_card,
    wilds_in_hand,
)
from canasta_agents.heuristics.going_out import NO_WAY, card_to_hold_back, step_out
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import clean_set, closing_step, natural_onto_largest, pair_with_wild
from canasta_agents.heuristics.opening import (
    CARD,
    UNAFFORDABLE,
    needs_opening,
    no_plan,
    no_prices,
    num_cards,
    opening_step,
    plan_opening,
)
from canasta_env.actions import ASK, DRAW, NO, PICK_UP, TAKE, TAKE_WITH_TWO, YES
from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.melds import MELD_START, PAIR, VALUE, meld_size
from canasta_env.engine.state import MAX_SEATS, MUST_GO_OUT, PHASE_ANSWER, PHASE_DRAW

_KEEP = 2
_PARTNER = 2  # relative seat, with four players
_LATE = 20  # cards in the stock
_VERY_LATE = 12

_PILE_BASE = 1.0  # what a pile brings, then per buried card
_BURIED_WILD, _BURIED_FITTING, _BURIED_RANK, _BURIED_REST = 2.5, 1.5, 0.7, 0.2
_COST_OF_PAIR, _COST_OF_WILD, _COST_PER_WILD_POINT, _COST_PER_OPENING_CARD = 0.5, 1.0, 1.5 / 20, 0.3
_WORTH_PER_COST = 2.5  # a pile is taken from here on

_FEW_CARDS = 5  # partner's, for going out
_CARDS_AHEAD = 4
_HAND_TO_SAY_YES, _CARDS_TO_SAY_YES = 70, 4

_SCORE_OF_WILD, _SCORE_OF_BLACK_THREE, _SCORE_OF_BLACK_THREE_ON_PILE, _LARGE_PILE = 60.0, 3.0, -4.0, 5
_SCORE_OF_ONE, _SCORE_OF_TWO, _SCORE_OF_MORE, _SCORE_OF_FITTING = 5.0, 18.0, 30.0, 12.0
_PER_POINT, _PER_POINT_LATE, _PER_PILE_CARD_FED = 0.05, -0.35, 3.0


def choose(rules, style, view, mask, random):
    """Choose an action."""
    if view.phase == PHASE_DRAW:
        action = _draw_or_take(rules, view, mask)
    elif view.phase == PHASE_ANSWER:
        action = YES if _says_yes(view) else NO
    else:
        action = _lay(rules, view, mask)
        if action == NOTHING:
            action = _discard(view, mask)
    return legal(mask, action)


@kernel
def _draw_or_take(rules, view, mask):
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
    prices[CARD, TWO] += _PER_POINT
    prices[CARD, JOKER] += PAIR * _PER_POINT
    return prices


@kernel
def _lay(rules, view, mask):
    if mask[PICK_UP]:
        return PICK_UP
    held = card_to_hold_back(rules, view)
    if held != NO_WAY and (_should_go_out(rules, view) or view.answer == MUST_GO_OUT):
        return step_out(rules, view, mask, held)
    if held != NO_WAY and mask[ASK]:
        return ASK
    if needs_opening(view, mask):
        return opening_step(rules, view, mask, _fewest_cards(), _KEEP, UNAFFORDABLE)
    return _lay_opened(rules, view, mask)


@kernel
def _should_go_out(rules, view):
    """The partner holds few cards, the stock is short, opponents are behind in cards or about to go out."""
    if view.stock_size < _VERY_LATE:
        return True
    if rules.players == MAX_SEATS and view.hand_size[_PARTNER] <= _FEW_CARDS:
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
def _says_yes(view):
    points = 0
    for kind in range(NUM_KINDS):
        points += view.hand[kind] * VALUE[kind]
    is_light = points <= _HAND_TO_SAY_YES or view.hand_size[OWN] <= _CARDS_TO_SAY_YES
    return is_light or view.stock_size < _VERY_LATE


@kernel
def _lay_opened(rules, view, mask):
    """Naturals always, new clean sets, wilds to reach seven, late a pair with a wild."""
    action = natural_onto_largest(view, mask, _KEEP)
    if action == NOTHING:
        action = clean_set(view, mask, _KEEP)
    if action == NOTHING:
        action = closing_step(rules, view, mask, _KEEP, wilds_in_hand(view))
    if action == NOTHING and view.stock_size < _LATE:
        action = pair_with_wild(view, mask, _KEEP)
    return action


@kernel
def _discard(view, mask):
    scores = no_scores()
    is_open = pile_is_open(view)
    per_point = _PER_POINT_LATE if view.stock_size < _LATE else _PER_POINT
    for kind in range(NUM_KINDS):
        if is_wild(kind):
            scores[kind] = _SCORE_OF_WILD
        elif kind == BLACK_THREE:
            is_blocking = view.pile_size >= _LARGE_PILE
            scores[kind] = _SCORE_OF_BLACK_THREE_ON_PILE if is_blocking else _SCORE_OF_BLACK_THREE
        else:
            scores[kind] = _copies(view.hand[kind]) + per_point * VALUE[kind]
            if meld_size(view, OWN, kind) > 0:
                scores[kind] += _SCORE_OF_FITTING
            if is_open and view.naturals[NEXT, kind] > 0:
                scores[kind] += _PER_PILE_CARD_FED * view.pile_size
    return lowest_discard(mask, scores)


@kernel
def _copies(number):
    if number <= 1:
        return _SCORE_OF_ONE
    return _SCORE_OF_TWO if number == PAIR else _SCORE_OF_MORE
