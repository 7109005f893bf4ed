"""Metrics of a run: a line of JSON an update, the same for TensorBoard and W&B, and a picture of the curves.

docs/metrics.md defines each.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from canasta_agents.files import write_file
from canasta_agents.learning.wandb_run import WandbRun
from canasta_env.files import errors_naming, from_json

FILE = "metrics.jsonl"
OLD_PREFIXES = {"learn": "ppo", "imitate": "imitation", "play": "rollout", "judge": "eval"}  # as once written

Lines = list[dict[str, float]]


class MetricsWriter:
    """Writes to a run's folder.

    Args:
        folder: The run's folder.
        update: Last update that counts: what a resumed run wrote after its checkpoint is taken back.
        wandb: A run at Weights & Biases that gets the same.
    """

    def __init__(self, folder: Path, update: int = 0, wandb: WandbRun | None = None) -> None:
        from torch.utils.tensorboard import SummaryWriter

        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        kept = [line for line in read_metrics(folder) if line["update"] <= update]
        write_file(path, "".join(json.dumps(line) + "\n" for line in kept).encode())
        self._lines = path.open("a", encoding="utf-8")
        self._path, self._board_folder = path, folder / "tensorboard"
        self._wandb = wandb
        with errors_naming(self._board_folder):
            self._board: Any = SummaryWriter(str(self._board_folder), purge_step=update + 1)

    def write(self, update: int, metrics: dict[str, float]) -> None:
        """Write one update's metrics."""
        with errors_naming(self._path):
            self._lines.write(json.dumps({"update": update, **metrics}) + "\n")
            self._lines.flush()
        with errors_naming(self._board_folder):
            for name, number in metrics.items():
                self._board.add_scalar(name, number, update)
        if self._wandb is not None:
            self._wandb.write(update, metrics)

    def close(self) -> None:
        """Bring everything to the disk."""
        with errors_naming(self._path):
            self._lines.close()
        with errors_naming(self._board_folder):
            self._board.close()
        if self._wandb is not None:
            self._wandb.close()


def read_metrics(folder: Path) -> Lines:
    """The lines of a run's metrics, under today's names; what is no such line (half-written) is skipped."""
    path = folder / FILE
    lines = []
    texts = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for text in texts:
        try:
            line = from_json(text)
        except ValueError:
            continue
        if _is_metrics(line):
            lines.append({_name_today(name): number for name, number in line.items()})
    return lines


def _is_metrics(line: object) -> bool:
    return (
        isinstance(line, dict)
        and "update" in line
        and all(isinstance(number, int | float) for number in line.values())
    )


def _name_today(name: str) -> str:
    prefix, slash, rest = name.partition("/")
    return OLD_PREFIXES.get(prefix, prefix) + slash + rest


def draw_curves(folder: Path) -> Path | None:
    """Draw curves.png into a run's folder from its metrics.

    Returns:
        Where the picture is; None if there is nothing to draw yet.
    """
    lines = read_metrics(folder)
    if not lines:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 7), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, draw in zip(figure.subplots(2, 3).flat, _PANELS, strict=True):
        draw(axes, lines)
        axes.set_xlabel("minutes")
        axes.grid(alpha=0.3)
    figure.suptitle(folder.name)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    path = folder / "curves.png"
    write_file(path, picture.getvalue())
    return path


def _draw_strength(axes: Any, lines: Lines) -> None:
    for name, unit in (("eval/points", "points"), ("eval/match_percent", "percent of a match")):
        measured = [line for line in lines if name in line]
        if not measured:
            continue
        minutes = [line["seconds"] / 60 for line in measured]
        low, high = ([line[f"{name}_{end}"] for line in measured] for end in ("low", "high"))
        axes.fill_between(minutes, low, high, alpha=0.25)
        axes.plot(minutes, [line[name] for line in measured], marker="o")
        axes.set_title(f"{unit} a deal against the reference (95%)")
    axes.axhline(0, color="black", linewidth=0.8)


def _panel(title: str, *names: str) -> Callable[[Any, Lines], None]:
    """A panel with one curve for each metric."""

    def draw(axes: Any, lines: Lines) -> None:
        for name in names:
            points = [(line["seconds"] / 60, line[name]) for line in lines if name in line]
            if points:
                axes.plot(*zip(*points, strict=True), label=name)
        if axes.lines:
            axes.legend(fontsize="small")
        axes.set_title(title)

    return draw


_PANELS = (
    _draw_strength,
    _panel("entropy (nats)", "imitation/entropy", "ppo/entropy"),
    _panel("how far the policy moves", "ppo/kl", "ppo/clip_fraction"),
    _panel("agreement with the teacher, value explained", "imitation/agreement", "ppo/explained_variance"),
    _panel("value loss", "imitation/value_loss", "ppo/value_loss"),
    _panel("decisions a second", "time/decisions_per_s"),
)
