"""What the rank network costs beside the flat one: forward pass and gradient, both in one run, on one core.

    python -m benchmarks.networks

Rounds of the two alternate, so that what else the machine does falls on both alike; observations are those of
random play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from canasta_agents.processes import wait_passively

wait_passively()

import numpy as np  # noqa: E402
import torch  # noqa: E402

from benchmarks.measure import REPEATS, Rate, measure, report  # noqa: E402
from canasta_agents.neural.config import Network  # noqa: E402
from canasta_agents.neural.network import ActorCritic, build_network  # noqa: E402
from canasta_env import Rules, VectorTables, classic, modern_american  # noqa: E402
from canasta_env.engine.layout import observation_size, row_size  # noqa: E402

FORMS = {"rank 64, 2x256": Network(), "flat 2x320": Network(kind="flat", width=320)}
BATCH, MINIBATCH = 384, 4_096  # decisions of a step at 512 tables, of a gradient step
STEPS = 150  # of random play before observations are taken


def observations(rules: Rules) -> torch.Tensor:
    """Observations of random play, `(MINIBATCH, observation_size) int8`."""
    tables, rng = VectorTables(rules, MINIBATCH, seed=1), np.random.default_rng(1)
    for _ in range(STEPS):
        tables.step((rng.random(tables.masks.shape) * tables.masks).argmax(axis=1))
    return torch.from_numpy(tables.observations.copy())


def jobs(network: ActorCritic, seen: torch.Tensor, precision: torch.dtype) -> dict[str, Callable[[], int]]:
    """What is timed of a network: each job returns how many decisions it was."""

    def autocast() -> torch.autocast:
        return torch.autocast("cpu", precision, enabled=precision != torch.float32)

    def forward() -> int:
        with torch.inference_mode(), autocast():
            for start in range(0, MINIBATCH - BATCH, BATCH):
                network(seen[start : start + BATCH], seen[:0])
        return (MINIBATCH - 1) // BATCH * BATCH

    def gradient() -> int:
        network.zero_grad(set_to_none=True)
        with autocast():
            logits, values = network(seen, seen[:0])
        (logits.float().square().mean() + values.float().square().mean()).backward()  # type: ignore[no-untyped-call]
        return MINIBATCH

    return {"forward": forward, "gradient": gradient}


def network_rates(rules: Rules, precision: torch.dtype) -> Iterator[Rate]:
    """Rates of both networks, job by job; prints what the rank network costs in times of the flat one."""
    seen = observations(rules)
    both = {
        name: jobs(build_network(form, observation_size(rules), 0, row_size(rules)), seen, precision)
        for name, form in FORMS.items()
    }
    for job in ("forward", "gradient"):
        rounds = [
            [
                measure(_name(rules, name, precision, job), "decisions", own[job], repeats=1)
                for name, own in both.items()
            ]
            for _ in range(REPEATS)
        ]
        costs = [flat.median / rank.median for rank, flat in rounds]
        low, high = min(costs), max(costs)
        print(f"{rounds[0][0].name:<58} {np.median(costs):.2f} times the flat one ({low:.2f} to {high:.2f})")
        for of_one in zip(*rounds, strict=True):
            speeds = [rate.median for rate in of_one]
            middle = float(np.median(speeds))
            yield Rate(of_one[0].name, "decisions", middle, min(speeds), max(speeds), REPEATS)


def _name(rules: Rules, network: str, precision: torch.dtype, job: str) -> str:
    return f"{rules.game} {rules.players}, {network}, {str(precision).removeprefix('torch.')}: {job}"


def main() -> list[Rate]:
    """Measure both in Classic with four players and Modern, in each number format."""
    torch.set_num_threads(1)
    return [
        rate
        for rules in (classic(4), modern_american())
        for precision in (torch.float32, torch.bfloat16)
        for rate in network_rates(rules, precision)
    ]


if __name__ == "__main__":
    print(report(main()))
