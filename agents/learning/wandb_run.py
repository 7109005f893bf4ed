"""Weights & Biases: the metrics of a run sent there as well, where `run.wandb` names a project."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from canasta_agents.config_checks import ConfigError
from canasta_agents.files import write_file

ID_FILE = "wandb_id.txt"  # in a run's folder: a resumed run goes on with the same curves


class WandbRun:
    """A run at Weights & Biases.

    Args:
        project: Where it belongs.
        folder: The run's folder, whose name it bears; W&B's own files go there too.
        config: What is run, as a dict.

    Raises:
        ConfigError: If W&B is not installed, or refuses (nobody is logged in).
    """

    def __init__(self, project: str, folder: Path, config: dict[str, Any]) -> None:
        wandb = load_wandb()
        path = folder / ID_FILE
        if not path.is_file():
            write_file(path, secrets.token_hex(8).encode())
        try:
            self._run: Any = wandb.init(
                project=project,
                name=folder.name,
                id=path.read_text(encoding="utf-8").strip(),
                resume="allow",
                config=config,
                dir=str(folder),
            )
        except wandb.Error as error:
            raise ConfigError(f"run.wandb: {project!r}: Weights & Biases refused: {error}") from error

    def write(self, update: int, metrics: dict[str, float]) -> None:
        """Send one update's metrics; one that was sent before stays as it was."""
        self._run.log(metrics, step=update)

    def close(self) -> None:
        """Bring everything there."""
        self._run.finish()


def load_wandb() -> Any:
    """The library.

    Raises:
        ConfigError: If it is not installed; a folder `wandb` of files, as it leaves them, is not the library.
    """
    try:
        import wandb
    except ImportError as error:
        raise ConfigError(_MISSING) from error
    if not hasattr(wandb, "init"):
        raise ConfigError(_MISSING)
    return wandb


_MISSING = "run.wandb: Weights & Biases is not installed: pip install wandb, or leave run.wandb out"
