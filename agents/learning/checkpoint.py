"""Checkpoints of a run: its policy and, in `latest`, everything that it needs to go on.

Beside the policy's two files `latest` holds training.safetensors and training.json, from which the run
resumes as if it had never stopped. A file has the checksums of the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from canasta_agents.config_checks import ConfigError
from canasta_agents.files import with_checksums, write_folder
from canasta_agents.learning import training_file
from canasta_agents.learning.match_equity import percent_a_point
from canasta_agents.neural.arrays import (
    Arrays,
    CheckpointError,
    as_json,
    pack,
    require_undamaged,
    unpack,
)
from canasta_agents.neural.network import ActorCritic, RankNetwork
from canasta_agents.neural.policy_file import load_policy, set_weights, weights


@dataclass(frozen=True)
class TrainingState:
    """Everything but the policy that a run needs to go on."""

    arrays: Arrays
    facts: dict[str, Any]  # JSON-able


def save(
    folder: Path, network: ActorCritic, card: dict[str, Any], state: TrainingState | None = None
) -> None:
    """Write a checkpoint, whole or not at all.

    Args:
        folder: Replaced.
        network: The policy.
        card: What policy.json shall say beside the network's form: see `policy_card`.
        state: For a checkpoint from which the run can go on.
    """
    files = {"policy.safetensors": pack(weights(network)), "policy.json": as_json(card)}
    if state is not None:
        facts = {"format": training_file.FORMAT, **state.facts}
        files |= {training_file.ARRAYS_FILE: pack(state.arrays), training_file.FILE: as_json(facts)}
    write_folder(folder, with_checksums(files))


def load_state(folder: Path) -> TrainingState:
    """Read what `save` wrote for going on.

    Raises:
        CheckpointError: If the folder holds no resumable checkpoint, a damaged one, or a newer version's.
    """
    found = training_file.find_state(folder)
    facts = training_file.read_facts(found)
    require_undamaged(found, training_file.ARRAYS_FILE)
    return TrainingState(unpack(found / training_file.ARRAYS_FILE), facts)


_FAULTS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@contextmanager
def refusing_damage(folder: Path) -> Iterator[None]:
    """Say of a training state that does not fit where it is, and what would be right.

    Checksums find damage first, but not what somebody wrote who knows how they are made.

    Raises:
        CheckpointError: In place of whatever is raised by what reads the state.
    """
    try:
        yield
    except (CheckpointError, ConfigError):
        raise
    except _FAULTS as error:
        reason = str(error).partition("\n")[0]
        raise CheckpointError(
            f"{folder}: the training state is damaged, or does not fit this version ({type(error).__name__}: "
            f"{reason}); begin a new run with its weights: --run.start {folder}"
        ) from error


def begin_from(network: ActorCritic, start: Path, objective: str) -> None:
    """Give a network the weights of a trained policy.

    Values that were learnt for another objective change their unit, by what a point brings in a match. A
    network with rows in its trunk may begin with a policy without: it then plays as that policy does.

    Args:
        network: Changed.
        start: A run, a checkpoint's folder, or the name of a policy of the package.
        objective: What the network is to learn, "deal" or "match".

    Raises:
        CheckpointError: If there is no policy, or its network has another form.
    """
    policy = load_policy(start)
    known, form = weights(policy.network), policy.network.config
    added = network.rows_to_trunk if isinstance(network, RankNetwork) else None
    if added is not None and not form.rows_in_trunk:
        form = dataclasses.replace(form, rows_in_trunk=True)
        known["rows_to_trunk.weight"] = np.zeros(added.weight.shape, dtype=np.float32)
    if (network.config, network.observation_size) != (form, policy.network.observation_size):
        own, other = (
            f"{each.config} for observations of {each.observation_size}" for each in (network, policy.network)
        )
        raise CheckpointError(
            f"run.start: the policy of {start} is {other}, that of this run {own}; set the sections network "
            "and game to those of the policy (network.rows_in_trunk alone may be added)"
        )
    set_weights(network, known)
    if (learnt := policy.card.get("objective", "deal")) != objective:
        percent = percent_a_point(policy.rules)
        network.value_scale.mul_(percent if learnt == "deal" else 1 / percent)
