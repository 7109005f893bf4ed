"""Canasta for people who train players: a rules engine and multi-agent environments.

Importing this package registers the environments with PettingZoo and Gymnasium (see `registration`).
"""

from canasta_env.actions import NotationError
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.cards import CardError
from canasta_env.engine.layout import layout
from canasta_env.envs.aec import CanastaAECEnv, CanastaParallelEnv, env, parallel_env, raw_env
from canasta_env.envs.single_agent import CanastaSeatEnv
from canasta_env.envs.single_agent_vector import CanastaSeatVectorEnv
from canasta_env.explain import IllegalActionError
from canasta_env.hidden_hands import redeal
from canasta_env.positions import PositionError
from canasta_env.records import RecordError
from canasta_env.registration import register
from canasta_env.rules import Rules, RulesError, classic, modern_american
from canasta_env.table import Table
from canasta_env.vector import VectorTables

__all__ = [
    "Agent",
    "CanastaAECEnv",
    "CanastaParallelEnv",
    "CanastaSeatEnv",
    "CanastaSeatVectorEnv",
    "CardError",
    "DecisionBatch",
    "IllegalActionError",
    "NotationError",
    "PositionError",
    "RecordError",
    "Rules",
    "RulesError",
    "Table",
    "VectorTables",
    "classic",
    "env",
    "layout",
    "modern_american",
    "parallel_env",
    "raw_env",
    "redeal",
]

register()
