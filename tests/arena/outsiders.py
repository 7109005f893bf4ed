"""Two entrants in a file that is no module, as `--agents-from` reads it."""

from __future__ import annotations

import numpy as np


class First:
    """Plays the first legal action."""

    name = "first"

    def reset(self, num_tables, seed):
        pass

    def act(self, batch):
        return np.argmax(batch.masks, axis=1)


class Last:
    """Plays the last legal action."""

    name = "last"

    def __init__(self, rules):
        self.rules = rules

    def reset(self, num_tables, seed):
        pass

    def act(self, batch):
        return batch.masks.shape[1] - 1 - np.argmax(batch.masks[:, ::-1], axis=1)
