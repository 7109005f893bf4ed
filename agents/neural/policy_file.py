"""Policies on the disk: a folder holds policy.safetensors and policy.json, enough to play."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from canasta_agents.config_checks import ConfigError, build
from canasta_agents.neural.arrays import Arrays, CheckpointError, read_json, require_undamaged, unpack
from canasta_agents.neural.config import OF_FORMAT_1, Network
from canasta_agents.neural.features import features_of_version_1
from canasta_agents.neural.network import ActorCritic, build_network
from canasta_agents.policies import bundled_policies, policy_folder
from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine.layout import features, row_size
from canasta_env.rules import Rules

FORMAT = 2  # of the files; a change that old readers cannot read counts it up


@dataclass(frozen=True)
class Policy:
    """A trained policy and what is known of it."""

    network: ActorCritic
    rules: Rules
    card: dict[str, Any]  # what policy.json says
    features: list[str] | None  # those of an observation that it reads; None: whatever it is given


def policy_card(network: ActorCritic, rules: Rules, **facts: object) -> dict[str, Any]:
    """What policy.json says: the form of the network, the game, and whatever else is known of the policy."""
    names = features(rules)
    return {
        "format": FORMAT,
        "rules": rules.to_dict(),
        "network": network.config.to_dict(),
        "observation_size": network.observation_size,
        "critic_size": network.critic_size,
        "row_size": row_size(rules),
        "features": " ".join(names) if len(names) == network.observation_size else None,
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
    if card.get("format") not in (1, FORMAT) or card.get("num_actions") != NUM_ACTIONS:
        raise CheckpointError(
            f"{folder}: format {card.get('format')!r} with {card.get('num_actions')!r} actions cannot be "
            f"played here; this version reads formats 1 and {FORMAT} with {NUM_ACTIONS} actions"
        )
    require_undamaged(folder, "policy.json", "policy.safetensors")
    if card["format"] == 1:
        card = _of_format_1(card)
    config = build(Network, card["network"], f"{folder / 'policy.json'}: network.")
    try:
        network = build_network(config, card["observation_size"], card["critic_size"], card["row_size"])
    except ConfigError as error:
        raise CheckpointError(f"{folder}: its network cannot be made here: {error}") from error
    set_weights(network, unpack(folder / "policy.safetensors"))
    names = card["features"]
    return Policy(network.eval(), Rules.from_dict(card["rules"]), card, names.split() if names else None)


def _of_format_1(card: dict[str, Any]) -> dict[str, Any]:
    """What the card of a policy of format 1 leaves unsaid."""
    names = features_of_version_1(Rules.from_dict(card["rules"]))
    is_read = len(names) == card["observation_size"]
    said = {"features": " ".join(names) if is_read else None, "row_size": 0}
    return {**card, **said, "network": {**OF_FORMAT_1, **card["network"]}}


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
