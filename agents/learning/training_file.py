"""training.json: what a run needs to go on beside its arrays, and in which format it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from canasta_agents.files import CHECKSUMS, find_folder
from canasta_agents.neural.arrays import CheckpointError, read_json, require_undamaged

FORMAT = 3  # of training.*; a change of names or meanings counts it up
_CHECKED_SINCE = 3  # formats before have no checksums
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
    """Read training.json, of this format or an older one.

    Args:
        folder: As `find_state` finds it.

    Raises:
        CheckpointError: If it cannot be read, is damaged, or is of a newer version.
    """
    facts = read_json(folder / FILE)
    number = facts.get("format")
    if type(number) is not int or not 1 <= number <= FORMAT:
        is_newer = type(number) is int and number > FORMAT
        reason = ": it was written by a newer version, which can go on with it" if is_newer else ""
        raise CheckpointError(
            f"{folder}: the training state has format {number!r}, this version reads 1 to {FORMAT}{reason}; "
            f"here, begin a new run with its weights: --run.start {folder}"
        )
    if number >= _CHECKED_SINCE and not (folder / CHECKSUMS).is_file():
        raise CheckpointError(f"{folder / CHECKSUMS}: is missing; nobody can know if the files are whole")
    require_undamaged(folder, FILE)
    if not isinstance(facts.get("config"), dict):
        raise CheckpointError(f"{folder / FILE}: holds no config")
    return facts
