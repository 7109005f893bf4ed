"""CanastaGame: what holds of every deal of a game, in the words of OpenSpiel's `Game`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from canasta_env.actions import NUM_ACTIONS
from canasta_env.cards import NUM_CARDS, NUM_KINDS
from canasta_env.engine.layout import observation_size
from canasta_env.openspiel.state import CanastaState
from canasta_env.rules import Rules
from canasta_env.validation import check_scores, choose_rules, shown

# No deal pays more: 15 canastas of 3,000, and all the cards, threes and bonuses there are, stay below it.
MOST_POINTS = 100_000.0
# Each turn draws one of 108 cards or melds two from the hand with a pile, so there are at most 162; a turn
# has at most 5 decisions that move no card from hand to table, and 108 cards are moved there.
MOST_DECISIONS = 1_000


class CanastaGame:
    """One deal of Canasta as a game of OpenSpiel's kind; the players are the seats.

    Args:
        game: "modern_american" or "classic"; Modern American if None.
        players: Number of seats; 4 if None. Classic is for 2, 3 or 4.
        target: Match score to reach; the game's own if None (R-MATCH-1).
        rules: House rules, in place of `game`, `players` and `target`.
        scores: Match score of each side when the deal begins, which sets its opening minimum; 0 if None.

    Raises:
        ValueError: Names the argument that does not fit.
    """

    def __init__(
        self,
        game: str | None = None,
        players: int | None = None,
        target: int | None = None,
        *,
        rules: Rules | None = None,
        scores: Sequence[int] | None = None,
    ) -> None:
        self.rules = choose_rules(game, players, target, rules)
        self.scores = None if scores is None else check_scores(scores, self.rules)

    def new_initial_state(self) -> CanastaState:
        """A state before the dealer is drawn and the cards are shuffled: `CHANCE` is to move."""
        return CanastaState(self.rules, self.scores)

    def deal(self, rng: np.random.Generator) -> CanastaState:
        """A state in which the cards have been dealt: all chance nodes are behind it."""
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng: {shown(rng)} must be a numpy.random.Generator")
        state = self.new_initial_state()
        state.shuffle(rng)
        return state

    def deserialize_state(self, text: str) -> CanastaState:
        """The state that `CanastaState.serialize` wrote.

        Raises:
            ValueError: If it is no such text, or of another game.
        """
        try:
            saved = json.loads(text)
        except (TypeError, ValueError) as error:
            raise ValueError(f"text: {shown(text)} is not what serialize() returns: {error}") from None
        return CanastaState.of_saved(self.rules, self.scores, saved)

    def num_players(self) -> int:
        """Seats."""
        return self.rules.players

    def num_distinct_actions(self) -> int:
        """Ids of actions, the same in every game (docs/actions.md)."""
        return NUM_ACTIONS

    def max_chance_outcomes(self) -> int:
        """Most outcomes of a chance node: kinds of card."""
        return NUM_KINDS

    def max_chance_nodes_in_history(self) -> int:
        """The dealer and every card."""
        return 1 + NUM_CARDS

    def max_game_length(self) -> int:
        """A bound on the decisions of a deal; real ones have about 130."""
        return MOST_DECISIONS

    def min_utility(self) -> float:
        """A bound that no deal reaches."""
        return -MOST_POINTS

    def max_utility(self) -> float:
        """A bound that no deal reaches."""
        return MOST_POINTS

    def utility_sum(self) -> float:
        """What is won is lost."""
        return 0.0

    def information_state_tensor_shape(self) -> list[int]:
        """`[num_features]`, as observations of the environments."""
        return [observation_size(self.rules)]

    def observation_tensor_shape(self) -> list[int]:
        """`[num_features]`, as observations of the environments."""
        return [observation_size(self.rules)]

    def get_parameters(self) -> dict[str, Any]:
        """The game's name and its number of seats."""
        return {"game": self.rules.game, "players": self.rules.players, "target": self.rules.target}

    def __str__(self) -> str:
        """As `get_parameters`, on a line."""
        parameters = ",".join(f"{name}={value}" for name, value in self.get_parameters().items())
        return f"canasta({parameters})"
