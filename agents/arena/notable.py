"""Deals worth looking at: which to keep while playing, and which to show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.blocks import Block, BlockResult
from canasta_env.engine.scoring import TOTAL
from canasta_env.rules import Rules

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
