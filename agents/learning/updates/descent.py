"""Gradient steps: Adam, gradient clipping, and the optimiser's state as plain arrays."""

from __future__ import annotations

import numpy as np
import torch

from canasta_agents.learning.arrays import Arrays
from canasta_agents.learning.group import ALONE, Group
from canasta_agents.learning.network import PolicyNetwork

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
