"""A loss of your own: PPO's with one more term. Copy this file, change the term, and train with it.

python train.py --ppo.loss examples.custom_loss:ppo_with_pull

What a loss gets and returns: `ppo_loss` in canasta_agents/learning/ppo.py. See docs/training.md.
"""

from __future__ import annotations

import torch

from canasta_agents.learning.config import Ppo
from canasta_agents.learning.ppo import Metrics, Minibatch, ppo_loss
from canasta_agents.neural.distribution import masked_log_probs

PULL_COEF = 0.01


def ppo_with_pull(
    logits: torch.Tensor, values: torch.Tensor, batch: Minibatch, config: Ppo, entropy_coef: float
) -> tuple[torch.Tensor, Metrics]:
    """PPO's loss and a pull towards the uniform policy: KL(uniform, policy) over the legal actions.

    It grows without bound where a legal action loses all its probability; the entropy bonus does not.
    """
    loss, metrics = ppo_loss(logits, values, batch, config, entropy_coef)
    num_legal = batch.masks.sum(dim=1)
    log_probs = masked_log_probs(logits, batch.masks).masked_fill(batch.masks == 0, 0.0)
    pull = (-log_probs.sum(dim=1) / num_legal - num_legal.log()).mean()
    return loss + PULL_COEF * pull, metrics | {"pull": pull}
