"""A picture of a run's curves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from canasta_agents.learning.reporting.metrics import read_metrics

Lines = list[dict[str, float]]


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
    path = folder / "curves.png"
    figure.savefig(path, dpi=110)
    return path


def _draw_strength(axes: Any, lines: Lines) -> None:
    for name, unit in (("judge/points", "points"), ("judge/match_percent", "percent of a match")):
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
    _panel("entropy (nats)", "imitate/entropy", "learn/entropy"),
    _panel("how far the policy moves", "learn/kl", "learn/clip_fraction"),
    _panel("agreement with the teacher, value explained", "imitate/agreement", "learn/explained_variance"),
    _panel("value loss", "imitate/value_loss", "learn/value_loss"),
    _panel("decisions a second", "time/decisions_per_s"),
)
