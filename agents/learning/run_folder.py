"""The folder of a run: claimed before anything else, and held as long as the run is trained."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from canasta_agents.config_checks import ConfigError
from canasta_agents.files import FolderInUseError, claim_folder, is_folder_name
from canasta_agents.learning.config import Config
from canasta_agents.learning.distributed import ProcessGroup
from canasta_env.validation import shown

CONFIG_FILE = "config.json"  # of a run's folder: with it, the folder is that of a run
MOST_NAMES = 1_000  # that are tried for runs which begin in one second


@contextmanager
def claim_run_folder(config: Config, resume: Path | None, group: ProcessGroup) -> Iterator[Path]:
    """The run's folder, held against every other run.

    Raises:
        ConfigError: If another process holds it, or a new run would be written over another; in all
            processes of the group.
        OSError: If it cannot be written; likewise.
    """
    with ExitStack() as claims:
        claimed: Path | Exception = Path()
        if group.is_first:
            try:
                claimed = (
                    _claim_run(resume, claims) if resume is not None else claim_new_folder(config, claims)
                )
            except (ConfigError, OSError) as error:
                claimed = error
        claimed = group.broadcast(claimed)
        if isinstance(claimed, Exception):
            raise claimed
        yield claimed


def _claim_run(folder: Path, claims: ExitStack) -> Path:
    try:
        claims.enter_context(claim_folder(folder))
    except FolderInUseError as error:
        raise ConfigError(
            f"resume: {folder} is being trained by another process; wait for it, or stop it"
        ) from error
    return folder


def claim_new_folder(config: Config, claims: ExitStack) -> Path:
    """Where a new run goes: its name is given, or one that no other run has.

    Args:
        config: Of the run.
        claims: Holds the folder until it is closed.

    Raises:
        ConfigError: If there is a run of the given name already, or it is no name of a folder.
        OSError: If the folder cannot be written.
    """
    folder = Path(config.run.folder)
    if config.run.name:
        if not is_folder_name(config.run.name):
            raise ConfigError(
                f"run.name: {shown(config.run.name)} must be the name of one folder, without slashes; "
                f"run.folder ({folder}) says where it is"
            )
        if not _is_claimed(folder / config.run.name, claims):
            place = folder / config.run.name
            raise ConfigError(
                f"run.name: {place} holds a run already; go on with --resume {place}, or take another name"
            )
        return folder / config.run.name
    name = f"{config.game.name}_{config.game.players}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in range(1, MOST_NAMES + 1):
        place = folder / (name if number == 1 else f"{name}-{number}")
        if _is_claimed(place, claims):
            return place
    raise ConfigError(f"run.name: {MOST_NAMES} runs in {folder} are named {name}; give a name")


def _is_claimed(folder: Path, claims: ExitStack) -> bool:
    """Claim the folder of a new run; False if it holds one, or is held by one that begins."""
    claim = ExitStack()
    try:
        claim.enter_context(claim_folder(folder))
    except FolderInUseError:
        return False
    if (folder / CONFIG_FILE).exists():
        claim.close()
        return False
    claims.push(claim.pop_all())
    return True
