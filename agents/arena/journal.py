"""The journal of a tournament: a file for every finished block, so that nothing is ever played twice.

A block's file is named by a fingerprint of everything its result depends on: rules, boards, entrants and
their weights, and the code. What does not depend on it (how many boards there are in all, who else takes
part, how many workers) can change between runs, and the files still fit.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.errors import ArenaError
from canasta_agents.arena.forfeits import Fault
from canasta_agents.arena.play import Block, Played
from canasta_agents.arena.tables import OUTCOME
from canasta_agents.files import write_file

_TALLIES = ("points", "deals", "deal_wins", "match_wins")


@dataclass(frozen=True)
class Journal:
    """The blocks of a tournament in a folder."""

    folder: Path
    code: str  # fingerprint of the code

    def path(self, block: Block, entrants: Sequence[str]) -> Path:
        """The file of a block.

        Args:
            block: The block.
            entrants: The fingerprint of the entrant in each slot.
        """
        content = {
            "code": self.code,
            "rules": block.rules.to_dict(),
            "arrangements": [asdict(arrangement) for arrangement in block.contest.arrangements],
            "entrants": list(entrants),
            "boards": [block.start, block.stop],
            "seed": block.seed,
            "episode": block.episode,
            "scores": block.scores,
        }
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        return self.folder / f"{block.start:06d}-{digest[:20]}.npz"

    def write(self, path: Path, played: Played) -> None:
        """Keep the result of a block; actions are kept where there are any."""
        lengths = np.array([len(actions) for actions in played.actions], np.int32)
        faults = json.dumps([asdict(fault) for fault in played.faults])
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            outcomes=np.asarray(played.outcomes),
            action_lengths=lengths,
            actions=np.frombuffer(b"".join(played.actions), np.int8),
            faults=np.frombuffer(faults.encode(), np.uint8),
            **{name: getattr(played, name) for name in _TALLIES},
        )
        write_file(path, buffer.getvalue())

    def read(self, path: Path) -> Played | None:
        """Read the result of a block; None if it has not been played.

        Raises:
            ArenaError: If the file is damaged.
        """
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as content:
                return _read(content)
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise ArenaError(f"{path}: damaged ({error}); delete it to play its boards again") from None


def _read(content: np.lib.npyio.NpzFile) -> Played:
    outcomes: NDArray[np.void] = content["outcomes"]
    if outcomes.dtype != OUTCOME:
        raise ValueError("other fields")
    ends = np.cumsum(content["action_lengths"])
    log = content["actions"].tobytes()
    starts = [0, *ends[:-1].tolist()] if len(ends) else []
    return Played(
        **{name: content[name] for name in _TALLIES},
        outcomes=outcomes,
        actions=[log[start:end] for start, end in zip(starts, ends.tolist(), strict=True)],
        faults=[Fault(**fault) for fault in json.loads(content["faults"].tobytes())],
    )
