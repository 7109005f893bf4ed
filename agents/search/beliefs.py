"""Which of the tables that a seat cannot tell from its own are the likely ones.

`canasta_env.redeal` draws them as the cards fall, whoever plays. Players keep some cards and throw others, so
some tables are likelier than others: a model of the players weighs them, and a search takes the tables it
tries its candidates in by weight.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from canasta_env.agent import DecisionBatch

POOL = 8  # tables drawn as the cards fall, for each that is taken by weight
_LEAST = -30.0  # logarithm of the least weight, the greatest being 1
_BITS = 53  # of a random number between 0 and 1


class Beliefs(Protocol):
    """A model of the players, which weighs tables: `neural.hands.HandsModel`."""

    def log_weights(self, batch: DecisionBatch, tables: NDArray[np.void]) -> NDArray[np.float64]:
        """How likely tables are, against each other.

        Args:
            batch: Decisions.
            tables: `(n, num) STATE`, for each decision tables that its seat cannot tell from its own.

        Returns:
            `(n, num) float64` logarithms: how many times likelier the hands of a table are than if the cards
            lay as they fall; a constant may be added to a row.
        """
        ...


def loose_cards(batch: DecisionBatch, tables: NDArray[np.void]) -> NDArray[np.int8]:
    """The cards of the other hands that the seat to move does not know to be there.

    Args:
        batch: Decisions.
        tables: `(n, num) STATE`, for each decision tables that its seat cannot tell from its own.

    Returns:
        `(n, num, players - 1, NUM_KINDS) int8`, the seat after the one to move first.
    """
    views, players = np.asarray(batch.views), batch.rules.players
    others = (views["seat"][:, None] + np.arange(1, players)) % players
    rows, columns = np.ogrid[: len(views), : tables.shape[1]]
    hands = np.asarray(tables["hand"])[rows[..., None], columns[..., None], others[:, None]]
    loose: NDArray[np.int8] = hands - views["known"][:, None, 1:players]
    return loose


def take_by_weight(
    log_weights: NDArray[np.float64], num: int, seeds: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Take some tables of each row, none twice: systematic sampling with unequal probabilities (Madow 1949).

    Args:
        log_weights: `(n, pool) float64`.
        num: Tables to take of a row, at most `pool`.
        seeds: `(n,) uint64`, which fix the chance of each row.

    Returns:
        `(n, num) int64`, which tables, in ascending order.
    """
    ends = np.cumsum(shares(log_weights, num), axis=1)
    starts = (seeds >> np.uint64(64 - _BITS)).astype(np.float64) / 2.0**_BITS
    points = starts[:, None] + np.arange(num)
    taken = (ends[:, None, :] <= points[:, :, None]).sum(axis=2)
    return np.asarray(np.minimum(taken, log_weights.shape[1] - 1))


def shares(log_weights: NDArray[np.float64], num: int) -> NDArray[np.float64]:
    """The probability with which `take_by_weight` takes each table: `(n, pool)`, a row's sum is `num`.

    It is in proportion to the weight; where that would be above 1, the table is taken for certain, and the
    others share what is left.
    """
    weights = np.exp(np.maximum(log_weights - log_weights.max(axis=1, keepdims=True), _LEAST))
    is_sure = np.zeros(weights.shape, np.bool_)
    while True:
        rest = np.where(is_sure, 0.0, weights)
        left = num - is_sure.sum(axis=1, keepdims=True)
        scale = left / np.maximum(rest.sum(axis=1, keepdims=True), math.exp(_LEAST))
        found = np.where(is_sure, 1.0, rest * scale)
        if (found <= 1.0).all():
            return found
        is_sure |= found > 1.0


def effective_number(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many equally likely tables the weights of each row are worth: `(n,)` (Kish 1965)."""
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return np.asarray(weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1))
