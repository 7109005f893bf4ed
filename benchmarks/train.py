"""Decisions a second of training, beside what its network alone would allow.

    python -m benchmarks.train [configs/NAME.toml] [--section.key value ...]

The bound comes from two rates of the same run: the network's forward pass over a batch of observations, and
gradient steps on a minibatch. A decision costs one forward pass and `ppo.num_epochs` gradient passes. Where
the rest of the time goes is measured part by part. Beside it, where it is installed, MaskablePPO of
stable-baselines3 on the one-seat environment.
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from canasta_agents.processes import wait_passively

wait_passively()

import numpy as np  # noqa: E402
import torch  # noqa: E402

from benchmarks.measure import Rate, measure, report  # noqa: E402
from canasta_agents.learning.cli import parse  # noqa: E402
from canasta_agents.learning.config import Config  # noqa: E402
from canasta_agents.learning.distributed import prepare_device  # noqa: E402
from canasta_agents.learning.gae import compute_targets  # noqa: E402
from canasta_agents.learning.trainer import build_trainer  # noqa: E402
from canasta_agents.neural.distribution import masked_log_probs, sample_actions  # noqa: E402

UPDATES = 4  # in one repeat
REPEATS = 5
SB3_DECISIONS = 4_096


def self_play_alone(config: Config) -> Config:
    """The run without imitation, opponents and measurements, which would be measured along."""
    return dataclasses.replace(
        config,
        imitation=dataclasses.replace(config.imitation, share=0.0),
        opponents=dataclasses.replace(config.opponents, self_play=1.0, past=0.0, reference=0.0),
        evaluation=dataclasses.replace(config.evaluation, measurements=0),
        ppo=dataclasses.replace(config.ppo, target_kl=0.0),
        run=dataclasses.replace(config.run, decisions=1 << 40),
    )


class TrainingBenchmark:
    """A trainer and its parts, to be timed."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.config = config
        self.device = prepare_device(config.run)
        self.trainer = build_trainer(config, folder, self.device)
        self.trainer.advance()  # compiles, and leaves decisions to work on
        self.arrays = self.trainer.collector.arrays
        self.rows = compute_targets(self.trainer.collector, config.ppo).rows

    def train(self) -> int:
        """Whole updates, as `train.py` makes them."""
        before = self.trainer.progress.decisions
        for _ in range(UPDATES):
            self.trainer.advance()
        return self.trainer.progress.decisions - before

    def forward(self) -> int:
        """The network's forward pass on a batch of one row a table."""
        num = self.config.rollout.tables
        observations = torch.from_numpy(self.arrays.observations[self.rows[:num]])
        critic_states = torch.from_numpy(self.arrays.critic_states[self.rows[:num]])
        with self.device.autocast(), torch.inference_mode():
            for _ in range(20):
                self.trainer.network(observations, critic_states)
        return 20 * num

    def gradients(self) -> int:
        """Forward and backward pass and Adam's step on one minibatch, with the plainest loss."""
        num = min(self.config.ppo.minibatch_size, len(self.rows))
        observations = torch.from_numpy(self.arrays.observations[self.rows[:num]])
        critic_states = torch.from_numpy(self.arrays.critic_states[self.rows[:num]])
        network, optimizer = self.trainer.network, self.trainer.optimizer
        optimizer.set_learning_rate(0.0)
        for _ in range(4):
            with self.device.autocast():
                logits, values = network(observations, critic_states)
            optimizer.step(logits.float().square().mean() + values.float().square().mean())
        return 4 * num

    def engine(self) -> int:
        """Tables stepped with random actions: masks, views, observations. Counts the learner's decisions."""
        tables = self.trainer.make_tables(self.config.rollout.tables, 7)
        rng, decisions = np.random.default_rng(0), 0
        for _ in range(40):
            weights = rng.random(tables.masks.shape) * tables.masks
            decisions += int((tables.masks.sum(axis=1) > 1).sum())
            tables.observations  # noqa: B018
            tables.step(weights.argmax(axis=1))
        return decisions

    def sampling(self) -> int:
        """Actions drawn and their log-probabilities."""
        num = min(len(self.rows), 4_096)
        logits = np.random.default_rng(0).random((num, self.arrays.masks.shape[1]), np.float32)
        masks, uniforms = self.arrays.masks[self.rows[:num]], np.random.default_rng(1).random(num)
        sample_actions(logits, masks, uniforms, np.empty(num, np.int64), np.empty(num, np.float32))
        return num

    def gathering(self) -> int:
        """A minibatch's rows gathered from the rollout."""
        num = min(self.config.ppo.minibatch_size, len(self.rows))
        rows = torch.from_numpy(np.random.default_rng(0).permutation(self.rows)[:num])
        for array in (self.arrays.observations, self.arrays.masks):
            torch.from_numpy(array).index_select(0, rows)
        return num

    def losses(self) -> int:
        """Masked log-probabilities of a minibatch, forwards and backwards."""
        num = min(self.config.ppo.minibatch_size, len(self.rows))
        logits = torch.zeros(num, self.arrays.masks.shape[1], requires_grad=True)
        masked_log_probs(logits, torch.from_numpy(self.arrays.masks[self.rows[:num]]))[:, 0].sum().backward()
        return num


def training_rates(config: Config) -> list[Rate]:
    """Measure one config; prints the bound, the ratio, and where the time goes."""
    epochs = config.ppo.num_epochs
    with tempfile.TemporaryDirectory() as folder:
        benchmark = TrainingBenchmark(self_play_alone(config), Path(folder))
        form = config.network
        name = f"{config.game.name} {config.game.players}, {form.layers}x{form.width}"

        def timed(what: str, run: Callable[[], int]) -> Rate:
            rate = measure(f"{name}: {what}", "decisions", run, REPEATS)
            print(rate, flush=True)
            return rate

        training = timed("training", benchmark.train)
        forward = timed("forward pass alone", benchmark.forward)
        gradients = timed("gradient steps alone", benchmark.gradients)
        parts = [
            timed("engine, masks and observations", benchmark.engine),
            timed("sampling", benchmark.sampling),
            timed("gathering minibatches", benchmark.gathering),
            timed("losses", benchmark.losses),
        ]
        benchmark.trainer.close()
    bound = 1 / (1 / forward.median + epochs / gradients.median)
    print(f"{'bound by the network, ' + str(epochs) + ' epochs':<58} {bound:>13,.0f} decisions/s")
    print(f"{'training reaches':<58} {training.median / bound:>13.0%} of it")
    for part, times in zip(parts, (1, 1, epochs, epochs), strict=True):
        share = times * training.median / part.median
        print(f"  {part.name.partition(': ')[2]:<56} {share:>13.1%} of the time, on one core")
    return [training, forward, gradients, *parts]


def maskable_ppo_rates(config: Config) -> list[Rate]:
    """MaskablePPO on the one-seat environment, as it comes and with our sizes, if it is installed."""
    try:
        from sb3_contrib import MaskablePPO
    except ImportError:
        return []
    from canasta_env.envs.single_agent import CanastaSeatEnv

    rates = []
    own = {
        "n_steps": SB3_DECISIONS,
        "batch_size": config.ppo.minibatch_size,
        "n_epochs": config.ppo.num_epochs,
        "policy_kwargs": {"net_arch": [config.network.width] * config.network.layers},
    }
    for what, options in (("its defaults", {}), ("our sizes", own)):
        env = CanastaSeatEnv(config.game.name, config.game.players)
        model = MaskablePPO("MultiInputPolicy", env, device="cpu", **options)

        def learn(model: MaskablePPO = model) -> int:
            start = model.num_timesteps
            model.learn(SB3_DECISIONS, reset_num_timesteps=False)
            return int(model.num_timesteps - start)

        rates.append(measure(f"MaskablePPO, {what}, for comparison", "decisions", learn, repeats=2))
        print(rates[-1], flush=True)
    return rates


def main(argv: Sequence[str] = ()) -> list[Rate]:
    """Measure the config that the arguments name, as `train.py` reads them; the default run without any."""
    started = time.perf_counter()
    config = parse(list(argv)).config
    rates = [*training_rates(config), *maskable_ppo_rates(config)]
    print(f"measured in {time.perf_counter() - started:.0f} s")
    return rates


if __name__ == "__main__":
    print(report(main(sys.argv[1:])))
