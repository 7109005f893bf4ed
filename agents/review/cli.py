"""`python -m canasta_agents review RECORD`: review a record and write down what was found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from canasta_agents.config_checks import ConfigError
from canasta_agents.files import write_file
from canasta_agents.policies import playable_policy
from canasta_agents.registry import make
from canasta_agents.review.files import to_csv, to_json
from canasta_agents.review.page import to_page
from canasta_agents.review.reviewer import Reviewer
from canasta_agents.review.summary import Review, review
from canasta_agents.review.tables import show_review
from canasta_agents.search.options import SEARCH_PREFIX, SearchOptions
from canasta_env.records import Record, verify
from canasta_env.rules import Rules


@dataclass(frozen=True)
class Request:
    """What to review, how, and where to write it."""

    record: Path
    policy: str | None = None  # the registry's spec; None: the strongest player of the package
    worlds: int = 16
    candidates: int = 4
    loss_worlds: int = 64
    seed: int = 0
    errors: int = 10  # the biggest, told with their positions
    html: Path | None = None
    json: Path | None = None
    csv: Path | None = None


def run(request: Request) -> None:
    """Review a record, print the tables and write the files that were asked for.

    Raises:
        ValueError: If the record cannot be read or disagrees with the rules, or an option cannot be.
        OSError: If a file cannot be written.
    """
    if request.errors < 0:
        raise ConfigError(f"errors: {request.errors} must be at least 0")
    _check_files(request)
    options = SearchOptions(worlds=request.worlds, candidates=request.candidates)
    record = verify(request.record)
    policy = make(_policy(request.policy, record.rules), record.rules)
    reviewer = Reviewer(policy, record.rules, options, request.loss_worlds, request.seed)
    found = _review(record, reviewer)
    name = request.record.name
    show_review(Console(highlight=False), found, name, request.errors)
    if request.json is not None:
        write_file(request.json, to_json(found, record, name, request.errors))
    if request.csv is not None:
        write_file(request.csv, to_csv(found))
    if request.html is not None:
        write_file(request.html, to_page(found, record, name, request.errors))


def _check_files(request: Request) -> None:
    """See that nothing is written over, before minutes of search."""
    taken = {request.record.resolve(): "the record"}
    for option in ("html", "json", "csv"):
        path: Path | None = getattr(request, option)
        if path is None:
            continue
        if path.is_dir():
            raise ConfigError(f"{option}: {path} is a folder; it must be a file to write")
        if (other := taken.setdefault(path.resolve(), option)) != option:
            raise ConfigError(f"{option}: {path} is also {other}; each needs a file of its own")


def _policy(spec: str | None, rules: Rules) -> str:
    if spec is None:
        name = playable_policy(rules)
        return f"neural:{name}" if name else "heuristic"
    if spec.startswith(SEARCH_PREFIX):
        base, _, _ = spec.removeprefix(SEARCH_PREFIX).partition("?")
        raise ConfigError(f"policy: {spec!r} searches by itself; name the player to search with: {base!r}")
    return spec


def _review(record: Record, reviewer: Reviewer) -> Review:
    """With a bar, which goes to the standard error."""
    columns = (TextColumn("decisions"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        return review(record, reviewer, lambda done, num: bar.update(task, completed=done, total=num))
