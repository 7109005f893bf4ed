"""Play the benchmark with every bundled player and write docs/leaderboard.md from the results.

    python -m benchmarks.leaderboard                       # the full form of everything: hours
    python -m benchmarks.leaderboard --form quick --agents neural:classic_2 watcher

What has been played is not played again. The page is written after each player, from all results of this form
under results/ that are of this version of the protocol.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.suite.cli import RESULT, SuiteRequest, run_suite
from canasta_agents.arena.suite.page import PageTable, markdown_table, number, share
from canasta_agents.arena.suite.protocol import FORMS, NAME, VERSION, GameProtocol, load_protocol
from canasta_agents.arena.suite.stored import read_result
from canasta_agents.files import write_file
from canasta_agents.heuristics.players import PLAYERS
from canasta_agents.policies import bundled_policies

PAGE = Path(__file__).parents[1] / "docs" / "leaderboard.md"
RESULTS = Path("results")
_INTRODUCTION = """# Leaderboard

What bundled players reach in [the benchmark](benchmark.md) `{name} {version}`. Made by
`python -m benchmarks.leaderboard --form {form}`, in the {form} form: {boards} boards against each opponent,
half of them with three players. Intervals are at 95% over boards. Random is 0, the best rule-based player of
the game 1,000. A frozen opponent has met itself as well. A gain is the mean over partners and opponents.
"""


def bundled_agents() -> list[str]:
    """The specs of everything that comes with the package: policies first."""
    return [*(f"neural:{name}" for name in bundled_policies()), *(player.name for player in PLAYERS)]


def leaderboard(results: Sequence[dict[str, Any]], form: str) -> str:
    """The page.

    Args:
        results: What `--suite` wrote, all of this form.
        form: Its name.
    """
    boards = FORMS[form].boards
    parts = [_INTRODUCTION.format(name=NAME, version=VERSION, form=form, boards=f"{boards:,}").strip()]
    for game in load_protocol().games:
        rows = [(result, part) for result in results for part in result["games"] if _is_of(part, game)]
        if rows:
            rows.sort(key=lambda row: -row[1]["summary"]["rating"]["estimate"])
            parts += [f"## {game.name}", markdown_table(_table(game, rows))]
    origins = sorted({_origin(result) for result in results})
    parts += ["## Where and when", "\n".join(f"- {origin}" for origin in origins)]
    return "\n\n".join(parts) + "\n"


def _is_of(part: dict[str, Any], game: GameProtocol) -> bool:
    return (part["game"], part["players"]) == (game.game, game.players)


def _table(game: GameProtocol, rows: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> PageTable:
    met = (game.anchor, f"neural:{game.opponents[-1].spec.partition(':')[2]}")
    head = ("player", "rating", *(f"matches won against {spec}" for spec in met), "gain of partners", "date")
    return PageTable("leaderboard", game.name, "", head, tuple(_row(met, *row) for row in rows))


def _row(met: Sequence[str], result: dict[str, Any], part: dict[str, Any]) -> tuple[str, ...]:
    summary = part["summary"]
    wins = {row["opponent"]: share(row["match_wins"]) for row in summary["against"]}
    gain = number(summary["mean_gain"]) if summary["mean_gain"] else "–"
    name = f"`{result['entrant']['spec']}`"
    return name, number(summary["rating"]), *(wins[spec] for spec in met), gain, result["origin"]["date"]


def _origin(result: dict[str, Any]) -> str:
    origin = result["origin"]
    versions = ", ".join(f"{name} {version}" for name, version in origin["packages"].items() if version)
    hardware = f"{origin['hardware']['processor']}, {origin['hardware']['cores']} cores"
    code = f"code {origin['code_fingerprint']}"
    return f"{origin['date']}, {hardware}, Python {origin['python']}, {versions}; {code}"


def read_results(folder: Path, form: str) -> list[dict[str, Any]]:
    """All results of a form under a folder, those of other versions left out."""
    found = []
    for path in sorted(folder.glob(f"*/{RESULT}")):
        try:
            result = read_result(path, load_protocol())
        except ArenaError:
            continue
        if result["form"]["name"] == form:
            found.append(result)
    return found


def main() -> None:
    """Play, and write the page."""
    parser = argparse.ArgumentParser(description="Make docs/leaderboard.md.")
    parser.add_argument("--form", choices=list(FORMS), default="full")
    parser.add_argument("--agents", nargs="+", default=bundled_agents())
    arguments = parser.parse_args()
    for spec in arguments.agents:
        request = SuiteRequest(spec, None, None, arguments.form == "quick", None, None)
        command = shlex.join(["python", "evaluate.py", "--suite", spec, *["--quick"] * request.is_quick])
        run_suite(request, RESULTS, command, Console(highlight=False))
        results = read_results(RESULTS / f"{NAME}-{VERSION}", arguments.form)
        write_file(PAGE, leaderboard(results, arguments.form))
    print(PAGE)


if __name__ == "__main__":
    main()
