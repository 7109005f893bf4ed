"""A player that searches: it looks ahead from tables that it cannot tell from its own."""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from canasta_agents.asking import ask
from canasta_agents.search.beliefs import Beliefs
from canasta_agents.search.evaluation import TABLES_AT_ONCE, Evaluation, choose, take_rows
from canasta_agents.search.options import SearchOptions
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.rules import Rules

_WORLDS_AT_ONCE = 8  # drawn between two looks at the clock


class SearchAgent:
    """Tries the base player's candidates out before it chooses; docs/search.md says how.

    A choice is a function of the view, the seed and the options: nothing is remembered between decisions. It
    is not where the base player draws its own action, or where a clock ends the search.

    Args:
        base: Who proposes candidates and plays the rollouts, in all seats: a trained policy, or any player
            without a memory. A player that is not compiled has to bear being copied (`copy.copy`).
        rules: The game.
        options: How to search.
        beliefs: A model of the players, if the options want tables by weight.

    Raises:
        ValueError: If the base player has a memory, or the options want a model and there is none.
    """

    def __init__(
        self,
        base: Agent,
        rules: Rules,
        options: SearchOptions | None = None,
        beliefs: Beliefs | None = None,
    ) -> None:
        self.name = f"search:{base.name}"
        self._base = base
        self._options = options or SearchOptions()
        if (self._options.beliefs == "learned") != (beliefs is not None):
            raise ValueError(
                f"search: beliefs are {self._options.beliefs} by the options, and "
                f"{'no model was' if beliefs is None else 'a model was'} given"
            )
        self._evaluation = Evaluation(base, rules, beliefs)
        self.reset(1, 0)

    def reset(self, num_tables: int, seed: int) -> None:
        """See `Agent.reset`."""
        self._base.reset(num_tables, seed)
        self._evaluation.reset(seed)

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """See `Agent.act`; raises ConfigError where the base player answers what it must not."""
        actions = ask(self._base, batch)
        rows = np.flatnonzero(batch.masks.sum(axis=1) > 1)
        if self._options.gate == math.inf or not len(rows):
            return actions
        decisions, own = take_rows(batch, rows), actions[rows]
        proposal = self._evaluation.propose(
            decisions, own[:, None], self._options.candidates, self._options.floor
        )
        candidates = proposal.candidates
        searched = np.flatnonzero((candidates >= 0).sum(axis=1) > 1)
        num_at_once = max(1, TABLES_AT_ONCE // (self._options.most_worlds * self._options.candidates))
        for start in range(0, len(searched), num_at_once):
            part = searched[start : start + num_at_once]
            actions[rows[part]] = self._search(
                take_rows(decisions, part), candidates[part], proposal.to_the_end
            )
        return actions

    def weigh(self, batch: DecisionBatch) -> tuple[int, dict[int, float]]:
        """Choose for one decision, and say what was found out about the candidates.

        Args:
            batch: One decision.

        Returns:
            The action; and by how many points each candidate ends the deal ahead of the base player's own
            action, in the mean of the tables tried. Nothing where there was nothing to try.
        """
        own = ask(self._base, batch)
        if self._options.gate == math.inf or batch.masks.sum() <= 1:
            return int(own[0]), {}
        proposal = self._evaluation.propose(
            batch, own[:, None], self._options.candidates, self._options.floor
        )
        row, actions, outcomes = self._outcomes(batch, proposal.candidates, proposal.to_the_end)
        if len(actions) <= 1:
            return int(own[0]), {}
        ahead = (outcomes - outcomes[0]).mean(axis=1)
        chosen = choose(row, actions, outcomes, self._options.gate)
        return int(chosen[0]), {int(action): float(mean) for action, mean in zip(actions, ahead, strict=True)}

    def _search(
        self, batch: DecisionBatch, candidates: NDArray[np.int64], to_the_end: bool
    ) -> NDArray[np.int64]:
        """Choose among candidates, `(n, most) int64`, padded with −1: `(n,)` actions."""
        row, actions, outcomes = self._outcomes(batch, candidates, to_the_end)
        return choose(row, actions, outcomes, self._options.gate)

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
            found = self._evaluation.outcomes(batch, row, actions, to_the_end, num, outcomes.shape[1])
            outcomes = np.concatenate([outcomes, found], axis=1)
        return row, actions, outcomes
