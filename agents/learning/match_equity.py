"""What a match score is worth: every side's chance to win the match from there.

Backgammon players call it a match-equity table. With it a single deal can be played for the match: its
reward is what it changes in the chance to win.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.asking import ask_at
from canasta_agents.files import write_file
from canasta_agents.learning.jit import kernel
from canasta_agents.neural.arrays import Arrays
from canasta_agents.policies import policy_name
from canasta_env.agent import Agent, tell_of_deals
from canasta_env.files import from_json
from canasta_env.rules import Rules
from canasta_env.validation import whole_number
from canasta_env.vector import VectorTables

FOLDER = Path(__file__).parent / "equity_tables"  # one for each game
PERCENT = 100
LOWEST = -1_000  # score of the first node of an estimated table
STEPS = {2: 50, 3: 20}  # of an estimated table from 0 to the target, by number of sides
TABLES = 512  # at which deals are played to estimate one
PRECISION = 1e-5  # of the solution
MAX_SWEEPS = 1_000


class EquityError(ValueError):
    """A table that is not there, cannot be read, or is of another game."""


@dataclass(frozen=True)
class EquityTable:
    """Chances to win a match, by score.

    `chances[i, j, k]` is that of a side whose own score is `lowest + i * step`, the next side's
    `lowest + j * step`, and so on; with two sides the last axis has length 1. In between it is interpolated,
    below `lowest` it is what it is there.
    """

    rules: Rules
    lowest: int
    step: int
    chances: NDArray[np.float64]  # (nodes, nodes, nodes or 1), 0 to 1
    played_by: str  # registry name of the player whose deals it was estimated from
    deals: int  # how many

    def at(self, scores: NDArray[np.int64]) -> NDArray[np.float64]:
        """Each side's chance to win.

        Args:
            scores: `(n, num_sides) int64`, after a deal; from the target on a match may be over (R-MATCH-2).

        Returns:
            `(n, num_sides) float64`; a row's sum is 1 up to the table's precision.
        """
        chances = np.empty(scores.shape, np.float64)
        _look_up(self.chances, self.lowest, self.step, self.rules.target, scores, chances)
        return chances

    def gains(self, scores: NDArray[np.int64], totals: NDArray[np.int64]) -> NDArray[np.float64]:
        """What deals changed in each side's chance to win.

        Args:
            scores: `(n, num_sides) int64`, match scores before the deal.
            totals: `(n, num_sides) int64`, what each side scored in it.

        Returns:
            `(n, num_sides) float64`, percent of a match; a row's sum is 0.
        """
        gains = PERCENT * (self.at(scores + totals) - self.at(scores))
        return np.asarray(gains - gains.mean(axis=1, keepdims=True))

    def percent_a_point(self, scores: NDArray[np.int64]) -> NDArray[np.float64]:
        """What a point more is worth to each side, as the mean over a tenth of the target to either side.

        Args:
            scores: `(n, num_sides) int64`, match scores before a deal.

        Returns:
            `(n, num_sides) float64`, percent of a match.
        """
        reach = self.rules.target // 10
        worth = np.empty(scores.shape, np.float64)
        for side in range(scores.shape[1]):
            step = np.zeros(scores.shape[1], np.int64)
            step[side] = reach
            gained = self.at(scores + step)[:, side] - self.at(scores - step)[:, side]
            worth[:, side] = PERCENT * gained / (2 * reach)
        return worth

    def save(self, path: Path) -> None:
        """Write the table as JSON, whole or not at all; creates the folder."""
        content: dict[str, Any] = {
            "rules": self.rules.to_dict(),
            "played_by": self.played_by,
            "deals": self.deals,
            "lowest": self.lowest,
            "step": self.step,
            "chances": np.round(self.chances, 4).tolist(),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(content).encode() + b"\n")


def percent_a_point(rules: Rules) -> float:
    """Percent of a match that a point brings, roughly: a tenth of the target, from half of it each.

    Raises:
        EquityError: If there is no table.
    """
    level = np.full((1, rules.num_sides), rules.target // 2)
    lead = np.zeros_like(level)
    lead[0, 0] = rules.target // 10
    return float(load_equity(rules).gains(level, lead)[0, 0] / lead[0, 0])


def equity_file(rules: Rules) -> Path:
    """Where the package keeps the table of a game."""
    return FOLDER / f"{policy_name(rules)}.json"


def load_equity(rules: Rules, path: Path | None = None) -> EquityTable:
    """Read the table of a game.

    Args:
        rules: The game.
        path: A file of `EquityTable.save`; that of the package if None.

    Raises:
        EquityError: If there is none, or it was estimated for other rules.
    """
    path = path or equity_file(rules)
    make_it = f"python -m canasta_agents equity --game {rules.game} --players {rules.players} {path}"
    try:
        content = from_json(path.read_text(encoding="utf-8"))
        table = EquityTable(
            rules=Rules.from_dict(content["rules"]),
            lowest=content["lowest"],
            step=content["step"],
            chances=np.array(content["chances"], np.float64),
            played_by=content["played_by"],
            deals=content["deals"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EquityError(f"{path}: holds no match-equity table ({error}); make it: {make_it}") from None
    if table.rules != rules:
        raise EquityError(
            f"{path}: was estimated for other rules than those of this game; make it: {make_it}"
        )
    return table


@kernel
def _look_up(
    table: NDArray[np.float64],
    lowest: int,
    step: int,
    target: int,
    scores: NDArray[np.int64],
    chances: NDArray[np.float64],
) -> None:
    for row in range(len(scores)):
        chances_of_row(table, lowest, step, target, scores[row], chances[row])


@kernel
def chances_of_row(
    table: NDArray[np.float64],
    lowest: int,
    step: int,
    target: int,
    scores: NDArray[np.int64],
    chances: NDArray[np.float64],
) -> None:
    """Each side's chance at one score; both `(num_sides,)`, `chances` is overwritten."""
    num_sides = len(scores)
    best = scores.max()
    if best >= target:
        leaders = (scores == best).sum()
        for side in range(num_sides):  # a tie is played on, with equal chances
            chances[side] = 1.0 / leaders if scores[side] == best else 0.0
        return
    for side in range(num_sides):
        third = scores[(side + 2) % num_sides] if num_sides == 3 else lowest
        chances[side] = _interpolate(
            table,
            (scores[side] - lowest) / step,
            (scores[(side + 1) % num_sides] - lowest) / step,
            (third - lowest) / step,
        )


@kernel
def _interpolate(table: NDArray[np.float64], x: float, y: float, z: float) -> float:
    """The table between its nodes, in a straight line along each axis; `x`, `y`, `z` count nodes."""
    nodes, depth = table.shape[0], table.shape[2]
    x, y = min(max(x, 0.0), nodes - 1.0), min(max(y, 0.0), nodes - 1.0)
    z = min(max(z, 0.0), depth - 1.0)
    i, j, k = min(int(x), nodes - 2), min(int(y), nodes - 2), max(min(int(z), depth - 2), 0)
    total = 0.0
    for corner in range(8):
        a, b, c = corner & 1, corner >> 1 & 1, corner >> 2
        weight = (x - i if a else 1 - x + i) * (y - j if b else 1 - y + j) * (z - k if c else 1 - z + k)
        if weight > 0:
            total += weight * table[i + a, j + b, k + c]
    return total


class MatchTables:
    """`VectorTables` of single deals that pay what they change in the chance to win, in percent of a match.

    Args:
        tables: The tables, which draw match scores for their deals.
        equity: What scores are worth.
    """

    def __init__(self, tables: VectorTables, equity: EquityTable) -> None:
        self._tables = tables
        self._equity = equity
        rules = tables.rules
        self._side_of_seat = np.array([rules.side_of(seat) for seat in range(rules.players)])
        self._gains = np.zeros((tables.num_tables, rules.players), np.float32)

    @property
    def to_play(self) -> NDArray[np.int8]:
        """See `Tables.to_play`."""
        return self._tables.to_play

    @property
    def masks(self) -> NDArray[np.int8]:
        """See `Tables.masks`."""
        return self._tables.masks

    @property
    def views(self) -> NDArray[np.void]:
        """See `Tables.views`."""
        return self._tables.views

    @property
    def observations(self) -> NDArray[np.int8]:
        """See `Tables.observations`."""
        return self._tables.observations

    @property
    def critic_states(self) -> NDArray[np.int8]:
        """See `Tables.critic_states`."""
        return self._tables.critic_states

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """See `Tables.step`; what a deal pays is in percent of a match."""
        before = self._tables.scores
        ended, _ = self._tables.step(actions)
        self._gains.fill(0)
        if ended.any():
            gains = self._equity.gains(before[ended], self._tables.deal_totals[ended])
            self._gains[ended] = gains[:, self._side_of_seat]
        return ended, self._gains

    def reset(self, seed: int) -> None:
        """See `Tables.reset`."""
        self._tables.reset(seed)

    def get_state(self) -> Arrays:
        """See `Tables.get_state`."""
        return self._tables.get_state()

    def set_state(self, state: Arrays) -> None:
        """See `Tables.set_state`."""
        self._tables.set_state(state)


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

    Raises:
        ValueError: If `num_deals` does not fit, or the player answers with an action that is not legal.
    """
    num_deals = whole_number(num_deals, "deals", 1, None)
    num_tables = min(TABLES, num_deals)
    wanted = -(-num_deals // num_tables)
    tables = VectorTables(rules, num_tables, seed=seed, scores="drawn", check=False)
    every_table = np.arange(num_tables)
    agent.reset(num_tables, seed)
    tell_of_deals(agent, every_table, first=True)
    played = np.zeros(num_tables, np.int64)
    scores, totals = [], []
    while (played < wanted).any():
        before = tables.scores
        ended, _ = tables.step(ask_at(agent, rules, tables, every_table))
        if ended.any():
            rows = np.flatnonzero(ended & (played < wanted))
            scores.append(before[rows])
            totals.append(tables.deal_totals[rows])
            played[ended] += 1
            tell_of_deals(agent, np.flatnonzero(ended), first=True)
            tell(int(np.minimum(played, wanted).sum()))
    return np.concatenate(scores), np.concatenate(totals)


def estimate_equity(
    rules: Rules, scores: NDArray[np.int64], totals: NDArray[np.int64], played_by: str
) -> EquityTable:
    """Solve for the chances to win.

    A deal's totals are taken to depend on the match score through the opening minima only (R-OPEN-1). A
    score's chance is then the mean of the chances at the scores to which the deals with its minima lead: an
    equation that is solved from the target downwards.

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
