"""Rule-based players as agents, and the compiled loop that asks one for a whole batch."""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
import numpy as np
from numpy.typing import NDArray

from canasta_agents.heuristics.frame import Player
from canasta_agents.heuristics.jit import compiled, kernel, random_number
from canasta_agents.heuristics.params import Params, params_record
from canasta_env.agent import DecisionBatch
from canasta_env.engine.state import PHASE_OVER, as_kernel_argument, rules_record
from canasta_env.rules import Rules


class CompiledAgent:
    """A rule-based player. Its chance depends on the seed, the table and the number of the decision there.

    Attributes:
        name: The name it is listed under.
        choose: Its `choose`, for callers that play whole deals in compiled code.
        params: `(1,) PARAMS`, its numbers.
    """

    def __init__(self, player: Player, rules: Rules, params: Params | None = None) -> None:
        """Set up a player; it is compiled now, if it is not in the cache.

        Args:
            player: One of `players.PLAYERS`, or of your own.
            rules: The rules it will play.
            params: Its numbers; the player's own if None.
        """
        self.name = player.name
        self.choose = compiled(player.choose, player.is_cached)
        self.params = params_record(params or player.params)
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
            self.params,
            self._rules,
            views,
            np.ascontiguousarray(batch.masks, np.int8),
            np.asarray(batch.tables, np.int64),
            self._seed,
            self._decisions,
            actions,
        )
        return actions


@kernel
def choose_all(choose, params, rules, views, masks, tables, seed, decisions, actions):
    """Choose for a batch of decisions of one player.

    Args:
        choose: See `CompiledAgent.choose`.
        params: `(1,) PARAMS`.
        rules: `(1,) RULES`.
        views: `(n,) VIEW`.
        masks: `(n, NUM_ACTIONS) int8`.
        tables: `(n,)` table of each decision.
        seed: Seed of the player's chance.
        decisions: `(num_tables,) int64` decisions made so far at each table; counted up.
        actions: `(n,) int64`, overwritten.
    """
    for i in range(views.size):
        table = tables[i]
        random = random_number(seed, table, decisions[table])
        decisions[table] += 1
        if views[i].phase != PHASE_OVER:
            actions[i] = choose(rules[0], params[0], views[i], masks[i], random)
