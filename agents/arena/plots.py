"""The report's plots, as SVG to stand inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, FAINT, ACCENT = "#26312c", "#d9d5ca", "#1f6f54"
# Okabe and Ito's palette, which colour-blind readers can tell apart.
CLAUSES = {
    "melded_cards": ("cards melded", "#0072b2"),
    "canastas": ("canastas", "#009e73"),
    "going_out": ("going out", "#f0e442"),
    "threes": ("threes", "#cc79a7"),
    "cards_in_hand": ("cards in hand", "#e69f00"),
    "penalties": ("penalties", "#d55e00"),
}
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "canasta",
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": FAINT,
}
_WIDTH = 11.0  # inches
_ROW = 0.42


def ratings_plot(standings: Sequence[dict[str, Any]]) -> str:
    """A dot with its interval for each entrant, best on top."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _rows([row["entrant"] for row in standings])
        for place, row in enumerate(standings):
            rating = row["rating"]
            axes.plot(
                [rating["low"], rating["high"]], [place, place], color=ACCENT, lw=5, alpha=0.35, zorder=2
            )
            axes.plot(rating["estimate"], place, "o", color=ACCENT, ms=8, zorder=3)
            label = f"{rating['estimate']:+.0f}".replace("-", "−")
            axes.annotate(label, (rating["estimate"], place), (0, 7), textcoords="offset points", ha="center")
        axes.axvline(0, color=INK, lw=0.8, alpha=0.5, zorder=1)
        axes.set_xlabel("Bradley-Terry rating on Elo's scale, mean 0, with 95% intervals")
        return _svg(figure, "Ratings with intervals")


def anatomy_plot(rows: Sequence[dict[str, Any]]) -> str:
    """Points a deal of each entrant's sides, stacked by clause: gains to the right, losses to the left."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _rows([row["entrant"] for row in rows])
        for place, row in enumerate(rows):
            _stack(axes, place, row)
        axes.axvline(0, color=INK, lw=0.8, zorder=3)
        axes.set_xlabel("points a side and deal; the mark is their sum")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=6, frameon=False, handlelength=1.0)
        return _svg(figure, "Points by clause")


def _stack(axes: Axes, place: int, row: dict[str, Any]) -> None:
    right = left = 0.0
    for name, (label, colour) in CLAUSES.items():
        points = row[name]
        start = right if points >= 0 else left
        axes.barh(place, points, 0.62, start, color=colour, label=label if place == 0 else None, zorder=2)
        right, left = right + max(points, 0.0), left + min(points, 0.0)
    axes.plot([row["total"]] * 2, [place - 0.4, place + 0.4], color=INK, lw=2.5, zorder=4)
    axes.annotate(
        f"{row['total']:+,.0f}".replace("-", "−"),
        (right, place),
        (7, 0),
        textcoords="offset points",
        va="center",
    )


def _rows(names: Sequence[str]) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(_WIDTH, 1.1 + _ROW * len(names)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(length=0)
    axes.grid(axis="x", color=FAINT, lw=0.8, zorder=0)
    axes.margins(x=0.09)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _svg(figure: Figure, title: str) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    size = r'width="[^"]+" height="[^"]+"|height="[^"]+" width="[^"]+"'
    svg = re.sub(size, f'role="img" aria-label="{title}"', svg, count=1)
    return re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
