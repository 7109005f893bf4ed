"""Going-out plans: which card, if any, is held back as the last discard while all others are laid."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from canasta_agents.heuristics.features import NOTHING, OWN, discard_of, is_finished, is_wild, wilds_in_hand
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.melding import canasta_step, pair_with_wild, wild_onto, wild_onto_largest
from canasta_env.actions import ADD_BLACK_THREE, ADD_NATURAL, MELD_BLACK_THREES, MELD_CLEAN
from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, FIRST_RANK, NUM_KINDS
from canasta_env.engine.melds import (
    MELD_START,
    PAIR,
    VALUE,
    meld_size,
    meld_wilds,
    wild_meld_is_growing,
    wild_room,
)
from canasta_env.engine.state import NO_CARD, REFUSED, WILD_MELD

NO_WAY = -2  # in place of the card held back: the hand cannot be laid
_MISSING_SIZES = CANASTA_SIZE  # a meld may miss up to this many wilds, exclusive


@kernel
def card_to_hold_back(rules, view):
    """The kind to go out by discarding, NO_CARD if everything is laid, NO_WAY if the turn cannot end so.

    Lays everything if that goes out (R-OUT-2), else holds back the cheapest card that can be spared.
    """
    stuck, held = _stuck_cards(rules, view)
    if stuck > 1 or view.answer == REFUSED or view.taken != NO_CARD:
        return NO_WAY
    if stuck == 1:
        return held if can_lay_all_but(rules, view, held) else NO_WAY
    if not rules.goes_out_by_discarding and can_lay_all_but(rules, view, NO_CARD):
        return NO_CARD
    held = NO_WAY
    for kind in range(NUM_KINDS):
        if view.hand[kind] > 0 and (held == NO_WAY or VALUE[kind] < VALUE[held]):
            if can_lay_all_but(rules, view, kind):
                held = kind
    return held


@kernel
def _stuck_cards(rules, view):
    """How many cards can only leave the hand as the discard, and the kind of the last one of them."""
    stuck, kind_of_last = 0, NO_CARD
    wilds = wilds_in_hand(view)
    if 0 < view.hand[BLACK_THREE] < MELD_START and meld_size(view, OWN, BLACK_THREE) == 0:
        stuck, kind_of_last = view.hand[BLACK_THREE], BLACK_THREE
    for kind in range(FIRST_RANK, NUM_KINDS):
        cards = view.hand[kind]
        if cards == 0:
            continue
        laid = _most_laid(rules, view, kind, wilds)
        if laid < cards:
            stuck += cards - laid
            kind_of_last = kind
    return stuck, kind_of_last


@kernel
def _most_laid(rules, view, kind, wilds):
    """Most naturals of a kind that the hand can lay, whatever else it does."""
    cards = view.hand[kind]
    size = meld_size(view, OWN, kind)
    if view.closed[kind]:
        return 0
    if rules.melds_end_at_seven:
        cards = min(cards, CANASTA_SIZE - size)
    if size > 0 or cards >= MELD_START:
        return cards
    return cards if cards == PAIR and wilds > 0 and rules.naturals_before_wild <= PAIR else 0


@kernel
def can_lay_all_but(rules, view, held):
    """Whether all cards but one of the kind `held` can be laid, with the canastas that going out needs."""
    wilds = wilds_in_hand(view) - is_wild(held)
    closing = np.zeros(_MISSING_SIZES, np.int64)  # melds that so many wilds would make canastas
    canastas, room, points = 0, 0, view.opening_points
    if rules.has_wild_meld and meld_size(view, OWN, WILD_MELD) > 0:
        wilds, canastas = _feed_wild_meld(view, wilds)
    for kind in range(FIRST_RANK, NUM_KINDS):
        hand = view.hand[kind] - (kind == held)
        on_table = meld_wilds(view, OWN, kind)
        naturals = view.naturals[OWN, kind] + hand
        if naturals == 0:
            continue
        if hand > 0:
            if meld_size(view, OWN, kind) == 0 and hand < MELD_START:
                if rules.naturals_before_wild > PAIR or hand < PAIR:
                    return False
                wilds -= 1
                on_table = 1
            if view.closed[kind] or (rules.melds_end_at_seven and naturals + on_table > CANASTA_SIZE):
                return False
        points += hand * VALUE[kind]
        here = wild_room(rules, kind, naturals, on_table, False)
        room += max(0, here)
        missing = CANASTA_SIZE - naturals - on_table
        if missing <= 0:
            canastas += 1
        elif missing <= here:
            closing[missing] += 1
    if wilds < 0 or wilds > room or not _may_end(rules, view, held, points):
        return False
    for missing in range(1, _MISSING_SIZES):
        closed = min(closing[missing], wilds // missing)
        canastas += closed
        wilds -= closed * missing
    return canastas >= rules.canastas_to_go_out


@kernel
def _feed_wild_meld(view, wilds):
    """Wilds left when the wild meld has taken what it can, and 1 if it is a canasta then."""
    space = CANASTA_SIZE - meld_size(view, OWN, WILD_MELD)
    if wilds >= space:
        return wilds - space, 1
    return 0, 0


@kernel
def _may_end(rules, view, held, natural_points):
    """Whether the minimum is met with everything laid, and a discard is there if there must be one."""
    if rules.goes_out_by_discarding and held == NO_CARD:
        return False
    if view.opened[OWN]:
        return True
    points = natural_points
    for kind in range(FIRST_RANK):
        if is_wild(kind) or kind == BLACK_THREE:
            points += (view.hand[kind] - (kind == held)) * VALUE[kind]
    return points >= view.minimum[OWN]


@kernel
def going_out_step(rules, view, mask):
    """The next action of going out in this turn; NOTHING if that is not possible."""
    held = card_to_hold_back(rules, view)
    if held == NO_WAY:
        return NOTHING
    return step_out(rules, view, mask, held)


@kernel
def step_out(rules, view, mask, held):
    """The next action of laying all but `held`: naturals, pairs, closing wilds, other wilds, black threes."""
    if view.hand_size[OWN] == 1 and held != NO_CARD:
        return discard_of(held) if mask[discard_of(held)] else NOTHING
    for kind in range(FIRST_RANK, NUM_KINDS):
        if view.hand[kind] > (kind == held):
            for action in (MELD_CLEAN + kind - FIRST_RANK, ADD_NATURAL + kind - FIRST_RANK):
                if mask[action]:
                    return action
    action = pair_with_wild(view, mask, 0)
    if action == NOTHING and wilds_in_hand(view) > is_wild(held):
        action = _lay_wild(rules, view, mask)
    if action == NOTHING:
        for black_threes in (MELD_BLACK_THREES, ADD_BLACK_THREE):
            if mask[black_threes] and view.hand[BLACK_THREE] > (held == BLACK_THREE):
                action = black_threes
    return action


@kernel
def _lay_wild(rules, view, mask):
    if rules.has_wild_meld and wild_meld_is_growing(view, OWN):
        return wild_onto(mask, WILD_MELD)
    action = canasta_step(rules, view, mask, 0, wilds_in_hand(view))
    if action == NOTHING:
        action = wild_onto_largest(view, mask, 0)
    if action == NOTHING:
        for kind in range(FIRST_RANK, NUM_KINDS):
            if action == NOTHING and not is_finished(rules, view, OWN, kind):
                action = wild_onto(mask, kind)
    return action
