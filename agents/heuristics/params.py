"""PARAMS: numbers of players that can be replaced one by one, to tune them and to see what each is worth."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_env.engine.state import allocate


@dataclass(frozen=True)
class CloserParams:
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
    further_copy: float = 12  # each further copy in hand


@dataclass(frozen=True)
class KeeperParams:
    """How the keeper (Modern American) weighs. Tuned by tournament on boards from 1,000,000 on."""

    take_from: float = 3  # a pile of so many cards is taken
    take_opening_from: float = 3  # ... with an opening
    take_risky_from: float = 22.5  # ... with sevens or aces that will probably stay unfinished
    price_of_natural: float = 3  # of an opening: its cards and melds
    price_of_two: float = 11
    price_of_joker: float = 0
    price_of_mixed: float = 6
    price_of_lost_wilds: float = 120  # a mixed meld, while a wild canasta can be collected
    price_of_risk: float = 1_000  # a meld that is penalised if it stays unfinished
    price_to_open: float = 600  # an opening may cost this
    price_per_pile_card: float = 20  # ... and this more for each card of a pile it takes
    wild_chance: float = 0.65  # of a wild canasta, from which wilds are kept for it
    risky_chance: float = 0.6  # of clean sevens or aces, from which they are begun
    hold_pairs_above: float = 7.5  # with a stock from this on, pairs that can take the pile are not laid
    set_from: float = 5  # naturals of a rank that are laid as a new meld, fewer are held
    urgent_stock: float = 2  # with a stock up to this everything is laid
    urgent_cards: float = 1.5  # ... and when an opponent with canastas holds no more cards
    asks: float = 1  # 1: asks before it goes out
    stays_in: float = 1  # 1: does not go out while an own meld is penalised, unless opponents are about to
    laden: float = 150  # points of a hand with which it says no
    wild: float = 1_000  # scores of a discard, the lowest goes; this one for a wild, on top of its points
    single_unseen: float = 1  # worth of holding a single card, for each copy that is unseen
    pair: float = 80  # ... a pair
    pair_unseen: float = 7  # ... and for each copy that is unseen
    triple: float = 15  # ... three or more
    fits: float = 30  # ... a rank that the side has on the table
    point: float = 0.2  # each point of a card makes it worth so much less
    risky: float = 15  # ... a seven or an ace without a meld
    risky_three: float = 320  # ... and so much less from three on
    feed: float = 15  # what it costs if the next player takes the pile
    feed_card: float = 25  # ... and for each card in it
    thrown_before: float = 0.75  # factor of that chance, if the next player discarded the rank before
    unopened: float = 0.5  # ... if the next player's side has not opened


@dataclass(frozen=True)
class WatcherParams:
    """How the watcher (Classic) weighs. Tuned by tournament, four players, on boards from 1,000,000 on."""

    take_from: float = 3  # a pile of so many cards is taken with a pair
    take_opening_from: float = 2  # ... with an opening
    take_with_wild_from: float = 5  # ... with a natural and a wild
    take_fitting: float = 1  # so many fewer if the top card fits an own meld
    price_of_natural: float = 1  # of an opening: its cards and melds
    price_of_two: float = 0
    price_of_joker: float = 50
    price_of_mixed: float = 5
    price_to_open: float = 200  # an opening may cost this
    price_per_pile_card: float = 10  # ... and this more for each card of a pile it takes
    keep: float = 1  # cards that melding leaves in the hand
    keep_before_canasta: float = 2  # ... before the side's first canasta
    wilds_per_canasta: float = 2  # a canasta is completed with so many wilds at most
    wilds_per_canasta_of_two: float = 1  # ... with two players
    hold_pairs_above: float = 15  # with a stock from this on, pairs are not laid onto own melds
    set_from: float = 5  # naturals of a rank that are laid as a new meld, fewer are held
    hold_sets_above: float = 15  # ... as long as the stock is not under this
    pair_with_wild_under: float = 5  # with a stock under this, a pair and a wild begin a meld
    urgent_stock: float = 3  # with a stock up to this everything is laid
    urgent_cards: float = 2  # ... and when an opponent with canastas holds no more cards
    laden: float = 100  # points of a hand with which it says no
    wild: float = 100  # scores of a discard, the lowest goes; this one for a wild, on top of its points
    black_three: float = -8
    single_unseen: float = 0.5  # worth of holding a single card, for each copy that is unseen
    pair: float = 15  # ... a pair
    pair_unseen: float = 1  # ... and for each copy that is unseen
    triple: float = 15  # ... three or more
    fits: float = 10  # ... a rank that the side has on the table
    point: float = -1.8  # each point of a card makes it worth so much less
    feed_card: float = 30  # what it costs if the next player takes the pile, for each card in it
    unopened: float = 0.6  # factor of that chance, if the next player's side has not opened


PLAIN_CLOSER = CloserParams(keep_before_canasta=2, pair_with_wild_under=0, black_three_from=0)


@dataclass(frozen=True)
class Params:
    """The numbers of every player that has some to set."""

    closer: CloserParams = CloserParams()
    keeper: KeeperParams = KeeperParams()
    watcher: WatcherParams = WatcherParams()


def _record(params: type) -> np.dtype:
    return np.dtype([(field.name, np.float64) for field in dataclasses.fields(params)])


PARAMS = np.dtype(
    [
        ("closer", _record(CloserParams)),
        ("keeper", _record(KeeperParams)),
        ("watcher", _record(WatcherParams)),
    ]
)


def params_record(params: Params) -> NDArray[np.void]:
    """Numbers as kernels read them: `(1,) PARAMS`."""
    record = allocate(1, PARAMS)
    record["closer"] = dataclasses.astuple(params.closer)
    record["keeper"] = dataclasses.astuple(params.keeper)
    record["watcher"] = dataclasses.astuple(params.watcher)
    return record
