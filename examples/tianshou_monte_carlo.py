"""Tianshou: a value network learns seat 0 against a random player through PettingZooEnv.

python -m venv tianshou && tianshou/bin/python -m pip install -r tests/integrations/tianshou.txt .
tianshou/bin/python examples/tianshou_monte_carlo.py               # a minute on one core
tianshou/bin/python examples/tianshou_monte_carlo.py --steps 600   # a look at what happens

In Tianshou's buffers the step after a player's decision belongs to whoever acts next, so the usual target,
the value of the next step, would be another player's. The horizon below is longer than a deal: a decision's
target is what the deal brought in the end (Monte Carlo), as in Zha et al. 2021, "DouZero".
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import canasta_env
from canasta_env.evaluation import points_per_deal

GAME, PLAYERS = "classic", 2
NUM_ENVS, BUFFER_STEPS, COLLECTED_STEPS = 8, 60_000, 800
POINTS_PER_UNIT = 1_000  # networks want targets near 1
HORIZON = 400  # steps; longer than a deal


class PaidEnv(PettingZooEnv):
    """Tianshou's wrapper with rewards in thousands of points, a new array each step."""

    def step(self, action: Any) -> tuple[dict, np.ndarray, bool, bool, dict]:
        """Play an action; the wrapper returns one and the same list of rewards each time."""
        observation, rewards, terminated, truncated, _ = super().step(action)
        return observation, np.array(rewards) / POINTS_PER_UNIT, terminated, truncated, {}


def make_env() -> PaidEnv:
    """The PettingZoo environment as Tianshou sees it."""
    return PaidEnv(canasta_env.raw_env(GAME, PLAYERS, scores="drawn"))


def make_learner(env: PaidEnv) -> DQN:
    """A network that values each action."""
    spaces = env.observation_space
    network = Net(
        state_shape=spaces["observation"].shape, action_shape=env.action_space.n, hidden_sizes=[256, 256]
    )
    policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_training=0.1)
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=3e-4), gamma=1.0, n_step_return_horizon=HORIZON)


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20_000, help="decisions of both players")
    parser.add_argument("--deals", type=int, default=500, help="deals to measure with")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    np.random.seed(1)  # Tianshou explores with it
    env = make_env()
    learner = make_learner(env)
    others = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in range(1, PLAYERS)]
    players = MultiAgentOffPolicyAlgorithm(algorithms=[learner, *others], env=env)

    @torch.no_grad()
    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        values, _ = learner.policy.model(observations)
        return values.masked_fill(torch.from_numpy(masks) == 0, -torch.inf).argmax(dim=-1).numpy()

    print("before:", points_per_deal(choose, GAME, PLAYERS, deals=options.deals), flush=True)
    tables = DummyVectorEnv([make_env] * NUM_ENVS)
    collector = Collector(players, tables, VectorReplayBuffer(BUFFER_STEPS, NUM_ENVS), exploration_noise=True)
    collector.reset()
    players.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=options.steps,
            collection_step_num_env_steps=min(COLLECTED_STEPS, options.steps),
            batch_size=256,
            update_step_num_gradient_steps_per_sample=1 / 32,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            verbose=False,
            show_progress=False,
        )
    )
    print("after: ", points_per_deal(choose, GAME, PLAYERS, deals=options.deals))


if __name__ == "__main__":
    main()
