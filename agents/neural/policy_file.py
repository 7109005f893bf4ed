"""Policies on the disk: a folder holds policy.safetensors and policy.json, enough to play."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
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
from canasta_env.validation import check_choice, shown, whole_number

FORMAT = 2  # of the files; a change that old readers cannot read counts it up
_KEYS = ("network", "observation_size", "critic_size", "row_size", "features")
_MOST_ENTRIES = 1 << 20  # of an observation


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
    arrays = unpack(folder / "policy.safetensors")
    try:
        rules = Rules.from_dict(card.get("rules"))  # type: ignore[arg-type]  # which says so of what is no dict
        card = _checked(_of_format_1(card, rules) if card["format"] == 1 else card)
        config = build(Network, card["network"], "network.")
    except ValueError as error:
        raise CheckpointError(f"{folder / 'policy.json'}: {error}") from None
    sizes = card["observation_size"], card["critic_size"], card["row_size"]
    try:
        if not config.custom:
            _require_shapes(config, sizes, arrays)
        network = build_network(config, *sizes)
    except ConfigError as error:
        raise CheckpointError(f"{folder}: its network cannot be made here: {error}") from error
    try:
        set_weights(network, arrays)
    except CheckpointError as error:
        raise CheckpointError(f"{folder / 'policy.safetensors'}: {error}") from error
    names = card["features"]
    return Policy(network.eval(), rules, card, names.split() if names else None)


def _of_format_1(card: dict[str, Any], rules: Rules) -> dict[str, Any]:
    """What the card of a policy of format 1 leaves unsaid."""
    names = features_of_version_1(rules)
    is_read = len(names) == card.get("observation_size")
    said = {"features": " ".join(names) if is_read else None, "row_size": 0}
    network = card.get("network")
    return {**card, **said, "network": {**OF_FORMAT_1, **network} if isinstance(network, dict) else network}


def _checked(card: dict[str, Any]) -> dict[str, Any]:
    """A card of which what is read later is there, and of the right form.

    Raises:
        ValueError: Names the key.
    """
    if missing := [key for key in _KEYS if key not in card]:
        raise ValueError(f"{missing[0]!r} is missing")
    if not isinstance(card["network"], dict):
        raise ValueError(f"network: {shown(card['network'])} must be an object")
    for key, low in (("observation_size", 1), ("critic_size", 0), ("row_size", 0)):
        whole_number(card[key], key, low, _MOST_ENTRIES)
    names = card["features"]
    if not (names is None or (isinstance(names, str) and len(names.split()) == card["observation_size"])):
        raise ValueError(f"features: must name {card['observation_size']} features, or be null")
    check_choice(card.get("objective", "deal"), "objective", ("deal", "match"))
    return card


def _require_shapes(config: Network, sizes: tuple[int, int, int], arrays: Arrays) -> None:
    """Compare the shapes of weights with those of their network, before memory is taken for it.

    Raises:
        CheckpointError: Names the first that differs.
    """
    most_layers = len(arrays)  # each has an array at least; so many are soon made without memory
    if config.layers > most_layers:
        raise CheckpointError(
            f"the weights do not fit the network: {most_layers} arrays, {config.layers} layers"
        )
    with torch.device("meta"):
        network = build_network(config, *sizes)
    wanted = {name: tuple(part.shape) or (1,) for name, part in network.state_dict().items()}
    found = {name: array.shape or (1,) for name, array in arrays.items()}  # one number is kept as an array
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise CheckpointError(
                f"the weights do not fit the network: {name} has the shape {found.get(name)}, "
                f"the network needs {wanted.get(name)}"
            )


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
        CheckpointError: If names or shapes do not fit, or a number is none that can be learnt.
    """
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise CheckpointError(f"the weights of {name} hold numbers that are not finite: they are damaged")
    if not (arrays.get("value_scale", np.ones(1)) > 0).all():
        raise CheckpointError(f"value_scale is {arrays['value_scale']}; it must be above 0")
    try:
        network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()})
    except RuntimeError as error:
        raise CheckpointError(f"the weights do not fit the network: {error}") from None
