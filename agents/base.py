"""What an agent is, and what it is asked: decisions in batches, each a view and its legal actions."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from canasta_env.decisions import DecisionBatch

__all__ = ["Agent", "DecisionBatch"]


class Agent(Protocol):
    """Whoever chooses actions. An agent sees views and legal actions, never the state of a table."""

    name: str

    def reset(self, num_tables: int, seed: int) -> None:
        """Forget everything and get ready for `num_tables` tables; all chance comes from `seed`."""
        ...

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """Choose an action for each decision: `(n,)` ids, each legal by its mask."""
        ...
