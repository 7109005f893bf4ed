"""The network: what training, agents and export ask of one, and the two that a config can name.

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

from canasta_agents.config_checks import ConfigError, import_named, refusing_faults, require_memory
from canasta_agents.neural.config import Network
from canasta_env.actions import NUM_ACTIONS
from canasta_env.cards import NUM_RANKS
from canasta_env.engine.layout import OTHER_ACTIONS, RANK_ACTIONS

_TRAINED_BYTES = 16  # of a weight while it is trained: itself, its gradient, and Adam's two moments


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


class FlatNetwork(ActorCritic):
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
        seen = _as_numbers(observations)
        features = self.policy_layers(seen)
        if self.critic_layers is None:
            return self.policy_head(features), self.value_head(features).squeeze(-1)
        critic_inputs = _as_numbers(critic_states) if self.config.critic == "privileged" else seen
        return self.policy_head(features), self.value_head(self.critic_layers(critic_inputs)).squeeze(-1)

    def logits(self, observations: torch.Tensor) -> torch.Tensor:
        """See `ActorCritic.logits`."""
        scores: torch.Tensor = self.policy_head(self.policy_layers(_as_numbers(observations)))
        return scores


class RankNetwork(ActorCritic):
    """Layers that are shared by the ranks: what it learns of one rank it knows of all.

    Each rank's row of features, with a bias of the rank's own, goes through the same layer (as in Deep
    Sets, Zaheer et al. 2017). Mean and maximum over the ranks join the features that belong to no rank in a
    trunk of the form of `FlatNetwork`'s layers; with `config.rows_in_trunk` the rows themselves join it too,
    so that it can tell the ranks apart. What the trunk has found is added to every row, and each
    rank's actions are read from its row, the others from the trunk and the mean of the rows.

    Args:
        config: Sizes and kind of critic.
        observation_size: Entries of an observation; its first `NUM_RANKS * row_size` are the rows.
        critic_size: Entries of what the critic sees; only read if the critic is privileged.
        row_size: Features in the row of a rank.
    """

    def __init__(self, config: Network, observation_size: int, critic_size: int, row_size: int) -> None:
        super().__init__(config, observation_size, critic_size)
        self.row_size = row_size
        width, row_width = config.width, config.row_width
        self.rank_bias = nn.Parameter(torch.zeros(NUM_RANKS, row_width))
        self.row_layer = _linear(row_size, row_width, gain=math.sqrt(2), bias=False)
        pooled = 2 * row_width
        self.trunk = _hidden_layers(config, observation_size - NUM_RANKS * row_size + pooled)
        self.rows_to_trunk = (
            _linear(NUM_RANKS * row_size, width, gain=1.0, bias=False) if config.rows_in_trunk else None
        )
        self.trunk_to_rows = _linear(width, row_width, gain=1.0)
        self.row_to_row = _linear(row_width, row_width, gain=1.0, bias=False)
        self.rank_head = _linear(row_width, len(RANK_ACTIONS), gain=0.01)
        self.other_head = _linear(width + row_width, len(OTHER_ACTIONS), gain=0.01)
        self.critic_layers = None if config.critic == "shared" else _hidden_layers(config, self.critic_size)
        self.value_head = _linear(width, 1, gain=0.1)
        self.register_buffer("_places", _places_of_actions(), persistent=False)

    _places: torch.Tensor  # (NUM_ACTIONS,) int64, where each action stands among the outputs of the heads

    def forward(
        self, observations: torch.Tensor, critic_states: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `ActorCritic.forward`."""
        rows, trunk = self._features(observations)
        logits = self._read(rows, trunk)
        if self.critic_layers is None:
            return logits, self.value_head(trunk).squeeze(-1)
        critic_inputs = critic_states if self.config.critic == "privileged" else observations
        return logits, self.value_head(self.critic_layers(_as_numbers(critic_inputs))).squeeze(-1)

    def logits(self, observations: torch.Tensor) -> torch.Tensor:
        """See `ActorCritic.logits`."""
        return self._read(*self._features(observations))

    def _features(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What is found of the ranks, `(n, NUM_RANKS, row_width)`, and of the whole, `(n, width)`."""
        end = NUM_RANKS * self.row_size
        inputs = _as_numbers(observations)
        rows = inputs[:, :end].view(-1, NUM_RANKS, self.row_size)
        rows = torch.relu(self.row_layer(rows) + self.rank_bias)
        pooled = [rows.mean(dim=1), rows.max(dim=1).values]
        first, *others = self.trunk
        trunk: torch.Tensor = first(torch.cat([inputs[:, end:], *pooled], dim=1))
        if self.rows_to_trunk is not None:
            trunk = trunk + self.rows_to_trunk(inputs[:, :end])
        for layer in others:
            trunk = layer(trunk)
        return rows, trunk

    def _read(self, rows: torch.Tensor, trunk: torch.Tensor) -> torch.Tensor:
        """The logits of all actions, `(n, NUM_ACTIONS)`."""
        rows = torch.relu(self.row_to_row(rows) + self.trunk_to_rows(trunk)[:, None])
        of_ranks = self.rank_head(rows).flatten(1)
        others = self.other_head(torch.cat([trunk, rows.mean(dim=1)], dim=1))
        return torch.cat([of_ranks, others], dim=1).index_select(1, self._places)


def _places_of_actions() -> torch.Tensor:
    """For each action its place behind the heads: rank by rank the rank's actions, then the others."""
    of_ranks = [start + rank for rank in range(NUM_RANKS) for start in RANK_ACTIONS]
    return torch.argsort(torch.tensor([*of_ranks, *OTHER_ACTIONS]))


def _as_numbers(features: torch.Tensor) -> torch.Tensor:
    """Features in the number format that layers read: at once the short one where that is in use."""
    device = features.device.type
    return features.to(
        torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
    )


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


def _linear(inputs: int, outputs: int, gain: float, bias: bool = True) -> nn.Linear:
    """A layer with orthogonal weights and biases of 0 at first (Saxe et al. 2014)."""
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.orthogonal_(layer.weight, gain)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def build_network(
    config: Network, observation_size: int, critic_size: int = 0, row_size: int = 0
) -> ActorCritic:
    """A new network of the class and sizes that a config names.

    Args:
        config: What is wanted.
        observation_size: Entries of an observation.
        critic_size: Entries of what the critic sees; only read if the critic is privileged.
        row_size: Features in the row of a rank (`canasta_env.engine.layout.row_size`); only read if the
            network is a rank network.

    Raises:
        ConfigError: If `network.custom` names no network that can be trained, or observations have no rows
            for a rank network: says what is lacking.
    """
    if config.custom:
        return _build_custom(config, observation_size, critic_size)
    if config.kind == "rank" and not 0 < NUM_RANKS * row_size <= observation_size:
        raise ConfigError(
            f"network.kind: observations of {observation_size} entries, {row_size} a rank, have no rows; "
            'use "flat" in place of "rank"'
        )
    with torch.device("meta"):  # takes no memory
        parameters = list(_build(config, observation_size, critic_size, row_size).parameters())
    num_weights = sum(parameter.numel() for parameter in parameters)
    right = f"it has {num_weights:,} weights: give a smaller width, fewer layers"
    require_memory("network", num_weights * _TRAINED_BYTES, right)
    return _build(config, observation_size, critic_size, row_size)


def _build(config: Network, observation_size: int, critic_size: int, row_size: int) -> ActorCritic:
    if config.kind == "flat":
        return FlatNetwork(config, observation_size, critic_size)
    return RankNetwork(config, observation_size, critic_size, row_size)


def _build_custom(config: Network, observation_size: int, critic_size: int) -> ActorCritic:
    kind = import_named(config.custom, "network.custom")
    right = f"it must be a subclass of {ActorCritic.__module__}.ActorCritic as docs/training.md describes it"
    if not (isinstance(kind, type) and issubclass(kind, ActorCritic)):
        raise ConfigError(f"network.custom: {config.custom!r} is none; {right}")
    with refusing_faults(config.custom, "network.custom", right):
        network = kind(config, observation_size, critic_size)
        _try_out(network, config.custom)
    return network


def _try_out(network: ActorCritic, spec: str) -> None:
    """Ask a network of somebody else about two empty observations; its weights stay what they are.

    Raises:
        ConfigError: If the outputs have other shapes than `ActorCritic` says, or nothing can be learnt.
    """
    sizes = (network.observation_size, network.critic_size)
    empty = [torch.zeros((2, size), dtype=torch.int8) for size in sizes]
    was_training = network.training
    with torch.no_grad():
        logits, values = network.eval()(*empty)
        outputs = (logits, values, network.logits(empty[0]))
    network.train(was_training)
    shapes, wanted = (
        tuple(tuple(output.shape) for output in outputs),
        ((2, NUM_ACTIONS), (2,), (2, NUM_ACTIONS)),
    )
    if shapes != wanted or not all(output.is_floating_point() for output in outputs):
        raise ConfigError(
            f"network.custom: {spec!r} gives logits, values, and logits alone, of shapes {shapes} for two "
            f"observations; they must be floats of {wanted}"
        )
    network.rescale_values(float(network.value_scale))  # changes nothing, but has to be possible
    if not any(parameter.requires_grad for parameter in network.parameters()):
        raise ConfigError(f"network.custom: {spec!r} has no parameters that could be learnt")
