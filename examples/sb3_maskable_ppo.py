"""Stable-Baselines3: MaskablePPO learns to play one seat against random players.

python -m pip install -r tests/integrations/sb3.txt .
python examples/sb3_maskable_ppo.py                 # two minutes on one core
python examples/sb3_maskable_ppo.py --steps 4000    # a look at what happens

MaskablePPO asks the environment for `action_masks()`, which `CanastaSeatEnv` has. A deal is paid at its end
in points, in the hundreds or thousands; PPO wants numbers near 1, so rewards are divided by 1,000.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from canasta_env.evaluation import Choose, points_per_deal

NAME = "canasta_env:canasta/ClassicSeat-v1"
GAME, PLAYERS = "classic", 2
NUM_ENVS, POINTS_PER_UNIT = 8, 1_000


def make_env() -> gymnasium.Env:
    """One seat at one table, the other played at random; rewards in thousands of points."""
    env = gymnasium.make(NAME, players=PLAYERS, scores="drawn")
    return gymnasium.wrappers.TransformReward(env, lambda points: points / POINTS_PER_UNIT)


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=150_000, help="decisions of the learner")
    parser.add_argument("--deals", type=int, default=500, help="deals to measure with")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model, choose = build(make_env)
    print("before:", points_per_deal(choose, GAME, PLAYERS, deals=options.deals), flush=True)
    model.learn(options.steps)
    print("after: ", points_per_deal(choose, GAME, PLAYERS, deals=options.deals))


def build(make_env: Callable[[], gymnasium.Env]) -> tuple[MaskablePPO, Choose]:
    """The learner, and its policy as `points_per_deal` wants it."""
    model = MaskablePPO(
        "MultiInputPolicy",  # for observations that are dicts
        DummyVecEnv([make_env] * NUM_ENVS),
        n_steps=256,
        batch_size=256,
        n_epochs=4,
        gamma=1.0,  # a deal ends by itself, and points count the same whenever they are made
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256]},
        seed=1,
    )

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen = {"observation": observations, "action_mask": masks}
        actions, _ = model.predict(seen, action_masks=masks, deterministic=True)
        return actions

    return model, choose


if __name__ == "__main__":
    main()
