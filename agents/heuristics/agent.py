"""Compiled players as agents: a number, a style, and kernels that choose for a whole batch."""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Callable
from typing import Any

# mypy: allow-untyped-defs, allow-untyped-calls
import numpy as np
from numpy.typing import NDArray

from canasta_agents.heuristics import (
    builder,
    closer,
    eager,
    gambler,
    greedy,
    keeper,
    simple,
    uniform,
    watcher,
    weigher,
)
from canasta_agents.heuristics.jit import compiled, kernel, random_number
from canasta_agents.heuristics.params import Style, style_record
from canasta_env.agent import DecisionBatch
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.state import PHASE_OVER, as_kernel_argument, rules_record
from canasta_env.engine.transition import apply
from canasta_env.engine.view import build_view
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


# The compiled players by name, and the loops that ask them.


_CHOOSE: dict[str, Callable[..., Any]] = {
    "random": uniform.choose,
    "closer": closer.choose,
    "weigher": weigher.choose,
    "builder": builder.choose,
    "gambler": gambler.choose,
    "greedy": greedy.choose,
    "eager": eager.choose,
    "simple": simple.choose,
    "keeper": keeper.choose,
    "watcher": watcher.choose,
}


def player(name: str) -> Callable[..., Any]:
    """The `choose` of a compiled player, in the form that kernels take; compiled when first asked for."""
    return compiled(_CHOOSE[name])


@kernel
def choose_all(choose, style, rules, views, masks, tables, seed, decisions, actions):
    """Choose for a batch of decisions of one player.

    Args:
        choose: See `player`.
        style: `(1,) STYLE`.
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
            actions[i] = choose(rules[0], style[0], views[i], masks[i], random)


@kernel
def play_deal(rules, s, choosers, styles, seed, scratch, views, mask):
    """Play a dealt table to the end of the deal and return the number of decisions.

    Args:
        rules: RULES record.
        s: STATE record.
        choosers: For each of four seats a `choose`, see `player`.
        styles: `(MAX_SEATS,) STYLE`.
        seed: Of the players' chance.
        scratch: `(1,) STATE`.
        views: `(1,) VIEW`, overwritten.
        mask: `(NUM_ACTIONS,) int8`, overwritten.
    """
    decisions = 0
    while s.phase != PHASE_OVER:
        seat = s.to_play
        legal_mask(rules, s, scratch, mask)
        build_view(rules, s, seat, views[0])
        random = random_number(seed, seat, decisions)
        apply(rules, s, choosers[seat](rules, styles[seat], views[0], mask, random))
        decisions += 1
    return decisions
