"""The update of proximal policy optimisation (Schulman et al. 2017), from decisions to better weights."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from canasta_agents.learning.config import Ppo
from canasta_agents.learning.distribution import entropies, masked_log_probs
from canasta_agents.learning.machine import Machine
from canasta_agents.learning.network import PolicyNetwork
from canasta_agents.learning.rollouts.decisions import Columns
from canasta_agents.learning.updates.descent import Descent, Means
from canasta_agents.learning.updates.estimates import Estimates
from canasta_agents.learning.updates.minibatches import ColumnTensors, Minibatch, shuffled


def clipped_policy_loss(
    log_probs: torch.Tensor, old_log_probs: torch.Tensor, advantages: torch.Tensor, clip: float
) -> torch.Tensor:
    """The clipped surrogate, negated (equation 7 of the paper): -E min(r A, clip(r, 1 ± epsilon) A).

    Args:
        log_probs: `(n,)` log-probabilities of the actions now.
        old_log_probs: `(n,)` the same when they were drawn.
        advantages: `(n,)`.
        clip: epsilon.
    """
    r = (log_probs - old_log_probs).exp()
    A = advantages
    return -torch.min(r * A, r.clamp(1 - clip, 1 + clip) * A).mean()


def value_loss(
    values: torch.Tensor, old_values: torch.Tensor, returns: torch.Tensor, clip: float
) -> torch.Tensor:
    """Half the mean squared error; with `clip` above 0, no value gains by leaving the old one far behind.

    Args:
        values: `(n,)` in units of the value scale, like all arguments.
        old_values: `(n,)` when the actions were drawn.
        returns: `(n,)`.
        clip: How far a value may move before its gradient stops; 0: any way.
    """
    errors = (values - returns).square()
    if clip > 0:
        near = old_values + (values - old_values).clamp(-clip, clip)
        errors = torch.max(errors, (near - returns).square())
    return 0.5 * errors.mean()


def estimate_kl(log_probs: torch.Tensor, old_log_probs: torch.Tensor) -> torch.Tensor:
    """KL divergence (nats) of the new policy from the old one, by the old actions: E (r - 1) - log r ≥ 0."""
    log_r = log_probs - old_log_probs
    return (log_r.exp() - 1 - log_r).mean()


class PpoUpdate:
    """Learns from one rollout after another.

    Args:
        network: Changed by `learn`.
        shared: The same network to be called, as `Group.shared` gives it.
        descent: Its optimiser.
        columns: Where the rollouts' decisions stand.
        settings: Weights and clips.
        machine: Number format and device.
        rng: Draws the minibatches.
    """

    def __init__(
        self,
        network: PolicyNetwork,
        shared: nn.Module,
        descent: Descent,
        columns: Columns,
        settings: Ppo,
        machine: Machine,
        rng: np.random.Generator,
    ) -> None:
        self._network = network
        self._shared = shared
        self._descent = descent
        self._settings = settings
        self._machine = machine
        self._rng = rng
        self._columns = ColumnTensors(columns, machine)

    def learn(self, estimates: Estimates, entropy_weight: float) -> dict[str, float]:
        """Go through the decisions some times; returns the metrics of docs/metrics.md under `learn/`.

        Raises:
            DivergedError: If a loss is not finite.
        """
        means, group, settings = Means(), self._machine.group, self._settings
        advantages = torch.from_numpy(estimates.normalised_advantages(group))
        returns = torch.from_numpy(estimates.returns)
        epochs = 0
        for epoch in shuffled(estimates.rows, settings.minibatch, settings.epochs, self._rng, group):
            moved = Means()
            for part in epoch:
                kl = self._learn_minibatch(
                    part, advantages[part.rows], returns[part.rows], entropy_weight, means
                )
                moved.add(kl=kl)
            epochs += 1
            if 0 < settings.max_kl < moved.read(group)["kl"]:
                break
        return {**{f"learn/{name}": mean for name, mean in means.read(group).items()}, "learn/epochs": epochs}

    def _learn_minibatch(
        self,
        part: Minibatch,
        advantages: torch.Tensor,
        returns: torch.Tensor,
        entropy_weight: float,
        means: Means,
    ) -> torch.Tensor:
        """One gradient step; returns how far the policy had moved before it (KL, nats)."""
        settings, scale, take = self._settings, self._network.value_scale, self._columns.take
        rows = part.rows
        with self._machine.autocast():
            logits, values = self._shared(take("observations", rows), take("critic_states", rows))
        log_probs = masked_log_probs(logits, take("masks", rows))
        drawn = log_probs.gather(1, take("actions", rows)[:, None]).squeeze(1)
        old = take("log_probs", rows)
        policy = clipped_policy_loss(drawn, old, self._columns.to_device(advantages), settings.clip)
        old_values, targets = take("values", rows) / scale, self._columns.to_device(returns) / scale
        value = value_loss(values.float(), old_values, targets, settings.value_clip)
        entropy = entropies(log_probs).mean()
        loss = policy + settings.value_weight * value - entropy_weight * entropy
        norm = self._descent.step(part.weight * loss)
        with torch.no_grad():
            kl = estimate_kl(drawn, old)
            is_clipped = ((drawn - old).exp() - 1).abs() > settings.clip
        means.add(
            policy_loss=policy,
            value_loss=value,
            entropy=entropy,
            kl=kl,
            clip_fraction=is_clipped.float().mean(),
            gradient_norm=norm,
        )
        return kl
