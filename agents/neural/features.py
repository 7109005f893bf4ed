"""Which features of an observation a policy reads: it is played on although observations have grown since."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from canasta_agents.neural.arrays import CheckpointError
from canasta_env.cards import BLACK_THREE, KINDS, RANKS, RED_THREE
from canasta_env.engine.layout import features
from canasta_env.rules import Rules

_PLAYABLE = [name for kind, name in enumerate(KINDS) if kind not in (BLACK_THREE, RED_THREE)]


class FeatureReader:
    """Picks the features that a policy reads out of observations.

    Args:
        rules: The game.
        names: The policy's features in its order, as `canasta_env.engine.layout.features` names them.
        source: Whose they are, for the error.

    Attributes:
        observation_size: Entries of the observations that it reads from.
        columns: `(features,) int64`, where in an observation each feature stands; any place for one that
            observations have no more.
        is_there: `(features,) int8`, 0 for those.

    Raises:
        CheckpointError: If there is a feature that observations of this version do not have.
    """

    def __init__(self, rules: Rules, names: Sequence[str], source: str) -> None:
        present = features(rules)
        places = {name: place for place, name in enumerate(present)}
        unknown = [name for name in names if name not in places and name not in ALWAYS_ZERO]
        if unknown:
            raise CheckpointError(
                f"{source}: reads the feature {unknown[0]!r} and {len(unknown) - 1} others that observations "
                "do not have here: it is of another game, or of a newer version"
            )
        self.observation_size = len(present)
        self._is_identity = list(names) == present
        self.columns = np.array([places.get(name, 0) for name in names], np.int64)
        self.is_there = np.array([name in places for name in names], np.int8)
        self._absent = np.flatnonzero(self.is_there == 0)

    def read(self, observations: NDArray[np.int8]) -> NDArray[np.int8]:
        """The policy's features, `(n, features)`, of observations `(n, observation_size)`."""
        if self._is_identity:
            return observations
        read = np.take(observations, self.columns, axis=1)
        read[:, self._absent] = 0
        return read


def features_of_version_1(rules: Rules) -> list[str]:
    """The features that policies read which name none: those of the first version of observations."""
    names = [f"hand_{kind}:{level}" for kind in KINDS for level in (1, 2, 3, 4, 5, 7)]
    names += _levels("unseen_{}", _PLAYABLE, (1, 2, 3, 4, 6))
    names += _levels("pile_{}", _PLAYABLE, (1, 2, 3))
    names += _levels("top_card_{}", KINDS, ("is",))
    names += _levels("pile_size", [""], (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40))
    names += _levels(
        "stock_size", [""], (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30, 35, 40, 45, 50, 60)
    )
    for side in range(rules.num_sides):
        names += _side_of_version_1(rules, "own" if side == 0 else f"side_{side}")
    for seat in range(rules.players):
        names += _seat_of_version_1("me" if seat == 0 else f"seat_{seat}")
    names += _levels("phase", [""], ("draw", "play", "answer"))
    names += _levels("to_play", [""], range(rules.players))
    names += _levels("dealer", [""], range(rules.players))
    names += _levels("answer", [""], ("not_asked", "refused", "must_go_out", "may_go_out"))
    names += _levels("points_to_open", [""], (1, 15, 30, 50, 70, 90, 110, 125, 140, 155, 180))
    names += _levels("turn", [""], ("wild_frozen", "can_ask", "melded_now", "joined_earlier", "opening"))
    for fact in ("taken", "begun", "closed") if rules.closes_ranks else ("taken", "begun"):
        names += _levels(f"{fact}_{{}}", RANKS, ("is",))
    return names


def _side_of_version_1(rules: Rules, side: str) -> list[str]:
    names = _levels(f"{side}_meld_{{}}", RANKS, (3, 4, 5, 6, 7))
    names += _levels(f"{side}_meld_wilds_{{}}", RANKS, (1, 2, 3))
    if rules.has_wild_meld:
        names += _levels(f"{side}_wild_meld", [""], (3, 4, 5, 6, 7))
        names += _levels(f"{side}_wild_meld_jokers", [""], (1, 2, 3, 4))
    if rules.lays_black_threes:
        names += _levels(f"{side}_black_threes", [""], (1, 2, 3, 4))
    names += _levels(f"{side}_red_threes", [""], (1, 2, 3, 4))
    names += _levels(f"{side}_canastas", [""], (1, 2, 3, 4))
    names += _levels(f"{side}_opened", [""], ("is",))
    names += _levels(f"{side}_minimum", [""], (50, 90, 120, 125, 155, 180))
    names += _levels(f"{side}_score", [""], (0, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 38))
    if side != "own":
        names += _levels(f"{side}_lead", [""], (-20, -12, -8, -4, -2, 0, 2, 4, 8, 12, 20))
    return names


def _seat_of_version_1(seat: str) -> list[str]:
    names = _levels(f"{seat}_known_{{}}", _PLAYABLE, (1,) if seat == "me" else (1, 2))
    names += _levels(f"{seat}_discarded_{{}}", RANKS, (1, 2))
    names += _levels(f"{seat}_piles_taken", [""], (1, 2))
    names += _levels(f"{seat}_hand_size", [""], (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 22, 30))
    return names + _levels(f"{seat}_flags", [""], ("melded", "asked"))


def _levels(block: str, places: Sequence[str], levels: Sequence[object]) -> list[str]:
    """Feature names: for each place (a kind, or "" if the block has none) each level."""
    return [f"{block.format(place)}:{level}" for place in places for level in levels]


# Features that were 0 in every position, and are gone: those of cards that no hand or pile can show.
ALWAYS_ZERO = frozenset(
    [
        *(f"hand_{kind}:{level}" for kind in ("joker", "black3", "red3") for level in range(1, 8)),
        *(f"unseen_joker:{level}" for level in range(5, 9)),
        *(f"top_card_{kind}:is" for kind in ("black3", "red3")),
        *(f"{side}_meld_wilds_{rank}:3" for side in ("own", "side_1") for rank in RANKS),
    ]
)
