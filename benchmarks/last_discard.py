"""Tables weighed by the last move seen: how likely a policy makes that discard with the hand there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_agents.neural.agent import NeuralAgent
from canasta_env.actions import DISCARD_BLACK_THREE, DISCARD_JOKER, DISCARD_NATURAL, DISCARD_TWO, NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.cards import BLACK_THREE, FIRST_RANK, JOKER, NUM_KINDS, TWO
from canasta_env.engine.batch import observe_all
from canasta_env.engine.state import (
    NO_CARD,
    PHASE_DRAW,
    PHASE_PLAY,
    allocate,
    as_kernel_argument,
    rules_record,
)
from canasta_env.engine.view import VIEW

_LEAST = 1e-3  # probability of any discard: players are not quite the policy
_DISCARDS = {JOKER: DISCARD_JOKER, TWO: DISCARD_TWO, BLACK_THREE: DISCARD_BLACK_THREE}
_ACTION = np.array(  # that discards a kind; of red threes there is none
    [_DISCARDS.get(kind, DISCARD_NATURAL + max(0, kind - FIRST_RANK)) for kind in range(NUM_KINDS)]
)


class LastDiscard:
    """Beliefs about the hand of the seat before the one to move, which discarded last.

    A seat that has begun to meld or taken the pile believes in nothing: the table has changed too much.
    """

    def __init__(self, policy: NeuralAgent) -> None:
        self._policy = policy

    def log_weights(self, batch: DecisionBatch, tables: NDArray[np.void]) -> NDArray[np.float64]:
        """See `Beliefs.log_weights`."""
        logs = np.zeros(tables.shape)
        views = batch.views
        is_own_turn = np.isin(views["phase"], (PHASE_DRAW, PHASE_PLAY)) & (views["melded_now"] == 0)
        rows = np.flatnonzero(is_own_turn & (views["turn"] > 1) & (views["pile_size"] > 0))
        if len(rows):
            top = views["pile"][rows, views["pile_size"][rows] - 1]
            before = _before_discard(batch, tables[rows].reshape(-1), np.repeat(top, tables.shape[1]))
            probabilities, _ = self._policy.judge(before)
            of_discard = np.take_along_axis(
                probabilities, _ACTION[np.repeat(top, tables.shape[1])][:, None], 1
            )
            logs[rows] = np.log(np.maximum(of_discard[:, 0], _LEAST)).reshape(len(rows), -1)
        return logs


def _before_discard(batch: DecisionBatch, tables: NDArray[np.void], top: NDArray[np.int8]) -> DecisionBatch:
    """The decisions that may have led to the discard of `top`, `(n,)`, as if nothing was melded before it.

    Which cards the seat to move has drawn since does not matter: nobody else sees them.
    """
    rules, every = batch.rules, np.arange(len(tables))
    num_drawn = np.where(tables["phase"] == PHASE_PLAY, rules.cards_drawn, 0)
    tables["hand_size"][every, tables["to_play"]] -= num_drawn
    tables["next_card"] -= num_drawn
    seats = (tables["to_play"] - 1) % rules.players
    tables["hand"][every, seats, top] += 1
    tables["hand_size"][every, seats] += 1
    tables["discarded"][every, seats, top] -= 1
    tables["pile_size"] -= 1
    tables["pile"][every, tables["pile_size"]] = NO_CARD
    is_wild = (tables["pile"] == JOKER) | (tables["pile"] == TWO)
    tables["wild_frozen"] &= is_wild.any(axis=1) | ((top != JOKER) & (top != TWO))
    tables["to_play"], tables["phase"] = seats, PHASE_PLAY
    tables["turn"] -= 1
    masks, views = np.zeros((len(tables), NUM_ACTIONS), np.int8), allocate(len(tables), VIEW)
    observe_all(rules_record(rules), as_kernel_argument(tables), masks, views)
    return DecisionBatch(rules, every, seats.astype(np.int8), views, masks)
