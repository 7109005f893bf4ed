"""Deal the cards that a seat does not see anew, at tables where everything else is set (`hidden_hands`).

The stock of STATE is in order, so a table with other hidden cards is one deal of the cards that the seat
does not know to the other hands' unknown places and to the stock. Each of these deals is equally likely,
because the deck was shuffled and nobody has seen those cards; what is drawn from is cards, not kinds.
"""

from __future__ import annotations

import numpy as np

from canasta_env.cards import BLACK_THREE, NUM_CARDS, NUM_KINDS, RED_THREE, TWO
from canasta_env.engine.dealing import below, is_laid_three, mix, stream
from canasta_env.engine.jit import kernel
from canasta_env.engine.legality import can_complete
from canasta_env.engine.melds import meld_size
from canasta_env.engine.state import MAX_SEATS, MUST_GO_OUT, PHASE_ANSWER, PHASE_OVER
from canasta_env.engine.swar import copy_counts

NONE_FOUND = -1
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_APART = np.uint64(0xA0761D6478BD642F)  # keeps these streams off the shuffles of a match with the same seed
PLAIN_TRIES = 10_000  # hands drawn as the cards fall, of a seat within its turn
_GUESSES = 100_000  # hands that are drawn to be possible, after those
_NUDGES = 4  # tries of a card of such a hand to be a useful one
_STEPS = 400  # of the chain that leads from the first possible hand to any
_MOST_SWAPS = 4  # cards exchanged in one of them


@kernel
def copy_pieces(pieces, seats, sources, targets):  # type: ignore[no-untyped-def]
    """Copy bytes of each source record to other places in its target record.

    Args:
        pieces: `(num_seats, num_pieces, 3) int64`: where a piece begins in a source and in a
            target, and its size.
        seats: `(n,) int8`, whose pieces to copy.
        sources: `(n, source_size) uint8`.
        targets: `(n, target_size) uint8`.
    """
    for row in range(seats.size):
        for piece in range(pieces.shape[1]):
            source, target, size = pieces[seats[row], piece]
            for byte in range(size):
                targets[row, target + byte] = sources[row, source + byte]


@kernel
def redeal_all(rules, tables, loose, seeds, num_samples):  # type: ignore[no-untyped-def]
    """Deal the loose cards of each view at its tables.

    Args:
        rules: `(1,) RULES`.
        tables: `(n * num_samples,) STATE`, those of a view together: the stock empty, and in each hand only
            the cards that the viewer knows; `hand_size` and `next_card` say how many are to come.
        loose: `(n, NUM_KINDS) int8`, the cards to deal.
        seeds: `(n,) uint64`; a table depends on its view, its seed and its number among the samples.
        num_samples: Tables of a view.
    """
    cards = np.empty(NUM_CARDS, np.int8)
    chance = np.empty(1, np.uint64)
    for row in range(seeds.size):
        for sample in range(num_samples):
            s = tables[row * num_samples + sample]
            chance[0] = stream(seeds[row] ^ _APART, sample)
            num_free, num_cards = _lay_out(rules[0], s, loose[row], cards)
            _deal_over(rules[0], s, cards, num_free, num_cards, chance)


@kernel
def redeal_within_a_turn(rules, tables, loose, seeds, num_samples, plain_tries):  # type: ignore[no-untyped-def]
    """Like `redeal_all`, where a seat that is not the viewer's is within its turn.

    Its hand must be one with which the turn can be completed (R-TURN-4), and with which it could ask if it
    did (R-OUT-3). `plain_tries` hands are drawn before such hands are searched for. Returns NONE_FOUND, or
    the row of a view for which none was found.
    """
    cards = np.empty(NUM_CARDS, np.int8)
    chance = np.empty(1, np.uint64)
    for row in range(seeds.size):
        for sample in range(num_samples):
            s = tables[row * num_samples + sample]
            chance[0] = stream(seeds[row] ^ _APART, sample)
            num_free, num_cards = _lay_out(rules[0], s, loose[row], cards)
            seat = _mover(rules[0], s)
            num_unknown = _num_unknown(s, seat)
            if not _draw_possible(rules[0], s, seat, cards, num_unknown, num_free, chance, plain_tries):
                return row
            _deal_rest(rules[0], s, seat, cards, num_unknown, num_free, num_cards, chance)
    return NONE_FOUND


@kernel
def _below(chance, limit):  # type: ignore[no-untyped-def]
    """A random number from 0 to limit − 1."""
    chance[0] += _GAMMA
    return below(mix(chance[0]), limit)


@kernel
def _swap(cards, place, other):  # type: ignore[no-untyped-def]
    cards[place], cards[other] = cards[other], cards[place]


@kernel
def _mover(rules, s):  # type: ignore[no-untyped-def]
    """The seat whose turn it is, or was when the deal ended."""
    if s.phase == PHASE_OVER:
        return (s.dealer + s.turn) % rules.players
    if s.phase == PHASE_ANSWER:
        return (s.to_play + 2) % MAX_SEATS
    return s.to_play


@kernel
def _num_unknown(s, seat):  # type: ignore[no-untyped-def]
    number = s.hand_size[seat]
    for kind in range(NUM_KINDS):
        number -= s.hand[seat, kind]
    return number


@kernel
def _lay_out(rules, s, loose, cards):  # type: ignore[no-untyped-def]
    """Write the loose cards into `cards`; return how many may be in hands and how many there are.

    Those that may be in hands come first. A three that is laid at once is in the stock, or in the hand in
    which it ended the deal (R-TURN-2).
    """
    num_cards = 0
    for kind in range(NUM_KINDS):
        if not is_laid_three(rules, kind):
            for _ in range(loose[kind]):
                cards[num_cards] = kind
                num_cards += 1
    num_free = num_cards
    for kind in (RED_THREE, BLACK_THREE):
        if is_laid_three(rules, kind):
            for _ in range(loose[kind]):
                cards[num_cards] = kind
                num_cards += 1
    return num_free, num_cards


@kernel
def _deal_over(rules, s, cards, num_free, num_cards, chance):  # type: ignore[no-untyped-def]
    """Deal all; threes for which the stock has no room stay with the seat that drew last."""
    seat = _mover(rules, s)
    kept = num_cards - num_free - (NUM_CARDS - s.next_card)
    if kept > 0 and _num_unknown(s, seat) < kept:  # in a position of somebody's making
        num_free, kept = num_cards, 0
    for _ in range(kept):
        num_cards -= 1
        _swap(cards, num_cards, num_free + _below(chance, num_cards + 1 - num_free))
        s.hand[seat, cards[num_cards]] += 1
    _deal_rest(rules, s, seat, cards, 0, num_free, num_cards, chance)


@kernel
def _draw(s, seat, cards, place, num_free, chance):  # type: ignore[no-untyped-def]
    """Give a hand one of `cards[place:num_free]`, which comes to `place`."""
    _swap(cards, place, place + _below(chance, num_free - place))
    s.hand[seat, cards[place]] += 1


@kernel
def _deal_rest(rules, s, first, cards, place, num_free, num_cards, chance):  # type: ignore[no-untyped-def]
    """Deal `cards[place:]` to the hands, from seat `first` on, and to the stock."""
    for step in range(rules.players):
        seat = (first + step) % rules.players
        for _ in range(_num_unknown(s, seat)):
            _draw(s, seat, cards, place, num_free, chance)
            place += 1
    for at in range(s.next_card, NUM_CARDS):
        _swap(cards, place, place + _below(chance, num_cards - place))
        s.stock[at] = cards[place]
        place += 1
    s.seed = mix(chance[0])


# A hand with which a turn under way can be completed.
#
# Mostly one of a few hands drawn is such a hand, and the first is taken: that is the exact distribution.
# Where fewer than one in some thousands are, as before a going out or in an opening just begun, one is
# searched for, and a chain of exchanges that keeps to possible hands leads away from it (Metropolis: in the
# long run each of them is equally likely).


@kernel
def _draw_possible(rules, s, seat, cards, num_unknown, num_free, chance, plain_tries):  # type: ignore[no-untyped-def]
    """Draw a hand's unknown cards, which come to `cards[:num_unknown]`; returns whether a hand was found."""
    for attempt in range(plain_tries + _GUESSES):
        is_guess = attempt >= plain_tries
        copy_counts(s.hand[seat], s.known[seat])
        for place in range(num_unknown):
            if is_guess:
                _bring_useful(rules, s, seat, cards, place, num_free, chance)
            _draw(s, seat, cards, place, place + 1 if is_guess else num_free, chance)
        if _is_possible(rules, s, seat):
            if is_guess:
                _wander(rules, s, seat, cards, num_unknown, num_free, chance)
            return True
    return False


@kernel
def _is_possible(rules, s, seat):  # type: ignore[no-untyped-def]
    """Whether a hand lets its seat complete the turn, and go out if it has asked (R-OUT-3)."""
    phase, to_play, answer = s.phase, s.to_play, s.answer
    if phase == PHASE_ANSWER:
        s.to_play = seat
        s.answer = MUST_GO_OUT
    is_possible = can_complete(rules, s)
    s.to_play, s.answer = to_play, answer
    return is_possible


@kernel
def _bring_useful(rules, s, seat, cards, place, num_free, chance):  # type: ignore[no-untyped-def]
    """Bring one of `cards[place:num_free]` to `place`, rather a card that goes with others."""
    _swap(cards, place, place + _below(chance, num_free - place))
    side = seat % rules.num_sides
    for _ in range(_NUDGES):
        kind = _below(chance, NUM_KINDS)
        if s.hand[seat, kind] == 0 and kind > TWO and kind != s.taken and meld_size(s, side, kind) == 0:
            continue
        for other in range(place, num_free):
            if cards[other] == kind:
                _swap(cards, place, other)
                return


@kernel
def _wander(rules, s, seat, cards, num_unknown, num_free, chance):  # type: ignore[no-untyped-def]
    """Exchange cards of a hand and others, some at a time, where the hand stays possible."""
    if num_unknown == 0 or num_free == num_unknown:
        return
    mine = np.empty(_MOST_SWAPS, np.int64)
    others = np.empty(_MOST_SWAPS, np.int64)
    for _ in range(_STEPS):
        num_swaps = 1 + _below(chance, min(num_unknown, _MOST_SWAPS))
        for swap in range(num_swaps):
            mine[swap] = _below(chance, num_unknown)
            others[swap] = num_unknown + _below(chance, num_free - num_unknown)
            _exchange(s, seat, cards, mine[swap], others[swap])
        if not _is_possible(rules, s, seat):
            for swap in range(num_swaps - 1, -1, -1):
                _exchange(s, seat, cards, mine[swap], others[swap])


@kernel
def _exchange(s, seat, cards, place, other):  # type: ignore[no-untyped-def]
    s.hand[seat, cards[place]] -= 1
    _swap(cards, place, other)
    s.hand[seat, cards[place]] += 1
