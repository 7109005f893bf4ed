"""What training takes from the rest of the project: tables, players, and a judge. Tests put smaller ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from canasta_agents.learning.config import Config
from canasta_agents.learning.equity.paying import MatchTables
from canasta_agents.learning.equity.table import load_equity
from canasta_agents.learning.rollouts.opponents import Tables
from canasta_agents.learning.strength.judging import BoardJudge, Judge
from canasta_env.agent import Agent
from canasta_env.rules import Rules


@dataclass(frozen=True)
class World:
    """A game to be learnt."""

    rules: Rules
    make_tables: Callable[[int, int], Tables]  # (num_tables, seed)
    make_player: Callable[[str], Agent]  # by roster name
    judge: Judge


def canasta(config: Config) -> World:
    """The game that the config names."""
    from canasta_agents.roster import make
    from canasta_env.vector import VectorTables

    rules, scores = config.game.rules, config.game.scores
    equity = load_equity(rules) if config.game.objective == "match" else None

    def make_tables(num_tables: int, seed: int) -> Tables:
        tables = VectorTables(rules, num_tables, seed=seed, scores=scores, check=False)
        return tables if equity is None else MatchTables(tables, equity)

    return World(rules, make_tables, lambda name: make(name, rules), BoardJudge(rules, scores, equity))
