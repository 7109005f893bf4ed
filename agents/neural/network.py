"""The policy and its critic: one network form for all games."""

from __future__ import annotations

import math

import torch
from torch import nn

from canasta_agents.neural.config import Network
from canasta_env.actions import NUM_ACTIONS


class PolicyNetwork(nn.Module):
    """Fully connected layers over a binary observation; a head for the actions and one for the value.

    Layers are normalised (Ba et al. 2016) and, after the first, add to their input (He et al. 2016): with a
    quarter of the observation's entries 1 at a time, plain layers bear only a third of the step size.

    Values are learnt in units of `value_scale` points, so that losses stay near 1 whatever the game pays
    (van Hasselt et al. 2016, without the shift: points are zero-sum, their mean over the seats is 0).

    Args:
        config: Sizes and kind of critic.
        observation_size: Entries of an observation.
        critic_size: Entries of what the critic sees; only read if the critic is privileged.
    """

    value_scale: torch.Tensor

    def __init__(self, config: Network, observation_size: int, critic_size: int = 0) -> None:
        super().__init__()
        self.config = config
        self.observation_size = observation_size
        self.critic_size = critic_size if config.critic == "privileged" else observation_size
        self.policy_layers = _hidden_layers(config, observation_size)
        self.policy_head = _linear(config.width, NUM_ACTIONS, gain=0.01)
        self.critic_layers = None if config.critic == "shared" else _hidden_layers(config, self.critic_size)
        self.value_head = _linear(config.width, 1, gain=0.1)
        self.register_buffer("value_scale", torch.ones(()))

    def forward(
        self, observations: torch.Tensor, critic_states: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Score actions and value the positions.

        Args:
            observations: `(n, observation_size) int8`.
            critic_states: `(n, critic_size) int8`; only read if the critic is privileged.

        Returns:
            Logits `(n, NUM_ACTIONS)`, not masked, and values `(n,)` in units of `value_scale` points.
        """
        seen = observations.float()
        features = self.policy_layers(seen)
        if self.critic_layers is None:
            judged = features
        else:
            judged = self.critic_layers(critic_states.float() if self.config.critic == "privileged" else seen)
        return self.policy_head(features), self.value_head(judged).squeeze(-1)

    def logits(self, observations: torch.Tensor) -> torch.Tensor:
        """Score actions only: `(n, observation_size) int8` -> `(n, NUM_ACTIONS)`."""
        scores: torch.Tensor = self.policy_head(self.policy_layers(observations.float()))
        return scores

    def rescale_values(self, points: float) -> None:
        """Change the unit of the values to `points`; the values in points stay what they were."""
        with torch.no_grad():
            ratio = self.value_scale / points
            self.value_head.weight.mul_(ratio)
            self.value_head.bias.mul_(ratio)
            self.value_scale.fill_(points)


class _Block(nn.Module):
    """x + ReLU(W norm(x))."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = _linear(width, width, gain=math.sqrt(2))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        added: torch.Tensor = torch.relu(self.linear(self.norm(inputs)))
        return inputs + added


def _hidden_layers(config: Network, size: int) -> nn.Sequential:
    """The layers between an observation of `size` entries and the heads."""
    first = [_linear(size, config.width, gain=math.sqrt(2)), nn.LayerNorm(config.width), nn.ReLU()]
    blocks = [_Block(config.width) for _ in range(config.layers - 1)]
    return nn.Sequential(*first, *blocks, nn.LayerNorm(config.width))


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A layer with orthogonal weights and no bias at first (Saxe et al. 2014)."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
