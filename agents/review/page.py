"""A review as one page that needs nothing beside itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from markupsafe import Markup

from canasta_agents.page_templates import page_templates
from canasta_agents.review.files import replay_link
from canasta_agents.review.positions import tables_at
from canasta_agents.review.summary import KINDS, Estimate, Review, Reviewed
from canasta_agents.review.tables import plus_minus, signed, where
from canasta_env.records import Record
from canasta_env.rendering.text import GAME_NAMES, view_picture
from canasta_env.table import Table
from canasta_env.validation import printable

_TEMPLATES = Path(__file__).parent / "templates"


def to_page(review: Review, record: Record, name: str, num_errors: int) -> str:
    """The review as HTML.

    Args:
        review: The review.
        record: What it is of; the positions of the errors come from it.
        name: Of the record's file.
        num_errors: How many errors to show with their positions.
    """
    environment = page_templates(_TEMPLATES)
    environment.filters.update(signed=_signed, interval=_interval, where=where, printable=printable)
    errors = review.biggest(num_errors)
    tables = tables_at(record, [error.place.step for error in errors])
    return environment.get_template("review.html").render(
        review=review,
        name=printable(name),
        game=GAME_NAMES[review.rules.game],
        kinds=[kind for kind in KINDS if any(kind in player.kinds for player in review.players)],
        errors=[_shown(error, tables[error.place.step], name) for error in errors],
        most=max([max(player.all.points.high, 0.0) for player in review.players] + [0.1]),
        css=Markup((_TEMPLATES / "review.css").read_text(encoding="utf-8")),
    )


def _shown(error: Reviewed, table: Table, name: str) -> dict[str, Any]:
    """An error with what its seat saw, and its position."""
    return {
        "decision": error,
        "picture": view_picture(table.rules, table.view(error.seat)),
        "position": json.dumps(table.position()),
        "link": replay_link(name, error),
        "tried": sorted(error.candidates.items(), key=lambda tried: -(tried[1] or 0.0)),
    }


def _interval(estimate: Estimate | None, digits: int = 0) -> str:
    return "–" if estimate is None else plus_minus(estimate, digits).replace("-", "−")


def _signed(number: float | None, digits: int = 0) -> str:
    return "–" if number is None else signed(number, digits).replace("-", "−")
