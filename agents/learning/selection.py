"""Which policy of a run is its best: each is measured against a reference player and the best before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from canasta_agents.learning.evaluation import REPLAY_FOLDER, Evaluator, Measurement
from canasta_env import records
from canasta_env.agent import Agent

SELECTION_SEED = 1_000_003  # of the boards that choose the best policy; reported boards have another
ROUNDS = 8  # of a race

Measure = Callable[
    [Agent, Agent, int, int], Measurement
]  # (agent, other, boards, seed), see Evaluator.points


def is_better(
    measure: Measure,
    agent: Agent,
    measured: Measurement,
    best: Agent,
    best_measured: Measurement,
    boards: int,
) -> bool:
    """Whether a policy takes the place of the best one so far.

    Two differences are added: between what both reach against the reference player on the same boards, and
    what the policy reaches against the best one itself. One alone misleads: a policy may have learnt to beat
    the reference player, or its own past, and nobody else.

    Args:
        measure: What strength is measured in.
        agent: The policy.
        measured: What it reached against the reference player.
        best: The best policy so far.
        best_measured: What that one reached.
        boards: Boards of a measurement.
    """
    ahead = race(measure, agent, best, boards)
    return measured.estimate - best_measured.estimate + ahead.estimate >= 0


def race(measure: Measure, agent: Agent, other: Agent, boards: int) -> Measurement:
    """Measure an agent against another, but no longer than until it is clearly behind.

    Args:
        measure: What strength is measured in.
        agent: Whom to measure.
        other: Against whom.
        boards: Boards of the whole race.
    """
    rounds: list[Measurement] = []
    for number in range(ROUNDS):
        rounds.append(measure(agent, other, max(2, boards // ROUNDS), SELECTION_SEED + 1 + number))
        so_far = pooled(rounds)
        if so_far.high < 0:
            break
    return so_far


def keep_replay(evaluator: Evaluator, agent: Agent, reference: Agent, run: Path, update: int) -> None:
    """Write a deal of a policy as it is after an update, the same cards each time, into a run's folder."""
    record = evaluator.replay(agent, reference, SELECTION_SEED)
    records.write(record, run / REPLAY_FOLDER / f"update-{update:06d}.jsonl")


def pooled(rounds: Sequence[Measurement]) -> Measurement:
    """The mean of measurements over equally many boards each, other ones each time."""
    num = len(rounds)
    estimate = sum(each.estimate for each in rounds) / num
    half = sum(((each.high - each.low) / 2) ** 2 for each in rounds) ** 0.5 / num
    return Measurement(
        estimate, estimate - half, estimate + half, sum(each.boards for each in rounds), rounds[0].unit
    )
