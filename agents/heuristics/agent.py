"""Compiled players as agents: a number, a style, and kernels that choose for a whole batch."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canasta_agents.heuristics.players import choose_all, player
from canasta_agents.heuristics.style import Style, style_record
from canasta_env.agent import DecisionBatch
from canasta_env.engine.state import as_kernel_argument, rules_record
from canasta_env.rules import Rules


class CompiledAgent:
    """A compiled player. Its chance depends on the seed, the table and the number of the decision there.

    Attributes:
        name: The name it is listed under.
        choose: Its `choose`, for callers that play whole deals in compiled code (`players.play_deal`).
        style: `(1,) STYLE`, its numbers.
    """

    def __init__(self, name: str, choose: str, rules: Rules, style: Style | None = None) -> None:
        """Set up a player.

        Args:
            name: The name it is listed under.
            choose: Name of the compiled player, see `players.player`.
            rules: The rules it will play.
            style: Its numbers; the standard ones if None.
        """
        self.name = name
        self.choose = player(choose)
        self.style = style_record(style or Style())
        self._rules = rules_record(rules)
        self.reset(1, 0)

    def reset(self, num_tables: int, seed: int) -> None:
        """Get ready for `num_tables` tables; `seed` fixes every choice left to chance."""
        self._seed = np.uint64(seed % 2**64)
        self._decisions = np.zeros(num_tables, np.int64)

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """Choose an action for each decision, `(n,)`."""
        actions = np.zeros(len(batch), np.int64)
        views = as_kernel_argument(np.asarray(batch.views))
        choose_all(
            self.choose,
            self.style,
            self._rules,
            views,
            np.ascontiguousarray(batch.masks, np.int8),
            np.asarray(batch.tables, np.int64),
            self._seed,
            self._decisions,
            actions,
        )
        return actions
