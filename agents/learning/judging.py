"""How strong a policy is: points a deal and matches won on duplicate boards against a reference player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from canasta_env.records import Record
from canasta_env.rules import Rules

from ..base import Agent
from .replays import record_deal

if TYPE_CHECKING:
    from ..arena.play import Played

Scores = Literal["drawn", "zero"]


@dataclass(frozen=True)
class Measurement:
    """An estimate with its 95% interval, over boards: points a deal, or the share of matches won."""

    estimate: float
    low: float
    high: float
    boards: int

    @property
    def as_points(self) -> str:
        """As points a deal."""
        return f"{self.estimate:+.0f} points a deal ({self.low:+.0f} to {self.high:+.0f})"

    @property
    def as_share(self) -> str:
        """As a share of matches."""
        return f"{self.estimate:.1%} of matches ({self.low:.1%} to {self.high:.1%})"


class Judge(Protocol):
    """Measures an agent against another, on the same boards from every side."""

    def points(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """Points a deal of the agent's side minus the other's."""

    def matches(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """Share of matches won."""

    def replay(self, agent: Agent, reference: Agent, seed: int) -> Record:
        """A deal of the agent's side against the reference's."""


class BoardJudge:
    """The judge of real runs: the arena's duplicate boards.

    Args:
        rules: The game.
        scores: Match scores at which single deals begin.
    """

    def __init__(self, rules: Rules, scores: Scores) -> None:
        self._rules = rules
        self._scores = scores

    def points(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """See `Judge.points`."""
        from ..arena.statistics import points_interval

        played = self._play("deal", self._scores, agent, reference, boards, seed)
        interval = points_interval(played.points.sum(axis=1), played.deals.sum(axis=1))
        return Measurement(interval.estimate, interval.low, interval.high, boards)

    def matches(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """See `Judge.matches`."""
        from ..arena.statistics import wins_interval

        played = self._play("match", "zero", agent, reference, boards, seed)
        interval = wins_interval(played.match_wins.mean(axis=1), played.match_wins.shape[1])
        return Measurement(interval.estimate, interval.low, interval.high, boards)

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
        from ..arena.play import Block, Player, play_block
        from ..arena.schedule import contest

        seats = contest(self._rules, (0,), (1,))
        block = Block(self._rules, seats, 0, boards, seed=seed, episode=episode, scores=scores)
        played = play_block(block, [Player(agent), Player(reference)])
        if played.faults:
            names = (agent.name, reference.name)
            raise RuntimeError(
                f"{names[played.faults[0].slot]} failed while measured: {played.faults[0].reason}"
            )
        return played
