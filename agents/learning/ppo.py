"""The update of proximal policy optimisation (Schulman et al. 2017), from decisions to better weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from canasta_agents.learning.buffer import Columns
from canasta_agents.learning.config import Imitation, Ppo
from canasta_agents.learning.distributed import ALONE, Group, Machine
from canasta_agents.learning.gae import Estimates
from canasta_agents.neural.distribution import entropies, masked_log_probs
from canasta_agents.neural.network import PolicyNetwork
from canasta_agents.neural.policy_file import Arrays


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


# A start from a reference player: its choices are learnt, at its own games and at the learner's.
#
# Asking the teacher in the learner's own games is what keeps errors from adding up (Ross et al. 2011).


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


# Minibatches: a rollout's rows in shuffled parts, and its columns as tensors on the network's device.


@dataclass(frozen=True)
class Minibatch:
    """This process's part of a minibatch."""

    rows: torch.Tensor  # (about size / processes,) int64
    weight: float  # of the part's mean in the mean over the processes; 1 for a process alone


def shuffled(
    rows: NDArray[np.int64], size: int, epochs: int, rng: np.random.Generator, group: Group = ALONE
) -> Iterator[list[Minibatch]]:
    """Shuffle the rows anew for each epoch and cut them into equal minibatches.

    Args:
        rows: `(n,) int64`, this process's.
        size: Rows of a minibatch, over all processes; the real size is the nearest that leaves no remainder.
        epochs: Passes over the rows.
        rng: Draws the order.
        group: Who has the other rows.

    Yields:
        The minibatches of one epoch.
    """
    held = group.gather(np.array([len(rows)], np.float64))[:, 0].astype(np.int64)
    num = max(1, min(round(int(held.sum()) / size), int(held.min())))
    parts = held[:, None] // num + (np.arange(num) < held[:, None] % num)  # as np.array_split cuts
    weights = parts[group.rank] * group.size / parts.sum(axis=0)
    for _ in range(epochs):
        cut = np.array_split(rng.permutation(rows), num)
        yield [Minibatch(torch.from_numpy(part), weight) for part, weight in zip(cut, weights, strict=True)]


class ColumnTensors:
    """The columns of a rollout as PyTorch sees them: same memory, rows taken to the device when asked for."""

    def __init__(self, columns: Columns, machine: Machine) -> None:
        self._tensors = {name: torch.from_numpy(column) for name, column in columns.items()}
        self._machine = machine

    def take(self, name: str, rows: torch.Tensor) -> torch.Tensor:
        """Rows of a column, `(n, ...)`, on the network's device."""
        return self.to_device(self._tensors[name].index_select(0, rows))

    def to_device(self, tensor: torch.Tensor) -> torch.Tensor:
        """Bring a tensor to the network's device; to a GPU without waiting."""
        if self._machine.device.type == "cpu":
            return tensor
        return tensor.pin_memory().to(self._machine.device, non_blocking=True)


# Gradient steps: Adam, gradient clipping, and the optimiser's state as plain arrays.


_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


class DivergedError(RuntimeError):
    """Training has left the numbers it can work with."""


class Descent:
    """Adam (Kingma and Ba 2015) on a network's parameters.

    Args:
        network: Its parameters are changed by `step`.
        max_gradient_norm: Longer gradients are shortened to this length.
    """

    def __init__(self, network: PolicyNetwork, max_gradient_norm: float) -> None:
        self._parameters = list(network.parameters())
        self._max_norm = max_gradient_norm
        self._adam = torch.optim.Adam(self._parameters, eps=1e-5, fused=True)

    def set_learning_rate(self, learning_rate: float) -> None:
        """Use this step size from now on."""
        for group in self._adam.param_groups:
            group["lr"] = learning_rate

    def step(self, loss: torch.Tensor) -> torch.Tensor:
        """Go one step down the gradient of `loss`; returns the gradient's length before clipping."""
        self._adam.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self._parameters, self._max_norm)
        self._adam.step()
        return norm

    def get_state(self) -> Arrays:
        """Adam's moments as arrays by name; empty before the first step."""
        state = self._adam.state_dict()["state"]
        return {
            f"{place}.{name}": moments[name].cpu().numpy()
            for place, moments in state.items()
            for name in _MOMENTS
        }

    def set_state(self, arrays: Arrays) -> None:
        """Take back what `get_state` gave."""
        state: dict[int, dict[str, torch.Tensor]] = {}
        for key, array in arrays.items():
            place, name = key.split(".")
            state.setdefault(int(place), {})[name] = torch.from_numpy(array.copy())
        self._adam.load_state_dict({**self._adam.state_dict(), "state": state})


class Means:
    """Means of named numbers over the minibatches of an update, kept as tensors until they are read."""

    def __init__(self) -> None:
        self._sums: dict[str, torch.Tensor] = {}
        self._num = 0

    def add(self, **numbers: torch.Tensor) -> None:
        """Add one minibatch's numbers."""
        self._num += 1
        for name, number in numbers.items():
            self._sums[name] = self._sums.get(name, torch.zeros(())) + number.detach().cpu()

    def read(self, group: Group = ALONE) -> dict[str, float]:
        """The means by name, over all processes of the group.

        Raises:
            DivergedError: If one of them is not finite.
        """
        totals = np.array([float(total) for total in self._sums.values()])
        shared = group.gather(totals / self._num).mean(axis=0)
        means = dict(zip(self._sums, shared.tolist(), strict=True))
        for name, mean in means.items():
            if not np.isfinite(mean):
                raise DivergedError(
                    f"{name} has become {mean}: the run has diverged; try a smaller ppo.learning_rate or "
                    "ppo.max_gradient_norm, and resume from the last checkpoint"
                )
        return means
