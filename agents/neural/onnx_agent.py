"""An exported policy at the table: ONNX Runtime and no PyTorch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.features import FeatureReader, features_of_version_1
from canasta_env.actions import NOTATION_VERSION, NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.files import from_json
from canasta_env.rules import Rules

FORMAT = 2  # of inputs, outputs and metadata; a change that old readers cannot read counts it up
METADATA = "canasta."  # what the names of our metadata begin with
INPUTS = ("observations", "masks")
OUTPUTS = ("actions", "log_probs")


class ExportError(ValueError):
    """A file that holds no exported policy, or one that does not fit the game: says which and why."""


class OnnxAgent:
    """Plays the likeliest action of an exported policy (`python -m canasta_agents export`).

    Args:
        path: The ONNX file.
        rules: The game it will play; the one it was trained on if None.

    Raises:
        ExportError: If the file cannot be read, is of another game, number of players, observation or
            action table, or its weights are damaged.
        ImportError: If ONNX Runtime is not installed; names the extra.
    """

    def __init__(self, path: Path | str, rules: Rules | None = None) -> None:
        self.name = f"onnx:{path}"
        self._session = _open(Path(path))
        self.metadata = _metadata(self._session, Path(path))
        self.rules = rules or _rules_in(self.metadata, Path(path))
        names = self.metadata["features"].split()
        _require_fit(self.metadata, describe_policy(self.rules, names), path)
        try:
            self._reader = FeatureReader(self.rules, names, str(path))
        except CheckpointError as error:
            raise ExportError(str(error)) from None
        _try_out(self._session, self._reader, path)

    def reset(self, num_tables: int, seed: int) -> None:
        """See `Agent.reset`: nothing is remembered and nothing drawn."""

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """See `Agent.act`."""
        observations = self._reader.read(batch.observations)
        inputs = {"observations": observations, "masks": np.ascontiguousarray(batch.masks)}
        actions: NDArray[np.int64] = self._session.run(["actions"], inputs)[0]
        return actions


def describe_policy(rules: Rules, names: Sequence[str]) -> dict[str, str]:
    """The metadata of an exported policy: what it was trained on and how its numbers are to be read.

    Args:
        rules: The game it was trained on.
        names: The features that it reads, in order.
    """
    return {
        "format": str(FORMAT),
        "game": rules.game,
        "players": str(rules.players),
        "observation_size": str(len(names)),
        "features": " ".join(names),
        "num_actions": str(NUM_ACTIONS),
        "notation_version": str(NOTATION_VERSION),
        "rules": json.dumps(rules.to_dict()),
    }


def _open(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError(
            "an exported policy needs ONNX Runtime: pip install 'canasta-env[onnx]' (or onnxruntime)"
        ) from error
    if not path.is_file():
        raise ExportError(
            f"{path}: there is no such file; python -m canasta_agents export RUN FILE writes one"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # whoever has more cores plays more tables: docs/architecture.md
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's exceptions have no public base class
        raise ExportError(f"{path}: cannot be read as an ONNX file ({error})") from error


def _metadata(session: Any, path: Path) -> dict[str, str]:
    found: dict[str, str] = session.get_modelmeta().custom_metadata_map
    metadata = {
        name.removeprefix(METADATA): text for name, text in found.items() if name.startswith(METADATA)
    }
    if metadata.get("format") not in ("1", str(FORMAT)) or "rules" not in metadata:
        raise ExportError(
            f"{path}: is no policy exported by this version (format {metadata.get('format')}; it reads "
            f"formats 1 and {FORMAT}); python -m canasta_agents export writes one"
        )
    return {"features": " ".join(features_of_version_1(_rules_in(metadata, path))), **metadata}


def _rules_in(metadata: dict[str, str], path: Path) -> Rules:
    try:
        return Rules.from_dict(from_json(metadata["rules"]))
    except ValueError as error:
        raise ExportError(f"{path}: its rules cannot be read: {error}") from None


def _require_fit(metadata: dict[str, str], wanted: dict[str, str], path: Path | str) -> None:
    for name in ("game", "players", "observation_size", "num_actions", "notation_version"):
        if metadata.get(name) != wanted[name]:
            raise ExportError(
                f"{path}: was exported for {name} {metadata.get(name)}, but this table has {wanted[name]}"
            )


def _try_out(session: Any, reader: FeatureReader, path: Path | str) -> None:
    """Refuse a model that is no policy: a weight that is not a number shows in what it says of anything."""
    observations = np.zeros((2, reader.observation_size), np.int8)
    observations[1] = 1
    inputs = (reader.read(observations), np.ones((2, NUM_ACTIONS), np.int8))
    try:
        actions, log_probs = session.run(list(OUTPUTS), dict(zip(INPUTS, inputs, strict=True)))
    except Exception as error:  # see _open
        raise ExportError(f"{path}: its model fails ({' '.join(str(error).split())})") from error
    has_form = actions.dtype == np.int64 and (actions.shape, log_probs.shape) == ((2,), (2, NUM_ACTIONS))
    if not has_form or not np.isfinite(log_probs).all():
        raise ExportError(
            f"{path}: its model gives no actions with finite log-probabilities: its weights are damaged, or "
            "it is no policy"
        )
