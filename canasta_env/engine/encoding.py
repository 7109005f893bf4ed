"""VIEW and legal actions -> observation: a vector of zeros and ones with named features.

First come the rows of the eleven ranks, all of the same form, then what belongs to no rank; a network may
read the first `NUM_RANKS * row_size(rules)` features as a matrix, `(NUM_RANKS, row_size)`, without a copy.
Counts are thermometers: with levels (1, 2, 4) a count of 3 reads 1 1 0. They are written in words of eight
bytes, so blocks are written in order and the last ones are single features. Seats and sides are relative to
the viewer, as in VIEW. Every feature is a function of the view and of the legal actions, which are a
function of the view, so an observation cannot leak what the view does not hold. Environments hand the int8
numbers out as float32.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import (
    ADD_JOKER,
    ADD_NATURAL,
    ADD_TWO,
    DISCARD_NATURAL,
    MELD_CLEAN,
    MELD_WITH_JOKER,
    MELD_WITH_TWO,
    NOTATIONS,
    NUM_ACTIONS,
)
from canasta_env.cards import (
    BLACK_THREE,
    FIRST_RANK,
    JOKER,
    KINDS,
    NUM_KINDS,
    NUM_RANKS,
    RANKS,
    RED_THREE,
    TWO,
)
from canasta_env.engine.jit import kernel
from canasta_env.engine.state import MAX_SEATS, NO_CARD, PHASE_ANSWER, PHASE_OVER, WILD_MELD
from canasta_env.engine.swar import WORD_SIZE, store_word
from canasta_env.engine.view import build_view
from canasta_env.rules import Rules

_MOST = 255  # counts above it read as it

RANK_ACTIONS = (  # a rank's actions: the first of each block of the action table, to which the rank is added
    MELD_CLEAN,
    MELD_WITH_TWO,
    MELD_WITH_JOKER,
    ADD_NATURAL,
    ADD_TWO,
    ADD_JOKER,
    DISCARD_NATURAL,
)
OTHER_ACTIONS = tuple(  # those that belong to no rank
    action
    for action in range(NUM_ACTIONS)
    if all(not 0 <= action - start < NUM_RANKS for start in RANK_ACTIONS)
)


@dataclass(frozen=True)
class Block:
    """Some features of an observation that stand side by side.

    Attributes:
        name: What the features tell; of a rank, it ends in the rank's name.
        start: Index of the first feature.
        labels: Of each feature what it stands for: the level of a count, or a choice.
        detail: How to read them.
    """

    name: str
    start: int
    labels: tuple[str, ...]
    detail: str

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.labels)

    @property
    def slice(self) -> slice:
        """The features of this block in an observation."""
        return slice(self.start, self.start + self.size)

    @property
    def features(self) -> list[str]:
        """The names of the features, `block:label`."""
        return [f"{self.name}:{label}" for label in self.labels]


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
HAND = (1, 2, 3, 4, 5, 6, 7)
UNSEEN = (1, 2, 3, 4, 5, 6, 8)
UNKNOWN = (1, 2, 3, 4, 6)
PILE = (1, 2, 3, 4)
FEW = (1, 2, 3, 4)  # of kinds with four copies
KNOWN = (1, 2, 3)
DISCARDED = (1, 2, 3)
PASSED = (1, 2)
MELD = (3, 4, 5, 6, 7)
MELD_WILDS = (1, 2, 3)
WILD_MELD_JOKERS = (1, 2, 3, 4)
THREES = (1, 2, 3, 4)
CANASTAS = (1, 2, 3, 4)
PILE_SIZE = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40)
STOCK_SIZE = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30, 35, 40, 45, 50, 60)
HAND_SIZE = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 17, 22, 30)
PILES_TAKEN = (1, 2, 3)
POINTS_TO_OPEN = (1, 15, 30, 50, 70, 90, 110, 125, 140, 155, 180)
MINIMUM = (50, 90, 120, 125, 155, 180)
SCORE = (0, 2, 4, 8, 12, 16, 20, 24, 28, 32, 34, 36, 37, 38, 39)  # fortieths of the target
LEAD = (-20, -12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12, 20)  # fortieths of the target
_SCORE_STEPS = 40
_SCORE_OFFSET = 1
_LEAD_OFFSET = 21
HIDDEN_HAND = (1, 2, 3, 4, 5)

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

_PHASES = ("draw", "play", "answer")
_ANSWERS = ("not_asked", "refused", "must_go_out", "may_go_out")
_TURN_FLAGS = ("wild_frozen", "can_ask", "melded_now", "joined_earlier", "opening")
_SEAT_FLAGS = ("melded", "asked")
_OTHER_KINDS = (JOKER, TWO, BLACK_THREE)  # that are no ranks and may be held

Entry = tuple[str, Iterable[object], str]  # name, labels, detail


def layout(rules: Rules) -> list[Block]:
    """The blocks of an observation under these rules, in order, without gaps.

    The rows of the ranks come first; a block of theirs is named `<fact>_<rank>`.
    """
    entries = [
        (f"{name}_{rank}", labels, detail) for rank in RANKS for name, labels, detail in rank_entries(rules)
    ]
    return _placed([*entries, *_other_entries(rules)], 0)


def rank_entries(rules: Rules) -> list[Entry]:
    """What the row of a rank tells: name, labels and detail of each block, in order."""
    entries: list[Entry] = [
        ("hand", HAND, "own cards"),
        ("unseen", UNSEEN, "in the stock or another hand"),
        ("unknown", UNKNOWN, "unseen, and not known to be in a hand"),
        ("pile", PILE, "in the pile"),
    ]
    wilds = [level for level in MELD_WILDS if level <= rules.max_wilds_in_meld]
    for side in range(rules.num_sides):
        entries.append((f"{_side(side)}_meld", MELD, "cards of the side's meld, wilds included"))
        entries.append((f"{_side(side)}_meld_wilds", wilds, "wilds in it"))
    for seat in range(rules.players):
        entries += [
            (f"{_seat(seat)}_known", KNOWN, "taken with the pile and not played since"),
            (f"{_seat(seat)}_discarded", DISCARDED, "discarded in this deal"),
            (f"{_seat(seat)}_passed", PASSED, "tops of the present pile that the seat did not take"),
            (f"{_seat(seat)}_last_discard", ("is",), "the seat's last discard in the present pile"),
        ]
    entries += [
        ("top_card", ("is",), "top card of the pile"),
        ("taken", ("is",), "top card between take and pick up"),
        ("begun", ("is",), "meld begun in this turn"),
    ]
    if rules.closes_ranks:
        entries.append(("closed", ("is",), "rank closed by a clean canasta"))
    legal = ("meld", "meld_with_2", "meld_with_joker", "add", "add_2", "add_joker", "discard")
    return [*entries, ("legal", legal, "legal actions with the rank")]


def _other_entries(rules: Rules) -> list[Entry]:
    names = {kind: KINDS[kind] for kind in other_kinds(rules)}
    entries: list[Entry] = []
    for kind, name in names.items():
        entries += [
            (f"hand_{name}", HAND if kind == TWO else FEW, "own cards"),
            (f"unseen_{name}", UNSEEN if kind == TWO else FEW, "in the stock or another hand"),
            (f"pile_{name}", PILE, "in the pile"),
            (f"top_card_{name}", ("is",), "top card of the pile"),
        ]
        for seat in range(rules.players):
            entries.append((f"{_seat(seat)}_known_{name}", KNOWN, "taken with the pile, not played since"))
            entries.append((f"{_seat(seat)}_discarded_{name}", DISCARDED, "discarded in this deal"))
    if rules.turns_up_card:  # a three that is laid may lie below a top card that is just being taken
        for kind in (RED_THREE, BLACK_THREE):
            if kind not in names:
                entries.append((f"top_card_{KINDS[kind]}", ("is",), "top card of the pile"))
    entries.append(("pile_size", PILE_SIZE, "cards"))
    entries.append(("stock_size", STOCK_SIZE, "cards"))
    for side in range(rules.num_sides):
        entries += _side_entries(rules, side)
    for seat in range(rules.players):
        entries += [
            (f"{_seat(seat)}_piles_taken", PILES_TAKEN, "piles"),
            (f"{_seat(seat)}_hand_size", HAND_SIZE, "cards"),
            (f"{_seat(seat)}_flags", _SEAT_FLAGS, "melded in an earlier turn, has asked"),
        ]
    return [
        *entries,
        ("phase", _PHASES, "one-hot"),
        ("to_play", range(rules.players), "relative seat, one-hot"),
        ("dealer", range(rules.players), "relative seat, one-hot"),
        ("answer", _ANSWERS, "of the partner, one-hot"),
        ("points_to_open", POINTS_TO_OPEN, "of the own side; all 0 once opened"),
        ("turn", _TURN_FLAGS, "opening: points of an opening are melded"),
        ("legal_others", [NOTATIONS[action].replace(" ", "_") for action in OTHER_ACTIONS], "legal actions"),
    ]


def _side_entries(rules: Rules, side: int) -> list[Entry]:
    name = _side(side)
    entries: list[Entry] = []
    if rules.has_wild_meld:
        entries.append((f"{name}_wild_meld", MELD, "cards"))
        entries.append((f"{name}_wild_meld_jokers", WILD_MELD_JOKERS, "jokers"))
    if rules.lays_black_threes:
        entries.append((f"{name}_black_threes", THREES, "laid"))
    entries += [
        (f"{name}_red_threes", THREES, "laid"),
        (f"{name}_canastas", CANASTAS, "melds of seven cards or more"),
        (f"{name}_opened", ("is",), "flag"),
        (f"{name}_minimum", MINIMUM, "points that an opening needs"),
        (f"{name}_score", SCORE, "at least so many fortieths of the target"),
    ]
    if side > 0:
        entries.append((f"{name}_lead", LEAD, "own score minus theirs, fortieths of the target"))
    return entries


def _side(side: int) -> str:
    return "own" if side == 0 else f"side_{side}"


def _seat(seat: int) -> str:
    return "me" if seat == 0 else f"seat_{seat}"


def other_kinds(rules: Rules) -> list[int]:
    """The kinds that are no ranks and may be held: joker, 2 and, if it is not laid, the black three."""
    return [kind for kind in _OTHER_KINDS if kind != BLACK_THREE or not rules.lays_black_threes]


def hidden_layout(rules: Rules) -> list[Block]:
    """The blocks that a critic's state adds to the observation: the other hands."""
    entries: list[Entry] = [
        (f"seat_{seat}_hand_{KINDS[kind]}", HIDDEN_HAND, "cards")
        for seat in range(1, rules.players)
        for kind in range(NUM_KINDS)
        if kind not in (RED_THREE, BLACK_THREE)
    ]
    return _placed(entries, observation_size(rules))


def _placed(entries: Sequence[Entry], start: int) -> list[Block]:
    blocks = []
    for name, labels, detail in entries:
        blocks.append(Block(name, start, tuple(str(label) for label in labels), detail))
        start += blocks[-1].size
    return blocks


def features(rules: Rules) -> list[str]:
    """The name of every feature of an observation, in order: `block:label`, such as `hand_K:2`."""
    return [feature for block in layout(rules) for feature in block.features]


def row_size(rules: Rules) -> int:
    """Number of features in the row of a rank."""
    return sum(len(tuple(labels)) for _, labels, _ in rank_entries(rules))


def observation_size(rules: Rules) -> int:
    """Number of features of an observation."""
    last = layout(rules)[-1]
    return last.start + last.size


def critic_size(rules: Rules) -> int:
    """Number of features of a critic's state: the observation and the other hands."""
    last = hidden_layout(rules)[-1]
    return last.start + last.size


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
    at = _level(out, at, _HAND, _N_HAND, v.hand[rank])
    at = _level(out, at, _UNSEEN, _N_UNSEEN, v.unseen[rank])
    at = _level(out, at, _UNKNOWN, _N_UNKNOWN, unknown)
    at = _level(out, at, _PILE, _N_PILE, v.pile_count[rank])
    for side in range(rules.num_sides):
        wilds = v.twos[side, rank] + v.jokers[side, rank]
        at = _level(out, at, _MELD, _N_MELD, v.naturals[side, rank] + wilds)
        at = _level(out, at, _MELD_WILDS, min(rules.max_wilds_in_meld, _N_MELD_WILDS), wilds)
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
    at = _one_hot(out, at, len(_PHASES), v.phase)
    players = int(rules.players)
    at = _one_hot(out, at, players, v.to_play)
    at = _one_hot(out, at, players, v.dealer)
    at = _one_hot(out, at, len(_ANSWERS), v.answer)
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
