"""The policy's distribution over the legal actions: drawn from in a kernel, differentiated in PyTorch."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.neural.jit import kernel

Floats = NDArray[np.float32]


@kernel
def sample_actions(
    logits: Floats,
    masks: NDArray[np.int8],
    uniforms: NDArray[np.float64],
    actions: NDArray[np.int64],
    log_probs: Floats,
) -> None:
    """Draw one legal action a row by inverting the distribution function.

    Args:
        logits: `(n, num_actions) float32`; those of illegal actions are not read.
        masks: `(n, num_actions) int8`, 1 legal; at least one legal action a row.
        uniforms: `(n,) float64` in [0, 1).
        actions: `(n,) int64`, overwritten.
        log_probs: `(n,) float32`, overwritten: log-probability (nats) of the drawn action.
    """
    weights = np.empty(logits.shape[1])
    for row in range(len(actions)):
        top = -np.inf
        for action in range(logits.shape[1]):
            if masks[row, action] and logits[row, action] > top:
                top = logits[row, action]
        total = 0.0
        for action in range(logits.shape[1]):
            if masks[row, action]:
                weights[action] = np.exp(logits[row, action] - top)
                total += weights[action]
        threshold = uniforms[row] * total
        reached = 0.0
        drawn = -1
        for action in range(logits.shape[1]):
            if masks[row, action]:
                drawn = action  # rounding may leave the threshold just above the sum: then the last legal one
                reached += weights[action]
                if reached > threshold:
                    break
        actions[row] = drawn
        log_probs[row] = logits[row, drawn] - top - np.log(total)


@kernel
def best_actions(logits: Floats, masks: NDArray[np.int8], actions: NDArray[np.int64]) -> None:
    """Write the likeliest legal action of each row; the first of equals.

    Args:
        logits: `(n, num_actions) float32`.
        masks: `(n, num_actions) int8`, 1 legal.
        actions: `(n,) int64`, overwritten.
    """
    for row in range(len(actions)):
        best = -1
        for action in range(logits.shape[1]):
            if masks[row, action] and (best < 0 or logits[row, action] > logits[row, best]):
                best = action
        actions[row] = best


def masked_log_probs(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Log-probabilities (nats) over the legal actions.

    Args:
        logits: `(n, num_actions)` of any floating type.
        masks: `(n, num_actions) int8`, 1 legal.

    Returns:
        `(n, num_actions) float32` (float64 for logits of that type). Illegal actions get the lowest finite
        float32: their probability is exactly 0, and so are their gradient and their part of the entropy
        (minus infinity would make 0 · ∞).
    """
    lowest = torch.finfo(torch.float32).min
    precise = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return torch.log_softmax(precise.masked_fill(masks == 0, lowest), dim=-1)


def entropies(log_probs: torch.Tensor) -> torch.Tensor:
    """Entropy (nats) of each row of log-probabilities: `(n, num_actions)` -> `(n,)`."""
    probabilities = torch.softmax(log_probs, -1)  # several times faster than exp on CPUs
    return -(probabilities * log_probs).sum(-1)


@kernel
def find_forced(masks: NDArray[np.int8], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find the tables where one action only is legal.

    Args:
        masks: `(n, num_actions) int8`, 1 legal; at least one legal action a row.
        actions: `(n,) int64`; overwritten by the only legal action where there is no other.

    Returns:
        `(n,) bool`: where there is a choice.
    """
    is_choice = np.empty(len(masks), np.bool_)
    for row in range(len(masks)):
        num_legal = 0
        first = -1
        for action in range(masks.shape[1]):
            if masks[row, action]:
                num_legal += 1
                if first < 0:
                    first = action
        is_choice[row] = num_legal > 1
        if num_legal == 1:
            actions[row] = first
    return is_choice
