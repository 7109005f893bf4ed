"""What the engine tells of some random deals, as one number per game that must not depend on how it runs.

python -m tests.engine.modes        # a line of JSON, {game: digest}
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from canasta_env import Rules
from canasta_env.engine.view import VIEW
from canasta_env.vector import VectorTables
from tests.engine.walking import FOUR_GAMES, NAMES

NUM_TABLES = 2
STEPS = 150


def digest(rules: Rules, seed: int = 11) -> str:
    """A digest of masks, views, encodings and points of uniformly random play at a few tables."""
    told = hashlib.sha256()
    tables = VectorTables(rules, NUM_TABLES, seed, scores="drawn")
    rng = np.random.default_rng(seed)
    for _ in range(STEPS):
        arrays: list[Any] = [tables.masks, tables.observations, tables.critic_states]
        for array in [*arrays, *(tables.views[name] for name in VIEW.names or ())]:
            told.update(np.ascontiguousarray(array).tobytes())
        result = tables.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in tables.masks]))
        told.update(result.ended.tobytes() + result.points.tobytes())
    return told.hexdigest()


def digests() -> dict[str, str]:
    """The digest of each of the four games."""
    return {name: digest(rules) for name, rules in zip(NAMES, FOUR_GAMES, strict=True)}


if __name__ == "__main__":
    print(json.dumps(digests()))
