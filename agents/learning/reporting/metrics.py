"""Metrics of a run: a line of JSON an update, and the same for TensorBoard. docs/metrics.md defines each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from canasta_agents.learning.files import write_file

FILE = "metrics.jsonl"


class MetricsWriter:
    """Writes to a run's folder.

    Args:
        folder: The run's folder.
        update: Last update that counts: what a resumed run wrote after its checkpoint is taken back.
    """

    def __init__(self, folder: Path, update: int = 0) -> None:
        from torch.utils.tensorboard import SummaryWriter

        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        kept = [line for line in read_metrics(folder) if line["update"] <= update]
        write_file(path, "".join(json.dumps(line) + "\n" for line in kept).encode())
        self._lines = path.open("a", encoding="utf-8")
        self._board: Any = SummaryWriter(str(folder / "tensorboard"), purge_step=update + 1)

    def write(self, update: int, metrics: dict[str, float]) -> None:
        """Write one update's metrics."""
        self._lines.write(json.dumps({"update": update, **metrics}) + "\n")
        self._lines.flush()
        for name, number in metrics.items():
            self._board.add_scalar(name, number, update)

    def close(self) -> None:
        """Bring everything to the disk."""
        self._lines.close()
        self._board.close()


def read_metrics(folder: Path) -> list[dict[str, float]]:
    """The lines of a run's metrics; a line that a killed process left half-written is skipped."""
    path = folder / FILE
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            continue
    return lines
