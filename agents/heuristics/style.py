"""STYLE: numbers of players that can be replaced one by one, to tune them and to see what each is worth."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_env.engine.state import allocate


@dataclass(frozen=True)
class CloserStyle:
    """How the Classic closer weighs. The defaults are the improved form."""

    take_from: float = 3  # a pile of so many cards is taken
    keep: float = 2  # cards that melding leaves in the hand, the discard among them
    keep_before_canasta: float = 3  # ... before the side's first canasta
    pair_with_wild_under: float = 20  # with a stock under this, a pair and a wild begin a meld
    wild: float = 200  # scores of a discard, the lowest goes; this one for a wild, on top of its points
    black_three: float = -8
    black_three_from: float = 5  # two players: black threes wait for a pile of so many cards
    black_three_held: float = 30  # ... and until then score this
    danger: float = 60  # a rank that an opposing side has on the table, on an open pile
    copy: float = 12  # each further copy in hand


@dataclass(frozen=True)
class KeeperStyle:
    """How the keeper (Modern American) weighs."""

    take_from: float = 3
    take_opening_from: float = 3
    take_risky_from: float = 15
    price_per_pile_card: float = 20
    laden: float = 200
    asks: float = 1
    stay_in_above: float = -10
    price_of_natural: float = 3
    price_of_mixed: float = 5
    price_of_joker: float = 20
    price_of_two: float = 11.25
    price_of_risk: float = 1000
    price_to_open: float = 600
    wild_chance: float = 0.65
    price_of_lost_wilds: float = 60
    hold_pairs_above: float = 7.5
    set_from: float = 5
    risky_chance: float = 0.6
    urgent_stock: float = 2
    urgent_cards: float = 1.5
    wild: float = 1000
    unopened: float = 0.5
    thrown_before: float = 0.75
    risky_taken: float = 1
    feed: float = 20
    feed_card: float = 20
    dead: float = 20
    point: float = 0.2
    triple: float = 15
    triple_unseen: float = 0
    pair: float = 100
    pair_unseen: float = 7
    single_unseen: float = 1
    risky: float = 10
    risky_three: float = 80
    fits: float = 30
    fits_large: float = 60


@dataclass(frozen=True)
class WatcherStyle:
    """How the watcher (Classic) weighs."""

    take_from: float = 2
    take_with_wild_from: float = 4
    take_opening_from: float = 2
    take_fitting: float = 1
    price_of_natural: float = 1
    price_of_mixed: float = 5
    price_of_joker: float = 50
    price_of_two: float = 20
    price_to_open: float = 200
    price_per_pile_card: float = 10
    laden: float = 100
    asks: float = 0
    go_out_stock: float = 200
    go_out_partner: float = 5
    go_out_threat: float = 20
    urgent_stock: float = 3
    urgent_cards: float = 4
    keep: float = 2
    keep_before_canasta: float = 2
    wilds_to_close: float = 3
    hold_pairs_above: float = 15
    set_from: float = 4
    hold_sets_above: float = 15
    pair_with_wild_under: float = 10
    wild: float = 200
    freeze: float = 0
    black_three: float = -8
    block: float = 1
    open: float = -0.8
    unopened: float = 0.8
    thrown_before: float = 0.5
    melded: float = 0.7
    feed: float = 5
    feed_card: float = 15
    point: float = -0.8
    triple: float = 15
    triple_unseen: float = 0
    pair: float = 15
    pair_unseen: float = 1
    single_unseen: float = 2.5
    fits: float = 10


PLAIN_CLOSER = CloserStyle(keep_before_canasta=2, pair_with_wild_under=0, black_three_from=0)


@dataclass(frozen=True)
class Style:
    """The numbers of every player that has some to set."""

    closer: CloserStyle = CloserStyle()
    keeper: KeeperStyle = KeeperStyle()
    watcher: WatcherStyle = WatcherStyle()


def _record(style: type) -> np.dtype:
    return np.dtype([(field.name, np.float64) for field in dataclasses.fields(style)])


STYLE = np.dtype(
    [("closer", _record(CloserStyle)), ("keeper", _record(KeeperStyle)), ("watcher", _record(WatcherStyle))]
)


def style_record(style: Style) -> NDArray[np.void]:
    """A style as kernels read it: `(1,) STYLE`."""
    record = allocate(1, STYLE)
    record["closer"] = dataclasses.astuple(style.closer)
    record["keeper"] = dataclasses.astuple(style.keeper)
    record["watcher"] = dataclasses.astuple(style.watcher)
    return record
