"""VIEW and legal actions -> observation: a vector of zeros and ones, in the order of `engine.layout`.

Counts are thermometers: with levels (1, 2, 4) a count of 3 reads 1 1 0. They are written in words of eight
bytes, so blocks are written in order and the last ones are single features. Every feature is a function of
the view and of the legal actions, which are a function of the view, so an observation cannot leak what the
view does not hold. Environments hand the int8 numbers out as float32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, RED_THREE, TWO
from canasta_env.engine.jit import kernel
from canasta_env.engine.layout import (
    ANSWER_LABELS,
    CANASTAS,
    DISCARDED,
    FEW,
    HAND,
    HAND_SIZE,
    HIDDEN_HAND,
    KNOWN,
    LEAD,
    MELD,
    MELD_WILDS,
    MINIMUM,
    OTHER_ACTIONS,
    PASSED,
    PHASE_LABELS,
    PILE,
    PILE_SIZE,
    PILES_TAKEN,
    POINTS_TO_OPEN,
    RANK_ACTIONS,
    SCORE,
    STOCK_SIZE,
    THREES,
    UNKNOWN,
    UNSEEN,
    WILD_MELD_JOKERS,
)
from canasta_env.engine.state import MAX_SEATS, NO_CARD, PHASE_ANSWER, PHASE_OVER, WILD_MELD
from canasta_env.engine.swar import WORD_SIZE, store_word
from canasta_env.engine.view import build_view

_MOST = 255  # counts above it read as it
_SCORE_STEPS = 40  # a target is so many levels of SCORE and LEAD
_SCORE_OFFSET = 1  # what makes the lowest level at least 1
_LEAD_OFFSET = 21


def _wide_words(levels: tuple[int, ...]) -> NDArray[np.uint64]:
    """For every count from 0: its thermometer as the bytes of words, `(counts, words)`."""
    num_words = -(-len(levels) // WORD_SIZE)
    features = np.zeros((_MOST + 1, num_words * WORD_SIZE), np.uint8)
    features[:, : len(levels)] = np.arange(_MOST + 1)[:, None] >= np.array(levels)
    return features.view("<u8").astype(np.uint64)


def _words(levels: tuple[int, ...]) -> NDArray[np.uint64]:
    """For every count from 0: its thermometer of at most eight levels as one word."""
    assert len(levels) <= WORD_SIZE
    return _wide_words(levels)[:, 0].copy()


_HAND = _words(HAND)
_UNSEEN = _words(UNSEEN)
_UNKNOWN = _words(UNKNOWN)
_PILE = _words(PILE)
_FEW = _words(FEW)
_KNOWN = _words(KNOWN)
_DISCARDED = _words(DISCARDED)
_PASSED = _words(PASSED)
_MELD = _words(MELD)
_MELD_WILDS = _words(MELD_WILDS)
_WILD_MELD_JOKERS = _words(WILD_MELD_JOKERS)
_THREES = _words(THREES)
_CANASTAS = _words(CANASTAS)
_PILE_SIZE = _wide_words(PILE_SIZE)
_STOCK_SIZE = _wide_words(STOCK_SIZE)
_HAND_SIZE = _wide_words(HAND_SIZE)
_PILES_TAKEN = _words(PILES_TAKEN)
_POINTS_TO_OPEN = _wide_words(POINTS_TO_OPEN)
_MINIMUM = _wide_words(MINIMUM)
_SCORE = _wide_words(tuple(level + _SCORE_OFFSET for level in SCORE))
_LEAD = _wide_words(tuple(level + _LEAD_OFFSET for level in LEAD))
_HIDDEN_HAND = _words(HIDDEN_HAND)

# Widths: the number of levels of each thermometer, as kernels need them.
_N_HAND, _N_UNSEEN, _N_UNKNOWN, _N_PILE = len(HAND), len(UNSEEN), len(UNKNOWN), len(PILE)
_N_FEW = len(FEW)
_N_KNOWN, _N_DISCARDED, _N_PASSED, _N_MELD = len(KNOWN), len(DISCARDED), len(PASSED), len(MELD)
_N_MELD_WILDS, _N_WILD_MELD_JOKERS, _N_THREES = len(MELD_WILDS), len(WILD_MELD_JOKERS), len(THREES)
_N_CANASTAS, _N_PILE_SIZE, _N_STOCK_SIZE = len(CANASTAS), len(PILE_SIZE), len(STOCK_SIZE)
_N_HAND_SIZE, _N_PILES_TAKEN, _N_POINTS_TO_OPEN = len(HAND_SIZE), len(PILES_TAKEN), len(POINTS_TO_OPEN)
_N_MINIMUM, _N_SCORE, _N_LEAD, _N_HIDDEN_HAND = len(MINIMUM), len(SCORE), len(LEAD), len(HIDDEN_HAND)


@kernel
def _level(out, at, words, width, count):  # type: ignore[no-untyped-def]
    """Write a thermometer of at most eight levels; what its word writes beyond its end is written over."""
    store_word(out, at, words[count])
    return at + width


@kernel
def _wide_level(out, at, wide_words, width, number):  # type: ignore[no-untyped-def]
    """Write a thermometer of any width, of any number; return where it ends."""
    count = max(0, min(number, _MOST))
    for place in range(wide_words.shape[1]):
        store_word(out, at + place * WORD_SIZE, wide_words[count, place])
    return at + width


@kernel
def _one_hot(out, at, width, place):  # type: ignore[no-untyped-def]
    """Write a one at `place` among zeros, none if it is outside; return where they end."""
    for other in range(width):
        out[at + other] = other == place
    return at + width


@kernel
def encode(rules, v, mask, out):  # type: ignore[no-untyped-def]
    """Write an observation.

    Args:
        rules: A record of RULES.
        v: A record of VIEW.
        mask: `(NUM_ACTIONS,)`, the viewer's legal actions, 1 legal; zeros if it is not to move.
        out: `(>= observation_size,) int8`, overwritten.

    Returns:
        Where it ends.
    """
    passed = np.zeros((MAX_SEATS, NUM_KINDS), np.int8)
    last = np.full(MAX_SEATS, NO_CARD, np.int8)
    _remember_pile(rules, v, passed, last)
    top = v.pile[v.pile_size - 1] if v.pile_size > 0 else NO_CARD
    at = 0
    for rank in range(FIRST_RANK, NUM_KINDS):
        at = _encode_rank(rules, v, mask, passed, last, top, rank, out, at)
    for kind in (JOKER, TWO, BLACK_THREE):
        if kind != BLACK_THREE or not rules.lays_black_threes:
            at = _encode_other_kind(rules, v, top, kind, out, at)
    if rules.turns_up_card:
        for kind in (RED_THREE, BLACK_THREE):
            if kind == RED_THREE or rules.lays_black_threes:
                out[at] = top == kind
                at += 1
    at = _wide_level(out, at, _PILE_SIZE, _N_PILE_SIZE, v.pile_size)
    at = _wide_level(out, at, _STOCK_SIZE, _N_STOCK_SIZE, v.stock_size)
    for side in range(rules.num_sides):
        at = _encode_side(rules, v, side, out, at)
    for seat in range(rules.players):
        at = _level(out, at, _PILES_TAKEN, _N_PILES_TAKEN, v.piles_taken[seat])
        at = _wide_level(out, at, _HAND_SIZE, _N_HAND_SIZE, v.hand_size[seat])
        out[at], out[at + 1] = v.melded[seat], v.asked[seat]
        at += 2
    return _encode_turn(rules, v, mask, out, at)


@kernel
def _remember_pile(rules, v, passed, last):  # type: ignore[no-untyped-def]
    """Who threw which card of the pile, and who did not take it.

    Every turn ends with one discard, so the cards were thrown by seats in turn, the top one by the seat
    before the one whose turn it is; the next seat drew where a card was covered. Below the discards of the
    turns so far lie cards that were turned up in the deal.

    Args:
        rules: A record of RULES.
        v: A record of VIEW.
        passed: `(MAX_SEATS, NUM_KINDS) int8` zeros; becomes how often a seat drew with the kind on top.
        last: `(MAX_SEATS,) int8` of NO_CARD; becomes the last kind that a seat threw.
    """
    if v.phase == PHASE_OVER:
        return
    players = int(rules.players)
    turn_seat = v.to_play
    if v.phase == PHASE_ANSWER:
        turn_seat = (turn_seat + players - 2) % players
    thrower = (turn_seat + players - 1) % players  # of the top card
    num_thrown = min(v.pile_size, v.turn - 1)
    num_above = 0
    if v.taken != NO_CARD and not rules.opens_from_hand:  # the top card has left the pile
        thrower = (thrower + players - 1) % players
        num_thrown = min(num_thrown, v.turn - 2)
        num_above = 1
    for depth in range(num_thrown):
        kind = v.pile[v.pile_size - 1 - depth]
        if last[thrower] == NO_CARD:
            last[thrower] = kind
        if depth + num_above > 0:
            passed[(thrower + 1) % players, kind] += 1
        thrower = (thrower + players - 1) % players


@kernel
def _encode_rank(rules, v, mask, passed, last, top, rank, out, at):  # type: ignore[no-untyped-def]
    unknown = v.unseen[rank]
    for seat in range(1, rules.players):
        unknown -= v.known[seat, rank]
    num_meld_wilds = int(min(rules.max_wilds_in_meld, _N_MELD_WILDS))
    at = _level(out, at, _HAND, _N_HAND, v.hand[rank])
    at = _level(out, at, _UNSEEN, _N_UNSEEN, v.unseen[rank])
    at = _level(out, at, _UNKNOWN, _N_UNKNOWN, unknown)
    at = _level(out, at, _PILE, _N_PILE, v.pile_count[rank])
    for side in range(rules.num_sides):
        wilds = v.twos[side, rank] + v.jokers[side, rank]
        at = _level(out, at, _MELD, _N_MELD, v.naturals[side, rank] + wilds)
        at = _level(out, at, _MELD_WILDS, num_meld_wilds, wilds)
    for seat in range(rules.players):
        at = _level(out, at, _KNOWN, _N_KNOWN, v.known[seat, rank])
        at = _level(out, at, _DISCARDED, _N_DISCARDED, v.discarded[seat, rank])
        at = _level(out, at, _PASSED, _N_PASSED, passed[seat, rank])
        out[at] = last[seat] == rank
        at += 1
    out[at], out[at + 1], out[at + 2] = top == rank, v.taken == rank, v.begun[rank]
    at += 3
    if rules.closes_ranks:
        out[at] = v.closed[rank]
        at += 1
    for start in RANK_ACTIONS:
        out[at] = mask[start + rank - FIRST_RANK]
        at += 1
    return at


@kernel
def _encode_other_kind(rules, v, top, kind, out, at):  # type: ignore[no-untyped-def]
    if kind == TWO:
        at = _level(out, at, _HAND, _N_HAND, v.hand[kind])
        at = _level(out, at, _UNSEEN, _N_UNSEEN, v.unseen[kind])
    else:
        at = _level(out, at, _FEW, _N_FEW, v.hand[kind])
        at = _level(out, at, _FEW, _N_FEW, v.unseen[kind])
    at = _level(out, at, _PILE, _N_PILE, v.pile_count[kind])
    out[at] = top == kind
    at += 1
    for seat in range(rules.players):
        at = _level(out, at, _KNOWN, _N_KNOWN, v.known[seat, kind])
        at = _level(out, at, _DISCARDED, _N_DISCARDED, v.discarded[seat, kind])
    return at


@kernel
def _encode_side(rules, v, side, out, at):  # type: ignore[no-untyped-def]
    if rules.has_wild_meld:
        jokers = v.jokers[side, WILD_MELD]
        at = _level(out, at, _MELD, _N_MELD, v.twos[side, WILD_MELD] + jokers)
        at = _level(out, at, _WILD_MELD_JOKERS, _N_WILD_MELD_JOKERS, jokers)
    if rules.lays_black_threes:
        at = _level(out, at, _THREES, _N_THREES, v.black_threes[side])
    at = _level(out, at, _THREES, _N_THREES, v.red_threes[side])
    at = _level(out, at, _CANASTAS, _N_CANASTAS, v.canastas[side])
    out[at] = v.opened[side]
    at = _wide_level(out, at + 1, _MINIMUM, _N_MINIMUM, v.minimum[side])
    at = _wide_level(out, at, _SCORE, _N_SCORE, v.scores[side] * _SCORE_STEPS // rules.target + _SCORE_OFFSET)
    if side > 0:
        lead = (v.scores[0] - v.scores[side]) * _SCORE_STEPS // rules.target
        at = _wide_level(out, at, _LEAD, _N_LEAD, lead + _LEAD_OFFSET)
    return at


@kernel
def _encode_turn(rules, v, mask, out, at):  # type: ignore[no-untyped-def]
    """The flags of the turn and the actions, single features: nothing is written beyond them."""
    at = _one_hot(out, at, len(PHASE_LABELS), v.phase)
    players = int(rules.players)
    at = _one_hot(out, at, players, v.to_play)
    at = _one_hot(out, at, players, v.dealer)
    at = _one_hot(out, at, len(ANSWER_LABELS), v.answer)
    missing = 0
    if not v.opened[0]:
        missing = v.minimum[0] - (v.opening_points if v.to_play == 0 else 0)
    at = _wide_level(out, at, _POINTS_TO_OPEN, _N_POINTS_TO_OPEN, missing)
    out[at], out[at + 1] = v.wild_frozen, v.can_ask
    out[at + 2], out[at + 3], out[at + 4] = v.melded_now, v.joined_earlier, v.opening_points > 0
    at += 5
    for action in OTHER_ACTIONS:
        out[at] = mask[action]
        at += 1
    return at


@kernel
def encode_hidden(rules, s, seat, out, at):  # type: ignore[no-untyped-def]
    """Write the other hands behind an observation of `seat`: for a critic in training, never for an agent."""
    for relative in range(1, rules.players):
        other = (seat + relative) % rules.players
        for kind in range(NUM_KINDS):
            if kind != RED_THREE and kind != BLACK_THREE:
                for level in range(_N_HIDDEN_HAND):
                    out[at + level] = s.hand[other, kind] >= HIDDEN_HAND[level]
                at += _N_HIDDEN_HAND


@kernel
def encode_views(rules, views, masks, observations):  # type: ignore[no-untyped-def]
    """Encode decisions into `observations`, `(n, observation_size) int8`.

    Args:
        rules: `(1,) RULES`.
        views: `(n,) VIEW`.
        masks: `(n, NUM_ACTIONS)`, the legal actions of each viewer, 1 legal.
        observations: Overwritten.
    """
    for place in range(views.size):
        encode(rules[0], views[place], masks[place], observations[place])


@kernel
def encode_critic_states(rules, tables, views, masks, states):  # type: ignore[no-untyped-def]
    """Encode the critic's state of the seat to move at every table, `(num_tables, critic_size) int8`.

    `views` and `masks` are those of the seats to move, as `engine.batch.observe_all` writes them.
    """
    for table in range(tables.size):
        if tables[table].phase != PHASE_OVER:
            at = encode(rules[0], views[table], masks[table], states[table])
            encode_hidden(rules[0], tables[table], tables[table].to_play, states[table], at)


@kernel
def encode_state_one(rules, tables, table, seat, mask, views, state):  # type: ignore[no-untyped-def]
    """Encode one table's critic state for `seat`, `(critic_size,)` of any number; overwrites `views[0]`.

    `mask` is of the seat's legal actions, `(NUM_ACTIONS,)`.
    """
    features = np.empty(state.size, np.int8)
    build_view(rules[0], tables[table], seat, views[0])
    at = encode(rules[0], views[0], mask, features)
    encode_hidden(rules[0], tables[table], seat, features, at)
    state[:] = features
