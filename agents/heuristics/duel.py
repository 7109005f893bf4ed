"""Duplicate boards between two compiled players, played in compiled code: for tuning and ablations."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.heuristics.compiling import kernel
from canasta_agents.heuristics.players import play_deal
from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine.dealing import deal_cards, shuffle
from canasta_env.engine.scoring import SCORE_FIELDS, score_deal
from canasta_env.engine.state import MAX_SEATS, MAX_SIDES, STATE, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.rules import Rules

_NUM_FIELDS = len(SCORE_FIELDS)


@kernel
def play_boards(rules, choosers, styles, scores, first_seed, rotation, breakdowns):
    """Play boards `first_seed`, `first_seed + 1`, ... once each; the dealer goes round with them.

    Args:
        rules: `(1,) RULES`.
        choosers: For each of four seats a `choose`, see `CompiledAgent.choose`.
        styles: `(MAX_SEATS,) STYLE`, of the seats.
        scores: `(MAX_SIDES,)` match scores of the sides at which every deal begins.
        first_seed: Seed of the first board.
        rotation: Names the players' chance.
        breakdowns: `(boards, MAX_SIDES, fields) int64`, overwritten: board, side.

    Returns:
        Number of decisions.
    """
    table, scratch = np.zeros(1, STATE), np.zeros(1, STATE)
    views = np.zeros(1, VIEW)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    decisions = 0
    s = table[0]
    for board in range(breakdowns.shape[0]):
        for side in range(MAX_SIDES):
            s.scores[side] = scores[side]
        s.seed = first_seed + board
        s.deal = 0
        s.dealer = board % rules[0].players
        shuffle(s)
        deal_cards(rules[0], s)
        seed = (first_seed + board) * MAX_SIDES + rotation
        decisions += play_deal(rules[0], s, choosers, styles, seed, scratch, views, mask)
        score_deal(rules[0], s, breakdowns[board])
    return decisions


def duel(
    rules: Rules, entrants: Sequence[CompiledAgent], boards: int, seed: int, scores: int = 0
) -> NDArray[np.int64]:
    """Play the same boards with the entrants in every rotation over the sides.

    Args:
        rules: The game.
        entrants: One for each side.
        boards: Number of boards.
        seed: Seed of the first board; the others follow it.
        scores: Match score of every side when a deal begins.

    Returns:
        Points by clause, `(boards, rotations, entrants, len(SCORE_FIELDS))`.
    """
    num_sides = rules.num_sides
    points = np.zeros((boards, num_sides, num_sides, _NUM_FIELDS), np.int64)
    for rotation in range(num_sides):
        seated = [entrants[(seat + rotation) % num_sides] for seat in range(MAX_SEATS)]
        breakdowns = np.zeros((boards, MAX_SIDES, _NUM_FIELDS), np.int64)
        play_boards(
            rules_record(rules),
            tuple(agent.choose for agent in seated),
            np.concatenate([agent.style for agent in seated]),
            np.full(MAX_SIDES, scores, np.int64),
            seed,
            rotation,
            breakdowns,
        )
        for side in range(num_sides):
            points[:, rotation, (side + rotation) % num_sides] = breakdowns[:, side]
    return points
