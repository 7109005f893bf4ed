"""A position: the whole table as a plain dict that JSON can hold (docs/positions.md)."""

from canasta_env.positions.facts import PositionError
from canasta_env.positions.parse import read_position
from canasta_env.positions.write import named_counts, named_kinds, named_melds, named_threes, write_position

__all__ = [
    "PositionError",
    "named_counts",
    "named_kinds",
    "named_melds",
    "named_threes",
    "read_position",
    "write_position",
]
