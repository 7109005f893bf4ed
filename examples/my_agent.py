"""An entrant of your own: copy this file, change `choose`, and let it play.

python evaluate.py --agents heuristic random --agents-from examples/my_agent.py --game classic

An agent is any class with a name, `reset` and `act`. `act` gets a batch of decisions, each at another table:
what the seat to move may know (`views`, fields as in canasta_env/engine/view.py) and which of the 96 actions
are legal (`masks`). It returns an action id for each. See docs/own_agent.md.
"""

from __future__ import annotations

import numpy as np

from canasta_env.actions import ID_OF, NOTATIONS
from canasta_env.cards import KINDS, VALUES

DRAW, TAKE = ID_OF["draw"], ID_OF["take"]


class Tidy:
    """Takes every pile it may, lays what costs no wild, and discards the rank it holds least of."""

    name = "tidy"

    def reset(self, num_tables: int, seed: int) -> None:
        """Forget everything: `num_tables` new tables. All chance should come from `seed`."""
        self.rng = np.random.default_rng(seed)

    def act(self, batch) -> np.ndarray:
        """Choose an action for each decision: `(n,)` ids."""
        return np.array([self.choose(batch.views[i], batch.masks[i]) for i in range(len(batch))])

    def choose(self, view, mask) -> int:
        """Choose one action: `view` is a record, `mask[action]` is 1 where the action is legal."""
        if mask[TAKE]:
            return TAKE
        if mask[DRAW]:
            return DRAW
        legal = np.flatnonzero(mask)
        without_wilds = [action for action in legal if is_laying(action) and not spends_wild(action)]
        if without_wilds:
            return int(self.rng.choice(without_wilds))
        discards = [action for action in legal if NOTATIONS[action].startswith("discard")]
        if discards:
            return min(discards, key=lambda action: cost(view, action))
        return int(legal[0])  # pick up, answer a partner, or lay a wild where nothing else is legal


def is_laying(action: int) -> bool:
    """Whether an action lays cards."""
    return NOTATIONS[action].startswith(("meld", "add"))


def spends_wild(action: int) -> bool:
    """Whether an action lays a joker or a two."""
    return bool({"2", "joker"} & set(NOTATIONS[action].split()))


def cost(view, action: int) -> int:
    """How little a discard is wanted: wilds least, then ranks of which there are many in hand."""
    kind = KINDS.index(NOTATIONS[action].removeprefix("discard "))
    is_wild = KINDS[kind] in ("joker", "2")
    return 1_000 * is_wild + 20 * int(view["hand"][kind]) + VALUES[kind]
