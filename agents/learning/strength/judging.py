"""How strong a policy is: points a deal and matches won on duplicate boards against a reference player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from canasta_agents.learning.equity.table import EquityTable
from canasta_agents.learning.strength.replays import record_deal
from canasta_env.agent import Agent
from canasta_env.records import Record
from canasta_env.rules import Rules

if TYPE_CHECKING:
    from canasta_agents.arena.play import Played

Scores = Literal["drawn", "zero"]
Unit = Literal["points", "match_percent", "matches"]
FORMS: dict[Unit, tuple[str, str]] = {
    "points": ("+.0f", " points a deal"),
    "match_percent": ("+.1f", "% of a match a deal"),
    "matches": (".1%", " of matches"),
}


@dataclass(frozen=True)
class Measurement:
    """An estimate with its 95% interval, over boards.

    `unit` is "points" or "match_percent" (percent of a match), a deal, or "matches" (share of them won).
    """

    estimate: float
    low: float
    high: float
    boards: int
    unit: Unit = "points"

    def __str__(self) -> str:
        """For example "+86 points a deal (-98 to +271)"."""
        form, what = FORMS[self.unit]
        return f"{self.estimate:{form}}{what} ({self.low:{form}} to {self.high:{form}})"

    @property
    def with_margin(self) -> str:
        """For example "+86 ±184 points a deal"."""
        form, what = FORMS[self.unit]
        return f"{self.estimate:{form}} ±{(self.high - self.low) / 2:{form.lstrip('+')}}{what}"


class Judge(Protocol):
    """Measures an agent against another, on the same boards from every side."""

    def points(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """Points a deal of the agent's side minus the other's."""

    def match_percent(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """Percent of a match that a deal brings each side of the agent, by the match-equity table."""

    def matches(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """Share of matches won."""

    def replay(self, agent: Agent, reference: Agent, seed: int) -> Record:
        """A deal of the agent's side against the reference's."""


class BoardJudge:
    """The judge of real runs: the arena's duplicate boards.

    Args:
        rules: The game.
        scores: Match scores at which single deals begin.
        equity: What scores are worth; only `match_percent` reads it.
    """

    def __init__(self, rules: Rules, scores: Scores, equity: EquityTable | None = None) -> None:
        self._rules = rules
        self._scores = scores
        self._equity = equity

    def points(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """See `Judge.points`."""
        from canasta_agents.arena.statistics import points_interval

        played = self._play("deal", self._scores, agent, reference, boards, seed)
        interval = points_interval(played.points.sum(axis=1), played.deals.sum(axis=1))
        return Measurement(interval.estimate, interval.low, interval.high, boards)

    def match_percent(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """See `Judge.match_percent`.

        Raises:
            ValueError: If the judge was built without an equity table.
        """
        from canasta_agents.arena.schedule import contest
        from canasta_agents.arena.statistics import points_interval
        from canasta_env.engine.scoring import TOTAL

        if self._equity is None:
            raise ValueError("match_percent: this judge has no match-equity table")
        played = self._play("deal", self._scores, agent, reference, boards, seed)
        sides = self._rules.num_sides
        totals = played.outcomes["points"][:, :sides, TOTAL].astype(np.int64)
        gains = self._equity.gains(played.outcomes["scores"][:, :sides], totals)
        arrangements = contest(self._rules, (0,), (1,)).arrangements
        is_own = np.array([arrangement.team_of_side for arrangement in arrangements]) == 0
        is_own = np.tile(is_own, (boards, 1))  # (deals, sides): one deal a table
        of_deal = (gains * is_own).sum(axis=1) / is_own.sum(axis=1)
        interval = points_interval(of_deal.reshape(boards, -1).sum(axis=1), played.deals.sum(axis=1))
        return Measurement(interval.estimate, interval.low, interval.high, boards, "match_percent")

    def matches(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """See `Judge.matches`."""
        from canasta_agents.arena.statistics import wins_interval

        played = self._play("match", "zero", agent, reference, boards, seed)
        interval = wins_interval(played.match_wins.mean(axis=1), played.match_wins.shape[1])
        return Measurement(interval.estimate, interval.low, interval.high, boards, "matches")

    def replay(self, agent: Agent, reference: Agent, seed: int) -> Record:
        """See `Judge.replay`."""
        return record_deal(self._rules, agent, reference, seed)

    def _play(
        self,
        episode: Literal["deal", "match"],
        scores: Scores,
        agent: Agent,
        reference: Agent,
        boards: int,
        seed: int,
    ) -> Played:
        from canasta_agents.arena.play import Block, Player, play_block
        from canasta_agents.arena.schedule import contest

        seats = contest(self._rules, (0,), (1,))
        block = Block(self._rules, seats, 0, boards, seed=seed, episode=episode, scores=scores)
        played = play_block(block, [Player(agent), Player(reference)])
        if played.faults:
            names = (agent.name, reference.name)
            raise RuntimeError(
                f"{names[played.faults[0].slot]} failed while measured: {played.faults[0].reason}"
            )
        return played
