"""The random player: every legal action with the same chance, and the same game by the same seed."""

import numpy as np
import pytest

from canasta_agents.registry import make
from canasta_env import modern_american
from canasta_env.agent import DecisionBatch
from tests.agents.deciding import GAMES, walk
from tests.rules import positions


def test_every_legal_action_is_equally_likely():
    table = positions.modern("4 4 5 6 7 8 9 10 J Q K", melds=["A A A"], pile="Q")
    mask = table.action_mask()
    number = 40_000
    agent = make("random", modern_american())
    agent.reset(number, seed=5)
    actions = agent.act(
        DecisionBatch(
            table.rules,
            np.arange(number),
            np.zeros(number, np.int8),
            np.repeat(table.view(0), number),
            np.repeat(mask[None], number, axis=0),
        )
    )
    legal = np.flatnonzero(mask)
    counts = np.bincount(actions, minlength=len(mask))
    assert counts[mask == 0].sum() == 0
    expected = number / len(legal)
    chi_square = ((counts[legal] - expected) ** 2 / expected).sum()
    assert chi_square < 35  # far in the tail for some ten actions; the seed is fixed


def test_decisions_at_one_table_differ_from_each_other():
    table = positions.modern("4 4 5 6 7 8 9 10 J Q K", melds=["A A A"], pile="Q")
    agent = make("random", table.rules)
    agent.reset(1, seed=3)
    views, masks = table.view(0), table.action_mask()[None]
    batch = DecisionBatch(table.rules, np.zeros(1, np.int64), np.zeros(1, np.int8), views, masks)
    assert len({int(agent.act(batch)[0]) for _ in range(60)}) > 5


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_a_seed_is_a_game(rules):
    def played(seed):
        agent = make("random", rules)
        return [step.actions.tolist() for step in walk(rules, [agent], 4, seed)]

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_a_table_is_played_alike_whichever_tables_are_played_with_it():
    rules = modern_american()
    table = positions.modern("4 4 5 6 7 8 9 10 J Q K", melds=["A A A"], pile="Q")

    def choose(tables):
        agent = make("random", rules)
        agent.reset(8, seed=1)
        n = len(tables)
        return agent.act(
            DecisionBatch(
                rules,
                np.array(tables),
                np.zeros(n, np.int8),
                np.repeat(table.view(0), n),
                np.repeat(table.action_mask()[None], n, axis=0),
            )
        ).tolist()

    together = choose([0, 1, 2, 3, 4, 5, 6, 7])
    assert [choose([7, 3])[::-1], choose([3, 7])] == [[together[3], together[7]]] * 2
