"""Cross-play: every pair of some agents as partners, against the same opponents on the same boards.

What agents reach beside others, and not only beside themselves, is reported as in work on playing with
strangers (Hu et al., "Other-Play" for Zero-Shot Coordination, 2020): the matrix of all pairs, the mean of its
diagonal (self-play), the mean of the pairs off it (cross-play), and the gap between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.statistics import Interval, points_interval
from canasta_agents.arena.suite.meetings import Meetings
from canasta_agents.arena.tournament import MatchupRun, Settings, Tournament
from canasta_env.rules import Rules


@dataclass(frozen=True)
class Pair:
    """Two partners, by their numbers in `CrossPlay.agents`, or one number twice."""

    first: int
    second: int
    runs: tuple[MatchupRun, ...]  # one for each opponent

    @property
    def points(self) -> NDArray[np.float64]:
        """Points a deal on each board, the mean over the opponents: `(boards,)`."""
        tables = [run.table for run in self.runs]
        means: NDArray[np.float64] = np.mean([table.points / table.deals for table in tables], axis=0)
        return means


@dataclass(frozen=True)
class CrossPlay:
    """All pairs of some agents; the results are there once the tournament is played."""

    agents: tuple[str, ...]
    opponents: tuple[str, ...]
    tournament: Tournament
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class CrossPlayFigures:
    """What the pairs scored, in points a deal, with 95% intervals over boards.

    Args:
        matrix: Of each pair, `(agents, agents)` nested; the same above and below the diagonal.
        with_others: Of each agent, the mean over its pairs with the others.
        gaps: Of each agent, how far its pairs with others stay below the mean of what the two reach with
            themselves.
        self_play: Mean of the diagonal.
        cross_play: Mean of the pairs off the diagonal.
        gap: Self-play minus cross-play, which is also the mean of `gaps`.
    """

    matrix: tuple[tuple[Interval, ...], ...]
    with_others: tuple[Interval, ...]
    gaps: tuple[Interval, ...]
    self_play: Interval
    cross_play: Interval
    gap: Interval


def plan_cross_play(
    rules: Rules, agents: Sequence[str], opponents: Sequence[str], boards: int, seed: int
) -> CrossPlay:
    """Draw up the meetings: a board is a deal that begins at scores drawn with it.

    Args:
        rules: A game of partners.
        agents: Specs of those who play together, at least two; the same one may stand twice.
        opponents: Specs of those whom each pair plays against, both seats theirs.
        boards: Boards of each pair against each opponent.
        seed: Draws the boards, and all chance of the agents.

    Raises:
        ArenaError: If something does not fit, with what would.
        RegistryError: If there is no such agent.
    """
    if rules.num_sides == rules.players:
        raise ArenaError(f"players: with {rules.players} nobody has a partner; cross-play needs 4")
    if len(agents) < 2:
        raise ArenaError(f"agents: {len(agents)} given; cross-play needs at least two")
    if not opponents:
        raise ArenaError("opponents: none given; name at least one")
    if len(set(opponents)) < len(opponents):
        raise ArenaError(f"opponents: {' '.join(opponents)} names one twice; name each once")
    specs = (*agents, *(spec for spec in opponents if spec not in agents))
    settings = Settings(rules, specs, boards=boards, scores="drawn", seed=seed, records="none")
    meetings = Meetings(settings)
    met = [specs.index(spec) for spec in opponents]
    pairs = []
    for first, second in combinations_with_replacement(range(len(agents)), 2):
        team = (first,) if first == second else (first, second)
        runs = tuple(meetings.meet(team, (opponent,), boards) for opponent in met)
        pairs.append(Pair(first, second, runs))
    names = [entrant.name for entrant in meetings.tournament.entrants]
    named = tuple(names[number] for number in met)
    return CrossPlay(tuple(names[: len(agents)]), named, meetings.tournament, tuple(pairs))


def cross_play_figures(played: CrossPlay) -> CrossPlayFigures:
    """The matrix and its gap.

    All are means of the same boards, so the gap's interval is of the differences on each board. It is of the
    boards' luck alone: other agents, trained alike, would have another gap.
    """
    num = len(played.agents)
    points = np.empty((num, num, len(played.pairs[0].points)))
    for pair in played.pairs:
        points[pair.first, pair.second] = points[pair.second, pair.first] = pair.points
    alone = points[np.arange(num), np.arange(num)]  # (agents, boards)
    with_others = (points.sum(axis=1) - alone) / (num - 1)
    others_alone = (alone.sum(axis=0) - alone) / (num - 1)
    self_play, cross_play = alone.mean(axis=0), with_others.mean(axis=0)
    return CrossPlayFigures(
        matrix=tuple(tuple(map(_mean, row)) for row in points),
        with_others=tuple(map(_mean, with_others)),
        gaps=tuple(map(_mean, (alone + others_alone) / 2 - with_others)),
        self_play=_mean(self_play),
        cross_play=_mean(cross_play),
        gap=_mean(self_play - cross_play),
    )


def _mean(points: NDArray[np.float64]) -> Interval:
    return points_interval(points, np.ones(len(points)))
