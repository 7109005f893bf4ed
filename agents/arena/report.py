"""The report: results.json as one page that needs nothing beside itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from canasta_agents.arena.notable import REASONS
from canasta_agents.arena.plots import anatomy_plot, ratings_plot
from canasta_agents.arena.replays import replay
from canasta_agents.files import write_file
from canasta_env.rules import Rules

_TEMPLATES = Path(__file__).parent / "templates"
GAME_NAMES = {"classic": "Classic Canasta", "modern_american": "Modern American Canasta"}
_STRONGEST_TINT = 0.78


def write_report(path: Path, results: dict[str, Any]) -> None:
    """Write the page of a tournament.

    Args:
        path: Where to.
        results: What `results.collect` gathered, or what results.json holds.
    """
    write_file(path, render(results))


def render(results: dict[str, Any]) -> str:
    """The page as HTML."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(signed=_signed, share=_share, decimal=_decimal)
    names = [entrant["name"] for entrant in results["entrants"]]
    order = [row["entrant"] for row in results["standings"]] or names
    anatomy = sorted(results["anatomy"], key=lambda row: order.index(row["entrant"]))
    anatomy = [row for row in anatomy if row["deals"] > 0]
    template = environment.get_template("report.html")
    return template.render(
        results=results,
        settings=results["settings"],
        game=GAME_NAMES[results["settings"]["game"]],
        order=order,
        cells=_cells(results["pairings"]),
        anatomy=anatomy,
        ratings_svg=Markup(ratings_plot(results["standings"])) if results["standings"] else "",
        anatomy_svg=Markup(anatomy_plot(anatomy)) if anatomy else "",
        replays=_embedded(_replays(results)),
        rules=Rules.from_dict(results["settings"]["rules"]),
        css=_text("report.css"),
        script=_text("replay.js"),
    )


def _text(name: str) -> Markup:
    return Markup((_TEMPLATES / name).read_text(encoding="utf-8"))


def _embedded(content: object) -> Markup:
    """JSON to stand in a script element: nothing in it may end the element."""
    return Markup(json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))


def _replays(results: dict[str, Any]) -> list[dict[str, Any]]:
    rules = Rules.from_dict(results["settings"]["rules"])
    return [
        {
            "title": REASONS[notable["reason"]],
            "measure": _measure(notable),
            "deals": [replay(rules, deal) for deal in (notable["deal"], notable["twin"]) if deal is not None],
        }
        for notable in results["notable"]
    ]


def _measure(notable: dict[str, Any]) -> str:
    unit = "turns" if notable["reason"] == "longest" else "points"
    return f"{notable['measure']:,.0f} {unit}"


def _cells(pairings: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """The heat map: what the row's entrant scores against the column's, and the colour of it."""
    widest = max([abs(pairing["points"]["estimate"]) for pairing in pairings] + [1.0])
    cells = {}
    for pairing in pairings:
        points, wins = pairing["points"], pairing["match_wins"] or pairing["deal_wins"]
        half = None if points["low"] is None else (points["high"] - points["low"]) / 2
        for sign, pair in ((1, ("first", "second")), (-1, ("second", "first"))):
            estimate = sign * points["estimate"]
            cells[pairing[pair[0]], pairing[pair[1]]] = {
                "points": estimate,
                "half_width": half,
                "wins": wins["estimate"] if sign == 1 else 1 - wins["estimate"],
                "is_clear": half is not None and abs(estimate) > half,
                "tint": round(_STRONGEST_TINT * (abs(estimate) / widest) ** 0.6, 3),
                "gains": estimate >= 0,
            }
    return cells


def _signed(number: float | None, digits: int = 0) -> str:
    return "–" if number is None else f"{round(number, digits) + 0.0:+,.{digits}f}".replace("-", "−")


def _share(number: float | None, digits: int = 1) -> str:
    return "–" if number is None else f"{100 * number:.{digits}f}%"


def _decimal(number: float | None, digits: int = 2) -> str:
    return "–" if number is None else f"{number:,.{digits}f}".replace("-", "−")
