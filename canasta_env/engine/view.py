"""VIEW: everything that an attentive player in one seat knows, and nothing else.

Seats and sides are relative to the viewer: seat 0 is the viewer, 1 the next in play order; side 0 is the
viewer's own, and relative seat r plays for side r % num_sides. Two tables that differ only in what the
viewer cannot know (the order of the stock, the split of unseen cards over other hands) have byte-equal views.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.cards import BLACK_THREE, COPIES, JOKER, NUM_CARDS, NUM_KINDS, RED_THREE, TWO
from canasta_env.engine.jit import kernel
from canasta_env.engine.opening import minimum_for
from canasta_env.engine.state import MAX_SEATS, MAX_SIDES, NOBODY
from canasta_env.engine.swar import copy_counts, subtract_counts

VIEW = np.dtype(
    [
        ("scores", np.int64, (MAX_SIDES,)),  # match scores when the deal began
        ("minimum", np.int32, (MAX_SIDES,)),  # opening minimum of each side (R-OPEN-1)
        ("opening_points", np.int32),  # melded so far in the opening turn under way
        ("turn", np.int16),
        ("pile_size", np.int16),
        ("stock_size", np.int16),
        ("hand_size", np.int16, (MAX_SEATS,)),
        ("seat", np.int8),  # the viewer's own, absolute
        ("players", np.int8),
        ("phase", np.int8),
        ("to_play", np.int8),  # relative seat, NOBODY when over
        ("dealer", np.int8),  # relative seat
        ("hand", np.int8, (NUM_KINDS,)),
        (
            "known",
            np.int8,
            (MAX_SEATS, NUM_KINDS),
        ),  # known to be in a hand: taken with a pile, not yet played
        ("discarded", np.int8, (MAX_SEATS, NUM_KINDS)),
        ("piles_taken", np.int8, (MAX_SEATS,)),
        ("melded", np.int8, (MAX_SEATS,)),  # in an earlier turn of the deal
        ("asked", np.int8, (MAX_SEATS,)),
        ("naturals", np.int8, (MAX_SIDES, NUM_KINDS)),
        ("twos", np.int8, (MAX_SIDES, NUM_KINDS)),
        ("jokers", np.int8, (MAX_SIDES, NUM_KINDS)),
        ("red_threes", np.int8, (MAX_SIDES,)),
        ("black_threes", np.int8, (MAX_SIDES,)),
        ("opened", np.int8, (MAX_SIDES,)),
        ("canastas", np.int8, (MAX_SIDES,)),
        ("closed", np.int8, (NUM_KINDS,)),
        ("pile", np.int8, (NUM_CARDS,)),  # bottom first, NO_CARD from pile_size on
        ("pile_count", np.int8, (NUM_KINDS,)),
        ("wild_frozen", np.int8),
        ("taken", np.int8),  # kind of the top card between `take` and `pick up`, else NO_CARD
        ("can_ask", np.int8),
        ("answer", np.int8),
        ("melded_now", np.int8),
        ("begun", np.int8, (NUM_KINDS,)),
        ("joined_earlier", np.int8),
        ("went_out", np.int8),  # relative seat or NOBODY
        ("concealed", np.int8),
        ("unseen", np.int8, (NUM_KINDS,)),  # in the stock or in another hand
    ],
    align=True,
)
_COPIES = np.array(COPIES, np.int8)


@kernel
def build_view(rules, s, seat, v):  # type: ignore[no-untyped-def]
    """Write what `seat` knows of the table `s` into the record `v`."""
    players = rules.players
    num_sides = rules.num_sides
    v.seat = seat
    v.players = players
    v.phase = s.phase
    v.to_play = _relative(s.to_play, seat, players)
    v.dealer = _relative(s.dealer, seat, players)
    v.went_out = _relative(s.went_out, seat, players)
    v.opening_points = s.opening_points
    v.turn = s.turn
    v.stock_size = NUM_CARDS - s.next_card
    v.wild_frozen = s.wild_frozen
    v.taken = s.taken
    v.can_ask = s.can_ask
    v.answer = s.answer
    v.melded_now = s.melded_now
    v.joined_earlier = s.joined_earlier
    v.concealed = s.concealed
    copy_counts(v.hand, s.hand[seat])
    copy_counts(v.closed, s.closed)
    copy_counts(v.begun, s.begun)
    copy_counts(v.unseen, _COPIES)
    subtract_counts(v.unseen, s.hand[seat])
    for relative in range(players):
        _view_seat(s, (seat + relative) % players, relative, v)
    for relative in range(num_sides):
        _view_side(rules, s, (seat + relative) % num_sides, relative, v)
    _view_pile(s, v)


@kernel
def _relative(seat, viewer, players):  # type: ignore[no-untyped-def]
    if seat == NOBODY:
        return NOBODY
    return (seat - viewer + players) % players


@kernel
def _view_seat(s, seat, relative, v):  # type: ignore[no-untyped-def]
    v.hand_size[relative] = s.hand_size[seat]
    v.piles_taken[relative] = s.piles_taken[seat]
    v.melded[relative] = s.melded[seat]
    v.asked[relative] = s.asked[seat]
    copy_counts(v.known[relative], s.known[seat])
    copy_counts(v.discarded[relative], s.discarded[seat])


@kernel
def _view_side(rules, s, side, relative, v):  # type: ignore[no-untyped-def]
    v.scores[relative] = s.scores[side]
    v.minimum[relative] = minimum_for(rules, s.scores[side])
    v.red_threes[relative] = s.red_threes[side]
    v.black_threes[relative] = s.black_threes[side]
    v.opened[relative] = s.opened[side]
    v.canastas[relative] = s.canastas[side]
    v.unseen[RED_THREE] -= s.red_threes[side]
    v.unseen[BLACK_THREE] -= s.black_threes[side]
    copy_counts(v.naturals[relative], s.naturals[side])
    copy_counts(v.twos[relative], s.twos[side])
    copy_counts(v.jokers[relative], s.jokers[side])
    subtract_counts(v.unseen, s.naturals[side])
    twos, jokers = 0, 0
    for kind in range(NUM_KINDS):
        twos += s.twos[side, kind]
        jokers += s.jokers[side, kind]
    v.unseen[TWO] -= twos
    v.unseen[JOKER] -= jokers


@kernel
def _view_pile(s, v):  # type: ignore[no-untyped-def]
    v.pile_size = s.pile_size
    for place in range(NUM_CARDS):
        v.pile[place] = s.pile[place]
    v.pile_count[:] = 0
    for place in range(s.pile_size):
        v.pile_count[s.pile[place]] += 1
    subtract_counts(v.unseen, v.pile_count)


def view_dict(view: Any) -> dict[str, Any]:
    """A view (a scalar record or an array of one) as a plain dict of ints and lists, for people and tests."""
    record = np.asarray(view).reshape(-1)[0]
    return {name: record[name].tolist() for name in VIEW.names or ()}
