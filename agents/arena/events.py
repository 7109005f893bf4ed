"""The observer's stream: the games of a tournament as events, in the open, for programs that show them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from canasta_agents.arena.records import KeptDeal, sampled_games
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.tournament import Tournament
from canasta_agents.files import write_file
from canasta_env.events import action_event, deal_event, end_event, play_move
from canasta_env.rules import Rules
from canasta_env.table import Table

STANDARD_OUTPUT = "-"


def check_events(target: str) -> None:
    """See that a stream can be written, before hours of play.

    Raises:
        ArenaError: If the folder of the file is not there, or the file is a folder.
    """
    path = Path(target)
    if target != STANDARD_OUTPUT and (path.is_dir() or not path.parent.is_dir()):
        raise ArenaError(f"events: {target!r} must be a file in a folder that is there, or - for the output")


def write_events(target: str, tournament: Tournament) -> None:
    """Write the games that were kept whole as lines of JSON, one in memory at a time.

    Every hand is open in it: it is for those who hold the tournament, and never for those who play in it.

    Args:
        target: A file, replaced if it is there, or "-" for the standard output.
        tournament: One that has been run.
    """
    lines = (json.dumps(event, separators=(",", ":")) + "\n" for event in tournament_events(tournament))
    if target == STANDARD_OUTPUT:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    else:
        write_file(Path(target), lines)


def tournament_events(tournament: Tournament) -> Iterator[dict[str, Any]]:
    """The events of the games that were kept whole, each game's begun by one that says who sits where."""
    rules = tournament.settings.rules
    yield {"type": "tournament", "rules": rules.to_dict(), "entrants": [e.name for e in tournament.entrants]}
    for number, game in enumerate(sampled_games(tournament)):
        yield _game_event(number, game[0])
        for event in _events_of(rules, game):
            yield {"type": event["type"], "game": number, **event}


def _game_event(number: int, deal: KeptDeal) -> dict[str, Any]:
    return {
        "type": "game",
        "game": number,
        "board": deal.board.index,
        "arrangement": deal.arrangement,
        "seats": list(deal.seats),
    }


def _events_of(rules: Rules, game: Sequence[KeptDeal]) -> Iterator[Mapping[str, Any]]:
    for place, deal in enumerate(game):
        order = deal.board.order(deal.deal)
        table = Table(rules, order=order, dealer=deal.dealer, scores=deal.scores)
        yield deal_event(table, None, is_first=place == 0)
        for action in deal.actions:
            yield action_event(play_move(table, action), None)
        yield end_event(table, is_last=place == len(game) - 1)
