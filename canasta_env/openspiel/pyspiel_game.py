"""Canasta as a Python game of OpenSpiel; importing this file registers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from canasta_env.actions import NUM_ACTIONS
from canasta_env.cards import NUM_CARDS, NUM_KINDS
from canasta_env.openspiel.game import MOST_DECISIONS, MOST_POINTS, CanastaGame
from canasta_env.openspiel.state import CHANCE

NAME = "python_canasta"

_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Canasta",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=4,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"game": "modern_american", "players": 4, "target": 0},
)


class PyspielGame(pyspiel.Game):
    """`CanastaGame` inside OpenSpiel.

    Args:
        params: `game`, `players` and `target` as for `CanastaGame`; a target of 0 is the game's own.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = params or {}
        self.canasta = CanastaGame(
            given.get("game", "modern_american"), given.get("players", 4), given.get("target", 0) or None
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=NUM_KINDS,
            num_players=self.canasta.num_players(),
            min_utility=-MOST_POINTS,
            max_utility=MOST_POINTS,
            utility_sum=0.0,
            max_game_length=MOST_DECISIONS,
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> PyspielState:
        """A state before the shuffle."""
        return PyspielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The dealer and every card."""
        return 1 + NUM_CARDS

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> PyspielObserver | None:
        """What writes tensors and strings of a state.

        Args:
            iig_obs_type: What is to be observed; without perfect recall if None.
            params: None, or empty.

        Returns:
            None unless it is public and the seat's own private information together, as OpenSpiel wants it.

        Raises:
            ValueError: If there are parameters.
        """
        if params:
            raise ValueError(f"params: {params}: observers of Canasta have no parameters")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return PyspielObserver(self, kind.perfect_recall)


class PyspielState(pyspiel.State):
    """`CanastaState` inside OpenSpiel; `canasta` is that state."""

    def __init__(self, game: PyspielGame) -> None:
        super().__init__(game)
        self.canasta = game.canasta.new_initial_state()

    def current_player(self) -> int:
        """As `CanastaState.current_player`."""
        return self.canasta.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return self.canasta.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """As `CanastaState.chance_outcomes`."""
        return self.canasta.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.canasta.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.canasta.action_to_string(player, action)

    def is_terminal(self) -> bool:
        """As `CanastaState.is_terminal`."""
        return self.canasta.is_terminal()

    def returns(self) -> list[float]:
        """As `CanastaState.returns`."""
        return self.canasta.returns()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> PyspielState:
        """As `CanastaState.resample_from_infostate`."""
        other: PyspielState = self.get_game().new_initial_state()
        other.canasta = self.canasta.resample_from_infostate(player, sampler)
        return other

    def __str__(self) -> str:
        return str(self.canasta)


class PyspielObserver:
    """Writes what a seat sees into `tensor`, and into a string; information states have perfect recall.

    Args:
        game: The game.
        has_recall: Whether strings hold all that the seat has seen, or what it knows now.
    """

    def __init__(self, game: PyspielGame, has_recall: bool) -> None:
        self._has_recall = has_recall
        self.tensor = np.zeros(game.canasta.observation_tensor_shape(), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: PyspielState, player: int) -> None:
        """Overwrite `tensor` with what a seat sees."""
        self.tensor[:] = state.canasta.observation_tensor(player)

    def string_from(self, state: PyspielState, player: int) -> str:
        """What a seat sees as a text."""
        if self._has_recall:
            return state.canasta.information_state_string(player)
        return state.canasta.observation_string(player)


assert CHANCE == pyspiel.PlayerId.CHANCE
pyspiel.register_game(_TYPE, PyspielGame)
