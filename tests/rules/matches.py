"""A match at the last action of a deal, to be ended with any totals."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from canasta_env import Rules
from canasta_env.vector import VectorTables

NO_END = 10**9  # a target that no match reaches


class LastAction:
    """A match just before the action that ends its first deal, and the points of that deal."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.rules = rules
        match = self._match(NO_END)
        match.reset(seed)
        rng = np.random.default_rng(seed)
        has_ended = False
        while not has_ended:
            self._action = rng.choice(np.flatnonzero(match.masks[0]), 1)
            self._state = match.get_state()
            has_ended = match.step(self._action).ended[0]
        self._points = match.scores[0]  # all sides began at 0

    def finish(self, totals: Sequence[int], target: int) -> tuple[int | None, list[int]]:
        """End the deal so that the sides come to these totals.

        Returns:
            The side that won the match, None if it is played on; the scores that the next deal begins with.
        """
        state = {name: array.copy() for name, array in self._state.items()}
        state["tables"]["scores"][0, : self.rules.num_sides] = totals - self._points
        match = self._match(target)
        match.set_state(state)
        match.step(self._action)
        return int(match.match_winner[0]) if match.match_ended[0] else None, match.scores[0].tolist()

    def _match(self, target: int) -> VectorTables:
        return VectorTables(dataclasses.replace(self.rules, target=target), 1, episode="match")
