"""Random valid house rules, for tests that no number of the standard games is built into the code."""

from __future__ import annotations

import dataclasses
from random import Random
from typing import Any

from canasta_env.rules import CLASSIC_ONLY, MAX_DEALT, MODERN_ONLY, Game, Rules, standard_rules

CHANGE_SHARE = 0.6  # of the fields


def draw_rules(game: Game, players: int, rng: Random) -> Rules:
    """Draw rules in which most numbers differ from the standard game's."""
    standard = standard_rules(game, players)
    changes: dict[str, Any] = {
        "target": rng.choice([1, 2_500, 7_500, 10_000]),
        "hand_size": rng.randint(1, min(20, MAX_DEALT // players)),
        "cards_drawn": rng.choice([1, 2, 2, 3, 8]),
        "canastas_to_go_out": rng.choice([1, 1, 2, 2, 3, 4]),
        "opening_minima": _draw_minima(rng),
        "max_wilds_in_meld": rng.randint(0, 5),
        "threes_points": tuple(rng.randrange(0, 2_000, 5) for _ in range(4)),
    }
    if standard.is_modern:
        changes["naturals_before_wild"] = rng.choice([2, 2, 3, 4, 5, 6, 7])
    others = CLASSIC_ONLY if standard.is_modern else MODERN_ONLY
    for field in dataclasses.fields(Rules):
        if field.name.endswith(("_bonus", "_penalty")) and field.name not in others:
            changes[field.name] = rng.randrange(0, 4_000, 5)
    kept = {name: value for name, value in changes.items() if rng.random() < CHANGE_SHARE}
    return dataclasses.replace(standard, **kept)


def _draw_minima(rng: Random) -> tuple[tuple[int | None, int], ...]:
    num_steps = rng.randint(1, 5)
    starts = sorted(rng.sample(range(-1_000, 7_000, 500), num_steps - 1))
    minima = sorted(rng.choice([0, 15, 30, 50, 60, 90, 100, 125, 150, 200]) for _ in range(num_steps))
    return tuple(zip([None, *starts], minima, strict=True))
