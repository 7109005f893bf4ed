"""Decisions a second of the environments at their edge, played at random by the mask, one core.

    python -m benchmarks.aec

The raw AEC loop is PettingZoo's own: `agent_iter`, `last` with a new observation and a new mask, `step`. An
action is drawn from the mask in each, which is part of the figure.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import canasta_env
from benchmarks.measure import Rate, measure, report
from canasta_env.envs.single_agent import CanastaSeatEnv

DECISIONS = 20_000
GAMES = (("modern_american", 4), ("classic", 4), ("classic", 3), ("classic", 2))


def play_aec(env: Any, decisions: int) -> int:
    """Play at least so many decisions in the loop that PettingZoo documents; returns how many."""
    numbers = np.random.default_rng(0).random(decisions + 10_000).tolist()
    made, episode = 0, 0
    while made < decisions:
        env.reset(seed=episode)
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(numbers[made] * len(legal))])
            made += 1
        episode += 1
    return made


def play_parallel(env: Any, decisions: int) -> int:
    """The same in the parallel environment: every agent observes every step."""
    made, episode = 0, 0
    while made < decisions:
        observations, _ = env.reset(seed=episode)
        while env.agents:
            for agent in env.agents:
                legal = observations[agent]["action_mask"].nonzero()[0]
                if len(legal):
                    observations, *_ = env.step({agent: legal[made % len(legal)]})
                    break
            made += 1
        episode += 1
    return made


def play_seat(env: CanastaSeatEnv, decisions: int) -> int:
    """The decisions of one learner among random opponents."""
    made, episode = 0, 0
    while made < decisions:
        observation, _ = env.reset(seed=episode)
        is_over = False
        while not is_over:
            legal = observation["action_mask"].nonzero()[0]
            observation, _, terminated, truncated, _ = env.step(legal[made % len(legal)])
            is_over = terminated or truncated
            made += 1
        episode += 1
    return made


def main() -> list[Rate]:
    """Measure every game, print each figure, and return them."""
    rates = []
    for game, players in GAMES:
        name = f"{game} {players}"
        raw, wrapped = canasta_env.raw_env(game, players), canasta_env.env(game, players)
        parallel, seat = canasta_env.parallel_env(game, players), CanastaSeatEnv(game, players)
        for rate in (
            measure(f"{name}: raw AEC loop", "decisions", lambda env=raw: play_aec(env, DECISIONS)),
            measure(f"{name}: AEC loop of env()", "decisions", lambda env=wrapped: play_aec(env, DECISIONS)),
            measure(
                f"{name}: parallel", "decisions", lambda env=parallel: play_parallel(env, DECISIONS // 4)
            ),
            measure(f"{name}: one seat", "decisions", lambda env=seat: play_seat(env, DECISIONS // 20)),
        ):
            print(rate, flush=True)
            rates.append(rate)
    return rates


if __name__ == "__main__":
    print(report(main()))
