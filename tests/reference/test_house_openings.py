"""Openings from hands full of few ranks and wilds, under mixed rules: engine and oracle allow the same.

Random deals hardly ever hold eight cards of a rank, or more wilds than a wild meld takes; there the closed
forms of `canasta_env.engine.opening` hand over to its knapsack.
"""

from __future__ import annotations

import dataclasses
import json
from random import Random
from typing import Any

import pytest

from canasta_env import Table
from canasta_env.cards import COPIES, FIRST_RANK, JOKER, KINDS, TWO
from canasta_env.rules import Game, Rules, RulesError, classic
from tests.reference.house_rules import draw_rules
from tests.reference.oracle import Oracle

RANKS = KINDS[FIRST_RANK:]
HANDS = 300
ACTIONS = 14
LAYING = ("meld", "add", "take", "pick up")


def _tables(rules: Rules, position: dict[str, Any]) -> tuple[Oracle, Table]:
    """The same position on both sides; fields left out are those of a deal that has just begun."""
    game = {"game": rules.game, "players": rules.players, "target": rules.target, "rules": rules.to_dict()}
    table = Table.from_position(game | {"to_play": 0, "dealer": rules.players - 1} | position, partial=True)
    return Oracle.from_position(json.loads(json.dumps(table.position()))), table


def _draw_opening_rules(rng: Random) -> Rules:
    while True:
        games: list[tuple[Game, int]] = [("classic", 2), ("classic", 4), ("modern_american", 4)]
        rules = draw_rules(*rng.choice(games), rng)
        changes: dict[str, Any] = {"opening_minima": ((None, rng.choice([90, 120, 150, 200, 240, 300])),)}
        changes["canastas_to_go_out"] = rng.choice([1, 1, 2])
        if rng.random() < 0.7:
            changes |= {"closes_ranks": True, "melds_end_at_seven": False}
        if rng.random() < 0.5:
            changes |= {"has_wild_meld": True, "canasta_waives_minimum": False}
        try:
            return dataclasses.replace(rules, **changes)
        except RulesError:
            continue


def _draw_position(rules: Rules, rng: Random) -> dict[str, Any]:
    few = rng.sample(RANKS, rng.choice([1, 2, 2, 3]))
    others = [rank for rank in RANKS if rank not in few]
    deck = [kind for rank in few for kind in [rank] * COPIES[FIRST_RANK]]
    deck += ["2"] * COPIES[TWO] + ["joker"] * COPIES[JOKER]
    if not rules.lays_black_threes:
        deck += ["black3"] * rng.choice([0, 0, 3, 4])
    rng.shuffle(deck)
    hand = deck[: rng.randint(4, 16)] + rng.sample(others, rng.choice([0, 1, 2]))
    position: dict[str, Any] = {"hands": {0: " ".join(hand)}, "phase": rng.choice(["draw", "play"])}
    if position["phase"] == "draw":
        under = [] if rng.random() < 0.5 else [others[0]]
        position["pile"] = " ".join([*under, few[0]])
    return position


def test_engine_and_oracle_agree_on_openings_from_crowded_hands() -> None:
    for seed in range(HANDS):
        rng = Random(seed)
        rules = _draw_opening_rules(rng)
        oracle, table = _tables(rules, _draw_position(rules, rng))
        played: list[str] = []
        while len(played) < ACTIONS and not oracle.is_over:
            legal = oracle.legal()
            assert legal and table.legal() == legal, f"seed {seed} after {played}"
            laying = [action for action in legal if action.startswith(LAYING)]
            if not laying:
                break
            played.append(rng.choice(laying))
            oracle.play(played[-1])
            table.play(played[-1])


@pytest.mark.parametrize("waives", [False, True])
def test_a_canasta_that_the_top_card_closed_is_still_the_clean_meld_of_its_opening(waives: bool) -> None:
    rules = dataclasses.replace(
        classic(),
        turns_up_card=False,
        needs_clean_opening=True,
        closes_ranks=True,
        canasta_waives_minimum=waives,
        opening_minima=((None, 170),),
    )
    hand = "J J J J J J 10 10 10 2 2 joker 9 8"
    oracle, table = _tables(rules, {"hands": {0: hand}, "phase": "draw", "pile": "9 J"})
    for action in ["take", "meld 10 10 joker", "add 10", *["add J"] * 4]:
        assert table.legal() == oracle.legal() and action in table.legal(), action
        oracle.play(action)
        table.play(action)
    assert table.legal() == oracle.legal()
    assert "add 2 to 10" in table.legal()
