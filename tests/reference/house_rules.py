"""Random valid house rules, for tests that nothing of the standard games is built into the code."""

from __future__ import annotations

import dataclasses
from random import Random
from typing import Any

from canasta_env.rules import MAX_DEALT, NEEDED_SWITCHES, Game, Rules, RulesError, standard_rules

CHANGE_SHARE = 0.6  # of the numbers
SWITCHED_SHARE = 0.5  # of the rules drawn that differ in what the game does, not in numbers only
SWITCH_SHARE = 0.3  # of the switches, in these


def draw_rules(game: Game, players: int, rng: Random) -> Rules:
    """Draw rules in which most numbers differ from the standard game's, and often some switches."""
    standard = standard_rules(game, players)
    while True:
        switches = _draw_switches(standard, rng) if rng.random() < SWITCHED_SHARE else {}
        numbers = _draw_numbers(players, rng)
        kept = {name: value for name, value in numbers.items() if rng.random() < CHANGE_SHARE}
        for name, switch in NEEDED_SWITCHES.items():
            if not switches.get(switch, getattr(standard, switch)):
                kept[name] = 0
        try:
            return dataclasses.replace(standard, **switches, **kept)
        except RulesError:  # drawn without a look at what needs what
            continue


def _draw_switches(standard: Rules, rng: Random) -> dict[str, Any]:
    fields = [field.name for field in dataclasses.fields(Rules) if field.type == "bool"]
    switches: dict[str, Any] = {
        name: not getattr(standard, name) for name in fields if rng.random() < SWITCH_SHARE
    }
    switches["largest_meld_to_take"] = rng.choice([None, 0, 3, 4, 4, 6])
    switches["canastas_for_threes"] = rng.choice([0, 1, 2, 3])
    return switches


def _draw_numbers(players: int, rng: Random) -> dict[str, Any]:
    numbers: dict[str, Any] = {
        "target": rng.choice([1, 2_500, 7_500, 10_000]),
        "hand_size": rng.randint(1, min(20, MAX_DEALT // players)),
        "cards_drawn": rng.choice([1, 2, 2, 3, 8]),
        "canastas_to_go_out": rng.choice([1, 1, 2, 2, 3, 4]),
        "opening_minima": _draw_minima(rng),
        "max_wilds_in_meld": rng.randint(0, 5),
        "naturals_before_wild": rng.choice([2, 2, 3, 4, 5, 6, 7]),
        "threes_points": tuple(rng.randrange(0, 2_000, 5) for _ in range(4)),
    }
    for field in dataclasses.fields(Rules):
        if field.name.endswith(("_bonus", "_penalty")):
            numbers[field.name] = rng.randrange(0, 4_000, 5)
    return numbers


def _draw_minima(rng: Random) -> tuple[tuple[int | None, int], ...]:
    num_steps = rng.randint(1, 5)
    starts = sorted(rng.sample(range(-1_000, 7_000, 500), num_steps - 1))
    minima = sorted(rng.choice([0, 15, 30, 50, 60, 90, 100, 125, 150, 200]) for _ in range(num_steps))
    return tuple(zip([None, *starts], minima, strict=True))
