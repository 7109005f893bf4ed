"""What is counted of a deal, side by side: one row of `STATISTICS` for each number.

From a row come the field of OUTCOME that `kernels` counts in, the key in results.json and the column of
statistics.csv, the column of the report, and the line in docs/statistics.md. Another number is another row
and, if nothing that is counted already implies it, the line in `kernels` that counts it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from canasta_env.engine.scoring import SCORE_FIELDS
from canasta_env.engine.state import MAX_SIDES
from canasta_env.rules import Rules

Outcomes = NDArray[np.void]
Count = Callable[[Outcomes, int], NDArray[Any]]
"""From `(deals,) OUTCOME` and the number of sides to `(deals, sides)`."""


@dataclass(frozen=True)
class Statistic:
    """A number of each side in each deal; reported as its mean over deals.

    Args:
        name: Of its field in OUTCOME, if it has one, its key in results.json, and its column in the CSV.
        meaning: What is counted.
        group: Head over its columns in the report; not in the report's table if empty.
        label: Head of its column there, or, of points, its entry in the legend.
        shown: How its mean is written there, for `format`.
        per: Name of the statistic that its sum is divided by; the number of deals if empty.
        needs: Name of the rule without which it is always 0, and not shown.
        dtype: Of its field in OUTCOME; None if other fields imply it.
        is_per_side: Whether the field has a number for each side.
        count: The numbers, from OUTCOME; the field itself if None.
        colour: Of its bar in the report's plot; only points have one.
    """

    name: str
    meaning: str
    group: str = ""
    label: str = ""
    shown: str = "{:,.2f}"
    per: str = ""
    needs: str = ""
    dtype: DTypeLike | None = None
    is_per_side: bool = True
    count: Count | None = None
    colour: str = ""

    @property
    def field(self) -> tuple[Any, ...]:
        """Its field, as NumPy takes it for a part of a dtype."""
        return (self.name, self.dtype, (MAX_SIDES,)) if self.is_per_side else (self.name, self.dtype)

    def by_side(self, outcomes: Outcomes, num_sides: int) -> NDArray[np.float64]:
        """Its numbers, `(deals, sides)`."""
        count = self.count(outcomes, num_sides) if self.count else outcomes[self.name][:, :num_sides]
        return np.asarray(count, np.float64)

    def text(self, means: Mapping[str, float]) -> str:
        """Its mean as the report writes it; a dash without cases, or in results older than it."""
        if self.name not in means or (self.per and not means[self.per]):
            return "–"
        return self.shown.format(means[self.name]).replace("-", "−")


def _points(name: str, label: str, colour: str, meaning: str) -> Statistic:
    column = SCORE_FIELDS.index(name)
    count: Count = lambda outcomes, sides: outcomes["points"][:, :sides, column]  # noqa: E731
    return Statistic(name, meaning, label=label, colour=colour, count=count)


def _went_out(outcomes: Outcomes, num_sides: int) -> NDArray[np.bool_]:
    seat = outcomes["went_out"][:, None]
    return np.asarray((seat >= 0) & (seat % num_sides == np.arange(num_sides)))


def _concealed(outcomes: Outcomes, num_sides: int) -> NDArray[Any]:
    return np.asarray(_went_out(outcomes, num_sides) * outcomes["concealed"][:, None])


def _opened(outcomes: Outcomes, num_sides: int) -> NDArray[np.bool_]:
    return np.asarray(outcomes["opened_turn"][:, :num_sides] > 0)


def _turns(outcomes: Outcomes, num_sides: int) -> NDArray[Any]:
    return np.repeat(outcomes["turns"][:, None], num_sides, axis=1)


_CANASTAS, _OUT, _OPENING = "canastas a deal", "going out", "opening"
_DEAL, _ASKING, _LENGTH = "a deal", "asking", "length"

# The colours are Okabe and Ito's palette, which colour-blind readers can tell apart.
STATISTICS = (
    _points("melded_cards", "cards melded", "#0072b2", "points for the cards in melds (R-SCORE)"),
    _points("canastas", "canastas", "#009e73", "bonuses for canastas"),
    _points("going_out", "going out", "#f0e442", "bonuses for going out"),
    _points("threes", "threes", "#cc79a7", "points for threes laid"),
    _points("cards_in_hand", "cards in hand", "#e69f00", "points lost for cards left in hands"),
    _points("penalties", "penalties", "#d55e00", "penalties of Modern American"),
    _points("total", "", "", "all points of the deal: the sum of those above"),
    Statistic(
        "clean_canastas",
        "clean canastas, those of sevens and aces among them",
        _CANASTAS,
        "clean",
        dtype=np.int8,
    ),
    Statistic(
        "clean_sevens_or_aces",
        "clean canastas of sevens or aces",
        _CANASTAS,
        "of sevens, aces",
        needs="has_special_canastas",
        dtype=np.int8,
    ),
    Statistic("mixed_canastas", "mixed canastas", _CANASTAS, "mixed", dtype=np.int8),
    Statistic("wild_canastas", "canastas of wilds", _CANASTAS, "wild", needs="has_wild_meld", dtype=np.int8),
    Statistic("threes_laid", "threes laid, red and black", dtype=np.int8),
    Statistic(
        "went_out",
        "whether the side went out",
        _OUT,
        "went out",
        "{:.1%}",
        dtype=np.int8,
        is_per_side=False,
        count=_went_out,
    ),
    Statistic(
        "concealed",
        "whether it went out concealed",
        _OUT,
        "concealed",
        "{:.1%}",
        needs="can_go_out_concealed",
        dtype=np.int8,
        is_per_side=False,
        count=_concealed,
    ),
    Statistic("opened", "whether the side opened", _OPENING, "opened", "{:.1%}", count=_opened),
    Statistic(
        "opened_turn",
        "the turn in which it opened",
        _OPENING,
        "in turn",
        "{:,.1f}",
        per="opened",
        dtype=np.int16,
    ),
    Statistic("piles_taken", "piles taken", _DEAL, "piles taken", dtype=np.int16),
    Statistic("cards_left", "cards left in hands at the end", _DEAL, "cards left", "{:,.1f}", dtype=np.int16),
    Statistic("asked", "questions whether to go out", _ASKING, "asked", dtype=np.int16),
    Statistic(
        "answered_yes",
        "answers yes to the partner",
        _ASKING,
        "told yes",
        "{:.0%}",
        per="asked",
        dtype=np.int16,
    ),
    Statistic("answered_no", "answers no to the partner", per="asked", dtype=np.int16),
    Statistic(
        "turns",
        "turns of all seats",
        _LENGTH,
        "turns a deal",
        "{:,.1f}",
        dtype=np.int16,
        is_per_side=False,
        count=_turns,
    ),
)
POINTS_BY_CLAUSE = tuple(statistic for statistic in STATISTICS if statistic.colour)
# Parts of OUTCOME, the wide ones first.
FIELDS = sorted(
    (statistic.field for statistic in STATISTICS if statistic.dtype is not None),
    key=lambda field: -np.dtype(field[1]).itemsize,
)


def columns(rules: Rules) -> dict[str, list[Statistic]]:
    """The columns of the report's table in a game, by the head over them."""
    groups: dict[str, list[Statistic]] = {}
    for statistic in STATISTICS:
        if statistic.group and (not statistic.needs or getattr(rules, statistic.needs)):
            groups.setdefault(statistic.group, []).append(statistic)
    return groups


@dataclass(frozen=True)
class DealStats:
    """Sums over the deals that a team's sides played."""

    deals: int
    sums: dict[str, float]

    def __add__(self, other: DealStats) -> DealStats:
        sums = {name: number + other.sums[name] for name, number in self.sums.items()}
        return DealStats(self.deals + other.deals, sums)

    def means(self) -> dict[str, float]:
        """What results.json holds: the sum of each statistic a deal, or a case of what it is counted per."""
        over = {"": max(1, self.deals)} | {name: max(1.0, number) for name, number in self.sums.items()}
        return {statistic.name: self.sums[statistic.name] / over[statistic.per] for statistic in STATISTICS}


def no_deals() -> DealStats:
    """The stats of no deals."""
    return DealStats(0, {statistic.name: 0.0 for statistic in STATISTICS})


def team_stats(outcomes: Outcomes, team_of_side: NDArray[np.int64]) -> tuple[DealStats, DealStats]:
    """The stats of the two teams of a matchup.

    Args:
        outcomes: `(deals,) OUTCOME`; their table numbers are those of a block.
        team_of_side: `(arrangements, sides)`, see `Matchup`.
    """
    teams = team_of_side[outcomes["table"] % len(team_of_side)]  # (deals, sides)
    numbers = {statistic.name: statistic.by_side(outcomes, team_of_side.shape[1]) for statistic in STATISTICS}
    first, second = (
        DealStats(
            int((teams == team).sum()),
            {name: float(column[teams == team].sum()) for name, column in numbers.items()},
        )
        for team in range(2)
    )
    return first, second


def total(stats: Sequence[DealStats]) -> DealStats:
    """The stats of all deals together."""
    return sum(stats, no_deals())
