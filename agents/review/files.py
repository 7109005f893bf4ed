"""A review for programs: JSON with all of it, CSV with a row for each decision."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from canasta_agents.review.positions import tables_at
from canasta_agents.review.summary import Review, Reviewed
from canasta_env.records import Record

FORMAT, VERSION = "canasta_agents review", 1
COLUMNS = (
    "deal",
    "action",
    "step",
    "seat",
    "kind",
    "played",
    "policy",
    "choice",
    "is_error",
    "points",
    "points_low",
    "points_high",
    "percent",
    "percent_low",
    "percent_high",
    "probability_of_played",
    "probability_of_choice",
)


def to_json(review: Review, record: Record, name: str, num_errors: int) -> str:
    """The review as JSON; docs/review.md tells what stands where.

    Args:
        review: The review.
        record: What it is of; the positions of the errors come from it.
        name: Of the record's file.
        num_errors: How many errors to tell with their positions.
    """
    errors = review.biggest(num_errors)
    tables = tables_at(record, [error.place.step for error in errors])
    content = {
        "format": FORMAT,
        "version": VERSION,
        "record": name,
        "game": review.rules.game,
        "seats": review.rules.players,
        "agents": review.agents,
        "deals": review.deals,
        "policy": review.policy,
        "options": review.options,
        "players": [asdict(player) for player in review.players],
        "errors": [
            {
                **_as_dict(error),
                "link": replay_link(name, error),
                "position": tables[error.place.step].position(),
            }
            for error in errors
        ],
        "decisions": [_as_dict(decision) for decision in review.decisions],
    }
    return json.dumps(content, indent=1) + "\n"


def replay_link(name: str, decision: Reviewed) -> str:
    """Names a position of a record for a page that replays it: "#record=NAME&step=STEP"."""
    return f"#{urlencode({'record': name, 'step': decision.place.step})}"


def to_csv(review: Review) -> str:
    """The decisions as CSV, with COLUMNS as the first line; empty where there is no number."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for decision in review.decisions:
        writer.writerow(_row(decision))
    return text.getvalue()


def _as_dict(decision: Reviewed) -> dict[str, Any]:
    content = asdict(decision)
    place = content.pop("place")
    return {
        "deal": place["deal"],
        "action": place["number"],
        "step": place["step"],
        **content,
        "is_error": decision.is_error,
    }


def _row(decision: Reviewed) -> dict[str, Any]:
    known = _as_dict(decision)
    row = {name: known[name] for name in COLUMNS[: COLUMNS.index("points")]}
    for name, estimate in (("points", decision.loss), ("percent", decision.percent)):
        if estimate is not None:
            row |= {
                name: round(estimate.estimate, 3),
                f"{name}_low": round(estimate.low, 3),
                f"{name}_high": round(estimate.high, 3),
            }
    if decision.probabilities is not None:
        row["probability_of_played"] = decision.probabilities.get(decision.played, 0.0)
        row["probability_of_choice"] = decision.probabilities.get(decision.choice, 0.0)
    return row
