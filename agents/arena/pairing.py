"""Pairing: what one matchup says, with intervals over its boards; `compare` plays one from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.blocks import Block, BlockResult, Episode, Player, play_block
from canasta_agents.arena.forfeits import Fault
from canasta_agents.arena.schedule import ArenaError, Scores, check_scores, matchup
from canasta_agents.arena.statistics import (
    Interval,
    SignTest,
    planned_interval,
    points_interval,
    sign_test,
    wins_interval,
)
from canasta_agents.registry import make_agent
from canasta_env.agent import Agent
from canasta_env.rules import Rules


@dataclass(frozen=True)
class BoardTable:
    """The boards of a matchup, from the first team's side, each row summed over the arrangements.

    `wins` are matches where matches were played, else deals. `(boards,)` arrays.
    """

    games: int  # a board
    points: NDArray[np.float64]
    deals: NDArray[np.int64]
    deal_wins: NDArray[np.float64]
    match_wins: NDArray[np.float64]

    @classmethod
    def of(cls, blocks: Sequence[BlockResult]) -> BoardTable:
        """Join blocks that follow each other."""
        return cls(
            games=blocks[0].points.shape[1],
            points=np.concatenate([block.points.sum(axis=1) for block in blocks]),
            deals=np.concatenate([block.deals.sum(axis=1) for block in blocks]),
            deal_wins=np.concatenate([block.deal_wins.sum(axis=1) for block in blocks]),
            match_wins=np.concatenate([block.match_wins.sum(axis=1) for block in blocks]),
        )

    def __len__(self) -> int:
        return len(self.points)

    @property
    def has_matches(self) -> bool:
        """Whether matches were played."""
        return not bool(np.isnan(self.match_wins).any())

    @property
    def credits(self) -> NDArray[np.float64]:
        """Share of each board's games won: matches where matches were played, else deals."""
        return self.match_wins / self.games if self.has_matches else self.deal_wins / self.deals


@dataclass(frozen=True)
class Plan:
    """How a run with a wanted half-width came to its number of boards; see `statistics.boards_needed`."""

    pilot: int
    half_width: float
    is_reached: bool


@dataclass(frozen=True)
class Pairing:
    """How the first team does against the second."""

    first: str
    second: str
    boards: int
    deals: int
    points: Interval  # a deal
    deal_wins: Interval
    match_wins: Interval | None
    sign_test: SignTest  # over boards, of their points
    faults: tuple[Fault, ...] = ()
    plan: Plan | None = None

    @property
    def points_a_deal(self) -> float:
        """Mean points a deal, the first team's minus the second's."""
        return self.points.estimate

    @property
    def half_width(self) -> float:
        """Half of the 95% interval of the points a deal."""
        return self.points.half_width

    def __str__(self) -> str:
        points = f"{self.points_a_deal:+.1f} ± {self.half_width:.1f} points a deal"
        wins, name = (self.match_wins, "matches") if self.match_wins else (self.deal_wins, "deals")
        share = f"{wins.estimate:.1%} of {name} won ({wins.low:.1%} to {wins.high:.1%})"
        return f"{self.first} against {self.second}: {points}, {share}, {self.boards} boards"


def measure(
    first: str, second: str, table: BoardTable, faults: Sequence[Fault] = (), plan: Plan | None = None
) -> Pairing:
    """Estimate everything about a matchup."""
    planned = plan is not None and plan.is_reached
    if plan is not None and planned:
        points = planned_interval(table.points, table.deals, plan.pilot, plan.half_width)
    else:
        points = points_interval(table.points, table.deals)
    return Pairing(
        first=first,
        second=second,
        boards=len(table),
        deals=int(table.deals.sum()),
        points=points,
        deal_wins=wins_interval(table.deal_wins / table.deals, table.games),
        match_wins=wins_interval(table.match_wins / table.games, table.games) if table.has_matches else None,
        sign_test=sign_test(table.points),
        faults=tuple(faults),
        plan=plan,
    )


def compare(
    first: Agent | str,
    second: Agent | str,
    rules: Rules,
    *,
    boards: int = 100,
    seed: int = 0,
    episode: Episode = "deal",
    scores: Scores = "zero",
    decision_time_s: float = 60.0,
) -> Pairing:
    """Play two agents against each other on duplicate boards, in this process.

    Args:
        first: An agent, or the spec of one.
        second: Likewise. May be the same object as `first`.
        rules: The game.
        boards: Number of boards; each is played in every arrangement of the two (twice with two sides).
        seed: Draws the boards.
        episode: Whether a board is one deal or a whole match.
        scores: Match scores to begin with: "zero", "drawn" with each board, or one number a side.
        decision_time_s: Time for a decision.

    Returns:
        Points a deal and shares of deals and matches won, with 95% intervals, from the first agent's side.

    Raises:
        ArenaError: If an argument does not fit.

    Example:
        >>> result = compare(agent, "heuristic", modern_american(), boards=200)
        >>> result.points_a_deal, result.half_width, result.deal_wins.low
    """
    check_scores(rules, scores)
    if boards < 1:
        raise ArenaError(f"boards: {boards} must be at least 1")
    agents = [make_agent(agent, rules) if isinstance(agent, str) else agent for agent in (first, second)]
    players = [Player(agents[0])]
    players.append(players[0] if agents[1] is agents[0] else Player(agents[1]))
    meeting = matchup(rules, (0,), (1,))
    block = Block(rules, meeting, 0, boards, seed, episode, scores, decision_time_s)
    played = play_block(block, players)
    return measure(agents[0].name, agents[1].name, BoardTable.of([played]), played.faults)
