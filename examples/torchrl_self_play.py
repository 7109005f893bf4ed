"""TorchRL: PPO with action masks learns by playing itself through PettingZooWrapper.

python -m pip install -r tests/integrations/torchrl.txt .
python examples/torchrl_self_play.py                  # two minutes on one core
python examples/torchrl_self_play.py --iterations 2   # a look at what happens

The wrapper gives, for the group of all players and at every step, what each observes, `mask` (who is to act)
and `action_mask` (what is legal; all actions for those who are not to act). Values are followed over all
steps of a player; only the decisions of whoever is to act are learnt from.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value.functional import generalized_advantage_estimate

import canasta_env
from canasta_env.evaluation import points_per_deal

GAME, PLAYERS = "classic", 2
POINTS_PER_UNIT = 1_000  # PPO wants rewards near 1
GAMMA, LAMBDA = 1.0, 0.99
EPOCHS, MINIBATCH = 4, 256
OBSERVATION = ("players", "observation", "observation")


def make_env() -> PettingZooWrapper:
    """The PettingZoo environment, all its agents in one group."""
    env = canasta_env.raw_env(GAME, PLAYERS, scores="drawn")
    warnings.filterwarnings("ignore", message="PettingZoo in TorchRL")  # it was tested with an older release
    return PettingZooWrapper(env, use_mask=True, group_map={"players": env.possible_agents})


def make_learner(num_features: int, num_actions: int) -> tuple[ProbabilisticActor, ClipPPOLoss]:
    """One policy and one critic for all players, and their loss."""
    form = {"num_cells": [256, 256], "activation_class": torch.nn.ReLU}
    logits, value = MLP(num_features, num_actions, **form), MLP(num_features, 1, **form)
    actor = ProbabilisticActor(
        TensorDictModule(logits, [OBSERVATION], [("players", "logits")]),
        in_keys={"logits": ("players", "logits"), "mask": ("players", "action_mask")},
        out_keys=[("players", "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("players", "log_prob"),
    )
    critic = TensorDictModule(value, [OBSERVATION], [("players", "value")])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    names = {"action": "action", "sample_log_prob": "log_prob", "value": "value"}
    names |= {"advantage": "advantage", "value_target": "value_target"}
    loss.set_keys(**{ours: ("players", theirs) for ours, theirs in names.items()})
    return actor, loss


@torch.no_grad()
def find_decisions(steps: TensorDict, loss: ClipPPOLoss) -> TensorDict:
    """The decisions of a rollout, a row each, with advantages.

    Args:
        steps: What `env.rollout` returned, `(num_steps,)`.
        loss: Its critic values the steps.
    """
    values = loss.critic_network(steps.clone())["players", "value"]
    next_values = loss.critic_network(steps["next"].clone())["players", "value"]
    ending = steps["next", "players"]
    advantages, targets = generalized_advantage_estimate(
        GAMMA,
        LAMBDA,
        values,
        next_values,
        ending["reward"] / POINTS_PER_UNIT,
        ending["done"],
        ending["terminated"],
        time_dim=0,
    )
    acting = steps["players", "mask"]
    players = steps["players"].select("observation", "action", "action_mask", "log_prob")
    players.batch_size = acting.shape
    players["advantage"], players["value_target"] = advantages, targets
    rows = players[acting]
    return TensorDict({"players": rows}, batch_size=rows.batch_size)


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=15, help="rollouts with an update after each")
    parser.add_argument("--steps", type=int, default=1_500, help="decisions in a rollout")
    parser.add_argument("--deals", type=int, default=500, help="deals to measure with")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    env = make_env()
    env.set_seed(1)
    num_features = env.observation_spec[OBSERVATION].shape[-1]
    num_actions = env.observation_spec["players", "action_mask"].shape[-1]
    actor, loss = make_learner(num_features, num_actions)
    optimizer = torch.optim.Adam(loss.parameters(), 3e-4)

    @torch.no_grad()
    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen = {"observation": {"observation": torch.from_numpy(observations)}}
        logits = actor[0](TensorDict({"players": seen}, batch_size=[]))["players", "logits"]
        return logits.masked_fill(torch.from_numpy(masks) == 0, -torch.inf).argmax(dim=-1).numpy()

    print("before:", points_per_deal(choose, GAME, PLAYERS, deals=options.deals), flush=True)
    for _ in range(options.iterations):
        with torch.no_grad():
            steps = env.rollout(options.steps, actor, break_when_any_done=False)
        decisions = find_decisions(steps, loss)
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(decisions)).split(MINIBATCH):
                terms = loss(decisions[rows])
                optimizer.zero_grad()
                (terms["loss_objective"] + terms["loss_critic"] + terms["loss_entropy"]).backward()
                torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
    print("after: ", points_per_deal(choose, GAME, PLAYERS, deals=options.deals))


if __name__ == "__main__":
    main()
