"""What training takes from the rest of the project: tables, players, and a judge. Tests put smaller ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from canasta_env.rules import Rules

from ..base import Agent
from .config import Config
from .equity.paying import MatchTables
from .equity.table import load_equity
from .rollouts.opponents import Tables
from .strength.judging import BoardJudge, Judge


@dataclass(frozen=True)
class World:
    """A game to be learnt."""

    rules: Rules
    make_tables: Callable[[int, int], Tables]  # (num_tables, seed)
    make_player: Callable[[str], Agent]  # by roster name
    judge: Judge


def canasta(config: Config) -> World:
    """The game that the config names."""
    from canasta_env.vector import VectorTables

    from ..roster import make

    rules, scores = config.game.rules, config.game.scores
    equity = load_equity(rules) if config.game.objective == "match" else None

    def make_tables(num_tables: int, seed: int) -> Tables:
        tables = VectorTables(rules, num_tables, seed=seed, scores=scores, check=False)
        return tables if equity is None else MatchTables(tables, equity)

    return World(rules, make_tables, lambda name: make(name, rules), BoardJudge(rules, scores, equity))
