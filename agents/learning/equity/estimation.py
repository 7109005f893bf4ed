"""Estimates a match-equity table from deals that a player plays against itself.

A deal's totals are taken to depend on the match score through the opening minima only (R-OPEN-1). A score's
chance is then the mean of the chances at the scores to which the deals with its minima lead: an equation that
is solved from the target downwards.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.compiled import kernel
from canasta_agents.learning.equity.table import EquityError, EquityTable, chances_of_row
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.rules import Rules
from canasta_env.vector import VectorTables

LOWEST = -1_000
STEPS = {2: 50, 3: 20}  # from 0 to the target, by number of sides
TABLES = 512
PRECISION = 1e-5  # of the solution
MAX_SWEEPS = 1_000


def play_deals(
    rules: Rules, agent: Agent, num_deals: int, seed: int, tell: Callable[[int], None] = lambda num: None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Let a player play all seats, from match scores drawn so that each minimum is equally likely.

    As many deals are taken from each table, so that short ones are not more frequent.

    Args:
        rules: The game.
        agent: The player.
        num_deals: At least so many deals.
        seed: Fixes cards, scores and the player's chance.
        tell: Called with the number of deals that have ended.

    Returns:
        Match scores before the deals and what the sides scored, each `(n, num_sides) int64`.
    """
    num_tables = min(TABLES, num_deals)
    wanted = -(-num_deals // num_tables)
    tables = VectorTables(rules, num_tables, seed=seed, scores="drawn", check=False)
    agent.reset(num_tables, seed)
    played = np.zeros(num_tables, np.int64)
    scores, totals = [], []
    every_table = np.arange(num_tables)
    while (played < wanted).any():
        before = tables.scores
        batch = DecisionBatch(rules, every_table, tables.to_play, tables.views, tables.masks)
        ended, _ = tables.step(agent.act(batch))
        if ended.any():
            rows = np.flatnonzero(ended & (played < wanted))
            scores.append(before[rows])
            totals.append(tables.deal_totals[rows])
            played[ended] += 1
            tell(int(np.minimum(played, wanted).sum()))
    return np.concatenate(scores), np.concatenate(totals)


def estimate_equity(
    rules: Rules, scores: NDArray[np.int64], totals: NDArray[np.int64], played_by: str
) -> EquityTable:
    """Solve for the chances to win.

    Args:
        rules: The game.
        scores: `(n, num_sides) int64`, match scores before deals.
        totals: `(n, num_sides) int64`, what each side scored in them.
        played_by: Roster name of who played.

    Raises:
        EquityError: If sides do not score, or no deal began at some combination of minima.
    """
    if totals.mean() <= 0:
        raise EquityError(
            f"sides score {totals.mean():.0f} points a deal on average: such matches do not come to an end, "
            f"let a stronger player than {played_by} play the deals"
        )
    num_sides = rules.num_sides
    step = max(5, rules.target // STEPS[num_sides])
    nodes = (rules.target - LOWEST) // step + 1
    # The last node stands for the score just below the target, where the match still goes on.
    score_of_node = np.minimum(LOWEST + step * np.arange(nodes), rules.target - 5)
    starts = [LOWEST if start is None else start for start, _ in rules.opening_minima]
    # A deal counts once for each side, as seen from there.
    seen_scores = np.concatenate([np.roll(scores, -side, axis=1) for side in range(num_sides)])
    seen_totals = np.concatenate([np.roll(totals, -side, axis=1) for side in range(num_sides)])
    weights = len(starts) ** np.arange(num_sides)[::-1]
    combination = _brackets(starts, seen_scores) @ weights
    order = np.argsort(combination, kind="stable")
    first = np.searchsorted(combination[order], np.arange(len(starts) ** num_sides + 1))
    if (np.diff(first) == 0).any():
        raise EquityError(
            f"{len(scores):,} deals leave some combination of opening minima without any; play more deals"
        )
    chances = np.full((nodes, nodes, nodes if num_sides == 3 else 1), 1 / num_sides)
    bracket_of_node = _brackets(starts, score_of_node)
    for _ in range(MAX_SWEEPS):
        change = _sweep(
            chances,
            LOWEST,
            step,
            rules.target,
            score_of_node,
            bracket_of_node,
            weights,
            first,
            seen_totals[order],
        )
        if change < PRECISION:
            return EquityTable(rules, LOWEST, step, chances, played_by, len(scores))
    raise EquityError(f"after {MAX_SWEEPS:,} sweeps chances still change by {change:.0e}; play more deals")


def _brackets(starts: list[int], scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """The opening minimum at each score, by its place in the rules."""
    return np.maximum(np.searchsorted(starts, scores, side="right") - 1, 0)


@kernel
def _sweep(
    chances: NDArray[np.float64],
    lowest: int,
    step: int,
    target: int,
    score_of_node: NDArray[np.int64],
    bracket_of_node: NDArray[np.int64],
    weights: NDArray[np.int64],
    first: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> float:
    """Renew every node's chance from the highest scores down; returns the largest change."""
    num_sides = totals.shape[1]
    largest = 0.0
    node = np.zeros(3, np.int64)
    after = np.empty(num_sides, np.int64)
    found = np.empty(num_sides, np.float64)
    for i in range(chances.shape[0] - 1, -1, -1):
        for j in range(chances.shape[1] - 1, -1, -1):
            for k in range(chances.shape[2] - 1, -1, -1):
                node[0], node[1], node[2] = i, j, k
                combination = 0
                for side in range(num_sides):
                    combination += bracket_of_node[node[side]] * weights[side]
                total = 0.0
                for deal in range(first[combination], first[combination + 1]):
                    for side in range(num_sides):
                        after[side] = score_of_node[node[side]] + totals[deal, side]
                    chances_of_row(chances, lowest, step, target, after, found)
                    total += found[0]
                mean = total / (first[combination + 1] - first[combination])
                largest = max(largest, abs(mean - chances[i, j, k]))
                chances[i, j, k] = mean
    return largest
