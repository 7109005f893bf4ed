"""The compiled players by name, and the loops that ask them."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from canasta_agents import uniform
from canasta_agents.heuristics import (
    builder,
    closer,
    eager,
    gambler,
    greedy,
    keeper,
    simple,
    watcher,
    weigher,
)
from canasta_agents.heuristics.chance import random_number
from canasta_agents.heuristics.compiling import compiled, kernel
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.state import PHASE_OVER
from canasta_env.engine.transition import apply
from canasta_env.engine.view import build_view

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
