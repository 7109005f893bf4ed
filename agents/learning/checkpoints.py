"""Checkpoints: policies to play with, and everything that a run needs to go on.

A folder holds policy.safetensors and policy.json, enough to play; in a run's `latest` also
training.safetensors and training.json, from which the run resumes as if it had never stopped.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from canasta_env.actions import NUM_ACTIONS
from canasta_env.rules import Rules

from ..policies import bundled_policies, policy_folder
from .arrays import Arrays, as_bytes
from .config import Network, from_dict
from .equity.table import percent_a_point
from .files import find_folder, write_folder
from .network import PolicyNetwork

FORMAT = 1  # of the files; a change that old readers cannot read counts it up


class CheckpointError(ValueError):
    """A folder that holds no checkpoint, or one that does not fit."""


@dataclass(frozen=True)
class Policy:
    """A trained policy and what is known of it."""

    network: PolicyNetwork
    rules: Rules
    card: dict[str, Any]  # what policy.json says


@dataclass(frozen=True)
class TrainingState:
    """Everything but the policy that a run needs to go on."""

    arrays: Arrays
    facts: dict[str, Any]  # JSON-able


def save(
    folder: Path, network: PolicyNetwork, card: dict[str, Any], state: TrainingState | None = None
) -> None:
    """Write a checkpoint, whole or not at all.

    Args:
        folder: Replaced.
        network: The policy.
        card: What policy.json shall say beside the network's form: see `policy_card`.
        state: For a checkpoint from which the run can go on.
    """
    files = {"policy.safetensors": _pack(weights(network)), "policy.json": _json(card)}
    if state is not None:
        files |= {"training.safetensors": _pack(state.arrays), "training.json": _json(state.facts)}
    write_folder(folder, files)


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
    card = _read_json(folder / "policy.json")
    if card.get("format") != FORMAT or card.get("num_actions") != NUM_ACTIONS:
        raise CheckpointError(
            f"{folder}: format {card.get('format')!r} with {card.get('num_actions')!r} actions cannot be "
            f"played here; this version reads format {FORMAT} with {NUM_ACTIONS} actions"
        )
    form = from_dict({"network": card["network"]}, str(folder / "policy.json")).network
    network = build_network(form, card["observation_size"], card["critic_size"])
    set_weights(network, _unpack(folder / "policy.safetensors"))
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


def load_state(folder: Path) -> TrainingState:
    """Read what `save` wrote for going on.

    Raises:
        CheckpointError: If the folder holds no resumable checkpoint.
    """
    found = find_folder(folder)
    if found is None or not (found / "training.json").is_file():
        raise CheckpointError(
            f"{folder}: holds no resumable checkpoint (training.safetensors and training.json)"
        )
    return TrainingState(_unpack(found / "training.safetensors"), _read_json(found / "training.json"))


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


def begin_from(network: PolicyNetwork, start: Path, objective: str) -> None:
    """Give a network the weights of a trained policy.

    Values that were learnt for another objective change their unit, by what a point brings in a match.

    Args:
        network: Changed.
        start: A run, a checkpoint's folder, or the name of a policy of the package.
        objective: What the network is to learn, "deal" or "match".

    Raises:
        CheckpointError: If there is no policy, or its network has another form.
    """
    policy = load_policy(start)
    own, other = (
        f"{each.form} for observations of {each.observation_size}" for each in (network, policy.network)
    )
    if own != other:
        raise CheckpointError(
            f"run.start: the policy of {start} is {other}, that of this run {own}; set the sections "
            "network and game to those of the policy"
        )
    set_weights(network, weights(policy.network))
    if (learnt := policy.card.get("objective", "deal")) != objective:
        percent = percent_a_point(policy.rules)
        network.value_scale.mul_(percent if learnt == "deal" else 1 / percent)


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, indent=1).encode() + b"\n"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    if not isinstance(content, dict):
        raise CheckpointError(f"{path}: holds no JSON object")
    return content


def _pack(arrays: Arrays) -> bytes:
    """Arrays by name as safetensors; records (structured arrays) as their bytes."""
    from safetensors.numpy import save as save_arrays

    content: bytes = save_arrays(
        {name: np.ascontiguousarray(as_bytes(array)) for name, array in arrays.items()}
    )
    return content


def _unpack(path: Path) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load as load_arrays

    try:
        arrays: Arrays = load_arrays(path.read_bytes())
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    return arrays
