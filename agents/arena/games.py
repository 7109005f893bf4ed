"""Games that were kept: which deals they are, and what was played in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from canasta_agents.arena.boards import Board, draw_board
from canasta_agents.arena.notable import REASONS, SAMPLE_EVERY, Candidate, candidates
from canasta_agents.arena.play import Block, Played
from canasta_agents.arena.tournament import Bout, Tournament
from canasta_env.actions import NOTATIONS
from canasta_env.engine.scoring import TOTAL

SHOWN_A_REASON = 2


@dataclass(frozen=True)
class KeptDeal:
    """A deal whose actions were kept."""

    bout: Bout
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
        (candidate, bout, block, played)
        for bout in tournament.bouts
        for block, played in tournament.finished(bout)
        for candidate in candidates(block, played)
    ]
    chosen: list[NotableDeal] = []
    seen: set[tuple[int, int, int]] = set()
    for reason in REASONS:
        ranked = sorted((entry for entry in found if entry[0].reason == reason), key=lambda e: -e[0].measure)
        shown = 0
        for candidate, bout, block, played in ranked:
            cards = (candidate.board, candidate.deal, id(bout))
            if shown < SHOWN_A_REASON and cards not in seen:
                seen.add(cards)
                shown += 1
                chosen.append(_notable(tournament, candidate, bout, block, played))
    return chosen


def sampled_games(tournament: Tournament) -> Iterator[list[KeptDeal]]:
    """Every game (a deal, or the deals of a match) that was kept whole."""
    keeps_all = tournament.settings.records == "all"
    if tournament.settings.records == "none":
        return
    for bout in tournament.bouts:
        for block, played in tournament.finished(bout):
            places = np.arange(len(played.outcomes))
            for table in np.unique(played.outcomes["table"]):
                board = block.start + int(table) // len(block.contest.arrangements)
                if keeps_all or board % SAMPLE_EVERY == 0:
                    rows = places[played.outcomes["table"] == table]
                    yield [_kept(tournament, bout, block, played, int(row)) for row in rows]


def _notable(
    tournament: Tournament, candidate: Candidate, bout: Bout, block: Block, played: Played
) -> NotableDeal:
    arrangements = len(block.contest.arrangements)
    row = _row(block, played, candidate, candidate.arrangement)
    twin = _row(block, played, candidate, (candidate.arrangement + 1) % arrangements)
    assert row is not None
    return NotableDeal(
        reason=candidate.reason,
        measure=candidate.measure,
        deal=_kept(tournament, bout, block, played, row),
        twin=None if twin is None else _kept(tournament, bout, block, played, twin),
    )


def _row(block: Block, played: Played, candidate: Candidate, arrangement: int) -> int | None:
    table = (candidate.board - block.start) * len(block.contest.arrangements) + arrangement
    here = (played.outcomes["table"] == table) & (played.outcomes["deal"] == candidate.deal)
    return int(np.argmax(here)) if here.any() else None


def _kept(tournament: Tournament, bout: Bout, block: Block, played: Played, row: int) -> KeptDeal:
    outcome = played.outcomes[row]
    arrangements = block.contest.arrangements
    index, arrangement = divmod(int(outcome["table"]), len(arrangements))
    board = draw_board(block.rules, block.seed, block.start + index, block.scores)
    deal, sides = int(outcome["deal"]), block.rules.num_sides
    names = [tournament.entrants[entrant].name for entrant in block.contest.slots]
    return KeptDeal(
        bout=bout,
        board=board,
        arrangement=arrangement,
        deal=deal,
        dealer=(board.dealer + deal) % block.rules.players,
        scores=tuple(outcome["scores"][:sides].tolist()),
        totals=tuple(outcome["points"][:sides, TOTAL].tolist()),
        seats=tuple(names[slot] for slot in arrangements[arrangement].slot_of_seat),
        actions=tuple(NOTATIONS[action] for action in played.actions[row]),
    )
