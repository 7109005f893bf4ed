"""How strong a policy is: points a deal and matches won on duplicate boards against a reference player."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from canasta_agents.arena.blocks import Block, BlockResult, Player, play_block
from canasta_agents.arena.schedule import matchup
from canasta_agents.arena.statistics import points_interval, wins_interval
from canasta_agents.asking import ask
from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.config import Evaluation
from canasta_agents.learning.match_equity import EquityTable
from canasta_agents.neural.agent import NeuralAgent
from canasta_env import Table
from canasta_env.actions import NOTATIONS
from canasta_env.agent import Agent, DecisionBatch, tell_of_deals
from canasta_env.engine.scoring import TOTAL
from canasta_env.records import Record, Recorder
from canasta_env.rules import Rules

REPORT_SEED = 2_000_003  # of the boards that are reported; others choose the best policy
PATIENCE_S = 3_600.0  # a decision: players of our own, on a machine that others may keep busy
RANDOM = "random"
REPLAY_FOLDER = "replays"  # in a run's folder: deals as the policy plays them while it learns

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

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Measurement:
        """The way back from `dataclasses.asdict`.

        Raises:
            ValueError: If it is no measurement.
        """
        measurement = cls(**content)
        numbers = (measurement.estimate, measurement.low, measurement.high, measurement.boards)
        is_right = all(type(number) in (int, float) for number in numbers) and measurement.unit in FORMS
        if not is_right:
            raise ValueError(f"measurement: {content} is none")
        return measurement

    def __str__(self) -> str:
        """For example "+86 points a deal (-98 to +271)"."""
        form, what = FORMS[self.unit]
        return f"{self.estimate:{form}}{what} ({self.low:{form}} to {self.high:{form}})"

    @property
    def with_margin(self) -> str:
        """For example "+86 ±184 points a deal"."""
        form, what = FORMS[self.unit]
        return f"{self.estimate:{form}} ±{(self.high - self.low) / 2:{form.lstrip('+')}}{what}"


class Evaluator(Protocol):
    """Measures an agent against another, on the same boards from every side."""

    def points(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """Points a deal of the agent's side minus the other's."""

    def match_percent(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """Percent of a match that a deal brings each side of the agent, by the match-equity table."""

    def matches(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """Share of matches won."""

    def replay(self, agent: Agent, reference: Agent, seed: int) -> Record:
        """A deal of the agent's side against the reference's."""


class BoardEvaluator:
    """The evaluator of real runs: the arena's duplicate boards.

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
        """See `Evaluator.points`."""
        played = self._play("deal", self._scores, agent, reference, boards, seed)
        interval = points_interval(played.points.sum(axis=1), played.deals.sum(axis=1))
        return Measurement(interval.estimate, interval.low, interval.high, boards)

    def match_percent(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """See `Evaluator.match_percent`.

        Raises:
            ValueError: If the evaluator was built without an equity table.
        """
        if self._equity is None:
            raise ValueError("match_percent: this evaluator has no match-equity table")
        played = self._play("deal", self._scores, agent, reference, boards, seed)
        sides = self._rules.num_sides
        totals = played.outcomes["points"][:, :sides, TOTAL].astype(np.int64)
        gains = self._equity.gains(played.outcomes["scores"][:, :sides], totals)
        arrangements = matchup(self._rules, (0,), (1,)).arrangements
        is_own = np.array([arrangement.team_of_side for arrangement in arrangements]) == 0
        is_own = np.tile(is_own, (boards, 1))  # (deals, sides): one deal a table
        of_deal = (gains * is_own).sum(axis=1) / is_own.sum(axis=1)
        interval = points_interval(of_deal.reshape(boards, -1).sum(axis=1), played.deals.sum(axis=1))
        return Measurement(interval.estimate, interval.low, interval.high, boards, "match_percent")

    def matches(self, agent: Agent, reference: Agent, boards: int, seed: int) -> Measurement:
        """See `Evaluator.matches`."""
        played = self._play("match", "zero", agent, reference, boards, seed)
        interval = wins_interval(played.match_wins.mean(axis=1), played.match_wins.shape[1])
        return Measurement(interval.estimate, interval.low, interval.high, boards, "matches")

    def replay(self, agent: Agent, reference: Agent, seed: int) -> Record:
        """See `Evaluator.replay`."""
        return record_deal(self._rules, agent, reference, seed)

    def _play(
        self,
        episode: Literal["deal", "match"],
        scores: Scores,
        agent: Agent,
        reference: Agent,
        boards: int,
        seed: int,
    ) -> BlockResult:
        seats = matchup(self._rules, (0,), (1,))
        block = Block(self._rules, seats, 0, boards, seed, episode, scores, decision_time_s=PATIENCE_S)
        played = play_block(block, [Player(agent), Player(reference)])
        if played.faults:
            names = (agent.name, reference.name)
            raise ConfigError(
                f"{names[played.faults[0].slot]} failed while measured: {played.faults[0].reason}"
            )
        return played


@dataclass(frozen=True)
class Result:
    """How a policy stands against one player."""

    opponent: str
    points: Measurement
    matches: Measurement | None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-able dict."""
        return asdict(self)


def compare(
    policy: Path, evaluator: Evaluator, make_agent: Callable[[str], Agent], config: Evaluation
) -> list[Result]:
    """Measure a run's best policy, on boards that chose nothing.

    Args:
        policy: A run or a checkpoint.
        evaluator: Measures.
        make_agent: Makes a player by its registry name.
        config: How many boards, and who is the reference.
    """
    if config.final_boards < 2:
        return []
    agent = NeuralAgent(policy)
    results = []
    for name in dict.fromkeys((RANDOM, config.player)):
        points = evaluator.points(agent, make_agent(name), config.final_boards, REPORT_SEED)
        matches = None
        if config.final_matches >= 2:
            matches = evaluator.matches(agent, make_agent(name), config.final_matches, REPORT_SEED)
        results.append(Result(name, points, matches))
    return results


def record_deal(rules: Rules, agent: Agent, reference: Agent, seed: int) -> Record:
    """Play one deal, side 0 by `agent` and every other by `reference`."""
    table, recorder = Table(rules, seed=seed), Recorder(rules, seed)
    recorder.begin(table)
    for player in (agent, reference):
        player.reset(1, seed)
        tell_of_deals(player, np.zeros(1, np.int64), first=True)
    while (seat := table.to_play) is not None:
        batch = DecisionBatch.single(rules, seat, table.view(seat), table.action_mask())
        player = agent if rules.side_of(seat) == 0 else reference
        recorder.play(NOTATIONS[ask(player, batch)[0]])
    return recorder.record()
