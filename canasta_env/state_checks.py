"""Whether records of STATE that come from outside are tables of a game: asked before a kernel sees them.

A kernel believes what it reads, and a seat that is none is memory that is not the table's. So every field is
held against its range, the 108 cards are counted, and what follows from the cards, the phase and the turn is
compared, for all tables at once. That a turn can be completed (R-TURN-4) only the kernels know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from canasta_env.cards import (
    BLACK_THREE,
    CANASTA_SIZE,
    COPIES,
    FIRST_RANK,
    JOKER,
    KINDS,
    NUM_CARDS,
    NUM_KINDS,
    RED_THREE,
    TWO,
    VALUES,
)
from canasta_env.engine.melds import MELD_START, PAIR
from canasta_env.engine.state import (
    MAX_SEATS,
    MAX_SIDES,
    MAY_GO_OUT,
    MUST_GO_OUT,
    NO_CARD,
    NOBODY,
    NOT_ASKED,
    PHASE_ANSWER,
    PHASE_OVER,
    PHASE_PLAY,
    PHASES,
    STATE,
    WILD_MELD,
)
from canasta_env.positions.validate import MAX_PILES, MAX_TURN
from canasta_env.rules import Rules

MAX_DEALS = 1 << 30  # of a match, and in a row
MAX_STATE_SCORE = 1 << 62  # more than a side can come to, and below what overflows
MAX_OPENING_POINTS = sum(copies * value for copies, value in zip(COPIES, VALUES, strict=True))

_COPIES = np.array(COPIES)
_VALUES = np.array(VALUES)
_IS_RANK = np.arange(NUM_KINDS) >= FIRST_RANK
_TAKES_WILDS = _IS_RANK | (np.arange(NUM_KINDS) == WILD_MELD)
_FLAGS = ("wild_frozen", "closed", "can_ask", "melded_now", "begun", "joined_earlier", "concealed")
_FLAGS_OF_A_TURN = ("opening_points", "can_ask", "answer", "melded_now", "begun", "joined_earlier")

Bounds = Mapping[str, tuple[ArrayLike, ArrayLike]]
Flags = NDArray[np.bool_]


class _Tables(NamedTuple):
    """What the checks share, for all tables: `n` of them."""

    rules: Rules
    where: str
    records: NDArray[np.void]  # (n,) STATE
    has_turn: Flags  # (n,) a turn is under way: in the phases "play" and "answer"
    mover: NDArray[np.int64]  # (n,) the seat whose turn it is, also while its partner is asked
    own_side: Flags  # (n, MAX_SIDES) the mover's side
    sizes: NDArray[np.int64]  # (n, MAX_SIDES, NUM_KINDS) cards of the melds
    wilds: NDArray[np.int64]  # likewise, the wilds among them


def check_tables(
    rules: Rules, tables: NDArray[np.void], where: str = "tables", *, may_be_over: bool = False
) -> None:
    """Refuse records that are no tables of this game.

    Args:
        rules: The game.
        tables: `(n,) STATE`.
        where: How the error calls them.
        may_be_over: Whether deals that are over are wanted too.

    Raises:
        ValueError: Names the table, the field, its value and what would be right.
    """
    _check_ranges(rules, tables, where)
    t = _look(rules, tables, where)
    _check_phases(t, may_be_over)
    _check_stock_and_pile(t)
    _check_deck(t)
    _check_melds(t)
    _check_what_follows(t)
    _check_hands(t)
    _check_turns(t)
    _check_openings(t)
    _check_takes(t)


def bounds(rules: Rules) -> Bounds:
    """The lowest and the highest value of every field of STATE but `seed`, which may be any."""
    kind = (NO_CARD, NUM_KINDS - 1)
    is_black_three = (np.arange(NUM_KINDS) == BLACK_THREE) & rules.can_meld_black_threes
    naturals = np.where(_IS_RANK | is_black_three, _COPIES, 0)
    seats = np.arange(MAX_SEATS) < rules.players
    sides = np.arange(MAX_SIDES) < rules.num_sides
    of_seat, of_side = seats[:, None], sides[:, None]
    ranges: dict[str, tuple[ArrayLike, ArrayLike]] = {
        "deal": (0, MAX_DEALS),
        "scores": (-MAX_STATE_SCORE * sides, MAX_STATE_SCORE * sides),
        "hand": (0, _COPIES * of_seat),
        "naturals": (0, naturals * of_side),
        "twos": (0, COPIES[TWO] * _TAKES_WILDS * of_side),
        "jokers": (0, COPIES[JOKER] * _TAKES_WILDS * of_side),
        "red_threes": (0, COPIES[RED_THREE] * sides),
        "black_threes": (0, COPIES[BLACK_THREE] * sides),
        "stock": kind,
        "next_card": (0, NUM_CARDS),
        "pile": kind,
        "pile_size": (0, NUM_CARDS),
        "dealer": (0, rules.players - 1),
        "to_play": (NOBODY, rules.players - 1),
        "phase": (0, len(PHASES) - 1),
        "hand_size": (0, NUM_CARDS * seats),
        "canastas": (0, NUM_KINDS * sides),
        "opening_points": (0, MAX_OPENING_POINTS),
        "taken": kind,
        "answer": (NOT_ASKED, MAY_GO_OUT),
        "went_out": (NOBODY, rules.players - 1),
        "turn": (1, MAX_TURN),
        "discarded": (0, NUM_CARDS * of_seat),
        "known": (0, _COPIES * of_seat),
        "piles_taken": (0, MAX_PILES * seats),
    }
    ranges |= {"opened": (0, sides), "asked": (0, seats), "melded": (0, seats)}
    return ranges | dict.fromkeys(_FLAGS, (0, 1))


def _check_ranges(rules: Rules, records: NDArray[np.void], where: str) -> None:
    for field, (low, high) in bounds(rules).items():
        values = records[field]
        fits = (values >= low) & (values <= high)
        if fits.all():
            continue
        place = tuple(np.argwhere(~fits)[0])
        lowest, highest = (np.broadcast_to(bound, values.shape[1:])[place[1:]] for bound in (low, high))
        must = f"must be {lowest:,}" if lowest == highest else f"must be from {lowest:,} to {highest:,}"
        raise ValueError(f"{where}[{place[0]}]: {_name(field, place[1:])}: {values[place]:,} {must}")


def _name(field: str, place: tuple[int, ...]) -> str:
    """How a field's entry is called, e.g. `hand[1][K]`."""
    is_by_kind = STATE[field].shape[-1:] == (NUM_KINDS,)
    names = [KINDS[at] if is_by_kind and axis == len(place) - 1 else at for axis, at in enumerate(place)]
    return field + "".join(f"[{name}]" for name in names)


def _look(rules: Rules, records: NDArray[np.void], where: str) -> _Tables:
    phase, to_play = records["phase"], records["to_play"].astype(np.int64)
    mover = np.where(phase == PHASE_ANSWER, (to_play + 2) % MAX_SEATS, to_play)
    is_own = np.arange(MAX_SIDES) == (mover % rules.num_sides)[:, None]
    wilds = records["twos"].astype(np.int64) + records["jokers"]
    return _Tables(
        rules,
        where,
        records,
        has_turn=(phase == PHASE_PLAY) | (phase == PHASE_ANSWER),
        mover=mover,
        own_side=is_own & (mover != NOBODY)[:, None],
        sizes=records["naturals"] + wilds,
        wilds=wilds,
    )


def _require(t: _Tables, fits: Flags, field: str, reason: str) -> None:
    """Raise for the first table, or entry of its field, that does not fit."""
    if fits.all():
        return
    place = tuple(np.argwhere(~fits)[0])
    values = t.records[field][place]
    shown = f" {values}" if np.ndim(values) == 0 else ""
    raise ValueError(f"{t.where}[{place[0]}]: {_name(field, place[1:])}:{shown} {reason}")


def _check_phases(t: _Tables, may_be_over: bool) -> None:
    phase, is_over = t.records["phase"], t.records["phase"] == PHASE_OVER
    if not may_be_over:
        _require(t, ~is_over, "phase", '("over") must be a phase of a deal that goes on')
    if t.rules.players < MAX_SEATS:
        _require(t, phase != PHASE_ANSWER, "phase", '("answer") needs a partner, so four players (R-OUT-3)')
    fits = (t.records["to_play"] == NOBODY) == is_over
    _require(t, fits, "to_play", f"must be a seat, or {NOBODY} if the deal is over")
    for field, nothing in (("went_out", NOBODY), ("concealed", 0)):
        fits = is_over | (t.records[field] == nothing)
        _require(t, fits, field, f"must be {nothing} while the deal goes on")


def _check_stock_and_pile(t: _Tables) -> None:
    places = np.arange(NUM_CARDS)
    has_left = places < t.records["next_card"][:, None]
    is_card = t.records["stock"] != NO_CARD
    _require(t, has_left | is_card, "stock", "must be a kind of card from next_card on")
    is_whole = is_card.all(axis=1)
    is_unknown = ~(is_card & has_left).any(axis=1)
    fits = is_whole | is_unknown
    _require(t, fits, "stock", "names some of the cards that have left it: it must name all of them or none")
    counts = _count(t.records["stock"], is_card)
    fits = ~is_whole | (counts == _COPIES).all(axis=1)
    _require(t, fits, "stock", f"must hold the {NUM_CARDS} cards, each as often as the deck does (R-CARD-1)")
    in_pile = places < t.records["pile_size"][:, None]
    fits = in_pile == (t.records["pile"] != NO_CARD)
    _require(t, fits, "pile", f"must be a kind of card below pile_size, and {NO_CARD} from there on")


def _count(kinds: NDArray[np.int8], chosen: Flags) -> NDArray[np.int64]:
    """How many of each kind are among the chosen entries of `(n, NUM_CARDS)` kinds: `(n, NUM_KINDS)`."""
    rows, places = np.nonzero(chosen)
    cells = rows * NUM_KINDS + kinds[rows, places]
    return np.bincount(cells, minlength=len(kinds) * NUM_KINDS).reshape(-1, NUM_KINDS)


def _check_deck(t: _Tables) -> None:
    """R-CARD-1: each card is in one place."""
    records, places = t.records, np.arange(NUM_CARDS)
    counts = _count(records["pile"], places < records["pile_size"][:, None])
    counts += _count(records["stock"], places >= records["next_card"][:, None])
    counts += records["hand"].sum(axis=1, dtype=np.int64)
    counts += records["naturals"].sum(axis=1, dtype=np.int64)
    counts[:, TWO] += records["twos"].sum(axis=(1, 2), dtype=np.int64)
    counts[:, JOKER] += records["jokers"].sum(axis=(1, 2), dtype=np.int64)
    counts[:, RED_THREE] += records["red_threes"].sum(axis=1, dtype=np.int64)
    counts[:, BLACK_THREE] += records["black_threes"].sum(axis=1, dtype=np.int64)
    if (counts == _COPIES).all():
        return
    table, kind = np.argwhere(counts != _COPIES)[0]
    raise ValueError(
        f"{t.where}[{table}]: {counts[table, kind]} {KINDS[kind]} in hands, melds, threes, pile and stock; "
        f"there must be {COPIES[kind]} (R-CARD-1)"
    )


def _check_melds(t: _Tables) -> None:
    """R-MELD."""
    naturals, wilds, sizes = t.records["naturals"], t.wilds, t.sizes
    is_none = sizes == 0
    is_long = is_none | (sizes >= MELD_START)
    _require(
        t, is_long, "naturals", f"a meld must hold at least {MELD_START} cards, wilds included (R-MELD-1)"
    )
    is_wild_meld = np.arange(NUM_KINDS) == WILD_MELD
    fits = is_none | is_wild_meld | (naturals >= PAIR)
    _require(t, fits, "naturals", f"a meld of a rank must hold at least {PAIR} naturals (R-MELD-1)")
    fits = is_wild_meld | (wilds <= t.rules.max_wilds_in_meld)
    _require(
        t, fits, "twos", f"a meld must hold at most {t.rules.max_wilds_in_meld} wilds (R-MELD-2, R-MELD-3)"
    )
    limit = CANASTA_SIZE if t.rules.has_wild_meld else 0
    _require(
        t, sizes[..., WILD_MELD] <= limit, "twos", f"the wild meld must hold at most {limit} wilds (R-MELD-6)"
    )
    if t.rules.melds_end_at_seven:
        fits = sizes <= CANASTA_SIZE
        _require(t, fits, "naturals", f"a meld must hold at most {CANASTA_SIZE} cards (R-MELD-3)")
    if t.rules.needs_more_naturals:
        fits = is_none | is_wild_meld | (wilds < naturals)
        _require(t, fits, "naturals", "a meld must hold more naturals than wilds (R-MELD-2)")
    if not t.rules.lays_black_threes:
        _require(
            t, t.records["black_threes"] == 0, "black_threes", "must be 0: red threes are laid (R-DEAL-2)"
        )


def _check_what_follows(t: _Tables) -> None:
    """Hand sizes, canastas and closed ranks follow from the cards."""
    records = t.records
    fits = records["hand_size"] == records["hand"].sum(axis=2, dtype=np.int64)
    _require(t, fits, "hand_size", "must be the number of cards in the hand")
    is_canasta = t.sizes >= CANASTA_SIZE
    fits = records["canastas"] == is_canasta.sum(axis=2)
    _require(t, fits, "canastas", "must be the number of melds of seven or more cards (R-MELD-9)")
    closes = (is_canasta & (t.wilds == 0) & _IS_RANK).any(axis=1) & t.rules.closes_ranks
    _require(
        t, records["closed"] == closes, "closed", "must be 1 where a clean canasta closes a rank (R-MELD-7)"
    )


def _check_hands(t: _Tables) -> None:
    records = t.records
    goes_on = records["phase"] != PHASE_OVER
    seats = np.arange(MAX_SEATS)
    picks_up = (seats == t.mover[:, None]) & (records["taken"] != NO_CARD)[:, None]
    fits = (records["hand_size"] > 0) | picks_up | (seats >= t.rules.players) | ~goes_on[:, None]
    _require(t, fits, "hand_size", "must be at least 1 while the deal goes on (R-TURN)")
    laid = [RED_THREE, BLACK_THREE] if t.rules.lays_black_threes else [RED_THREE]
    fits = np.ones(records["hand"].shape, np.bool_)
    fits[..., laid] = (records["hand"][..., laid] == 0) | ~goes_on[:, None, None]
    _require(t, fits, "hand", "must be 0: such a three is laid (R-DEAL-2)")
    _require(t, records["known"] <= records["hand"], "known", "must be at most what the hand holds")


def _check_turns(t: _Tables) -> None:
    """What only a turn under way has, and the question to the partner (R-OUT-3)."""
    records = t.records
    for field in _FLAGS_OF_A_TURN:
        values = records[field]
        fits = (values == 0) | (t.has_turn if values.ndim == 1 else t.has_turn[:, None])
        _require(t, fits, field, "must be 0: no turn is under way (R-TURN)")
    melds = (t.sizes > 0) & t.own_side[:, :, None]
    fits = (records["begun"] == 0) | melds.any(axis=1)
    _require(t, fits, "begun", "must be 0: the side to move has no such meld")
    has_melded = (records["begun"] != 0).any(axis=1) | (records["joined_earlier"] == 1)
    has_melded |= records["taken"] != NO_CARD
    fits = (records["melded_now"] == 1) == has_melded
    _require(t, fits, "melded_now", "must be 1 if begun, joined_earlier or taken tell of a meld, else 0")
    is_asking = records["phase"] == PHASE_ANSWER
    fits = ~is_asking | (records["answer"] == NOT_ASKED)
    _require(t, fits, "answer", "must be 0 while the partner is asked (R-OUT-3)")
    other_yes = MAY_GO_OUT if t.rules.is_yes_binding else MUST_GO_OUT
    fits = records["answer"] != other_yes
    _require(t, fits, "answer", f"must not be {other_yes}: that is what the other game's yes means (R-OUT-3)")
    has_asked = is_asking | (records["answer"] != NOT_ASKED)
    fits = ~has_asked | (records["asked"][np.arange(len(records)), t.mover] == 1)
    _require(t, fits, "asked", "must be 1 for the seat that has asked in this turn (R-OUT-3)")
    may_ask = (t.rules.players == MAX_SEATS) & (records["phase"] == PHASE_PLAY)
    may_ask &= (records["answer"] == NOT_ASKED) & (records["taken"] == NO_CARD)
    fits = (records["can_ask"] == 0) | may_ask
    _require(t, fits, "can_ask", "must be 0: the question does not stand at this point of a turn (R-OUT-3)")


def _check_openings(t: _Tables) -> None:
    """R-OPEN: an opening is completed in its turn."""
    records = t.records
    has_melds, has_opened = (t.sizes > 0).any(axis=2), records["opened"] == 1
    _require(t, ~has_opened | has_melds, "opened", "must be 0: the side has no meld (R-OPEN-2)")
    is_opening = has_melds & ~has_opened
    fits = ~is_opening | (t.own_side & (records["phase"] == PHASE_PLAY)[:, None])
    _require(t, fits, "opened", "must be 1: the side has melds of an earlier turn (R-OPEN-5)")
    values = records["naturals"] @ _VALUES + records["twos"].sum(axis=2) * VALUES[TWO]
    values = values + records["jokers"].sum(axis=2) * VALUES[JOKER]
    points = (values * is_opening).sum(axis=1)
    fits = records["opening_points"] == points
    _require(
        t, fits, "opening_points", "must be the points of the opening under way, 0 without one (R-OPEN-2)"
    )


def _check_takes(t: _Tables) -> None:
    """R-TAKE-5: between `take` and `pick up`."""
    records, taken = t.records, t.records["taken"]
    is_taken = taken != NO_CARD
    has_opened = ((records["opened"] == 1) & t.own_side).any(axis=1)
    fits = (records["phase"] == PHASE_PLAY) & (taken >= FIRST_RANK) & ~has_opened
    _require(
        t,
        ~is_taken | fits,
        "taken",
        f"must be {NO_CARD}, or a rank, for a side that opens in its turn",
    )
    rows = np.arange(len(records))
    if t.rules.opens_from_hand:
        fits = (records["pile_size"] > 0) & (records["pile"][rows, records["pile_size"] - 1] == taken)
        fits &= records["closed"][rows, taken] == 0
        reason = "must be the top card of the pile until `pick up`, of a rank that is not closed (R-TAKE-5)"
    else:
        melded = (records["naturals"] * t.own_side[:, :, None]).sum(axis=1)
        fits = melded[rows, taken] >= MELD_START
        reason = "must be a rank of which the pair and the top card are melded (R-TAKE-5)"
    _require(t, ~is_taken | fits, "taken", reason)
