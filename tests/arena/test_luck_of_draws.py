"""The luck of draws, as `benchmarks.chance` finds it: 0 on average, whoever plays, and card by card."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import chance
from canasta_agents import registry
from canasta_agents.arena.blocks import Block, Player, play_block
from canasta_agents.arena.schedule import matchup
from canasta_env.actions import NUM_ACTIONS
from canasta_env.cards import KINDS, NUM_CARDS, NUM_KINDS
from canasta_env.engine.state import allocate, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.rules import classic, modern_american

RULES = {"classic_2": classic(2), "classic_3": classic(3), "modern_american": modern_american()}


class Fond:
    """Values a view by the cards in hand: each kind its number, and more of them more than as much."""

    def judge(self, batch):
        hands = np.asarray(batch.views["hand"]).astype(np.float64)
        return None, (hands**2 * np.arange(1, NUM_KINDS + 1)).sum(1)


def deals(rules, first: str, second: str, boards: int) -> chance.Deals:
    block = Block(rules, matchup(rules, (0,), (1,)), 0, boards, seed=5)
    played = play_block(block, [Player(registry.make(spec, rules)) for spec in (first, second)])
    return chance.replayed(block, played, Fond())


@pytest.mark.parametrize("game", RULES)
@pytest.mark.parametrize("second", ["random", "heuristic"])
def test_luck_is_nothing_on_average(game, second):
    found = deals(RULES[game], "heuristic", second, 300)
    assert found.luck.shape == found.points.shape
    boards = np.bincount(found.board, found.luck.sum(1))
    assert found.luck.std() > 10
    assert abs(boards.mean()) < 4 * boards.std() / np.sqrt(len(boards))


@pytest.mark.parametrize("game", RULES)
def test_the_kinds_that_may_come_are_those_of_the_stock_as_often_as_they_are_in_it(game):
    rules = RULES[game]
    tables, spare = allocate(1), allocate(1)
    tables["seed"] = 3
    record = rules_record(rules)
    chance.kernels.deal(record, tables, np.arange(1))
    stock = np.bincount(tables["stock"][0, tables["next_card"][0] :], minlength=NUM_KINDS)
    masks, views = np.zeros((NUM_KINDS, NUM_ACTIONS), np.int8), allocate(NUM_KINDS, VIEW)
    of_table, weights = np.zeros(NUM_KINDS, np.int64), np.zeros(NUM_KINDS)
    rows = chance.branch(record, tables, np.arange(1), spare, masks, views, of_table, weights)
    assert rows == (stock > 0).sum()
    hand = tables["hand"][0, tables["to_play"][0]]
    for row, kind in enumerate(np.flatnonzero(stock)):
        comes = kind == tables["stock"][0, tables["next_card"][0]]
        left = NUM_CARDS - tables["next_card"][0]
        assert weights[row] == pytest.approx(comes - stock[kind] / left)
        gained = views["hand"][row] - hand
        is_laid = KINDS[kind] == "red3" or (KINDS[kind] == "black3" and rules.lays_black_threes)
        assert gained.sum() == (not is_laid) and (is_laid or gained[kind] == 1)
    assert weights[:rows].sum() == pytest.approx(0)


def test_a_player_against_itself_has_no_luck_over_a_board():
    found = deals(RULES["classic_2"], "heuristic", "heuristic", 20)
    assert np.abs(found.luck).max() > 10
    assert found.by_board(found.luck) == pytest.approx(0, abs=1e-6)
