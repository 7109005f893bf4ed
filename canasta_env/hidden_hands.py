"""Hidden hands: whole tables that a seat cannot tell from the one it sits at, drawn from its view alone."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from canasta_env.cards import COPIES, NUM_CARDS
from canasta_env.engine.redeal import (
    NONE_FOUND,
    PLAIN_TRIES,
    copy_pieces,
    redeal_all,
    redeal_within_a_turn,
)
from canasta_env.engine.state import (
    MAX_SEATS,
    MAX_SIDES,
    NO_CARD,
    NOBODY,
    PHASE_ANSWER,
    PHASE_PLAY,
    PHASES,
    STATE,
    allocate,
    as_kernel_argument,
    rules_record,
)
from canasta_env.engine.view import VIEW
from canasta_env.rules import Rules
from canasta_env.state_checks import check_tables
from canasta_env.validation import MAX_SEED, check_rules, integers, whole_number

MAX_REDEALT = 1 << 20  # tables of one call
_SEATS_NAMED = ("to_play", "dealer", "went_out")  # fields that hold a seat, in a view a relative one
_PARTNER = MAX_SEATS // 2  # the partner's relative seat
_COPIES = np.array(COPIES)


def redeal(rules: Rules, views: NDArray[np.void], seeds: ArrayLike, num_samples: int = 1) -> NDArray[np.void]:
    """Draw tables that the viewers cannot tell from their own: what they do not see is dealt anew.

    The tables are functions of the views, and cannot tell what those do not. Each way in which the cards that
    a viewer does not see can lie in the other hands and in the stock is equally likely, if a seat within its
    turn can complete it with them (R-TURN-4), and could ask if it did (R-OUT-3). What is not inferred:
    docs/search.md.

    Args:
        rules: The game.
        views: `(n,) VIEW`, of any seats at any tables of the game.
        seeds: `(n,)` integers from 0 to 2**64 − 1, one for each view. A table depends on its view, its seed
            and its number among the samples, and on nothing else in the call.
        num_samples: How many tables to draw for each view.

    Returns:
        `(n * num_samples,) STATE`, those of the first view first; `VectorTables.set_state` takes them. Each
        has a seed of its own for the deals that may follow, is the first deal of its match, and does not name
        the cards that have left the stock.

    Raises:
        ValueError: If an argument does not fit; names the view and what in it cannot be.
    """
    views = _check_views(check_rules(rules), views)
    row_seeds = _check_seeds(seeds, len(views))
    most = MAX_REDEALT // max(1, len(views))
    num_samples = whole_number(num_samples, "num_samples", 1, max(1, most))
    tables = _tables_without_hidden_cards(rules, views)
    loose = _loose_cards(rules, views, tables)
    dealt = _repeat(tables, num_samples)
    redeal_all(rules_record(rules), dealt, loose, row_seeds, num_samples)
    rows = np.flatnonzero(_is_within_a_turn(views))
    if rows.size:
        check_tables(rules, np.asarray(dealt)[rows * num_samples], "views")  # before it is played at them
        chosen = _repeat(tables[rows], num_samples)
        _deal_possible_hands(rules, rows, chosen, loose[rows], row_seeds[rows], num_samples)
        np.asarray(dealt).reshape(-1, num_samples)[rows] = np.asarray(chosen).reshape(-1, num_samples)
    return dealt


def _repeat(tables: NDArray[np.void], num_samples: int) -> NDArray[np.void]:
    return as_kernel_argument(np.repeat(np.asarray(tables), num_samples))


def _deal_possible_hands(
    rules: Rules,
    rows: NDArray[np.int64],
    tables: NDArray[np.void],
    loose: NDArray[np.int8],
    seeds: NDArray[np.uint64],
    num_samples: int,
) -> None:
    """Deal at the tables of the views `rows`, at which another seat is within its turn."""
    failed = redeal_within_a_turn(rules_record(rules), tables, loose, seeds, num_samples, PLAIN_TRIES)
    if failed != NONE_FOUND:
        raise ValueError(
            f"views[{rows[failed]}]: no hand was found with which the seat within its turn can complete it"
            " (R-TURN-4); it must be the view of a table that can be played on"
        )


def _check_views(rules: Rules, views: Any) -> NDArray[np.void]:
    """The views as a plain contiguous array, in which what kernels index with is in its range."""
    array = np.asarray(views)
    if array.dtype != VIEW or array.ndim != 1:
        raise ValueError(f"views: {array.dtype}{array.shape} must be views of this version, (n,) VIEW")
    array = np.ascontiguousarray(array).view(np.ndarray)
    last_seat = rules.players - 1
    ranges = {
        "players": (rules.players, rules.players),
        "seat": (0, last_seat),
        "dealer": (0, last_seat),
        "to_play": (NOBODY, last_seat),
        "phase": (0, len(PHASES) - 1),
        "stock_size": (0, NUM_CARDS),
    }
    for name, (low, high) in ranges.items():
        values = array[name]
        is_outside = (values < low) | (values > high)
        if is_outside.any():
            row = int(np.argmax(is_outside))
            must = f"must be {low}" if low == high else f"must be from {low} to {high}"
            raise ValueError(f"views[{row}]: {name}: {values[row]} {must}")
    return array


def _check_seeds(seeds: ArrayLike, num: int) -> NDArray[np.uint64]:
    given = integers(seeds, num, "seeds")
    if (given < 0).any():
        raise ValueError(f"seeds: {given.min()} must be from 0 to {MAX_SEED - 1}")
    return given.astype(np.uint64)


def _is_within_a_turn(views: NDArray[np.void]) -> NDArray[np.bool_]:
    """Where a seat that is not the viewer's is within its turn: `(n,)`."""
    phase, to_play = views["phase"], views["to_play"]
    is_within: NDArray[np.bool_] = (phase == PHASE_PLAY) & (to_play != 0)
    is_within |= (phase == PHASE_ANSWER) & (to_play != _PARTNER)
    return is_within


def _tables_without_hidden_cards(rules: Rules, views: NDArray[np.void]) -> NDArray[np.void]:
    """The tables of some views, `(n,) STATE`: the stock empty, in each hand the cards that are known."""
    tables = allocate(len(views))
    pieces = _pieces(rules.players, rules.num_sides)
    copy_pieces(pieces, views["seat"].copy(), _bytes(views), _bytes(tables))
    for name in _SEATS_NAMED:
        relative = np.asarray(tables[name])
        absolute = (relative + views["seat"]) % rules.players
        tables[name] = np.where(relative == NOBODY, NOBODY, absolute)
    tables["next_card"] = NUM_CARDS - views["stock_size"]
    tables["stock"] = NO_CARD
    return tables


def _bytes(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """The memory of some records: `(n, itemsize)`."""
    return np.asarray(records).view(np.uint8).reshape(len(records), records.dtype.itemsize)


@cache
def _pieces(players: int, num_sides: int) -> NDArray[np.int64]:
    """Where the pieces of each seat's view belong in a table, as `copy_pieces` takes them."""
    lengths = {MAX_SEATS: players, MAX_SIDES: num_sides}
    return np.array([_pieces_of_seat(seat, lengths) for seat in range(players)])


def _pieces_of_seat(seat: int, in_game: dict[int, int]) -> list[tuple[int, int, int]]:
    """Fields that VIEW and STATE both have mean the same, but for relative seats and sides.

    Of another's hand there is what is known of it.
    """
    players = in_game[MAX_SEATS]
    hands = [_piece("known", step, "hand", (seat + step) % players) for step in range(1, players)]
    pieces = [_piece("hand", None, "hand", seat), *hands]
    in_view = {name: VIEW[name] for name in VIEW.names or ()}
    for name in STATE.names or ():
        if in_view.get(name) != STATE[name]:
            continue
        length = STATE[name].shape[0] if STATE[name].shape else 0
        if length not in in_game:
            pieces.append(_piece(name, None, name, None))
            continue
        for step in range(length):
            at = (seat + step) % in_game[length] if step < in_game[length] else step
            pieces.append(_piece(name, step, name, at))
    return pieces


def _piece(source: str, source_at: int | None, target: str, target_at: int | None) -> tuple[int, int, int]:
    begin, size = _span(VIEW, source, source_at)
    return begin, _span(STATE, target, target_at)[0], size


def _span(dtype: np.dtype, name: str, at: int | None) -> tuple[int, int]:
    """Where a field, or its entry `at`, begins in a record, and its size, in bytes."""
    assert dtype.fields is not None
    field, offset = dtype.fields[name][:2]
    if at is None:
        return offset, field.itemsize
    size = field.itemsize // field.shape[0]
    return offset + at * size, size


def _loose_cards(rules: Rules, views: NDArray[np.void], tables: NDArray[np.void]) -> NDArray[np.int8]:
    """The cards whose place a viewer does not know: `(n, NUM_KINDS) int8`; as many as there are places."""
    loose = views["unseen"] - views["known"][:, 1 : rules.players].sum(axis=1, dtype=np.int64)
    is_no_count = (loose < 0) | (loose > _COPIES) | (np.asarray(tables["hand"]) < 0).any(axis=1)
    _refuse(is_no_count.any(axis=1), "unseen", "must hold the cards that are known to be in other hands")
    unknown = np.asarray(tables["hand_size"] - tables["hand"].sum(axis=2, dtype=np.int64))
    _refuse((unknown < 0).any(axis=1), "hand_size", "must be at least the number of cards known to be there")
    own = unknown[np.arange(len(views)), views["seat"]]
    _refuse(own != 0, "hand_size", "must be the number of cards in the viewer's hand")
    num_places = unknown.sum(axis=1) + views["stock_size"]
    _refuse(num_places != loose.sum(axis=1), "unseen", "must be the cards of the stock and the other hands")
    as_counts: NDArray[np.int8] = loose.astype(np.int8)
    return as_counts


def _refuse(is_wrong: NDArray[np.bool_] | np.bool_, field: str, reason: str) -> None:
    if np.any(is_wrong):
        raise ValueError(f"views[{int(np.argmax(is_wrong))}]: {field}: {reason}")
