"""A network of your own: copy this file, change `forward`, and train it.

python train.py --network.custom examples.custom_network:MaxoutNetwork --network.width 64

What a network class must have: the docstring of canasta_agents/neural/network.py. See docs/training.md.
"""

from __future__ import annotations

import torch
from torch import nn

from canasta_agents.neural.config import Network
from canasta_agents.neural.network import ActorCritic
from canasta_env.actions import NUM_ACTIONS

PIECES = 4  # linear functions of which a unit takes the largest


class MaxoutNetwork(ActorCritic):
    """One hidden layer of maxout units (Goodfellow et al. 2013) below both heads."""

    def __init__(self, config: Network, observation_size: int, critic_size: int) -> None:
        super().__init__(config, observation_size, critic_size)
        self.pieces = nn.Linear(observation_size, config.width * PIECES)
        self.norm = nn.LayerNorm(config.width)
        self.policy_head = nn.Linear(config.width, NUM_ACTIONS)
        self.value_head = nn.Linear(config.width, 1)

    def forward(
        self, observations: torch.Tensor, critic_states: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits `(n, NUM_ACTIONS)` and values `(n,)` for observations `(n, observation_size)`."""
        pieces = self.pieces(observations.float()).unflatten(1, (-1, PIECES))
        features = self.norm(pieces.amax(dim=2))
        return self.policy_head(features), self.value_head(features).squeeze(1)
