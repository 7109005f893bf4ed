"""What actions lead to: tried out at tables that a seat cannot tell from its own.

The search that plays and the review of games played ask the same questions of a decision: which actions are
worth a try, what does each lead to in the same worlds, and which of them is best. Here they are answered.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.lib.recfunctions import repack_fields
from numpy.typing import NDArray

from canasta_agents.search.beliefs import POOL, Beliefs, take_by_weight
from canasta_agents.search.rollouts import RolloutPlayer, Tries, can_judge, judge
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch, remembers
from canasta_env.hidden_hands import redeal
from canasta_env.rules import Rules

TABLES_AT_ONCE = 4_096  # about as many rollouts are played together
POINTS = "points"  # the unit of values that can be compared with what a deal pays


@dataclass
class Proposal:
    """What to try at some decisions."""

    candidates: NDArray[np.int64]  # (n, most), those wanted anyway first, then by probability; padded with −1
    probabilities: NDArray[np.float32] | None  # (n, NUM_ACTIONS) by the base player; None if it tells none
    to_the_end: bool  # whether rollouts go to the deal's end, and not to the seat's next turn


class Evaluation:
    """Tries actions out; a function of views, the seed and what it is asked, of nothing hidden.

    Args:
        base: Who proposes candidates and plays the rollouts, in all seats: a trained policy, or any player
            without a memory. A player that is not compiled has to bear being copied (`copy.copy`).
        rules: The game.
        beliefs: Which tables are likelier than the cards alone make them; None: all the same.

    Raises:
        ValueError: If the base player has a memory.
    """

    def __init__(self, base: Agent, rules: Rules, beliefs: Beliefs | None = None) -> None:
        if remembers(base):
            raise ValueError(
                f"search: {base.name} remembers what it has seen, and at the tables of a rollout it has seen "
                "nothing: the base player must be one without begin_deals"
            )
        self._base, self._rules, self._beliefs = base, rules, beliefs
        self._rollouts = RolloutPlayer(base, rules)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Fix all chance of what follows, but for the base player's own."""
        self._key = (seed % 2**64).to_bytes(8, "little")

    def propose(self, batch: DecisionBatch, wanted: NDArray[np.int64], most: int, floor: float) -> Proposal:
        """Find the actions to try.

        Args:
            batch: Decisions.
            wanted: `(n, wanted) int64`, legal actions that are tried anyway, the first of them first.
            most: Candidates of a decision, at least as many as are wanted.
            floor: Probability below which no other action of a policy is tried. A player that tells no
                probabilities is tried against any other legal actions, drawn at random.
        """
        probabilities, to_the_end = None, True
        if can_judge(self._base):
            probabilities, values = judge(self._base, batch)
            to_the_end = values is None or self._base.value_unit != POINTS
            weights = np.asarray(probabilities, np.float64)
        else:
            floor = 0.0
            weights = np.array(
                [np.random.default_rng(seed).random(NUM_ACTIONS) for seed in self.seeds(batch, 0)]
            )
        weights = np.where(batch.masks != 0, weights, -1.0)
        num_wanted = wanted.shape[1]
        for place in reversed(range(num_wanted)):  # an action that is wanted twice has its first place
            weights[np.arange(len(batch)), wanted[:, place]] = 1.0 + num_wanted - place
        order = np.argsort(-weights, axis=1, kind="stable")[:, :most]
        is_candidate = np.take_along_axis(weights, order, axis=1) >= floor
        return Proposal(np.where(is_candidate, order, -1), probabilities, to_the_end)

    def outcomes(
        self,
        batch: DecisionBatch,
        row: NDArray[np.int64],
        actions: NDArray[np.int64],
        to_the_end: bool,
        num: int,
        start: int = 0,
    ) -> NDArray[np.float64]:
        """What actions lead to in worlds, the same worlds for all actions of a row.

        Args:
            batch: Decisions.
            row: `(pairs,)` the decision of each action.
            actions: `(pairs,)` legal ones.
            to_the_end: As `RolloutPlayer.outcomes`.
            num: Worlds of a decision: tables that its seat cannot tell from its own.
            start: Tables drawn before; other numbers draw other tables.

        Returns:
            `(pairs, num) float64` points, own side's less the mean of the others'.
        """
        worlds, seeds = self.worlds(batch, num, start)
        chances: NDArray[np.uint64] = seeds[:, None] + np.arange(num).astype(np.uint64)
        tries = Tries(
            tables=worlds[row].reshape(-1),
            seats=np.repeat(batch.seats[row], num),
            actions=np.repeat(actions, num),
            seeds=chances[row].reshape(-1),
        )
        return self._rollouts.outcomes(tries, to_the_end).reshape(len(row), num)

    def worlds(
        self, batch: DecisionBatch, num: int, start: int = 0
    ) -> tuple[NDArray[np.void], NDArray[np.uint64]]:
        """Tables that seats cannot tell from their own, `(n, num) STATE`, and the seeds of them, `(n,)`."""
        seeds = self.seeds(batch, 1 + start)
        num_drawn = num if self._beliefs is None else num * POOL
        drawn = np.asarray(redeal(self._rules, batch.views, seeds, num_drawn)).reshape(len(batch), num_drawn)
        if self._beliefs is None:
            return drawn, seeds
        taken = take_by_weight(self._beliefs.log_weights(batch, drawn), num, seeds)
        return drawn[np.arange(len(batch))[:, None], taken], seeds

    def seeds(self, batch: DecisionBatch, number: int) -> NDArray[np.uint64]:
        """A seed for each decision, fixed by its view, the seed of `reset` and a number: `(n,) uint64`."""
        packed = repack_fields(
            np.asarray(batch.views)
        )  # without the bytes between fields, which mean nothing
        salt = number.to_bytes(8, "little")
        digests = [
            hashlib.blake2b(view.tobytes(), digest_size=8, key=self._key, salt=salt).digest()
            for view in packed
        ]
        return np.frombuffer(b"".join(digests), np.uint64)


def choose(
    row: NDArray[np.int64], actions: NDArray[np.int64], outcomes: NDArray[np.float64], gate: float
) -> NDArray[np.int64]:
    """The best candidate of each row, if it is ahead of the row's first by `gate` standard errors; else that.

    Args:
        row: `(pairs,)` ascending, from 0.
        actions: `(pairs,)`.
        outcomes: `(pairs, worlds)`; a world is the same for all candidates of a row.
        gate: Standard errors of the mean difference over worlds.
    """
    first = np.searchsorted(row, np.arange(row[-1] + 1))
    ahead = outcomes - outcomes[first[row]]
    mean, error = mean_and_error(ahead)
    chosen = actions[first]
    for number, (start, stop) in enumerate(zip(first, [*first[1:], len(row)], strict=True)):
        best = start + int(np.argmax(mean[start:stop]))
        if mean[best] > 0 and mean[best] > gate * error[best]:
            chosen[number] = actions[best]
    return chosen


def mean_and_error(samples: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean of each row of `(n, samples)` and its standard error, each `(n,)`."""
    return samples.mean(axis=1), samples.std(axis=1, ddof=1) / math.sqrt(samples.shape[1])


def take_rows(batch: DecisionBatch, rows: NDArray[np.int64]) -> DecisionBatch:
    """Some decisions of a batch."""
    return DecisionBatch(
        batch.rules, batch.tables[rows], batch.seats[rows], batch.views[rows], batch.masks[rows]
    )
