"""Policies on the disk: a folder holds policy.safetensors and policy.json, enough to play."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.config_checks import build
from canasta_agents.neural.network import Network, PolicyNetwork
from canasta_agents.policies import bundled_policies, policy_folder
from canasta_env.actions import NUM_ACTIONS
from canasta_env.rules import Rules

FORMAT = 1  # of the files; a change that old readers cannot read counts it up


class CheckpointError(ValueError):
    """A folder that holds no checkpoint, or one that does not fit."""


@dataclass(frozen=True)
class Policy:
    """A trained policy and what is known of it."""

    network: PolicyNetwork
    rules: Rules
    card: dict[str, Any]  # what policy.json says


def policy_card(network: PolicyNetwork, rules: Rules, **facts: object) -> dict[str, Any]:
    """What policy.json says: the form of the network, the game, and whatever else is known of the policy."""
    return {
        "format": FORMAT,
        "rules": rules.to_dict(),
        "network": dataclasses.asdict(network.form),
        "observation_size": network.observation_size,
        "critic_size": network.critic_size,
        "num_actions": NUM_ACTIONS,
        **facts,
    }


def load_policy(path: Path) -> Policy:
    """Read a policy from a checkpoint, or from a run: its best one, else its latest.

    Raises:
        CheckpointError: If there is none, or it was written for another version of the environment.
    """
    folder = find_policy(path)
    card = read_json(folder / "policy.json")
    if card.get("format") != FORMAT or card.get("num_actions") != NUM_ACTIONS:
        raise CheckpointError(
            f"{folder}: format {card.get('format')!r} with {card.get('num_actions')!r} actions cannot be "
            f"played here; this version reads format {FORMAT} with {NUM_ACTIONS} actions"
        )
    form = build(Network, card["network"], f"{folder / 'policy.json'}: network.")
    network = build_network(form, card["observation_size"], card["critic_size"])
    set_weights(network, unpack(folder / "policy.safetensors"))
    return Policy(network.eval(), Rules.from_dict(card["rules"]), card)


def find_policy(path: Path) -> Path:
    """The folder of a policy, as `policy_folder` finds it.

    Raises:
        CheckpointError: If there is none.
    """
    if (folder := policy_folder(path)) is not None:
        return folder
    raise CheckpointError(
        f"{path}: holds no policy; give a run (runs/NAME) or a checkpoint in it (runs/NAME/best), a folder "
        f"with policy.safetensors and policy.json, or one of {', '.join(bundled_policies())}"
    )


def build_network(form: Network, observation_size: int, critic_size: int) -> PolicyNetwork:
    """A network of that form; `critic_size` is that of what its critic sees."""
    return PolicyNetwork(form, observation_size, critic_size)


def weights(network: PolicyNetwork) -> Arrays:
    """A network's weights as arrays by name."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in network.state_dict().items()}


def set_weights(network: PolicyNetwork, arrays: Arrays) -> None:
    """Put weights into a network of the same form.

    Raises:
        CheckpointError: If names or shapes do not fit.
    """
    try:
        network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()})
    except RuntimeError as error:
        raise CheckpointError(f"the weights do not fit the network: {error}") from None


def as_json(content: dict[str, Any]) -> bytes:
    """A JSON object as a file's content."""
    return json.dumps(content, indent=1).encode() + b"\n"


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        CheckpointError: If the file cannot be read, or holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    if not isinstance(content, dict):
        raise CheckpointError(f"{path}: holds no JSON object")
    return content


def pack(arrays: Arrays) -> bytes:
    """Arrays by name as safetensors; records (structured arrays) as their bytes."""
    from safetensors.numpy import save as save_arrays

    content: bytes = save_arrays(
        {name: np.ascontiguousarray(as_bytes(array)) for name, array in arrays.items()}
    )
    return content


def unpack(path: Path) -> Arrays:
    """Read what `pack` wrote.

    Raises:
        CheckpointError: If the file cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load as load_arrays

    try:
        arrays: Arrays = load_arrays(path.read_bytes())
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    return arrays


# Arrays by name: how the state of a run is handed about and stored.


Arrays = dict[str, NDArray[Any]]


def with_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays whose name begins with `prefix`, named by the rest."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays under longer names; `with_prefix` is the way back."""
    return {prefix + name: array for name, array in arrays.items()}


def as_bytes(array: NDArray[Any]) -> NDArray[Any]:
    """Records as `(n, bytes) uint8`, which every format can store; other arrays as they are."""
    if array.dtype.names is None:
        return array
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), array.dtype.itemsize)


def as_records(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The way back from `as_bytes` to records of `dtype`.

    Raises:
        ValueError: If the bytes are not such records.
    """
    if dtype.names is None:
        return array
    if array.ndim != 2 or array.shape[1] != dtype.itemsize:
        raise ValueError(f"records of {array.shape[1:]} bytes, where this version has {dtype.itemsize}")
    return np.ascontiguousarray(array).view(dtype).reshape(len(array))
