"""Who plays the seats that are not the learner's: callables, agents, or chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from canasta_env.decisions import DecisionBatch
from canasta_env.episode import Observation
from canasta_env.rules import Rules


class BatchAgent(Protocol):
    """An agent that answers batches of decisions, as those of the package `agents` do."""

    def reset(self, num_tables: int, seed: int) -> None:
        """Get ready for an episode."""

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        """Choose an action for each decision."""


Opponent = Callable[[Observation], Any] | BatchAgent


def seat_opponents(
    opponents: Opponent | Sequence[Opponent] | None, seat: int, rules: Rules
) -> dict[int, Any]:
    """Give every seat but the learner's its player.

    Args:
        opponents: One for all other seats, or one for each from the seat after the learner's on;
            chance if None.
        seat: The learner's.
        rules: The game.

    Returns:
        The opponent of each other seat; None where chance plays.

    Raises:
        ValueError: If their number does not fit, or one is neither a callable nor an agent.
    """
    others = [(seat + place) % rules.players for place in range(1, rules.players)]
    chosen: Sequence[Any] = opponents if isinstance(opponents, Sequence) else [opponents] * len(others)
    if len(chosen) != len(others):
        raise ValueError(f"opponents: {len(chosen)} of them; there are {len(others)} other seats")
    for opponent in chosen:
        if opponent is not None and not callable(getattr(opponent, "act", opponent)):
            raise ValueError(f"opponents: {opponent!r} is neither a callable nor an agent with `act`")
    return dict(zip(others, chosen, strict=True))


def distinct_agents(seated: dict[int, Any]) -> list[BatchAgent]:
    """The opponents that are agents, each once, whatever number of seats it plays."""
    agents = {id(opponent): opponent for opponent in seated.values() if hasattr(opponent, "act")}
    return list(agents.values())
