"""A learned policy at the table."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.neural.distribution import best_actions, find_forced, sample_actions
from canasta_agents.neural.features import FeatureReader
from canasta_agents.neural.network import ActorCritic
from canasta_agents.neural.policy_file import load_policy
from canasta_env.agent import DecisionBatch

Choice = Literal["best", "drawn"]
VALUE_UNITS = {"deal": "points", "match": "percent of a match"}  # by the objective of its training


class NeuralAgent:
    """Plays a trained policy.

    Args:
        path: A run (its best policy, else its latest) or a checkpoint's folder.
        choice: "best": the likeliest action; "drawn": drawn from the policy, as in training.

    Raises:
        CheckpointError: If the path holds no policy.
    """

    value_unit = VALUE_UNITS["deal"]

    def __init__(self, path: Path | str, choice: Choice = "best") -> None:
        policy = load_policy(Path(path))
        self.name = f"neural:{path}"
        self.rules = policy.rules
        self.value_unit = VALUE_UNITS[policy.card.get("objective", "deal")]
        reader = None
        if policy.features is not None:
            reader = FeatureReader(policy.rules, policy.features, self.name)
        self._play_with(policy.network, choice, reader)

    @classmethod
    def of(cls, network: ActorCritic, name: str, choice: Choice = "best") -> NeuralAgent:
        """The agent of a network in memory."""
        agent = cls.__new__(cls)
        agent.name = name
        agent._play_with(network, choice)
        return agent

    def reset(self, num_tables: int, seed: int) -> None:
        """See `Agent.reset`: only the drawing of actions has a memory."""
        self._rng = np.random.default_rng(seed)

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """See `Agent.act`."""
        actions = np.empty(len(batch), np.int64)
        rows = np.flatnonzero(find_forced(batch.masks, actions))
        logits, masks = self._logits(batch.observations[rows]), batch.masks[rows]
        chosen = np.empty(len(rows), np.int64)
        if self._choice == "best":
            best_actions(logits, masks, chosen)
        else:
            log_probs = np.empty(len(rows), np.float32)
            sample_actions(logits, masks, self._rng.random(len(rows)), chosen, log_probs)
        actions[rows] = chosen
        return actions

    def judge(self, batch: DecisionBatch) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """What the policy thinks of decisions.

        Returns:
            The probability of each action, `(n, NUM_ACTIONS) float32`, 0 where illegal, and the value of
            each decision in `value_unit`, `(n,) float32`; None if the critic needs hidden cards.
        """
        logits, values = self._logits_and_values(batch.observations)
        logits = np.where(batch.masks != 0, logits, -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32), values

    def _logits_and_values(
        self, observations: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        if self._network.config.critic == "privileged":
            return self._logits(observations), None
        scale = self._network.value_scale
        with torch.inference_mode():
            tensor = torch.from_numpy(self._read(observations)).to(scale.device)
            logits, values = self._network(tensor, tensor)
            return logits.float().cpu().numpy(), (values * scale).float().cpu().numpy()

    def _read(self, observations: NDArray[np.int8]) -> NDArray[np.int8]:
        """What the network reads of observations."""
        expected = self._network.observation_size if self._reader is None else self._reader.observation_size
        if observations.shape[1] != expected:
            raise ValueError(
                f"{self.name}: trained on observations of {expected} entries, asked with "
                f"{observations.shape[1]}: another game, or another version of the environment"
            )
        return observations if self._reader is None else self._reader.read(observations)

    def _logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        with torch.inference_mode():
            tensor = torch.from_numpy(self._read(observations)).to(self._network.value_scale.device)
            logits: NDArray[np.float32] = self._network.logits(tensor).float().cpu().numpy()
        return logits

    def _play_with(self, network: ActorCritic, choice: Choice, reader: FeatureReader | None = None) -> None:
        self._network = network
        self._reader = reader  # None: the network reads all
        self._choice = choice
        self._rng = np.random.default_rng(0)
