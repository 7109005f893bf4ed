"""The engine and the oracle play the same deals and agree at every step.

`python -m tests.reference.lockstep --deals 20000` is the long form.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from canasta_env.rules import PLAYERS, Game, standard_rules
from tests.reference.house_rules import draw_rules
from tests.reference.lockstep import DEALS, read_rules, run_lockstep

CONFIGURATIONS = [(game, players) for game, numbers in PLAYERS.items() for players in numbers]
DEALS_IN_A_TEST = 100
HOUSE_RULES = 12
DEALS_OF_HOUSE_RULES = 3
HOUSE_GAMES = sorted((Path(__file__).parent.parent / "reference" / "house_games").glob("*.json"))
DEALS_OF_HOUSE_GAMES = 30


@pytest.mark.parametrize("first_deal", [0, DEALS_IN_A_TEST])
@pytest.mark.parametrize(("game", "players"), CONFIGURATIONS)
def test_engine_and_oracle_agree(game: Game, players: int, first_deal: int) -> None:
    counts = run_lockstep(standard_rules(game, players), DEALS_IN_A_TEST, seed=2, first_deal=first_deal)
    assert counts[DEALS] == DEALS_IN_A_TEST


@pytest.mark.parametrize(("game", "players"), CONFIGURATIONS)
def test_engine_and_oracle_agree_where_heuristics_play(game: Game, players: int) -> None:
    run_lockstep(standard_rules(game, players), DEALS_IN_A_TEST // 4, seed=3, policy="heuristic")


@pytest.mark.parametrize(("game", "players"), CONFIGURATIONS)
def test_engine_and_oracle_agree_on_house_rules(game: Game, players: int) -> None:
    for number in range(HOUSE_RULES):
        rules = draw_rules(game, players, Random(f"{game} {players} {number}"))
        run_lockstep(rules, DEALS_OF_HOUSE_RULES, seed=4, first_deal=number * DEALS_OF_HOUSE_RULES)


@pytest.mark.parametrize("path", HOUSE_GAMES, ids=[path.stem for path in HOUSE_GAMES])
def test_engine_and_oracle_agree_where_rules_of_both_games_are_mixed(path: Path) -> None:
    rules = read_rules(path)
    assert rules != standard_rules(rules.game, rules.players)
    assert run_lockstep(rules, DEALS_OF_HOUSE_GAMES, seed=5)[DEALS] == DEALS_OF_HOUSE_GAMES
