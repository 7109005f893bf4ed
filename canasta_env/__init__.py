"""Canasta for people who train players: a rules engine and multi-agent environments."""

from canasta_env.explain import IllegalActionError
from canasta_env.rules import Rules, RulesError, classic, modern_american
from canasta_env.table import Table

__all__ = ["IllegalActionError", "Rules", "RulesError", "Table", "classic", "modern_american"]
