"""PPO in one file, in the manner of CleanRL: PyTorch and the library, nothing between them.

python examples/cleanrl_style_ppo.py                       # two minutes on one core
python examples/cleanrl_style_ppo.py --decisions 8192      # a look at what happens
python examples/cleanrl_style_ppo.py --opponent heuristic  # learn against a rule-based player

One seat of Classic for two learns at many tables at once (Schulman et al. 2017, "Proximal Policy Optimization
Algorithms"; advantages as in Schulman et al. 2016). It reads from `main` on, in the order in which it runs.
What Canasta asks of it, compared with the usual single file:

- Illegal actions get no probability, where an action is drawn and where its probability is compared later.
- A deal is paid at its end only, in hundreds of points: rewards are divided by 1,000, and not discounted.
- Deals end by themselves and are never cut off, so the step after an end needs no value of its own.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import gymnasium
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from canasta_env.evaluation import points_per_deal

NAME = "canasta_env:canasta/ClassicSeat-v1"
GAME, PLAYERS = "classic", 2
POINTS_PER_UNIT = 1_000
GAMMA, LAMBDA = 1.0, 0.97
CLIP, VALUE_COEF, ENTROPY_COEF, MAX_GRAD_NORM = 0.2, 0.5, 0.01, 0.5
NO_LOGIT = -1e9  # of an illegal action: its probability is exactly 0


class Network(nn.Module):
    """A policy and a value on one trunk.

    Args:
        num_features: Size of an observation.
        num_actions: Size of a mask.
        width: Of the two hidden layers.
    """

    def __init__(self, num_features: int, num_actions: int, width: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(num_features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, num_actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)  # begin with nearly equal probabilities
        nn.init.zeros_(self.policy.bias)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the actions, `(n, num_actions)`, and values, `(n,)`, in thousands of points.

        Args:
            observations: `(n, num_features) float32`.
            masks: `(n, num_actions) int8`, 1 = legal.
        """
        hidden = self.trunk(observations)
        logits = self.policy(hidden).masked_fill(masks == 0, NO_LOGIT)
        return F.log_softmax(logits, dim=-1), self.value(hidden).squeeze(-1)


class Rollout(NamedTuple):
    """What the tables brought, `(num_steps, num_envs, ...)` each."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    rewards: Tensor
    dones: Tensor


def main() -> None:
    """Train, and measure before and after."""
    options = parse()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    opponent = None if options.opponent == "random" else options.opponent
    envs = gymnasium.make_vec(
        NAME,
        num_envs=options.num_envs,
        players=PLAYERS,
        opponents=opponent,
        scores="drawn",  # every opening minimum comes up
        autoreset_mode="SameStep",  # the step that ends a deal returns the first observation of the next
    )
    spaces = envs.single_observation_space
    network = Network(spaces["observation"].shape[0], spaces["action_mask"].shape[0], options.width)
    optimizer = torch.optim.Adam(network.parameters(), options.learning_rate, eps=1e-5)

    def measure() -> str:
        played = points_per_deal(likeliest(network), GAME, PLAYERS, deals=options.deals, opponents=opponent)
        return str(played)

    print("before:", measure(), flush=True)
    seen, _ = envs.reset(seed=options.seed)
    num_updates = max(1, options.decisions // (options.num_envs * options.num_steps))
    begun = time.perf_counter()
    for update in range(num_updates):
        optimizer.param_groups[0]["lr"] = options.learning_rate * (1 - update / num_updates)
        rollout, seen = collect(envs, network, seen, options.num_steps)
        learn(network, optimizer, rollout, next_values=values_of(network, seen), options=options)
        report(update, num_updates, rollout, time.perf_counter() - begun)
    print("after: ", measure())


@torch.no_grad()
def collect(
    envs: gymnasium.vector.VectorEnv, network: Network, seen: dict, num_steps: int
) -> tuple[Rollout, dict]:
    """Play `num_steps` decisions at every table; returns them and what is seen after the last."""
    steps = []
    for _ in range(num_steps):
        observations, masks = torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"])
        log_probs, values = network(observations, masks)
        actions = torch.multinomial(log_probs.exp(), 1)
        seen, rewards, terminations, truncations, _ = envs.step(actions.squeeze(-1).numpy())
        units = torch.from_numpy(rewards / POINTS_PER_UNIT).float()
        dones = torch.from_numpy(terminations | truncations)
        log_prob = log_probs.gather(-1, actions).squeeze(-1)
        steps.append((observations, masks, actions.squeeze(-1), log_prob, values, units, dones))
    return Rollout(*map(torch.stack, zip(*steps, strict=True))), seen


def advantages_of(rollout: Rollout, next_values: Tensor) -> Tensor:
    """Generalised advantages, `(num_steps, num_envs)`, by the recursion from the last step backwards."""
    advantages = torch.zeros_like(rollout.rewards)
    ahead = torch.zeros_like(next_values)
    for step in reversed(range(len(advantages))):
        goes_on = 1.0 - rollout.dones[step].float()
        surprise = rollout.rewards[step] + GAMMA * goes_on * next_values - rollout.values[step]
        ahead = surprise + GAMMA * LAMBDA * goes_on * ahead
        advantages[step], next_values = ahead, rollout.values[step]
    return advantages


def learn(
    network: Network,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    next_values: Tensor,
    options: argparse.Namespace,
) -> None:
    """Several passes over a rollout in minibatches."""
    advantages = advantages_of(rollout, next_values)
    targets = advantages + rollout.values
    rows = Rollout(*(tensor.flatten(0, 1) for tensor in rollout))
    advantages, targets = advantages.flatten(), targets.flatten()
    for _ in range(options.epochs):
        for chosen in torch.randperm(len(targets)).split(options.minibatch):
            batch = Rollout(*(tensor[chosen] for tensor in rows))
            loss = loss_of(network, batch, advantages[chosen], targets[chosen])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), MAX_GRAD_NORM)
            optimizer.step()


def loss_of(network: Network, batch: Rollout, advantages: Tensor, targets: Tensor) -> Tensor:
    """PPO's clipped loss, the values' error and an entropy that keeps the policy from settling early."""
    log_probs, values = network(batch.observations, batch.masks)
    log_prob = log_probs.gather(-1, batch.actions[:, None]).squeeze(-1)
    ratio = (log_prob - batch.log_probs).exp()
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    policy_loss = -torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
    value_loss = F.mse_loss(values, targets)
    entropy = -(log_probs.exp() * log_probs).sum(-1).mean()  # an illegal action adds 0
    return policy_loss + VALUE_COEF * value_loss - ENTROPY_COEF * entropy


@torch.no_grad()
def values_of(network: Network, seen: dict) -> Tensor:
    """What the network expects after the last step, `(num_envs,)`."""
    return network(torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"]))[1]


def likeliest(network: Network):
    """The policy as `points_per_deal` wants it."""

    @torch.no_grad()
    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        log_probs, _ = network(torch.from_numpy(observations), torch.from_numpy(masks))
        return log_probs.argmax(dim=-1).numpy()

    return choose


def report(update: int, num_updates: int, rollout: Rollout, seconds: float) -> None:
    """A line now and then: decisions, their pace, and what the deals of this rollout paid."""
    if update % max(1, num_updates // 12) and update != num_updates - 1:
        return
    decisions = (update + 1) * rollout.rewards.numel()
    ended = rollout.dones.sum().item()
    paid = rollout.rewards.sum().item() * POINTS_PER_UNIT / ended if ended else float("nan")
    print(
        f"{decisions:9,} decisions  {decisions / seconds:7,.0f} a second  {paid:+7,.0f} points a deal",
        flush=True,
    )


def parse() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opponent", default="random", help='"random", or the name of a player: "heuristic"')
    parser.add_argument("--decisions", type=int, default=700_000, help="the learner's, all tables together")
    parser.add_argument("--num-envs", type=int, default=64, help="tables that are played at side by side")
    parser.add_argument("--num-steps", type=int, default=128, help="decisions at a table between updates")
    parser.add_argument("--epochs", type=int, default=2, help="passes over each rollout")
    parser.add_argument("--minibatch", type=int, default=512, help="decisions in a gradient step")
    parser.add_argument(
        "--learning-rate", type=float, default=5e-4, help="falls to 0 in the course of training"
    )
    parser.add_argument("--width", type=int, default=256, help="of the hidden layers")
    parser.add_argument("--seed", type=int, default=1, help="of cards and weights")
    parser.add_argument("--deals", type=int, default=500, help="deals to measure with")
    return parser.parse_args()


if __name__ == "__main__":
    main()
