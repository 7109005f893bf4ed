"""Tournaments whose results can be believed: duplicate boards, intervals, ratings and reports.

`compare` plays one pairing and returns a `Pairing`; `Tournament` is what `evaluate.py` runs.
"""

from canasta_agents.arena.pairing import Pairing, compare
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.statistics import Interval

__all__ = ["ArenaError", "Interval", "Pairing", "compare"]
