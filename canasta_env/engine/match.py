"""From deal to deal: settling, the next deal, the end of a match (R-MATCH), and drawn match scores."""

from __future__ import annotations

import numpy as np

from canasta_env.engine.dealing import below, deal_cards, first_dealer, mix, shuffle, stream
from canasta_env.engine.jit import kernel
from canasta_env.engine.scoring import SCORE_FIELDS, TOTAL, score_deal
from canasta_env.engine.state import MAX_SIDES, NOBODY

SCORE_STEP = 5  # drawn scores are multiples of it, as real ones are
LOWEST_DRAWN_SCORE = -1_000  # for sides below zero
_SCORE_STREAM = -2_147_000_000  # streams far from those of deals
_MOST_SCORES = 1 << 30  # to draw from
_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@kernel
def begin_match(rules, s, seed):  # type: ignore[no-untyped-def]
    """Begin a match: scores 0, dealer and shuffles fixed by `seed`; deal the first deal (R-DEAL-4)."""
    s.seed = seed
    s.deal = 0
    for side in range(MAX_SIDES):
        s.scores[side] = 0
    s.dealer = first_dealer(s.seed, rules.players)
    shuffle(s)
    deal_cards(rules, s)


@kernel
def settle(rules, s):  # type: ignore[no-untyped-def]
    """Add the points of a deal that is over to the match scores."""
    breakdown = np.empty((MAX_SIDES, len(SCORE_FIELDS)), np.int64)
    score_deal(rules, s, breakdown)
    for side in range(rules.num_sides):
        s.scores[side] += breakdown[side, TOTAL]


@kernel
def deal_next(rules, s):  # type: ignore[no-untyped-def]
    """Deal the next deal of the match, the dealer one seat on (R-DEAL-4)."""
    s.deal += 1
    s.dealer = (s.dealer + 1) % rules.players
    shuffle(s)
    deal_cards(rules, s)


@kernel
def match_winner(rules, scores):  # type: ignore[no-untyped-def]
    """The side that has won a match with these scores, NOBODY if it goes on (R-MATCH-2)."""
    best = 0
    is_tied = False
    for side in range(1, rules.num_sides):
        if scores[side] > scores[best]:
            best = side
            is_tied = False
        elif scores[side] == scores[best]:
            is_tied = True
    if is_tied or scores[best] < rules.target:
        return NOBODY
    return best


@kernel
def draw_scores(rules, s):  # type: ignore[no-untyped-def]
    """Draw match scores below the target, every opening minimum equally often for every side."""
    reachable = 1
    while reachable < rules.num_minima and rules.minimum_from[reachable] < rules.target:
        reachable += 1
    x = stream(s.seed, _SCORE_STREAM + s.deal)
    for side in range(rules.num_sides):
        x += _GAMMA
        step = below(mix(x), reachable)
        low = LOWEST_DRAWN_SCORE if step == 0 else rules.minimum_from[step]
        high = rules.minimum_from[step + 1] if step + 1 < reachable else rules.target
        num_scores = max(1, min(_MOST_SCORES, (high - low) // SCORE_STEP))
        x += _GAMMA
        s.scores[side] = low + SCORE_STEP * below(mix(x), num_scores)


@kernel
def deal_apart(rules, s, with_drawn_scores):  # type: ignore[no-untyped-def]
    """Deal a deal that stands for itself: dealer drawn anew, scores kept or drawn."""
    if with_drawn_scores:
        draw_scores(rules, s)
    s.dealer = below(mix(stream(s.seed, s.deal) ^ _GAMMA), rules.players)
    shuffle(s)
    deal_cards(rules, s)


@kernel
def seat_points(rules, breakdown, points):  # type: ignore[no-untyped-def]
    """Each seat's reward of a deal, `(players,)`: own side's points minus the mean of the other sides'."""
    total = 0
    for side in range(rules.num_sides):
        total += breakdown[side, TOTAL]
    for seat in range(rules.players):
        own = breakdown[seat % rules.num_sides, TOTAL]
        points[seat] = own - (total - own) / (rules.num_sides - 1)
