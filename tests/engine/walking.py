"""Random deals at a `Table`, for tests of what holds of every deal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

import pytest

from canasta_env import Rules, Table, classic, modern_american
from canasta_env.rules import GAMES, PLAYERS
from tests.reference.house_rules import draw_rules
from tests.reference.walks import draw_order, draw_policies, draw_scores

FOUR_GAMES = [classic(2), classic(3), classic(4), modern_american()]
NAMES = ["classic2", "classic3", "classic4", "modern"]


def house_rules(seed: int) -> Rules:
    """Random house rules of a random game."""
    rng = Random(seed)
    game = rng.choice(GAMES)
    return draw_rules(game, rng.choice(PLAYERS[game]), rng)


DEALS = [(rules, seed) for rules in FOUR_GAMES for seed in (1, 2)]
DEALS += [(house_rules(seed), seed) for seed in range(6)]
DEAL_NAMES = [f"{name} {seed}" for name in NAMES for seed in (1, 2)] + [
    f"house rules {seed}" for seed in range(6)
]
every_deal = pytest.mark.parametrize(("rules", "seed"), DEALS, ids=DEAL_NAMES)


def random_table(rules: Rules, rng: Random) -> Table:
    """A deal with a random deck, sometimes a rigged one, and random match scores."""
    order, scores = draw_order(rules, rng), draw_scores(rules, rng)
    return Table(rules, order=order, dealer=rng.randrange(rules.players), scores=scores)


def walk(rules: Rules, seed: int) -> Iterator[Table]:
    """The table after every action of a random deal, the first and the last included; copies."""
    return (table.copy() for table in _played(rules, seed))


@lru_cache(maxsize=64)
def _played(rules: Rules, seed: int) -> tuple[Table, ...]:
    """Many tests look at the same deals: each is played once."""
    return tuple(table.copy() for table in _play(rules, seed))


def _play(rules: Rules, seed: int) -> Iterator[Table]:
    rng = Random(seed)
    table = random_table(rules, rng)
    policies = draw_policies("mixed", rules, rng)
    yield table
    while not table.is_over:
        table.play(policies[table.to_play](table, table.legal(), rng))
        yield table


def random_position(rules: Rules, seed: int, *, may_be_over: bool = False) -> Table:
    """The table at a random point of a random deal."""
    tables = list(walk(rules, seed))
    return Random(seed).choice(tables if may_be_over else tables[:-1])
