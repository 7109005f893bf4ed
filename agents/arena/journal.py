"""The journal of a tournament: a file for every finished block, so that nothing is ever played twice.

A block's file is named by a fingerprint of everything its result depends on: rules, boards, entrants and
their weights, and the code. What does not depend on it (how many boards there are in all, who else takes
part, how many workers) can change between runs, and the files still fit.

A file is an .npz archive whose comment is a seal: the whole fingerprint, since the name has only a part of it
and can be changed, and a checksum over every byte before it. Nothing is unpacked before the seal has been
checked.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.blocks import Block, BlockResult
from canasta_agents.arena.forfeits import Fault
from canasta_agents.arena.kernels import OUTCOME
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.files import write_file

_SEAL = b"canasta block 1 "  # then the identity, a space, the checksum
_SEAL_SIZE = len(_SEAL) + 64 + 1 + 64
_TALLIES = ("points", "deals", "deal_wins", "match_wins")


@dataclass(frozen=True)
class Place:
    """Where a block belongs."""

    path: Path
    identity: str  # fingerprint of all that its result depends on, 64 hexadecimal digits


@dataclass(frozen=True)
class Journal:
    """The blocks of a tournament in a folder."""

    folder: Path
    code: str  # fingerprint of the code

    def place(self, block: Block, entrants: Sequence[str]) -> Place:
        """The file of a block, and what must stand in it.

        Args:
            block: The block.
            entrants: The fingerprint of the entrant in each slot.
        """
        content = {
            "code": self.code,
            "rules": block.rules.to_dict(),
            "arrangements": [asdict(arrangement) for arrangement in block.matchup.arrangements],
            "entrants": list(entrants),
            "boards": [block.start, block.stop],
            "seed": block.seed,
            "episode": block.episode,
            "scores": block.scores,
            "decision_time_s": block.decision_time_s,  # who is given more may forfeit less
        }
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        return Place(self.folder / f"{block.start:06d}-{digest[:20]}.npz", digest)

    def write(self, place: Place, played: BlockResult) -> None:
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
        write_file(place.path, _sealed(buffer.getvalue(), place.identity))

    def read(self, place: Place) -> BlockResult | None:
        """Read the result of a block; None if it has not been played.

        Raises:
            ArenaError: If the file is damaged, of an older version, or another block's.
        """
        if not place.path.exists():
            return None
        try:
            archive = _unsealed(place.path.read_bytes(), place.identity)
            with np.load(io.BytesIO(archive), allow_pickle=False) as content:
                return _read(content)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ArenaError(f"{place.path}: damaged ({error}); delete it to play its boards again") from None


def _sealed(archive: bytes, identity: str) -> bytes:
    """An archive with its seal as the comment, whose length is the last entry of an archive."""
    content = archive[:-2] + _SEAL_SIZE.to_bytes(2, "little")
    return content + _seal(content, identity)


def _seal(content: bytes, identity: str) -> bytes:
    checksum = hashlib.sha256(identity.encode() + content).hexdigest()
    return _SEAL + f"{identity} {checksum}".encode()


def _unsealed(file: bytes, identity: str) -> bytes:
    """The archive in a sealed file.

    Raises:
        ValueError: If the seal is missing, broken, or that of another block.
    """
    content, seal = file[:-_SEAL_SIZE], file[-_SEAL_SIZE:]
    if not seal.startswith(_SEAL):
        raise ValueError("it ends without a seal, as those of older versions do")
    own = seal[len(_SEAL) :][:64].decode(errors="replace")
    if seal != _seal(content, own):
        raise ValueError("its checksum is not that of its content")
    if own != identity:
        raise ValueError("it is the file of another block, copied or renamed")
    return content


def _read(content: np.lib.npyio.NpzFile) -> BlockResult:
    outcomes: NDArray[np.void] = content["outcomes"]
    if outcomes.dtype != OUTCOME:
        raise ValueError("other fields")
    ends = np.cumsum(content["action_lengths"])
    log = content["actions"].tobytes()
    starts = [0, *ends[:-1].tolist()] if len(ends) else []
    return BlockResult(
        **{name: content[name] for name in _TALLIES},
        outcomes=outcomes,
        actions=[log[start:end] for start, end in zip(starts, ends.tolist(), strict=True)],
        faults=[Fault(**fault) for fault in json.loads(content["faults"].tobytes())],
    )
