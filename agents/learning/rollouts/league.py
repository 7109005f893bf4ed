"""Frozen past selves: opponents that keep the learner from forgetting how to beat what it once was."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch

from canasta_agents.learning.arrays import Arrays
from canasta_agents.learning.network import PolicyNetwork


@dataclass(frozen=True)
class PastPolicy:
    """A policy as it was."""

    decisions: int  # learner's decisions until it was frozen
    network: PolicyNetwork


class League:
    """Keeps some past selves, spread evenly over the run: the first and the newest always stay.

    Args:
        capacity: Past selves that are kept, at least 1.
    """

    def __init__(self, capacity: int) -> None:
        self.members: list[PastPolicy] = []
        self._capacity = capacity

    def freeze(self, network: PolicyNetwork, decisions: int) -> None:
        """Add the network as it is now; beyond the capacity, the most crowded past self leaves."""
        frozen = copy.deepcopy(network).eval().requires_grad_(False)
        self.members.append(PastPolicy(decisions, frozen))
        if len(self.members) > self._capacity:
            del self.members[self._most_crowded()]

    def draw(self, rng: np.random.Generator) -> PastPolicy:
        """A past self, each equally likely."""
        return self.members[int(rng.integers(len(self.members)))]

    def get_state(self) -> Arrays:
        """Weights as arrays by name."""
        return {
            f"{member.decisions}.{name}": tensor.cpu().numpy()
            for member in self.members
            for name, tensor in member.network.state_dict().items()
        }

    def set_state(self, arrays: Arrays, like: PolicyNetwork) -> None:
        """Take back what `get_state` gave; `like` is a network of the same form."""
        weights: dict[int, dict[str, torch.Tensor]] = {}
        for key, array in arrays.items():
            frozen_at, name = key.split(".", 1)
            weights.setdefault(int(frozen_at), {})[name] = torch.from_numpy(array.copy())
        self.members = []
        for decisions in sorted(weights):
            network = copy.deepcopy(like).eval().requires_grad_(False)
            network.load_state_dict(weights[decisions])
            self.members.append(PastPolicy(decisions, network))

    def _most_crowded(self) -> int:
        """The member, neither first nor newest, whose neighbours in time are closest; else the oldest."""
        if len(self.members) < 3:
            return 0
        times = np.array([member.decisions for member in self.members])
        return 1 + int(np.argmin(times[2:] - times[:-2]))
