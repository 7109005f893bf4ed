"""Ray RLlib: PPO with action masks and one policy for all seats learns by playing itself.

RLlib 2.60 wants Gymnasium 1.2.2, so give it an environment of its own:

python -m venv rllib && rllib/bin/python -m pip install -r tests/integrations/rllib.txt .
rllib/bin/python examples/rllib_shared_policy.py                # two minutes on one core
rllib/bin/python examples/rllib_shared_policy.py --runners 8    # eight processes play, one learns

On several nodes: `ray start --head` on the first, `ray start --address=FIRST:6379` on the others, and then,
on the first, `--address auto --runners 64`. Ray spreads the runners over the nodes; the packages and this
checkout must be at the same place on each (or be sent along: `runtime_env` in Ray's manual).

RLlib's own masking module reads the keys `observations` and `action_mask`; the environment below renames
ours.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import canasta_env
from canasta_env.evaluation import points_per_deal

GAME, PLAYERS = "classic", 2
POINTS_PER_UNIT = 1_000  # PPO wants rewards near 1


class CanastaMultiAgentEnv(MultiAgentEnv):
    """The PettingZoo environment as RLlib sees it: only the agent to act observes."""

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.env = canasta_env.raw_env(GAME, PLAYERS, scores="drawn")
        self.possible_agents = list(self.env.possible_agents)
        self.agents = list(self.possible_agents)
        spaces = self.env.observation_space("player_0")
        renamed = gymnasium.spaces.Dict(
            {"observations": spaces["observation"], "action_mask": spaces["action_mask"]}
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, renamed)
        self.action_spaces = dict.fromkeys(self.possible_agents, self.env.action_space("player_0"))

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        """Deal, and show the first agent what it sees."""
        self.env.reset(seed=seed)
        return self._observe([self.env.agent_selection]), {}

    def step(self, actions: dict[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        """Play the action of the agent to act; at the deal's end all agents observe and are paid."""
        self.env.step(actions[self.env.agent_selection])
        is_over = all(self.env.terminations.values())
        agents = self.possible_agents if is_over else [self.env.agent_selection]
        rewards = {agent: self.env.rewards[agent] / POINTS_PER_UNIT for agent in agents}
        return self._observe(agents), rewards, {"__all__": is_over}, {"__all__": False}, {}

    def _observe(self, agents: list[str]) -> dict[str, dict[str, np.ndarray]]:
        seen = {}
        for agent in agents:
            observation = self.env.observe(agent)
            mask = observation["action_mask"]
            if not mask.any():  # at the end; the module takes the logarithm of the mask
                mask[:] = 1
            seen[agent] = {"observations": observation["observation"], "action_mask": mask}
        return seen


def configure(options: argparse.Namespace) -> PPOConfig:
    """PPO with one masked policy for every seat."""
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config={"fcnet_hiddens": [256, 256], "fcnet_activation": "relu"},
    )
    return (
        PPOConfig()
        .environment(CanastaMultiAgentEnv, disable_env_checking=True)  # the check plays without the mask
        .env_runners(num_env_runners=options.runners, batch_mode="complete_episodes")
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(
            gamma=1.0,
            lambda_=0.95,
            lr=3e-4,
            entropy_coeff=0.01,
            vf_clip_param=100.0,
            grad_clip=0.5,
            num_epochs=4,
            train_batch_size_per_learner=options.batch,
            minibatch_size=256,
        )
        .debugging(seed=1, log_level="ERROR")
    )


def node_of(runner: Any) -> str:
    """The node of Ray's cluster that a runner plays on."""
    return ray.get_runtime_context().get_node_id()


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=10, help="rollouts with an update after each")
    parser.add_argument("--batch", type=int, default=2_000, help="decisions in a rollout")
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0: the learner's own")
    parser.add_argument("--address", help='a Ray cluster, "auto" for the one of this machine')
    parser.add_argument("--deals", type=int, default=500, help="deals to measure with")
    options = parser.parse_args()
    torch.set_num_threads(1)
    ray.init(address=options.address, log_to_driver=False, include_dashboard=False)
    algorithm = configure(options).build_algo()
    if options.runners:
        nodes = algorithm.env_runner_group.foreach_env_runner(node_of, local_env_runner=False)
        print(f"{len(nodes)} runners on {len(set(nodes))} nodes", flush=True)

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen = {"observations": torch.from_numpy(observations), "action_mask": torch.from_numpy(masks)}
        with torch.inference_mode():
            logits = algorithm.get_module("shared").forward_inference({"obs": seen})["action_dist_inputs"]
        return logits.argmax(dim=-1).numpy()

    print("before:", points_per_deal(choose, GAME, PLAYERS, deals=options.deals), flush=True)
    for _ in range(options.iterations):
        algorithm.train()
    print("after: ", points_per_deal(choose, GAME, PLAYERS, deals=options.deals))
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
