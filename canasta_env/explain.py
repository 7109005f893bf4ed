"""Why an action is not legal: the reason, its clause, and what would be legal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import NOTATIONS

if TYPE_CHECKING:
    from canasta_env.table import Table


class IllegalActionError(ValueError):
    """An action that is not legal now: names the action, the seat, the reason with its clause, and what is legal."""


def explain(table: Table, action: int, mask: NDArray[np.int8]) -> str:
    """Say why an action is not legal."""
    legal = ", ".join(NOTATIONS[a] for a in np.flatnonzero(mask))
    return f'illegal action "{NOTATIONS[action]}" for seat {table.to_play}: not legal; legal: {legal or "nothing"}'
