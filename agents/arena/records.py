"""Games as records that can be verified, with an index that says who sat where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from canasta_agents.arena.games import KeptDeal, notable_deals, sampled_games
from canasta_agents.arena.tournament import Tournament
from canasta_agents.files import write_file
from canasta_env.records import DealRecord, Record, write

INDEX = "index.json"


def write_games(folder: Path, tournament: Tournament) -> int:
    """Write every game that was kept whole, and each notable deal; the number of files.

    Args:
        folder: Where to. `canasta_env.records.verify` checks each of its .jsonl files; index.json lists
            them with their entrants.
        tournament: One that has been run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    games = {_name(tournament, game, is_whole=True): game for game in sampled_games(tournament)}
    is_deal = tournament.settings.episode == "deal"
    for notable in notable_deals(tournament):
        for deal in filter(None, (notable.deal, notable.twin)):
            games.setdefault(_name(tournament, [deal], is_whole=is_deal), [deal])
    for old in folder.glob("pairing-*.jsonl"):  # of another tournament under the same name
        if old.name not in games:
            old.unlink()
    for name, deals in games.items():
        # The seed says what a game's deals are from its first deal on.
        seed = deals[0].board.seed if deals[0].deal == 0 else None
        write(Record(tournament.settings.rules, seed, tuple(map(_record, deals))), folder / name)
    index = [_entry(name, deals) for name, deals in games.items()]
    write_file(folder / INDEX, json.dumps(index, ensure_ascii=False, indent=1) + "\n")
    return len(games)


def _name(tournament: Tournament, deals: Sequence[KeptDeal], is_whole: bool) -> str:
    """A game by pairing, board and arrangement; a single deal out of a match by its number as well."""
    deal = deals[0]
    pairing = next(number for number, bout in enumerate(tournament.bouts) if bout is deal.bout)
    game = f"pairing-{pairing:02d}-board-{deal.board.index:05d}-seating-{deal.arrangement}"
    return f"{game}.jsonl" if is_whole else f"{game}-deal-{deal.deal:02d}.jsonl"


def _record(deal: KeptDeal) -> DealRecord:
    return DealRecord(deal.dealer, deal.scores, deal.board.order(deal.deal), deal.actions, deal.totals)


def _entry(name: str, deals: Sequence[KeptDeal]) -> dict[str, Any]:
    first = deals[0]
    return {
        "file": name,
        "first": first.bout.first,
        "second": first.bout.second,
        "board": first.board.index,
        "arrangement": first.arrangement,
        "seats": list(first.seats),
        "first_deal": first.deal,
        "deals": len(deals),
    }
