"""The comparison at a run's end: the best policy against random play and against the reference."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from canasta_agents.learning.config import Judging
from canasta_agents.learning.strength.judging import Measurement
from canasta_agents.learning.world import World
from canasta_agents.neural import NeuralAgent

REPORT_SEED = 2_000_003  # of the boards that are reported; others choose the best policy
RANDOM = "random"


@dataclass(frozen=True)
class Result:
    """How a policy stands against one player."""

    opponent: str
    points: Measurement
    matches: Measurement | None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-able dict."""
        return asdict(self)


def compare(policy: Path, world: World, judging: Judging) -> list[Result]:
    """Measure a run's best policy, on boards that chose nothing.

    Args:
        policy: A run or a checkpoint.
        world: Players and judge.
        judging: How many boards, and who is the reference.
    """
    if judging.final_boards < 2:
        return []
    agent = NeuralAgent(policy)
    results = []
    for name in dict.fromkeys((RANDOM, judging.player)):
        points = world.judge.points(agent, world.make_player(name), judging.final_boards, REPORT_SEED)
        matches = None
        if judging.final_matches >= 2:
            matches = world.judge.matches(agent, world.make_player(name), judging.final_matches, REPORT_SEED)
        results.append(Result(name, points, matches))
    return results
