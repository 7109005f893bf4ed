"""What a match score is worth: every side's chance to win the match from there.

Backgammon players call it a match-equity table. With it a single deal can be played for the match: its
reward is what it changes in the chance to win.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.compiled import kernel
from canasta_agents.learning.files import write_file
from canasta_agents.policies import policy_name
from canasta_env.rules import Rules

FOLDER = Path(__file__).parent / "tables"  # one for each game
PERCENT = 100


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
    played_by: str  # roster name of the player whose deals it was estimated from
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
        content = json.loads(path.read_text(encoding="utf-8"))
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
