"""Checks of what callers pass in: each returns the value or says what would be right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import COPIES, KINDS, NUM_CARDS, CardError, kind_of
from canasta_env.rules import MAX_SCORE, Rules, standard_rules

MAX_SEED = 2**64
RENDER_MODES = ("ansi", "rgb_array", "human")


def whole_number(value: Any, name: str, low: int, high: int) -> int:
    """Return `value` as an int in low ... high.

    Raises:
        ValueError: Names the argument, its value, and the range.
    """
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high:
        raise ValueError(f"{name}: {value!r} must be a whole number from {low:,} to {high:,}")
    return int(value)


def check_choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """Return one of a few words.

    Raises:
        ValueError: Names the argument, its value, and the choices.
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}: {value!r} must be one of {', '.join(map(repr, choices))}")
    return value


def check_render_mode(mode: Any) -> str | None:
    """Return a render mode of the environments: None or one of RENDER_MODES."""
    return None if mode is None else check_choice(mode, "render_mode", RENDER_MODES)


def choose_rules(game: str | None, players: int | None, rules: Rules | None) -> Rules:
    """The rules that a caller names by game and players, or gives whole.

    Args:
        game: Name of the game; that of `rules`, or Modern American, if None.
        players: Number of players; that of `rules`, or 4, if None.
        rules: House rules.

    Raises:
        ValueError: If there is no such game, or `rules` is of another one.
    """
    if rules is None:
        return standard_rules("modern_american" if game is None else game, players)
    if not isinstance(rules, Rules):
        raise ValueError(f"rules: {rules!r} must be Rules, as classic() and modern_american() return them")
    for name, value, own in (("game", game, rules.game), ("players", players, rules.players)):
        if value is not None and value != own:
            raise ValueError(f"{name}: {value!r}, but the rules are for {own!r}")
    return rules


def check_seed(seed: Any) -> int:
    """Return a seed of a match: 64 bits."""
    return whole_number(seed, "seed", 0, MAX_SEED - 1)


def check_seat(seat: Any, rules: Rules, name: str = "seat") -> int:
    """Return a seat of the game."""
    return whole_number(seat, name, 0, rules.players - 1)


def check_side(side: Any, rules: Rules) -> int:
    """Return a side of the game."""
    return whole_number(side, "side", 0, rules.num_sides - 1)


def check_scores(scores: Any, rules: Rules) -> list[int]:
    """Return match scores, one for each side."""
    if (
        not isinstance(scores, (Sequence, np.ndarray))
        or isinstance(scores, str)
        or len(scores) != rules.num_sides
    ):
        raise ValueError(f"scores: {scores!r} must be {rules.num_sides} whole numbers, one for each side")
    return [
        whole_number(score, f"scores[{side}]", -MAX_SCORE, MAX_SCORE) for side, score in enumerate(scores)
    ]


def check_order(order: Any) -> NDArray[np.int8]:
    """Return the order of a whole deck, `(NUM_CARDS,) int8`, from its names.

    Raises:
        CardError: If it is not the 108 cards; names a kind that is short or too many.
    """
    kinds = np.array([kind_of(name, f"order[{place}]") for place, name in enumerate(order)], np.int8)
    counts = np.bincount(kinds, minlength=len(KINDS))
    for kind, copies in enumerate(COPIES):
        if counts[kind] != copies:
            raise CardError(
                f"order: {counts[kind]} cards {KINDS[kind]}; the {NUM_CARDS} cards hold {copies} of them"
            )
    return kinds
