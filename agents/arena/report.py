"""The report: results.json as one page that needs nothing beside itself."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from canasta_agents.arena.deal_stats import POINTS_BY_CLAUSE, columns
from canasta_agents.arena.notable import REASONS
from canasta_agents.arena.schedule import Board
from canasta_agents.files import write_file
from canasta_agents.page_templates import page_templates
from canasta_env import Table
from canasta_env.cards import KINDS, RANKS
from canasta_env.rendering.text import GAME_NAMES
from canasta_env.rules import Rules
from canasta_env.validation import printable

_TEMPLATES = Path(__file__).parent / "templates"
_STRONGEST_TINT = 0.55  # dark ink over it still has 4.5 : 1

INK, FAINT, ACCENT = "#26312c", "#d9d5ca", "#1f6f54"
_STYLE: Any = {
    "svg.fonttype": "none",
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

_HAND_ORDER = [*RANKS, "2", "joker", "black3", "red3"]
_CARD_RANK = {kind: place for place, kind in enumerate(_HAND_ORDER)}


def write_report(path: Path, results: dict[str, Any]) -> None:
    """Write the page of a tournament.

    Args:
        path: Where to.
        results: What `results.collect` gathered, or what results.json holds.
    """
    write_file(path, render(results))


def render(results: dict[str, Any]) -> str:
    """The page as HTML."""
    environment = page_templates(_TEMPLATES)
    environment.filters.update(signed=_signed, share=_share, decimal=_decimal, p_value=p_value)
    names = [entrant["name"] for entrant in results["entrants"]]
    order = [row["entrant"] for row in results["standings"]] or names
    anatomy = sorted(results["anatomy"], key=lambda row: order.index(row["entrant"]))
    anatomy = [row for row in anatomy if row["deals"] > 0]
    rules = Rules.from_dict(results["settings"]["rules"])
    template = environment.get_template("report.html")
    return template.render(
        results=results,
        settings=results["settings"],
        game=GAME_NAMES[results["settings"]["game"]],
        order=order,
        cells=_cells(results["pairings"]),
        anatomy=anatomy,
        ratings_svg=Markup(ratings_plot(results["standings"])) if results["standings"] else "",
        points_svg=Markup(points_plot(anatomy)) if anatomy else "",
        replays=_embedded(_replays(results)),
        statistics=columns(rules),
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


def p_value(number: float) -> str:
    """A p-value as people read it."""
    return "< 0.0001" if number < 0.0001 else f"{number:.4f}" if number < 0.01 else f"{number:.2f}"


def ratings_plot(standings: Sequence[dict[str, Any]]) -> str:
    """SVG to stand inside a page: a dot with its interval for each entrant, best on top."""
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


def points_plot(rows: Sequence[dict[str, Any]]) -> str:
    """SVG: points a deal of each entrant's sides by clause, gains stacked to the right, losses left."""
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
    for clause in POINTS_BY_CLAUSE:
        points = row[clause.name]
        start = right if points >= 0 else left
        label = clause.label if place == 0 else None
        axes.barh(place, points, 0.62, start, color=clause.colour, label=label, zorder=2)
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
    axes.set_yticks(range(len(names)), list(map(printable, names)), parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(length=0)
    axes.grid(axis="x", color=FAINT, lw=0.8, zorder=0)
    axes.margins(x=0.09)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _svg(figure: Figure, title: str) -> str:
    """The figure with ids that no other figure of the page has."""
    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": title}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    used = set(re.findall(r"#([\w-]+)", svg))
    svg = re.sub(r'(<\w+) id="([^"]*)"', lambda found: found[0 if found[2] in used else 1], svg)
    svg = svg[svg.index("<svg") :]
    size = r'width="[^"]+" height="[^"]+"|height="[^"]+" width="[^"]+"'
    svg = re.sub(size, f'role="img" aria-label="{title}"', svg, count=1)
    return re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)


def replay(rules: Rules, deal: Mapping[str, Any]) -> dict[str, Any]:
    """Play a deal of results.json again, in steps that a page can show.

    Args:
        rules: The game.
        deal: One of the deals under "notable".

    Returns:
        `seats`, `dealer`, `scores` and so on as given, and `steps`: the first holds every part of the
        position, each later one its action, who played it, and the parts that it changed.
    """
    board = Board(deal["board"], deal["seed"], deal["dealer"], tuple(deal["scores"]))
    table = Table(rules, order=board.order(deal["deal"]), dealer=board.dealer, scores=board.scores)
    before = _parts(table)
    steps = [before]
    for action in deal["actions"]:
        seat = table.to_play
        table.play(action)
        after = _parts(table)
        changed = {name: part for name, part in after.items() if part != before[name]}
        steps.append({"a": action, "by": seat, **changed})
        before = after
    breakdown = [vars(score) for score in table.score()]
    shown = ("first", "second", "board", "deal", "seats", "dealer", "scores", "totals")
    return {
        **{name: deal[name] for name in shown},
        "sides": rules.num_sides,
        "breakdown": breakdown,
        "steps": steps,
    }


def _parts(table: Table) -> dict[str, Any]:
    """Hands `h0` ..., each side's melds `m0` ... and threes `t0` ..., pile, stock, mover, points, turn."""
    rules = table.rules
    parts: dict[str, Any] = {f"h{seat}": _hand(table.hand(seat)) for seat in range(rules.players)}
    for side in range(rules.num_sides):
        melds = table.melds(side)
        parts[f"m{side}"] = [[name, *melds[name]] for name in sorted(melds, key=_meld_rank)]
        parts[f"t{side}"] = [kind for kind, count in table.threes(side).items() for _ in range(count)]
    parts["p"] = table.pile
    parts["s"] = table.stock_size
    parts["to"] = table.to_play
    parts["v"] = [score.total for score in table.score()]
    parts["n"] = table.position()["turn"]
    return parts


def _hand(counts: Mapping[str, int]) -> list[str]:
    return [kind for kind in sorted(counts, key=_CARD_RANK.__getitem__) for _ in range(counts[kind])]


def _meld_rank(name: str) -> int:
    return KINDS.index(name) if name in KINDS else len(KINDS)
