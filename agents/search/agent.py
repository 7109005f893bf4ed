"""A player that searches: it looks ahead from tables that it cannot tell from its own."""

from __future__ import annotations

import hashlib
import math
import time

import numpy as np
from numpy.lib.recfunctions import repack_fields
from numpy.typing import NDArray

from canasta_agents.search.options import SearchOptions
from canasta_agents.search.rollouts import RolloutPlayer, Tries, can_judge
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch, remembers
from canasta_env.hidden_hands import redeal
from canasta_env.rules import Rules

_TABLES_AT_ONCE = 4_096  # about as many rollouts are played together
_WORLDS_AT_ONCE = 8  # drawn between two looks at the clock
_POINTS = "points"  # the unit of values that can be compared with what a deal pays


class SearchAgent:
    """Tries the base player's candidates out before it chooses; docs/search.md says how.

    A choice is a function of the view, the seed and the options: nothing is remembered between decisions. It
    is not where the base player draws its own action, or where a clock ends the search.

    Args:
        base: Who proposes candidates and plays the rollouts, in all seats: a trained policy, or any player
            without a memory. A player that is not compiled has to bear being copied (`copy.copy`).
        rules: The game.
        options: How to search.

    Raises:
        ValueError: If the base player has a memory.
    """

    def __init__(self, base: Agent, rules: Rules, options: SearchOptions | None = None) -> None:
        if remembers(base):
            raise ValueError(
                f"search: {base.name} remembers what it has seen, and at the tables of a rollout it has seen "
                "nothing: the base player must be one without begin_deals"
            )
        self.name = f"search:{base.name}"
        self._base, self._rules = base, rules
        self._options = options or SearchOptions()
        self._rollouts = RolloutPlayer(base, rules)
        self.reset(1, 0)

    def reset(self, num_tables: int, seed: int) -> None:
        """See `Agent.reset`."""
        self._base.reset(num_tables, seed)
        self._key = (seed % 2**64).to_bytes(8, "little")

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """See `Agent.act`."""
        actions = np.array(self._base.act(batch), np.int64)
        rows = np.flatnonzero(batch.masks.sum(axis=1) > 1)
        if self._options.gate == math.inf or not len(rows):
            return actions
        decisions = _rows(batch, rows)
        candidates, to_the_end = self._candidates(decisions, actions[rows])
        searched = np.flatnonzero((candidates >= 0).sum(axis=1) > 1)
        num_at_once = max(1, _TABLES_AT_ONCE // (self._options.most_worlds * self._options.candidates))
        for start in range(0, len(searched), num_at_once):
            part = searched[start : start + num_at_once]
            actions[rows[part]] = self._search(_rows(decisions, part), candidates[part], to_the_end)
        return actions

    def weigh(self, batch: DecisionBatch) -> tuple[int, dict[int, float]]:
        """Choose for one decision, and say what was found out about the candidates.

        Args:
            batch: One decision.

        Returns:
            The action; and by how many points each candidate ends the deal ahead of the base player's own
            action, in the mean of the tables tried. Nothing where there was nothing to try.
        """
        own = np.array(self._base.act(batch), np.int64)
        if self._options.gate == math.inf or batch.masks.sum() <= 1:
            return int(own[0]), {}
        candidates, to_the_end = self._candidates(batch, own)
        row, actions, outcomes = self._outcomes(batch, candidates, to_the_end)
        if len(actions) <= 1:
            return int(own[0]), {}
        ahead = (outcomes - outcomes[0]).mean(axis=1)
        chosen = _choose(row, actions, outcomes, self._options.gate)
        return int(chosen[0]), {int(action): float(mean) for action, mean in zip(actions, ahead, strict=True)}

    def _candidates(self, batch: DecisionBatch, own: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
        """The actions to try and whether their rollouts go to the deal's end.

        Returns:
            `(n, candidates) int64`, the base player's own action first, padded with −1.
        """
        to_the_end, floor = True, 0.0
        if can_judge(self._base):
            weights, values = self._base.judge(batch)
            to_the_end = values is None or self._base.value_unit != _POINTS
            floor = self._options.floor
        else:  # of the other legal actions any
            weights = np.array(
                [np.random.default_rng(seed).random(NUM_ACTIONS) for seed in self._seeds(batch, 0)]
            )
        weights = np.where(batch.masks != 0, weights, -1.0)
        weights[np.arange(len(own)), own] = np.inf
        order = np.argsort(-weights, axis=1, kind="stable")[:, : self._options.candidates]
        is_candidate = np.take_along_axis(weights, order, axis=1) >= floor
        return np.where(is_candidate, order, -1), to_the_end

    def _search(
        self, batch: DecisionBatch, candidates: NDArray[np.int64], to_the_end: bool
    ) -> NDArray[np.int64]:
        """Choose among candidates, `(n, most) int64`, padded with −1: `(n,)` actions."""
        row, actions, outcomes = self._outcomes(batch, candidates, to_the_end)
        return _choose(row, actions, outcomes, self._options.gate)

    def _outcomes(
        self, batch: DecisionBatch, candidates: NDArray[np.int64], to_the_end: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Try candidates out: their rows and actions, `(pairs,)`, and outcomes, `(pairs, worlds)`."""
        row, place = np.nonzero(candidates >= 0)
        actions = candidates[row, place]
        most, is_timed = self._options.most_worlds, self._options.time < math.inf
        until = time.monotonic() + self._options.time * len(batch)
        outcomes = np.empty((len(row), 0))
        while outcomes.shape[1] < most and (not outcomes.size or time.monotonic() < until):
            num = min(most - outcomes.shape[1], _WORLDS_AT_ONCE if is_timed else most)
            tries = self._tries(batch, row, actions, num, outcomes.shape[1])
            found = self._rollouts.outcomes(tries, to_the_end).reshape(len(row), num)
            outcomes = np.concatenate([outcomes, found], axis=1)
        return row, actions, outcomes

    def _tries(
        self, batch: DecisionBatch, row: NDArray[np.int64], actions: NDArray[np.int64], num: int, start: int
    ) -> Tries:
        """Every candidate at `num` tables that its seat cannot tell from its own, the same for all of a row.

        Args:
            batch: Decisions.
            row: `(pairs,)` the decision of each candidate.
            actions: `(pairs,)` the candidates.
            num: Tables of a decision.
            start: Tables drawn before.
        """
        seeds = self._seeds(batch, 1 + start)
        worlds = np.asarray(redeal(self._rules, batch.views, seeds, num)).reshape(len(batch), num)
        chances: NDArray[np.uint64] = seeds[:, None] + np.arange(num).astype(np.uint64)
        return Tries(
            tables=worlds[row].reshape(-1),
            seats=np.repeat(batch.seats[row], num),
            actions=np.repeat(actions, num),
            seeds=chances[row].reshape(-1),
        )

    def _seeds(self, batch: DecisionBatch, number: int) -> NDArray[np.uint64]:
        """A seed for each decision, fixed by its view, the agent's seed and a number: `(n,) uint64`."""
        packed = repack_fields(
            np.asarray(batch.views)
        )  # without the bytes between fields, which mean nothing
        salt = number.to_bytes(8, "little")
        digests = [
            hashlib.blake2b(view.tobytes(), digest_size=8, key=self._key, salt=salt).digest()
            for view in packed
        ]
        return np.frombuffer(b"".join(digests), np.uint64)


def _choose(
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
    mean = ahead.mean(axis=1)
    error = ahead.std(axis=1, ddof=1) / math.sqrt(outcomes.shape[1])
    chosen = actions[first]
    for number, (start, stop) in enumerate(zip(first, [*first[1:], len(row)], strict=True)):
        best = start + int(np.argmax(mean[start:stop]))
        if mean[best] > 0 and mean[best] > gate * error[best]:
            chosen[number] = actions[best]
    return chosen


def _rows(batch: DecisionBatch, rows: NDArray[np.int64]) -> DecisionBatch:
    return DecisionBatch(
        batch.rules, batch.tables[rows], batch.seats[rows], batch.views[rows], batch.masks[rows]
    )
