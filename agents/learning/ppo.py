"""What is learnt from a rollout: the losses of PPO and of imitation, and the one loop that minimises them.

A loss is a function of the network's outputs and a minibatch. `PolicyUpdater` goes through the rollout in
shuffled minibatches, for PPO some times, for imitation once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.config_checks import ConfigError, import_named, refusing_faults
from canasta_agents.learning.buffer import RolloutArrays
from canasta_agents.learning.config import Imitation, Ppo
from canasta_agents.learning.distributed import SINGLE, Device, ProcessGroup
from canasta_agents.learning.gae import RolloutTargets
from canasta_agents.neural.arrays import Arrays
from canasta_agents.neural.distribution import entropies, masked_log_probs
from canasta_agents.neural.network import ActorCritic

Metrics = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Minibatch:
    """Decisions of one gradient step on the network's device; values are in units of the value scale."""

    observations: torch.Tensor  # (n, observation_size) int8
    critic_states: torch.Tensor  # (n, critic_size) int8; (n, 0) unless the critic is privileged
    masks: torch.Tensor  # (n, NUM_ACTIONS) int8, 1 legal
    actions: torch.Tensor  # (n,) int64; in imitation the teacher's choices
    log_probs: torch.Tensor  # (n,) float32, nats, of the actions when they were drawn; not in imitation
    values: torch.Tensor  # (n,) float32, when the actions were drawn
    advantages: torch.Tensor  # (n,) float32, of mean 0 and deviation 1 over the rollout
    returns: torch.Tensor  # (n,) float32


Loss = Callable[[torch.Tensor, torch.Tensor, Minibatch], tuple[torch.Tensor, Metrics]]


def ppo_loss(
    logits: torch.Tensor, values: torch.Tensor, batch: Minibatch, config: Ppo, entropy_coef: float
) -> tuple[torch.Tensor, Metrics]:
    """The loss of proximal policy optimisation (Schulman et al. 2017, equations 7 and 9, negated).

    L = -E min(r A, clip(r, 1 - epsilon, 1 + epsilon) A) + c_v 1/2 E (V - R)^2 - c_e E entropy,
    r being the ratio of an action's probability now to that when it was drawn. With `clip_range_vf` above 0
    no value gains by leaving the old one further behind than that.

    Args:
        logits: `(n, NUM_ACTIONS)`, the network's for `batch`, not masked.
        values: `(n,)`, the network's, in units of the value scale.
        batch: The decisions.
        config: epsilon is `clip_range`, c_v `value_coef`.
        entropy_coef: c_e, as it is at this time of the run.

    Returns:
        The loss and what is reported of it. `kl` estimates how far the policy has moved (nats), by
        E (r - 1) - log r, which is never negative.
    """
    log_probs = masked_log_probs(logits, batch.masks)
    log_r = log_probs.gather(1, batch.actions[:, None]).squeeze(1) - batch.log_probs
    r, A, epsilon = log_r.exp(), batch.advantages, config.clip_range
    policy_loss = -torch.min(r * A, r.clamp(1 - epsilon, 1 + epsilon) * A).mean()

    errors = (values - batch.returns).square()
    if config.clip_range_vf > 0:
        moved = (values - batch.values).clamp(-config.clip_range_vf, config.clip_range_vf)
        errors = torch.max(errors, (batch.values + moved - batch.returns).square())
    value_loss = 0.5 * errors.mean()

    entropy = entropies(log_probs).mean()
    loss = policy_loss + config.value_coef * value_loss - entropy_coef * entropy
    with torch.no_grad():
        kl = (r - 1 - log_r).mean()
        clip_fraction = ((r - 1).abs() > epsilon).float().mean()
    return loss, {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "kl": kl,
        "clip_fraction": clip_fraction,
    }


def imitation_loss(
    logits: torch.Tensor, values: torch.Tensor, batch: Minibatch, config: Imitation
) -> tuple[torch.Tensor, Metrics]:
    """Cross-entropy (nats) of a teacher's choices, and the same value loss as PPO's, never clipped.

    Asking the teacher in the learner's own games too keeps errors from adding up (Ross et al. 2011).

    Args:
        logits: `(n, NUM_ACTIONS)`, the network's for `batch`, not masked.
        values: `(n,)`, the network's, in units of the value scale.
        batch: The decisions; `actions` are the teacher's.
        config: Weight of the value loss.
    """
    log_probs = masked_log_probs(logits, batch.masks)
    cross_entropy = -log_probs.gather(1, batch.actions[:, None]).mean()
    value_loss = 0.5 * (values - batch.returns).square().mean()
    loss = cross_entropy + config.value_coef * value_loss
    with torch.no_grad():
        agreement = (log_probs.argmax(1) == batch.actions).float().mean()
        entropy = entropies(log_probs).mean()
    return loss, {
        "loss": cross_entropy,
        "value_loss": value_loss,
        "agreement": agreement,
        "entropy": entropy,
    }


def load_loss(spec: str) -> Callable[..., tuple[torch.Tensor, Metrics]]:
    """The function that `ppo.loss` of a config names: `ppo_loss` if empty, else "module:function".

    Raises:
        ConfigError: If there is no such function.
    """
    if not spec:
        return ppo_loss
    loss = import_named(spec, "ppo.loss")
    if not callable(loss):
        raise ConfigError(
            f"ppo.loss: {spec!r} must be a function with the arguments of {ppo_loss.__module__}.ppo_loss"
        )
    return loss


class PolicyUpdater:
    """Learns from one rollout after another, whatever the loss.

    Args:
        network: Changed by `update`.
        optimizer: The network's.
        arrays: Where the rollouts' decisions stand.
        device: Number format, device and the processes that learn together.
        rng: Draws the minibatches.
    """

    def __init__(
        self,
        network: ActorCritic,
        optimizer: ClippedAdam,
        arrays: RolloutArrays,
        device: Device,
        rng: np.random.Generator,
    ) -> None:
        self._network = network
        self._forward = device.group.wrap(network)
        self._optimizer = optimizer
        self._arrays = {name: torch.from_numpy(array) for name, array in arrays.items()}
        self._device = device
        self._rng = rng

    def update(
        self,
        targets: RolloutTargets,
        loss: Loss,
        minibatch_size: int,
        num_epochs: int = 1,
        target_kl: float = 0.0,
    ) -> tuple[dict[str, float], int]:
        """Go through the decisions in shuffled minibatches, `num_epochs` times.

        Args:
            targets: What the decisions turned out to be worth.
            loss: What a gradient step makes smaller.
            minibatch_size: Decisions in one gradient step, over all processes.
            num_epochs: Passes over the decisions.
            target_kl: No further pass begins once the policy has moved this far (nats); 0: however far.

        Returns:
            Means over all minibatches of what the loss reports and of `gradient_norm`; passes made. Nothing
            and 0 where a process has no decision whose outcome is known: the network stays as it is.

        Raises:
            DivergedError: If one of the means is not finite.
        """
        group = self._device.group
        if group.all_gather(np.array([float(len(targets.rows))])).min() == 0:
            return {}, 0
        advantages = torch.from_numpy(targets.normalised_advantages(group))
        returns = torch.from_numpy(targets.returns)
        averages, epochs = MetricAverager(), 0
        for epoch in shuffle(targets.rows, minibatch_size, num_epochs, self._rng, group):
            moved = MetricAverager()
            for part in epoch:
                batch = self._minibatch(part.rows, advantages, returns)
                metrics = self._step(batch, part.weight, loss)
                averages.add(**metrics)
                if target_kl > 0:
                    moved.add(kl=metrics["kl"])
            epochs += 1
            if target_kl > 0 and moved.means(group)["kl"] > target_kl:
                break
        return averages.means(group), epochs

    def try_out(self, loss: Loss, spec: str, needs_kl: bool) -> None:
        """Call a loss of somebody else on two empty decisions, before any are played.

        Args:
            loss: What is to be tried.
            spec: What `ppo.loss` says; for the errors.
            needs_kl: Whether updates end by the metric `kl`.

        Raises:
            ConfigError: If the loss fails, or does not return what `ppo_loss` does.
        """
        nothing, rows = torch.zeros(2), torch.arange(2)
        empty = self._minibatch(rows, nothing, nothing)
        batch = replace(empty, masks=torch.ones_like(empty.masks))
        logits = torch.zeros(batch.masks.shape, device=batch.masks.device, requires_grad=True)
        right = f"it must be a function with the arguments and results of {ppo_loss.__module__}.ppo_loss"
        with refusing_faults(spec, "ppo.loss", right):
            total, metrics = loss(logits, logits.mean(dim=1), batch)
            if not total.requires_grad:
                raise TypeError("the loss does not depend on the network's outputs")
            if not all(number.numel() == 1 for number in (total, *metrics.values())):
                raise TypeError("the loss and its metrics are not tensors of one number each")
            if needs_kl and "kl" not in metrics:
                raise ConfigError(
                    f"ppo.loss: its metrics are {', '.join(metrics)}; ppo.target_kl needs `kl` (nats): "
                    "add it, or set ppo.target_kl to 0"
                )

    def _step(self, batch: Minibatch, weight: float, loss: Loss) -> Metrics:
        """One gradient step; returns what was true before it."""
        with self._device.autocast():
            logits, values = self._forward(batch.observations, batch.critic_states)
        total, metrics = loss(logits, values.float(), batch)
        gradient_norm = self._optimizer.step(weight * total)
        return {**metrics, "gradient_norm": gradient_norm}

    def _minibatch(self, rows: torch.Tensor, advantages: torch.Tensor, returns: torch.Tensor) -> Minibatch:
        def take(name: str) -> torch.Tensor:
            return self._to_device(self._arrays[name].index_select(0, rows))

        scale = self._network.value_scale
        return Minibatch(
            observations=take("observations"),
            critic_states=take("critic_states"),
            masks=take("masks"),
            actions=take("actions"),
            log_probs=take("log_probs"),
            values=take("values") / scale,
            advantages=self._to_device(advantages[rows]),
            returns=self._to_device(returns[rows]) / scale,
        )

    def _to_device(self, tensor: torch.Tensor) -> torch.Tensor:
        """Bring a tensor to the network's device; to a GPU without waiting."""
        if self._device.torch_device.type == "cpu":
            return tensor
        return tensor.pin_memory().to(self._device.torch_device, non_blocking=True)


@dataclass(frozen=True)
class MinibatchRows:
    """This process's part of a minibatch."""

    rows: torch.Tensor  # (about size / processes,) int64
    weight: float  # of the part's mean in the mean over the processes; 1 for a single process


def shuffle(
    rows: NDArray[np.int64], size: int, epochs: int, rng: np.random.Generator, group: ProcessGroup = SINGLE
) -> Iterator[list[MinibatchRows]]:
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
    held = group.all_gather(np.array([len(rows)], np.float64))[:, 0].astype(np.int64)
    num = max(1, min(round(int(held.sum()) / size), int(held.min())))
    parts = held[:, None] // num + (np.arange(num) < held[:, None] % num)  # as np.array_split cuts
    weights = parts[group.rank] * group.size / parts.sum(axis=0)
    for _ in range(epochs):
        cut = np.array_split(rng.permutation(rows), num)
        yield [
            MinibatchRows(torch.from_numpy(part), weight) for part, weight in zip(cut, weights, strict=True)
        ]


_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


class ClippedAdam:
    """Adam (Kingma and Ba 2015) on a network's parameters, with gradients shortened to a greatest length.

    Args:
        network: Its parameters are changed by `step`.
        max_gradient_norm: Longer gradients are shortened to this length.
    """

    def __init__(self, network: ActorCritic, max_gradient_norm: float) -> None:
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
        """Take back what `get_state` gave.

        Raises:
            ValueError: If it is not the state of these parameters; says what is wrong.
        """
        state: dict[int, dict[str, torch.Tensor]] = {}
        for key, array in arrays.items():
            place, name = key.split(".")
            state.setdefault(int(place), {})[name] = torch.from_numpy(array.copy())
        if state:
            self._check(state)
        self._adam.load_state_dict({**self._adam.state_dict(), "state": state})

    def _check(self, state: dict[int, dict[str, torch.Tensor]]) -> None:
        if not state.keys() <= set(range(len(self._parameters))):
            raise ValueError(f"optimizer: moments of parameters {sorted(state)}, of {len(self._parameters)}")
        for place, moments in state.items():
            for name in _MOMENTS:
                tensor, parameter = moments[name], self._parameters[place]
                is_step = name == "step"  # which files hold as (1,)
                shape, dtype = ((1,), torch.float32) if is_step else (parameter.shape, parameter.dtype)
                if tensor.shape != shape or tensor.dtype != dtype or not tensor.isfinite().all():
                    raise ValueError(
                        f"optimizer: {place}.{name} is {tensor.dtype}{tuple(tensor.shape)}, not finite "
                        f"{dtype}{tuple(shape)}"
                    )
            if (moments["exp_avg_sq"] < 0).any() or moments["step"] < 1:
                raise ValueError(f"optimizer: moments of parameter {place} that no steps lead to")


class DivergedError(RuntimeError):
    """Training has left the numbers it can work with."""


class MetricAverager:
    """Means of named numbers over the minibatches of an update, kept as tensors until they are read."""

    def __init__(self) -> None:
        self._sums: Metrics = {}
        self._num = 0

    def add(self, **numbers: torch.Tensor) -> None:
        """Add one minibatch's numbers."""
        self._num += 1
        for name, number in numbers.items():
            self._sums[name] = self._sums.get(name, torch.zeros(())) + number.detach().cpu()

    def means(self, group: ProcessGroup = SINGLE) -> dict[str, float]:
        """The means by name, over all processes of the group.

        Raises:
            DivergedError: If one of them is not finite.
        """
        totals = np.array([float(total) for total in self._sums.values()])
        shared = group.all_gather(totals / self._num).mean(axis=0)
        means = dict(zip(self._sums, shared.tolist(), strict=True))
        for name, mean in means.items():
            if not np.isfinite(mean):
                raise DivergedError(
                    f"{name} has become {mean}: the run has diverged; try a smaller ppo.learning_rate or "
                    "ppo.max_gradient_norm, and resume from the last checkpoint"
                )
        return means
