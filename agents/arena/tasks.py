"""A block with who plays it: the unit that is handed to whichever process plays."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from canasta_agents.arena.entrants import CannotBeMadeError, is_outsider, players_for
from canasta_agents.arena.notable import thin_out
from canasta_agents.arena.play import Block, Played, forfeited, play_block


@dataclass(frozen=True)
class Task:
    """A block, who fills its slots (specs and fingerprints), and which games to keep.

    `number` is the caller's.
    """

    number: int
    block: Block
    specs: tuple[str, ...]
    fingerprints: tuple[str, ...]
    keep: str

    @property
    def outsiders(self) -> list[int]:
        """The slots whose entrants are not ours."""
        return [slot for slot, spec in enumerate(self.specs) if is_outsider(spec)]


def play_task(task: Task) -> Played:
    """Play a block in this process."""
    try:
        players = players_for(task.block, task.specs, task.fingerprints)
    except CannotBeMadeError as error:
        return forfeited(task.block, error.slot, str(error))
    return thin_out(task.block, play_block(task.block, players), task.keep)


def use_one_core() -> None:
    """Keep a worker's libraries to one thread each: the workers share the cores already."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    if "torch" in sys.modules:  # which reads them when it is imported
        sys.modules["torch"].set_num_threads(1)
