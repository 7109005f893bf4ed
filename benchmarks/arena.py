"""Deals a second of tournaments between compiled players, statistics included, one core.

    python -m benchmarks.arena

The bare loop plays deals of the same two players and keeps nothing of them: what the arena does beside it
(duplicate boards, actions kept, outcomes, intervals) is in the ratio of the two.
"""

from __future__ import annotations

import numpy as np

from benchmarks.heuristic_ablation import duel
from benchmarks.measure import Rate, measure, report
from canasta_agents import registry
from canasta_agents.arena.blocks import Block, Player, play_block
from canasta_agents.arena.pairing import BoardTable
from canasta_agents.arena.pairing import measure as estimate
from canasta_agents.arena.schedule import matchup
from canasta_agents.heuristics.agent import CompiledAgent
from canasta_env.rules import Rules, classic, modern_american

BOARDS = 500
PAIRS = {"classic": ("closer", "greedy"), "modern_american": ("keeper", "simple")}


def arena_rates(rules: Rules) -> list[Rate]:
    """Measure one game: the bare loop, then the arena."""
    names = PAIRS[rules.game]
    title = f"{rules.game} {rules.players}, {names[0]} against {names[1]}"
    agents = [registry.make(name, rules) for name in names]
    players = [Player(agent) for agent in agents]
    sides = [agent for agent in (*agents, agents[1]) if isinstance(agent, CompiledAgent)][: rules.num_sides]
    block = Block(rules, matchup(rules, (0,), (1,)), 0, BOARDS)

    def bare() -> int:
        return int(np.prod(duel(rules, sides, BOARDS, seed=0).shape[:2]))

    def tournament() -> int:
        played = play_block(block, players)
        estimate(*names, BoardTable.of([played]))
        return len(played.outcomes)

    return [
        measure(f"{title}: bare loop", "deals", bare),
        measure(f"{title}: arena", "deals", tournament),
    ]


def main() -> list[Rate]:
    """Measure every game and print what comes out."""
    rates = []
    for rules in (classic(4), classic(3), classic(2), modern_american()):
        loop, arena = arena_rates(rules)
        print(loop, arena, f"{'the arena keeps':<58} {arena.median / loop.median:>13.0%} of it", sep="\n")
        rates += [loop, arena]
    return rates


if __name__ == "__main__":
    print(report(main()))
