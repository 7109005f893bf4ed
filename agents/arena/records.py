"""The games that were kept: which they are, and as records that can be verified.

An index beside the records says who sat where.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from canasta_agents.arena.blocks import Block, BlockResult
from canasta_agents.arena.notable import REASONS, SAMPLE_EVERY, Candidate, candidates
from canasta_agents.arena.schedule import Board, draw_board
from canasta_agents.arena.tournament import MatchupRun, Tournament
from canasta_agents.files import write_file
from canasta_agents.short_names import shortened
from canasta_env.actions import NOTATIONS
from canasta_env.engine.scoring import TOTAL
from canasta_env.records import LONGEST_AGENT, DealRecord, Record, write

INDEX = "index.json"
SHOWN_A_REASON = 2


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
    for name, deals in games.items():
        # The seed says what a game's deals are from its first deal on.
        seed = deals[0].board.seed if deals[0].deal == 0 else None
        agents = tuple(shortened(seat, LONGEST_AGENT) for seat in deals[0].seats)
        write(Record(tournament.settings.rules, seed, tuple(map(_record, deals)), agents), folder / name)
    index = [_entry(name, deals) for name, deals in games.items()]
    write_file(folder / INDEX, json.dumps(index, ensure_ascii=False, indent=1) + "\n")
    for old in folder.glob("pairing-*.jsonl"):  # last: until now an older index may have listed them
        if old.name not in games:
            old.unlink()
    return len(games)


def _name(tournament: Tournament, deals: Sequence[KeptDeal], is_whole: bool) -> str:
    """A game by pairing, board and arrangement; a single deal out of a match by its number as well."""
    deal = deals[0]
    pairing = next(number for number, run in enumerate(tournament.runs) if run is deal.run)
    game = f"pairing-{pairing:02d}-board-{deal.board.index:05d}-seating-{deal.arrangement}"
    return f"{game}.jsonl" if is_whole else f"{game}-deal-{deal.deal:02d}.jsonl"


def _record(deal: KeptDeal) -> DealRecord:
    return DealRecord(deal.dealer, deal.scores, deal.board.order(deal.deal), deal.actions, deal.totals)


def _entry(name: str, deals: Sequence[KeptDeal]) -> dict[str, Any]:
    first = deals[0]
    return {
        "file": name,
        "first": first.run.first,
        "second": first.run.second,
        "board": first.board.index,
        "arrangement": first.arrangement,
        "seats": list(first.seats),
        "first_deal": first.deal,
        "deals": len(deals),
    }


@dataclass(frozen=True)
class KeptDeal:
    """A deal whose actions were kept."""

    run: MatchupRun
    board: Board
    arrangement: int
    deal: int  # of the board's match, from 0
    dealer: int
    scores: tuple[int, ...]  # when it began
    totals: tuple[int, ...]  # its points, one a side
    seats: tuple[str, ...]  # the entrant in each seat
    actions: tuple[str, ...]


@dataclass(frozen=True)
class NotableDeal:
    """A deal worth looking at, and why; `twin` has the same cards in the next arrangement."""

    reason: str
    measure: float
    deal: KeptDeal
    twin: KeptDeal | None


def notable_deals(tournament: Tournament) -> list[NotableDeal]:
    """The most notable deals of a tournament, a few for each reason, each deal once."""
    found = [
        (candidate, run, block, played)
        for run in tournament.runs
        for block, played in tournament.finished(run)
        for candidate in candidates(block, played)
    ]
    chosen: list[NotableDeal] = []
    seen: set[tuple[int, int, int]] = set()
    for reason in REASONS:
        ranked = sorted((entry for entry in found if entry[0].reason == reason), key=lambda e: -e[0].measure)
        shown = 0
        for candidate, run, block, played in ranked:
            cards = (candidate.board, candidate.deal, id(run))
            if shown < SHOWN_A_REASON and cards not in seen:
                seen.add(cards)
                shown += 1
                chosen.append(_notable(tournament, candidate, run, block, played))
    return chosen


def sampled_games(tournament: Tournament) -> Iterator[list[KeptDeal]]:
    """Every game (a deal, or the deals of a match) that was kept whole."""
    keeps_all = tournament.settings.records == "all"
    if tournament.settings.records == "none":
        return
    for run in tournament.runs:
        for block, played in tournament.finished(run):
            places = np.arange(len(played.outcomes))
            for table in np.unique(played.outcomes["table"]):
                board = block.start + int(table) // len(block.matchup.arrangements)
                if keeps_all or board % SAMPLE_EVERY == 0:
                    rows = places[played.outcomes["table"] == table]
                    yield [_kept(tournament, run, block, played, int(row)) for row in rows]


def _notable(
    tournament: Tournament, candidate: Candidate, run: MatchupRun, block: Block, played: BlockResult
) -> NotableDeal:
    arrangements = len(block.matchup.arrangements)
    row = _row(block, played, candidate, candidate.arrangement)
    twin = _row(block, played, candidate, (candidate.arrangement + 1) % arrangements)
    assert row is not None
    return NotableDeal(
        reason=candidate.reason,
        measure=candidate.measure,
        deal=_kept(tournament, run, block, played, row),
        twin=None if twin is None else _kept(tournament, run, block, played, twin),
    )


def _row(block: Block, played: BlockResult, candidate: Candidate, arrangement: int) -> int | None:
    table = (candidate.board - block.start) * len(block.matchup.arrangements) + arrangement
    here = (played.outcomes["table"] == table) & (played.outcomes["deal"] == candidate.deal)
    return int(np.argmax(here)) if here.any() else None


def _kept(tournament: Tournament, run: MatchupRun, block: Block, played: BlockResult, row: int) -> KeptDeal:
    outcome = played.outcomes[row]
    arrangements = block.matchup.arrangements
    index, arrangement = divmod(int(outcome["table"]), len(arrangements))
    board = draw_board(block.rules, block.seed, block.start + index, block.scores)
    deal, sides = int(outcome["deal"]), block.rules.num_sides
    names = [tournament.entrants[entrant].name for entrant in block.matchup.slots]
    return KeptDeal(
        run=run,
        board=board,
        arrangement=arrangement,
        deal=deal,
        dealer=(board.dealer + deal) % block.rules.players,
        scores=tuple(outcome["scores"][:sides].tolist()),
        totals=tuple(outcome["points"][:sides, TOTAL].tolist()),
        seats=tuple(names[slot] for slot in arrangements[arrangement].slot_of_seat),
        actions=tuple(NOTATIONS[action] for action in played.actions[row]),
    )
