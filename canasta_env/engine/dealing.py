"""Shuffling, dealing and drawing (R-DEAL, R-TURN-1, R-TURN-2)."""

from __future__ import annotations

import numpy as np

from canasta_env.cards import BLACK_THREE, NUM_CARDS, NUM_KINDS, RED_THREE, deck
from canasta_env.engine.jit import kernel
from canasta_env.engine.state import (
    MAX_SEATS,
    MAX_SIDES,
    NO_CARD,
    NOBODY,
    NOT_ASKED,
    PHASE_DRAW,
    PHASE_OVER,
    PHASE_PLAY,
)

_DECK = deck()
# SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_HALF = np.uint64(32)
_DEALER_STREAM = -1  # the stream of a match that draws its first dealer; deals use their number


@kernel
def mix(x):  # type: ignore[no-untyped-def]
    """Scramble 64 bits."""
    x = (x ^ (x >> _SHIFT_1)) * _MIX_1
    x = (x ^ (x >> _SHIFT_2)) * _MIX_2
    return x ^ (x >> _SHIFT_3)


@kernel
def below(x, limit):  # type: ignore[no-untyped-def]
    """Scale 64 random bits to 0 ... limit − 1, for a limit far below 2³²."""
    return np.int64(((x >> _HALF) * np.uint64(limit)) >> _HALF)


@kernel
def stream(seed, number):  # type: ignore[no-untyped-def]
    """The start of the random stream of a numbered deal of the match with this seed."""
    return mix(mix(seed + _GAMMA) + np.uint64(number + 2) * _GAMMA)


@kernel
def first_dealer(seed, players):  # type: ignore[no-untyped-def]
    """The dealer of a match's first deal (R-DEAL-4)."""
    return below(mix(stream(seed, _DEALER_STREAM)), players)


@kernel
def shuffle(s):  # type: ignore[no-untyped-def]
    """Order the stock anew, by the table's seed and the number of the deal (Fisher and Yates)."""
    for place in range(NUM_CARDS):
        s.stock[place] = _DECK[place]
    x = stream(s.seed, s.deal)
    for place in range(NUM_CARDS - 1, 0, -1):
        x += _GAMMA
        other = below(mix(x), place + 1)
        s.stock[place], s.stock[other] = s.stock[other], s.stock[place]


@kernel
def clear(s):  # type: ignore[no-untyped-def]
    """Empty the table for a deal; seed, deal, scores, dealer and the order of the stock stay."""
    s.next_card = 0
    s.pile_size = 0
    s.wild_frozen = 0
    s.turn = 1
    s.went_out = NOBODY
    s.concealed = 0
    for place in range(NUM_CARDS):
        s.pile[place] = NO_CARD
    for seat in range(MAX_SEATS):
        s.hand_size[seat] = 0
        s.asked[seat] = 0
        s.melded[seat] = 0
        s.piles_taken[seat] = 0
        for kind in range(NUM_KINDS):
            s.hand[seat, kind] = 0
            s.discarded[seat, kind] = 0
            s.known[seat, kind] = 0
    for side in range(MAX_SIDES):
        s.red_threes[side] = 0
        s.black_threes[side] = 0
        s.opened[side] = 0
        s.canastas[side] = 0
        for kind in range(NUM_KINDS):
            s.naturals[side, kind] = 0
            s.twos[side, kind] = 0
            s.jokers[side, kind] = 0
    for kind in range(NUM_KINDS):
        s.closed[kind] = 0
    clear_turn(s)


@kernel
def clear_turn(s):  # type: ignore[no-untyped-def]
    """Forget what only the turn under way has to remember."""
    s.opening_points = 0
    s.taken = NO_CARD
    s.can_ask = 0
    s.answer = NOT_ASKED
    s.melded_now = 0
    s.joined_earlier = 0
    for kind in range(NUM_KINDS):
        s.begun[kind] = 0


@kernel
def deal_cards(rules, s):  # type: ignore[no-untyped-def]
    """Deal from the ordered stock to the first player's draw (R-DEAL)."""
    clear(s)
    first = (s.dealer + 1) % rules.players
    for turn in range(rules.players):
        seat = (first + turn) % rules.players
        for _ in range(rules.hand_size):
            receive(s, seat, next_card(s))
    for turn in range(rules.players):
        _lay_dealt_threes(rules, s, (first + turn) % rules.players)
    if rules.turns_up_card:
        _turn_up_pile(rules, s)
    s.to_play = first
    s.phase = PHASE_DRAW


@kernel
def next_card(s):  # type: ignore[no-untyped-def]
    """Take the next card off the stock."""
    kind = s.stock[s.next_card]
    s.next_card += 1
    return kind


@kernel
def receive(s, seat, kind):  # type: ignore[no-untyped-def]
    """Put a card into a hand."""
    s.hand[seat, kind] += 1
    s.hand_size[seat] += 1


@kernel
def is_laid_three(rules, kind):  # type: ignore[no-untyped-def]
    """Whether a card is laid at once: a red three, and where the game says so a black one (R-DEAL-2)."""
    return kind == RED_THREE or (kind == BLACK_THREE and rules.lays_black_threes)


@kernel
def lay_three(rules, s, seat, kind):  # type: ignore[no-untyped-def]
    """Lay a three, which is not in the hand, face up on the seat's side."""
    side = seat % rules.num_sides
    if kind == RED_THREE:
        s.red_threes[side] += 1
    else:
        s.black_threes[side] += 1


@kernel
def _lay_dealt_threes(rules, s, seat):  # type: ignore[no-untyped-def]
    for three in (RED_THREE, BLACK_THREE):
        if is_laid_three(rules, three):
            to_replace = s.hand[seat, three]
            s.hand[seat, three] = 0
            s.hand_size[seat] -= to_replace
            for _ in range(to_replace):
                lay_three(rules, s, seat, three)
    while s.hand_size[seat] < rules.hand_size:
        kind = next_card(s)
        if is_laid_three(rules, kind):
            lay_three(rules, s, seat, kind)
        else:
            receive(s, seat, kind)


@kernel
def push_pile(s, kind):  # type: ignore[no-untyped-def]
    """Put a card on the pile."""
    s.pile[s.pile_size] = kind
    s.pile_size += 1


@kernel
def _turn_up_pile(rules, s):  # type: ignore[no-untyped-def]
    """R-DEAL-3: on a wild or a three that is laid, another card is turned."""
    while True:
        kind = next_card(s)
        push_pile(s, kind)
        if kind >= BLACK_THREE and not is_laid_three(rules, kind):
            return
        s.wild_frozen = rules.wilds_freeze_pile


@kernel
def draw(rules, s):  # type: ignore[no-untyped-def]
    """Draw for the player to move; an empty stock or an unreplaced three ends the deal (R-TURN-1 to 3)."""
    seat = s.to_play
    if s.next_card == NUM_CARDS:
        end_deal(s)
        return
    for _ in range(rules.cards_drawn):
        if s.next_card == NUM_CARDS:
            break
        kind = next_card(s)
        while is_laid_three(rules, kind):
            if s.next_card == NUM_CARDS:  # R-TURN-2
                if rules.keeps_unreplaced_three:
                    receive(s, seat, kind)
                else:
                    lay_three(rules, s, seat, kind)
                end_deal(s)
                return
            lay_three(rules, s, seat, kind)
            kind = next_card(s)
        receive(s, seat, kind)
    s.phase = PHASE_PLAY
    allow_question(rules, s)


@kernel
def allow_question(rules, s):  # type: ignore[no-untyped-def]
    """Mark that the player may ask now, as far as everybody can see (R-OUT-3)."""
    partnership = rules.players == MAX_SEATS
    s.can_ask = partnership and not (rules.asks_once_a_deal and s.asked[s.to_play])


@kernel
def end_turn(rules, s):  # type: ignore[no-untyped-def]
    """Pass the turn on, or end the deal where it ends with the turn that drew the last card (R-TURN-3)."""
    if rules.ends_with_stock and s.next_card == NUM_CARDS:
        end_deal(s)
        return
    _close_turn(s)
    s.to_play = (s.to_play + 1) % rules.players
    s.phase = PHASE_DRAW
    s.turn += 1


@kernel
def end_deal(s):  # type: ignore[no-untyped-def]
    """End the deal as it stands."""
    _close_turn(s)
    s.phase = PHASE_OVER
    s.to_play = NOBODY


@kernel
def _close_turn(s):  # type: ignore[no-untyped-def]
    if s.melded_now:
        s.melded[s.to_play] = 1
    clear_turn(s)
