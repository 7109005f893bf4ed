"""VIEW -> observation: a vector of zeros and ones with a named layout.

Counts are thermometers: with levels (1, 2, 4) a count of 3 reads 1 1 0. They are written in words of eight
bytes, so blocks are written in order and the last ones are single features. Seats and
sides are relative to the viewer, as in VIEW. Every feature is a function of the view alone, so an
observation cannot leak what the view does not hold. Environments hand the int8 numbers out as float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import (
    BLACK_THREE,
    FIRST_RANK,
    NUM_KINDS,
    NUM_RANKS,
    RED_THREE,
)
from canasta_env.engine.jit import kernel
from canasta_env.engine.state import NO_CARD, PHASE_OVER, WILD_MELD
from canasta_env.engine.swar import WORD_SIZE, store_word
from canasta_env.engine.view import build_view
from canasta_env.rules import Rules

_MOST = 255  # counts above it read as it


@dataclass(frozen=True)
class Block:
    """A named slice of an observation.

    Attributes:
        name: What the features tell.
        start: Index of the first feature.
        size: Number of features.
        detail: How they are ordered.
    """

    name: str
    start: int
    size: int
    detail: str

    @property
    def slice(self) -> slice:
        """The features of this block in an observation."""
        return slice(self.start, self.start + self.size)


def _levels_met(levels: tuple[int, ...]) -> NDArray[np.int16]:
    """For every count from 0: how many of the levels it meets."""
    return np.searchsorted(levels, np.arange(_MOST + 1), side="right").astype(np.int16)


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


# Levels of the thermometers.
HAND = (1, 2, 3, 4, 5, 7)
UNSEEN = (1, 2, 3, 4, 6)
PILE = (1, 2, 3)
KNOWN = (1, 2)
KNOWN_OF_ME = (1,)
DISCARDED = (1, 2)
MELD = (3, 4, 5, 6, 7)
MELD_WILDS = (1, 2, 3)
WILD_MELD_JOKERS = (1, 2, 3, 4)
THREES = (1, 2, 3, 4)
CANASTAS = (1, 2, 3, 4)
PILE_SIZE = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40)
STOCK_SIZE = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30, 35, 40, 45, 50, 60)
HAND_SIZE = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 22, 30)
PILES_TAKEN = (1, 2)
POINTS_TO_OPEN = (1, 15, 30, 50, 70, 90, 110, 125, 140, 155, 180)
MINIMUM = (50, 90, 120, 125, 155, 180)
SCORE = (1, 2, 3, 5, 7, 9, 11, 13, 15, 17, 19, 20)  # twentieths of the target, plus one; 0: negative
LEAD = (10, 14, 16, 18, 19, 20, 21, 22, 24, 26, 30)  # twentieths of the target, plus 20
_SCORE_STEPS = 20
_SCORE_OFFSET = 1
_LEAD_OFFSET = 20
HIDDEN_HAND = (1, 2, 3, 4, 5)

_HAND = _words(HAND)
_UNSEEN = _words(UNSEEN)
_PILE = _words(PILE)
_KNOWN = _words(KNOWN)
_KNOWN_OF_ME = _words(KNOWN_OF_ME)
_DISCARDED = _words(DISCARDED)
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
_SCORE = _wide_words(SCORE)
_LEAD = _wide_words(LEAD)
_HIDDEN_HAND = _levels_met(HIDDEN_HAND)

# Widths: the number of levels of each thermometer, as kernels need them.
_N_HAND, _N_UNSEEN, _N_PILE, _N_KNOWN = len(HAND), len(UNSEEN), len(PILE), len(KNOWN)
_N_KNOWN_OF_ME, _N_DISCARDED, _N_MELD = len(KNOWN_OF_ME), len(DISCARDED), len(MELD)
_N_MELD_WILDS, _N_WILD_MELD_JOKERS, _N_THREES = len(MELD_WILDS), len(WILD_MELD_JOKERS), len(THREES)
_N_CANASTAS, _N_PILE_SIZE, _N_STOCK_SIZE = len(CANASTAS), len(PILE_SIZE), len(STOCK_SIZE)
_N_HAND_SIZE, _N_PILES_TAKEN, _N_POINTS_TO_OPEN = len(HAND_SIZE), len(PILES_TAKEN), len(POINTS_TO_OPEN)
_N_MINIMUM, _N_SCORE, _N_LEAD, _N_HIDDEN_HAND = len(MINIMUM), len(SCORE), len(LEAD), len(HIDDEN_HAND)

_NUM_PLAYABLE = NUM_RANKS + 2  # joker, 2 and the ranks: everything but threes
_NUM_PHASES = PHASE_OVER  # draw, play, answer
_NUM_ANSWERS = 4
_NUM_TURN_FLAGS = 5
_PLAYABLE = "joker 2 4 5 6 7 8 9 10 J Q K A"
_RANKS = "4 5 6 7 8 9 10 J Q K A"


def layout(rules: Rules) -> list[Block]:
    """The blocks of an observation under these rules, in order, without gaps."""
    sizes: list[tuple[str, int, str]] = [
        ("hand", NUM_KINDS * _N_HAND, f"15 kinds x levels {HAND}"),
        ("unseen", _NUM_PLAYABLE * _N_UNSEEN, f"{_PLAYABLE} x levels {UNSEEN}: in the stock or another hand"),
        ("pile", _NUM_PLAYABLE * _N_PILE, f"{_PLAYABLE} x levels {PILE}"),
        ("top_card", NUM_KINDS, "15 kinds, one-hot"),
        ("pile_size", _N_PILE_SIZE, f"levels {PILE_SIZE}"),
        ("stock_size", _N_STOCK_SIZE, f"levels {STOCK_SIZE}"),
    ]
    for side in range(rules.num_sides):
        sizes += _side_sizes(rules, side)
    for seat in range(rules.players):
        sizes += _seat_sizes(seat)
    sizes += [
        ("phase", _NUM_PHASES, "draw, play, answer, one-hot"),
        ("to_play", rules.players, "relative seat, one-hot"),
        ("dealer", rules.players, "relative seat, one-hot"),
        ("answer", _NUM_ANSWERS, "not asked, refused, must go out, may go out, one-hot"),
        ("points_to_open", _N_POINTS_TO_OPEN, f"own side, levels {POINTS_TO_OPEN}; all 0 once opened"),
        ("turn", _NUM_TURN_FLAGS, "wild_frozen, can_ask, melded_now, joined_earlier, opening points melded"),
        ("taken", NUM_RANKS, f"{_RANKS}: top card between take and pick up, one-hot"),
        ("begun", NUM_RANKS, f"{_RANKS}: melds begun in this turn"),
    ]
    if rules.closes_ranks:
        sizes.append(("closed", NUM_RANKS, f"{_RANKS}: closed ranks"))
    return _placed(sizes, 0)


def _side_sizes(rules: Rules, side: int) -> list[tuple[str, int, str]]:
    name = "own" if side == 0 else f"side_{side}"
    sizes = [
        (f"{name}_melds", NUM_RANKS * _N_MELD, f"{_RANKS} x cards {MELD}"),
        (f"{name}_meld_wilds", NUM_RANKS * _N_MELD_WILDS, f"{_RANKS} x wilds {MELD_WILDS}"),
    ]
    if rules.has_wild_meld:
        sizes.append((f"{name}_wild_meld", _N_MELD, f"cards {MELD}"))
        sizes.append((f"{name}_wild_meld_jokers", _N_WILD_MELD_JOKERS, f"jokers {WILD_MELD_JOKERS}"))
    if rules.lays_black_threes:
        sizes.append((f"{name}_black_threes", _N_THREES, f"laid, levels {THREES}"))
    sizes += [
        (f"{name}_red_threes", _N_THREES, f"laid, levels {THREES}"),
        (f"{name}_canastas", _N_CANASTAS, f"levels {CANASTAS}"),
        (f"{name}_opened", 1, "flag"),
        (f"{name}_minimum", _N_MINIMUM, f"levels {MINIMUM}"),
        (f"{name}_score", _N_SCORE, "not negative, then twentieths of the target"),
    ]
    if side > 0:
        sizes.append((f"{name}_lead", _N_LEAD, "own score minus theirs, twentieths of the target, -10 to 10"))
    return sizes


def _seat_sizes(seat: int) -> list[tuple[str, int, str]]:
    name = "me" if seat == 0 else f"seat_{seat}"
    known = KNOWN_OF_ME if seat == 0 else KNOWN
    return [
        (f"{name}_known", _NUM_PLAYABLE * len(known), f"{_PLAYABLE} x levels {known}: known in the hand"),
        (f"{name}_discarded", NUM_RANKS * _N_DISCARDED, f"{_RANKS} x levels {DISCARDED}"),
        (f"{name}_piles_taken", _N_PILES_TAKEN, f"levels {PILES_TAKEN}"),
        (f"{name}_hand_size", _N_HAND_SIZE, f"levels {HAND_SIZE}"),
        (f"{name}_flags", 2, "melded in an earlier turn, has asked"),
    ]


def hidden_layout(rules: Rules) -> list[Block]:
    """The blocks that a critic's state adds to the observation: the other hands."""
    detail = f"{_PLAYABLE} x levels {HIDDEN_HAND}"
    sizes = [
        (f"seat_{seat}_hand", _NUM_PLAYABLE * _N_HIDDEN_HAND, detail) for seat in range(1, rules.players)
    ]
    return _placed(sizes, observation_size(rules))


def _placed(sizes: list[tuple[str, int, str]], start: int) -> list[Block]:
    blocks = []
    for name, size, detail in sizes:
        blocks.append(Block(name, start, size, detail))
        start += size
    return blocks


def observation_size(rules: Rules) -> int:
    """Number of features of an observation."""
    last = layout(rules)[-1]
    return last.start + last.size


def critic_size(rules: Rules) -> int:
    """Number of features of a critic's state: the observation and the other hands."""
    last = hidden_layout(rules)[-1]
    return last.start + last.size


@kernel
def _level(out, at, words, count):  # type: ignore[no-untyped-def]
    """Write a thermometer of at most eight levels; what its word writes beyond is written over later."""
    store_word(out, at, words[count])


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
def _playable(out, at, counts, words, width):  # type: ignore[no-untyped-def]
    """Write thermometers of jokers, twos and ranks; return where they end."""
    for kind in range(NUM_KINDS):
        if kind != RED_THREE and kind != BLACK_THREE:
            _level(out, at, words, counts[kind])
            at += width
    return at


@kernel
def encode(rules, v, out):  # type: ignore[no-untyped-def]
    """Write the observation of a view into `out`, `(>= observation_size,) int8`; return where it ends."""
    at = _encode_cards(v, out)
    for side in range(rules.num_sides):
        at = _encode_side(rules, v, side, out, at)
    for seat in range(rules.players):
        at = _encode_seat(v, seat, out, at)
    return _encode_turn(rules, v, out, at)


@kernel
def _encode_cards(v, out):  # type: ignore[no-untyped-def]
    at = 0
    for kind in range(NUM_KINDS):
        _level(out, at, _HAND, v.hand[kind])
        at += _N_HAND
    at = _playable(out, at, v.unseen, _UNSEEN, _N_UNSEEN)
    at = _playable(out, at, v.pile_count, _PILE, _N_PILE)
    top = v.pile[v.pile_size - 1] if v.pile_size > 0 else NO_CARD
    at = _one_hot(out, at, NUM_KINDS, top)
    at = _wide_level(out, at, _PILE_SIZE, _N_PILE_SIZE, v.pile_size)
    return _wide_level(out, at, _STOCK_SIZE, _N_STOCK_SIZE, v.stock_size)


@kernel
def _encode_side(rules, v, side, out, at):  # type: ignore[no-untyped-def]
    for rank in range(FIRST_RANK, NUM_KINDS):
        _level(out, at, _MELD, v.naturals[side, rank] + v.twos[side, rank] + v.jokers[side, rank])
        at += _N_MELD
    for rank in range(FIRST_RANK, NUM_KINDS):
        _level(out, at, _MELD_WILDS, v.twos[side, rank] + v.jokers[side, rank])
        at += _N_MELD_WILDS
    if rules.has_wild_meld:
        jokers = v.jokers[side, WILD_MELD]
        _level(out, at, _MELD, v.twos[side, WILD_MELD] + jokers)
        at += _N_MELD
        _level(out, at, _WILD_MELD_JOKERS, jokers)
        at += _N_WILD_MELD_JOKERS
    if rules.lays_black_threes:
        _level(out, at, _THREES, v.black_threes[side])
        at += _N_THREES
    _level(out, at, _THREES, v.red_threes[side])
    at += _N_THREES
    _level(out, at, _CANASTAS, v.canastas[side])
    at += _N_CANASTAS
    out[at] = v.opened[side]
    at = _wide_level(out, at + 1, _MINIMUM, _N_MINIMUM, v.minimum[side])
    at = _wide_level(out, at, _SCORE, _N_SCORE, v.scores[side] * _SCORE_STEPS // rules.target + _SCORE_OFFSET)
    if side > 0:
        lead = (v.scores[0] - v.scores[side]) * _SCORE_STEPS // rules.target
        at = _wide_level(out, at, _LEAD, _N_LEAD, lead + _LEAD_OFFSET)
    return at


@kernel
def _encode_seat(v, seat, out, at):  # type: ignore[no-untyped-def]
    if seat == 0:
        at = _playable(out, at, v.known[seat], _KNOWN_OF_ME, _N_KNOWN_OF_ME)
    else:
        at = _playable(out, at, v.known[seat], _KNOWN, _N_KNOWN)
    for rank in range(FIRST_RANK, NUM_KINDS):
        _level(out, at, _DISCARDED, v.discarded[seat, rank])
        at += _N_DISCARDED
    _level(out, at, _PILES_TAKEN, v.piles_taken[seat])
    at = _wide_level(out, at + _N_PILES_TAKEN, _HAND_SIZE, _N_HAND_SIZE, v.hand_size[seat])
    out[at], out[at + 1] = v.melded[seat], v.asked[seat]
    return at + 2


@kernel
def _encode_turn(rules, v, out, at):  # type: ignore[no-untyped-def]
    """The flags of the turn, single features: nothing is written beyond them."""
    at = _one_hot(out, at, _NUM_PHASES, v.phase)
    players = int(rules.players)
    at = _one_hot(out, at, players, v.to_play)
    at = _one_hot(out, at, players, v.dealer)
    at = _one_hot(out, at, _NUM_ANSWERS, v.answer)
    missing = 0
    if not v.opened[0]:
        missing = v.minimum[0] - (v.opening_points if v.to_play == 0 else 0)
    at = _wide_level(out, at, _POINTS_TO_OPEN, _N_POINTS_TO_OPEN, missing)
    out[at], out[at + 1] = v.wild_frozen, v.can_ask
    out[at + 2], out[at + 3], out[at + 4] = v.melded_now, v.joined_earlier, v.opening_points > 0
    at = _one_hot(out, at + _NUM_TURN_FLAGS, NUM_RANKS, v.taken - FIRST_RANK)
    for rank in range(FIRST_RANK, NUM_KINDS):
        out[at] = v.begun[rank]
        at += 1
    if rules.closes_ranks:
        for rank in range(FIRST_RANK, NUM_KINDS):
            out[at] = v.closed[rank]
            at += 1
    return at


@kernel
def encode_hidden(rules, s, seat, out, at):  # type: ignore[no-untyped-def]
    """Write the other hands behind an observation of `seat`: for a critic in training, never for an agent."""
    for relative in range(1, rules.players):
        other = (seat + relative) % rules.players
        for kind in range(NUM_KINDS):
            if kind != RED_THREE and kind != BLACK_THREE:
                reached = _HIDDEN_HAND[s.hand[other, kind]]
                for level in range(_N_HIDDEN_HAND):
                    out[at + level] = level < reached
                at += _N_HIDDEN_HAND


@kernel
def encode_views(rules, views, observations):  # type: ignore[no-untyped-def]
    """Encode views, `(n,) VIEW`, into `observations`, `(n, observation_size) int8`."""
    for place in range(views.size):
        encode(rules[0], views[place], observations[place])


@kernel
def encode_critic_states(rules, tables, views, states):  # type: ignore[no-untyped-def]
    """Encode the critic's state of the seat to move at every table, `(num_tables, critic_size) int8`.

    `views` are those of the seats to move, as `engine.batch.view_all` writes them.
    """
    for table in range(tables.size):
        if tables[table].phase != PHASE_OVER:
            at = encode(rules[0], views[table], states[table])
            encode_hidden(rules[0], tables[table], tables[table].to_play, states[table], at)


@kernel
def encode_state_one(rules, tables, table, seat, views, state):  # type: ignore[no-untyped-def]
    """Encode one table's critic state for `seat`, `(critic_size,)` of any number; overwrites `views[0]`."""
    features = np.empty(state.size, np.int8)
    build_view(rules[0], tables[table], seat, views[0])
    at = encode(rules[0], views[0], features)
    encode_hidden(rules[0], tables[table], seat, features, at)
    state[:] = features
