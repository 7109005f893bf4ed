"""training.json: what a run needs to go on beside its arrays, and in which format it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from canasta_agents.files import CHECKSUMS, find_folder
from canasta_agents.neural.arrays import CheckpointError, read_json, require_undamaged

FORMAT = 4  # of training.*; a change of names, meanings or observations counts it up
FILE, ARRAYS_FILE = "training.json", "training.safetensors"


def find_state(checkpoint: Path) -> Path:
    """The folder that holds the training state of a checkpoint.

    Raises:
        CheckpointError: If there is none.
    """
    found = find_folder(checkpoint)
    if found is None or not (found / FILE).is_file():
        raise CheckpointError(f"{checkpoint}: holds no resumable checkpoint ({ARRAYS_FILE} and {FILE})")
    return found


def read_facts(folder: Path) -> dict[str, Any]:
    """Read training.json.

    Args:
        folder: As `find_state` finds it.

    Raises:
        CheckpointError: If it cannot be read, is damaged, or is of another version.
    """
    facts = read_json(folder / FILE)
    number = facts.get("format")
    if type(number) is not int or number != FORMAT:
        raise CheckpointError(
            f"{folder}: the training state has format {number!r}, this version reads {FORMAT}: the version "
            f"that wrote it can go on with it; here its policy can be played and measured, as neural:{folder}"
        )
    if not (folder / CHECKSUMS).is_file():
        raise CheckpointError(f"{folder / CHECKSUMS}: is missing; nobody can know if the files are whole")
    require_undamaged(folder, FILE)
    if not isinstance(facts.get("config"), dict):
        raise CheckpointError(f"{folder / FILE}: holds no config")
    return facts
