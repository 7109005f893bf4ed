"""Canasta for people who train players: a rules engine and multi-agent environments.

Importing this package registers the environments with PettingZoo and Gymnasium (see `registration`).
"""

from canasta_env.actions import NotationError
from canasta_env.aec import env, raw_env
from canasta_env.explain import IllegalActionError
from canasta_env.parallel import parallel_env
from canasta_env.positions import PositionError
from canasta_env.registration import register
from canasta_env.rules import Rules, RulesError, classic, modern_american
from canasta_env.table import Table

__all__ = [
    "IllegalActionError",
    "NotationError",
    "PositionError",
    "Rules",
    "RulesError",
    "Table",
    "classic",
    "env",
    "modern_american",
    "parallel_env",
    "raw_env",
]

register()
