"""Tournaments whose results can be believed: duplicate boards, intervals, ratings and reports.

`compare` plays one pairing and returns a `Pairing`; `Tournament` is what `evaluate.py` runs.
"""

from .compare import compare
from .errors import ArenaError
from .pairing import Pairing
from .statistics import Interval

__all__ = ["ArenaError", "Interval", "Pairing", "compare"]
