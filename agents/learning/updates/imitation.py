"""A start from a reference player: its choices are learnt, at its own games and at the learner's.

Asking the teacher in the learner's own games is what keeps errors from adding up (Ross et al. 2011).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from canasta_agents.learning.config import Imitation
from canasta_agents.learning.distribution import entropies, masked_log_probs
from canasta_agents.learning.machine import Machine
from canasta_agents.learning.network import PolicyNetwork
from canasta_agents.learning.rollouts.decisions import Columns
from canasta_agents.learning.updates.descent import Descent, Means
from canasta_agents.learning.updates.estimates import Estimates
from canasta_agents.learning.updates.minibatches import ColumnTensors, Minibatch, shuffled
from canasta_agents.learning.updates.ppo import value_loss


def imitation_loss(log_probs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    """Cross-entropy (nats) of the teacher's choices.

    Args:
        log_probs: `(n, num_actions)` over the legal actions.
        actions: `(n,) int64`, the teacher's.
    """
    return -log_probs.gather(1, actions[:, None]).mean()


class ImitationUpdate:
    """Learns a teacher's choices from one rollout after another.

    Args:
        network: Changed by `learn`.
        shared: The same network to be called, as `Group.shared` gives it.
        descent: Its optimiser.
        columns: Where the rollouts' decisions stand; `actions` are the teacher's.
        settings: Size of a minibatch and weight of the value loss.
        machine: Number format and device.
        rng: Draws the minibatches.
    """

    def __init__(
        self,
        network: PolicyNetwork,
        shared: nn.Module,
        descent: Descent,
        columns: Columns,
        settings: Imitation,
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

    def learn(self, estimates: Estimates) -> dict[str, float]:
        """Go through the decisions once; returns the metrics of docs/metrics.md under `imitate/`.

        Raises:
            DivergedError: If a loss is not finite.
        """
        means = Means()
        returns = torch.from_numpy(estimates.returns)
        group = self._machine.group
        for epoch in shuffled(estimates.rows, self._settings.minibatch, 1, self._rng, group):
            for part in epoch:
                self._learn_minibatch(part, self._columns.to_device(returns[part.rows]), means)
        return {f"imitate/{name}": mean for name, mean in means.read(group).items()}

    def _learn_minibatch(self, part: Minibatch, returns: torch.Tensor, means: Means) -> None:
        take, scale, rows = self._columns.take, self._network.value_scale, part.rows
        with self._machine.autocast():
            logits, values = self._shared(take("observations", rows), take("critic_states", rows))
        log_probs = masked_log_probs(logits, take("masks", rows))
        actions = take("actions", rows)
        choice = imitation_loss(log_probs, actions)
        value = value_loss(values.float(), take("values", rows) / scale, returns / scale, clip=0)
        norm = self._descent.step(part.weight * (choice + self._settings.value_weight * value))
        with torch.no_grad():
            agreement = (log_probs.argmax(1) == actions).float().mean()
            entropy = entropies(log_probs).mean()
        means.add(loss=choice, value_loss=value, agreement=agreement, entropy=entropy, gradient_norm=norm)
