"""Commands: `python -m canasta_env layout [GAME]`, `... verify FILE`, `... picture POSITION PICTURE`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from canasta_env.cards import NUM_RANKS, RANKS
from canasta_env.engine.layout import Block, critic_size, hidden_layout, layout, observation_size, row_size
from canasta_env.files import from_json
from canasta_env.records import verify
from canasta_env.rules import GAMES, PLAYERS, Rules, standard_rules
from canasta_env.table import Table
from canasta_env.validation import explain_error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "layout":
            _print_layouts(options.game, options.players)
        elif options.command == "verify":
            _verify(options.files)
        else:
            _draw(options.position, options.picture, options.seat)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at its end
    except (ImportError, MemoryError, OSError, ValueError) as error:
        print(explain_error(error), file=sys.stderr)
        return 1
    return 0


def layout_table(rules: Rules) -> str:
    """The observation by slice, and what a critic's state adds to it, in Markdown."""
    blocks, hidden, size = layout(rules), hidden_layout(rules), row_size(rules)
    in_row = [block for block in blocks if block.start < size]
    return "\n".join(
        [
            f"## {rules.game}, {rules.players} players: {observation_size(rules)} features",
            "",
            f"The rows of the ranks {' '.join(RANKS)}, {size} features each; that of the first rank:",
            "",
            *_rows(in_row),
            "",
            f"The next rank's features stand {size} places further on and end in its name. Behind the rows:",
            "",
            *_rows([block for block in blocks if block.start >= size * NUM_RANKS]),
            "",
            f"A critic's state has {critic_size(rules)} features, the observation and behind it:",
            "",
            *_rows(hidden),
        ]
    )


def _rows(blocks: Sequence[Block]) -> list[str]:
    rows = [
        f"| {block.start}:{block.start + block.size} | {block.size} | `{block.name}` "
        f"| {', '.join(block.labels)} | {block.detail} |"
        for block in blocks
    ]
    return ["| slice | size | name | features | meaning |", "|---|---:|---|---|---|", *rows]


def _print_layouts(game: str | None, players: int | None) -> None:
    if game is not None:
        print(layout_table(standard_rules(game, players)))
        return
    if players is not None:
        raise ValueError(f"players: {players} must go with a game, as in: layout classic --players 2")
    print("# Layouts of observations\n\nMade by `python -m canasta_env layout`;", end=" ")
    print("described in [environment.md](environment.md).")
    for each_game in GAMES:
        for number in PLAYERS[each_game]:
            print(f"\n{layout_table(standard_rules(each_game, number))}")


def _verify(files: Sequence[str]) -> None:
    for file in files:
        record = verify(file)
        print(f"{file}: {len(record.deals)} deals, scores {', '.join(map(str, record.scores))}: verified")


def _draw(position: Path, picture: Path, seat: int | None) -> None:
    from canasta_env.rendering import image

    table = Table.from_position(_read_position(position), partial=True)
    pixels = (
        image.picture(table.rules, table.views())
        if seat is None
        else image.view_picture(table.rules, table.view(seat))
    )
    image.write(pixels, picture)


def _read_position(file: Path) -> Any:
    try:
        return from_json(file.read_text(encoding="utf-8"))
    except ValueError as error:  # no JSON, no text, or no path
        raise ValueError(f"{file}: cannot be read as JSON: {error}") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m canasta_env", description="Canasta environments.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("layout", help="print the layout of observations")
    command.add_argument("game", nargs="?", choices=GAMES, help="all games if left out")
    command.add_argument("--players", type=int, help="number of players; 4 if left out")
    command = commands.add_parser("verify", help="replay records and compare them with the rules")
    command.add_argument("files", nargs="+", metavar="FILE")
    command = commands.add_parser("picture", help="draw a position (JSON, see docs/positions.md)")
    command.add_argument("position", type=Path)
    command.add_argument("picture", type=Path, help="file to write, such as table.png")
    command.add_argument("--seat", type=int, help="what this seat sees; the open table if left out")
    return parser


if __name__ == "__main__":
    sys.exit(main())
