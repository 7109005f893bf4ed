"""DealStats: how the points of a team come about, and how it plays, a deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.blocks import Block, BlockResult
from canasta_agents.arena.schedule import Matchup
from canasta_env.engine.scoring import SCORE_FIELDS, TOTAL
from canasta_env.rules import Rules

# Counted a side and deal, in the order of the report.
FIELDS = (
    *SCORE_FIELDS,
    "clean_canastas",
    "clean_sevens_or_aces",
    "mixed_canastas",
    "wild_canastas",
    "threes",
    "went_out",
    "concealed",
    "opened",
    "opened_turn",  # its sum; divided by `opened` it is the mean turn of opening
    "piles_taken",
    "asked",
    "answered_yes",
    "answered_no",
    "cards_left",
    "turns",
)


@dataclass(frozen=True)
class DealStats:
    """Sums over the deals that a team's sides played."""

    deals: int
    sums: dict[str, float]

    def __add__(self, other: DealStats) -> DealStats:
        return DealStats(
            self.deals + other.deals, {name: self.sums[name] + other.sums[name] for name in FIELDS}
        )

    def per_deal(self) -> dict[str, float]:
        """Means a deal; `opened_turn` over the deals in which the team opened, `answered_*` per question."""
        means = {name: self.sums[name] / max(1, self.deals) for name in FIELDS}
        means["opened_turn"] = self.sums["opened_turn"] / max(1.0, self.sums["opened"])
        for name in ("answered_yes", "answered_no"):
            means[name] = self.sums[name] / max(1.0, self.sums["asked"])
        return means


def nothing() -> DealStats:
    """The anatomy of no deals."""
    return DealStats(0, dict.fromkeys(FIELDS, 0.0))


def team_stats(rules: Rules, matchup: Matchup, outcomes: NDArray[np.void]) -> tuple[DealStats, DealStats]:
    """The stats of the two teams of a matchup.

    Args:
        rules: The game.
        matchup: What was played.
        outcomes: `(deals,) OUTCOME`; their table numbers are those of a block.
    """
    team_of_side = np.array([arrangement.team_of_side for arrangement in matchup.arrangements])
    teams = team_of_side[outcomes["table"] % len(team_of_side)]  # (deals, sides)
    numbers = {name: _by_side(rules, outcomes, name) for name in FIELDS}
    first, second = (
        DealStats(
            int((teams == team).sum()),
            {name: float(column[teams == team].sum()) for name, column in numbers.items()},
        )
        for team in range(2)
    )
    return first, second


def _by_side(rules: Rules, outcomes: NDArray[np.void], name: str) -> NDArray[np.float64]:
    """A field of the outcomes, `(deals, sides)`."""
    return np.asarray(_field(outcomes, name, np.arange(rules.num_sides)), np.float64)


def _field(outcomes: NDArray[np.void], name: str, sides: NDArray[np.int64]) -> NDArray[Any]:
    if name in SCORE_FIELDS:
        return np.asarray(outcomes["points"][:, sides, SCORE_FIELDS.index(name)])
    if name == "turns":
        return np.repeat(outcomes["turns"][:, None], len(sides), axis=1)
    if name in ("went_out", "concealed"):
        seat = outcomes["went_out"][:, None]
        went_out = np.asarray((seat >= 0) & (seat % len(sides) == sides))
        return went_out * outcomes["concealed"][:, None] if name == "concealed" else went_out
    if name == "opened":
        return np.asarray(outcomes["opened_turn"][:, sides] > 0)
    return np.asarray(outcomes[name][:, sides])


def total(stats: Sequence[DealStats]) -> DealStats:
    """The anatomy of all deals together."""
    return sum(stats, nothing())


# Deals worth looking at: which to keep while playing, and which to show.


SAMPLE_EVERY = 25  # boards: every so many a board's games are kept whole

# Why a deal is notable, in words for the report.
REASONS = {
    "swing": "Largest difference",
    "highest": "Highest score",
    "concealed": "Best concealed going out",
    "longest": "Longest deal",
}


@dataclass(frozen=True)
class Candidate:
    """A deal that is notable for a reason; `measure` ranks it among others."""

    reason: str
    measure: float
    board: int
    arrangement: int
    deal: int


def candidates(block: Block, played: BlockResult) -> list[Candidate]:
    """The most notable deal of a block for each reason."""
    found = []
    arrangements = len(block.matchup.arrangements)
    for reason, measures in _measures(block.rules, played.outcomes).items():
        if len(measures) == 0 or measures.max() <= 0:
            continue
        best = played.outcomes[int(np.argmax(measures))]
        table = int(best["table"])
        place = (block.start + table // arrangements, table % arrangements, int(best["deal"]))
        found.append(Candidate(reason, float(measures.max()), *place))
    return found


def _measures(rules: Rules, outcomes: NDArray[np.void]) -> dict[str, NDArray[np.float64]]:
    totals = outcomes["points"][:, : rules.num_sides, TOTAL].astype(np.float64)
    highest = totals.max(axis=1, initial=-np.inf)
    return {
        "swing": highest - totals.min(axis=1, initial=np.inf),
        "highest": highest,
        "concealed": np.where(outcomes["concealed"] != 0, highest, 0.0),
        "longest": outcomes["turns"].astype(np.float64),
    }


def thin_out(block: Block, played: BlockResult, keep: str) -> BlockResult:
    """Drop the actions of all deals that need not be kept; an empty string takes their place.

    Args:
        block: What was played.
        played: Its result, changed in place.
        keep: "all" games, a "sample" (every SAMPLE_EVERY-th board) or "none"; notable deals, and the
            same cards in the next arrangement, stay in any case.
    """
    if keep == "all":
        return played
    arrangements = len(block.matchup.arrangements)
    notable = {
        (candidate.board, (candidate.arrangement + step) % arrangements, candidate.deal)
        for candidate in candidates(block, played)
        for step in (0, 1)
    }
    for place, outcome in enumerate(played.outcomes):
        board, arrangement = (
            block.start + int(outcome["table"]) // arrangements,
            int(outcome["table"]) % arrangements,
        )
        is_sampled = keep == "sample" and board % SAMPLE_EVERY == 0
        if not is_sampled and (board, arrangement, int(outcome["deal"])) not in notable:
            played.actions[place] = b""
    return played
