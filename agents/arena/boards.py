"""Boards: everything about a game that is settled before anyone plays.

A board is a seed (which orders the cards of its deal, and of every later deal of its match), the first
dealer and the match scores to begin with. Board 17 of seed 3 is the same however many boards are played,
by whom, and in which order; `canasta_env.Table(rules, seed=board.seed)` deals its cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from canasta_agents.arena.errors import ArenaError
from canasta_agents.arena.tables import board_dealer, order_stock
from canasta_env.cards import KINDS
from canasta_env.engine.state import allocate
from canasta_env.rules import MAX_SCORE, Rules

Scores = Literal["zero", "drawn"] | tuple[int, ...]
"""How matches begin: at 0, at scores drawn with each board, or at given ones, one a side."""

_SPARE_BITS = np.uint64(1)  # seeds are numbers of 63 bits
_STEP = 5  # every score is a multiple of it
_LOWEST_DRAWN = -1_000  # the lowest score drawn, for sides below zero


@dataclass(frozen=True)
class Board:
    """One board. `index` is its number in the tournament, from 0."""

    index: int
    seed: int
    dealer: int
    scores: tuple[int, ...]

    def order(self, deal: int = 0) -> tuple[str, ...]:
        """The 108 kinds of a deal of this board, the card dealt first in front.

        Args:
            deal: Number of the deal in the board's match, from 0.
        """
        tables = allocate(1)
        tables["seed"], tables["deal"] = self.seed, deal
        order_stock(tables)
        return tuple(KINDS[kind] for kind in tables["stock"][0])


def draw_board(rules: Rules, seed: int, index: int, scores: Scores = "zero") -> Board:
    """Draw a board of a tournament.

    Args:
        rules: The game; its players decide who may deal, its minima and target where scores are drawn.
        seed: The tournament's seed, at least 0.
        index: The board's number, from 0.
        scores: See `Scores`.

    Raises:
        ArenaError: If given scores do not fit the game.
    """
    words = np.random.SeedSequence((seed, index)).generate_state(1 + 2 * rules.num_sides, np.uint64)
    words >>= _SPARE_BITS
    dealer = int(board_dealer(words[0], rules.players))
    return Board(index, int(words[0]), dealer, _start_scores(rules, scores, words[1:].tolist()))


def check_scores(rules: Rules, scores: Scores) -> None:
    """Refuse scores that no match can begin with.

    Raises:
        ArenaError: Says what would be right.
    """
    if scores in ("zero", "drawn"):
        return
    if isinstance(scores, str) or len(scores) != rules.num_sides:
        raise ArenaError(f"scores: {scores!r} must be zero, drawn or {rules.num_sides} numbers, one a side")
    for score in scores:
        if not -MAX_SCORE <= score < rules.target:
            raise ArenaError(f"scores: {score} is no score before the end of a match to {rules.target:,}")


def _start_scores(rules: Rules, scores: Scores, words: list[int]) -> tuple[int, ...]:
    check_scores(rules, scores)
    if scores == "zero":
        return (0,) * rules.num_sides
    if scores == "drawn":
        return tuple(_drawn_score(rules, *words[side :: rules.num_sides]) for side in range(rules.num_sides))
    return tuple(int(score) for score in scores)


def _drawn_score(rules: Rules, bracket_word: int, place_word: int) -> int:
    """A score below the target: every opening minimum equally likely, every score within it too."""
    starts = [_LOWEST_DRAWN if start is None else start for start, _ in rules.opening_minima]
    starts = [start for start in starts if start < rules.target]
    bracket = bracket_word % len(starts)
    low, high = starts[bracket], [*starts[1:], rules.target][bracket]
    return low + _STEP * (place_word % max(1, (high - low) // _STEP))
