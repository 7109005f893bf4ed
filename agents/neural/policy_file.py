"""Policies on the disk: a folder holds policy.safetensors and policy.json, enough to play."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from canasta_agents.config_checks import ConfigError, build
from canasta_agents.neural.arrays import Arrays, CheckpointError, read_json, require_undamaged, unpack
from canasta_agents.neural.config import Network
from canasta_agents.neural.network import ActorCritic, build_network
from canasta_agents.policies import bundled_policies, policy_folder
from canasta_env.actions import NUM_ACTIONS
from canasta_env.rules import Rules

FORMAT = 1  # of the files; a change that old readers cannot read counts it up


@dataclass(frozen=True)
class Policy:
    """A trained policy and what is known of it."""

    network: ActorCritic
    rules: Rules
    card: dict[str, Any]  # what policy.json says


def policy_card(network: ActorCritic, rules: Rules, **facts: object) -> dict[str, Any]:
    """What policy.json says: the form of the network, the game, and whatever else is known of the policy."""
    return {
        "format": FORMAT,
        "rules": rules.to_dict(),
        "network": network.config.to_dict(),
        "observation_size": network.observation_size,
        "critic_size": network.critic_size,
        "num_actions": NUM_ACTIONS,
        **facts,
    }


def load_policy(path: Path) -> Policy:
    """Read a policy from a checkpoint, or from a run: its best one, else its latest.

    Raises:
        CheckpointError: If there is none, it was written for another version of the environment, it is
            damaged, or its network is of a class that cannot be imported here.
    """
    folder = find_policy(path)
    card = read_json(folder / "policy.json")
    if card.get("format") != FORMAT or card.get("num_actions") != NUM_ACTIONS:
        raise CheckpointError(
            f"{folder}: format {card.get('format')!r} with {card.get('num_actions')!r} actions cannot be "
            f"played here; this version reads format {FORMAT} with {NUM_ACTIONS} actions"
        )
    require_undamaged(folder, "policy.json", "policy.safetensors")
    config = build(Network, card["network"], f"{folder / 'policy.json'}: network.")
    try:
        network = build_network(config, card["observation_size"], card["critic_size"])
    except ConfigError as error:
        raise CheckpointError(f"{folder}: its network cannot be made here: {error}") from error
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


def weights(network: ActorCritic) -> Arrays:
    """A network's weights as arrays by name."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in network.state_dict().items()}


def set_weights(network: ActorCritic, arrays: Arrays) -> None:
    """Put weights into a network of the same form.

    Raises:
        CheckpointError: If names or shapes do not fit.
    """
    try:
        network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()})
    except RuntimeError as error:
        raise CheckpointError(f"the weights do not fit the network: {error}") from None
