"""The network: what training, agents and export ask of one, and the one that is used unless another is named.

A network of your own is a class in a file of yours, named by `--network.custom module:Class`. It is a
subclass of `ActorCritic` with

- a constructor `(config, observation_size, critic_size)` that passes them on to that of `ActorCritic`;
- `forward(observations, critic_states)`, as described there: logits `(n, NUM_ACTIONS)`, values `(n,)`;
- `value_head`, an `nn.Linear` whose output is the value: values are learnt in units of `value_scale` points,
  and where the unit changes, `rescale_values` changes that layer. A network whose values come from elsewhere
  has a `rescale_values` of its own.

examples/custom_network.py is a whole one.
"""

from __future__ import annotations

import math

import torch
from torch import nn

from canasta_agents.config_checks import ConfigError, import_named
from canasta_agents.neural.config import Network
from canasta_env.actions import NUM_ACTIONS


class ActorCritic(nn.Module):
    """Base class of networks that score actions and value positions.

    Values are learnt in units of `value_scale` points, so that losses stay near 1 whatever the game pays
    (van Hasselt et al. 2016, without the shift: points are zero-sum, their mean over the seats is 0).

    Args:
        config: The section `network` of the run's config.
        observation_size: Entries of an observation.
        critic_size: Entries of what the critic sees; only read if the critic is privileged.
    """

    value_scale: torch.Tensor  # () points; stored with the weights

    def __init__(self, config: Network, observation_size: int, critic_size: int = 0) -> None:
        super().__init__()
        self.config = config
        self.observation_size = observation_size
        self.critic_size = critic_size if config.critic == "privileged" else observation_size
        self.register_buffer("value_scale", torch.ones(()))

    def forward(
        self, observations: torch.Tensor, critic_states: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Score actions and value the positions.

        Args:
            observations: `(n, observation_size) int8`.
            critic_states: `(n, critic_size) int8`, the view with the hidden cards, if the critic is
                privileged; not to be read otherwise.

        Returns:
            Logits `(n, NUM_ACTIONS)`, not masked, and values `(n,)` in units of `value_scale` points.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method forward")

    def logits(self, observations: torch.Tensor) -> torch.Tensor:
        """Score actions only: `(n, observation_size) int8` -> `(n, NUM_ACTIONS)`. They play by this."""
        unseen = observations.new_zeros((observations.shape[0], self.critic_size))
        scores: torch.Tensor = self(observations, unseen)[0]
        return scores

    def rescale_values(self, points: float) -> None:
        """Change the unit of the values to `points`; the values in points stay what they were."""
        head = getattr(self, "value_head", None)
        if not isinstance(head, nn.Linear):
            raise TypeError(
                f"{type(self).__name__} needs an nn.Linear `value_head`, or a `rescale_values` of its own"
            )
        with torch.no_grad():
            ratio = self.value_scale / points
            head.weight.mul_(ratio)
            if head.bias is not None:
                head.bias.mul_(ratio)
            self.value_scale.fill_(points)


class PolicyNetwork(ActorCritic):
    """Fully connected layers over a binary observation; a head for the actions and one for the value.

    Layers are normalised (Ba et al. 2016) and, after the first, add to their input (He et al. 2016): with a
    quarter of the observation's entries 1 at a time, plain layers bear only a third of the step size.

    Args:
        config: Sizes and kind of critic.
        observation_size: Entries of an observation.
        critic_size: Entries of what the critic sees; only read if the critic is privileged.
    """

    def __init__(self, config: Network, observation_size: int, critic_size: int = 0) -> None:
        super().__init__(config, observation_size, critic_size)
        self.policy_layers = _hidden_layers(config, observation_size)
        self.policy_head = _linear(config.width, NUM_ACTIONS, gain=0.01)
        self.critic_layers = None if config.critic == "shared" else _hidden_layers(config, self.critic_size)
        self.value_head = _linear(config.width, 1, gain=0.1)

    def forward(
        self, observations: torch.Tensor, critic_states: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `ActorCritic.forward`."""
        seen = observations.float()
        features = self.policy_layers(seen)
        if self.critic_layers is None:
            return self.policy_head(features), self.value_head(features).squeeze(-1)
        critic_inputs = critic_states.float() if self.config.critic == "privileged" else seen
        return self.policy_head(features), self.value_head(self.critic_layers(critic_inputs)).squeeze(-1)

    def logits(self, observations: torch.Tensor) -> torch.Tensor:
        """See `ActorCritic.logits`."""
        scores: torch.Tensor = self.policy_head(self.policy_layers(observations.float()))
        return scores


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


def build_network(config: Network, observation_size: int, critic_size: int = 0) -> ActorCritic:
    """A new network of the class and sizes that a config names.

    Args:
        config: What is wanted.
        observation_size: Entries of an observation.
        critic_size: Entries of what the critic sees; only read if the critic is privileged.

    Raises:
        ConfigError: If `network.custom` names no network that can be trained: says what it lacks.
    """
    if not config.custom:
        return PolicyNetwork(config, observation_size, critic_size)
    kind = import_named(config.custom, "network.custom")
    if not (isinstance(kind, type) and issubclass(kind, ActorCritic)):
        raise ConfigError(
            f"network.custom: {config.custom!r} must be a subclass of {ActorCritic.__module__}.ActorCritic"
        )
    network = kind(config, observation_size, critic_size)
    _require_outputs(network)
    return network


def _require_outputs(network: ActorCritic) -> None:
    """Try a network out on two empty observations; its weights stay what they are.

    Raises:
        ConfigError: If the outputs have other shapes than `ActorCritic.forward` says.
    """
    sizes = (network.observation_size, network.critic_size)
    empty = [torch.zeros((2, size), dtype=torch.int8) for size in sizes]
    was_training = network.training
    with torch.no_grad():
        logits, values = network.eval()(*empty)
    network.train(was_training)
    shapes, wanted = (tuple(logits.shape), tuple(values.shape)), ((2, NUM_ACTIONS), (2,))
    if shapes != wanted:
        raise ConfigError(
            f"network.custom: {network.config.custom!r} gives logits and values of shapes {shapes} for two "
            f"observations; they must be {wanted}"
        )
    network.rescale_values(float(network.value_scale))  # changes nothing, but has to be possible
