"""Who plays the seats that are not the learner's: callables, agents, agents by their names, or chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.agent import Agent, DecisionBatch
from canasta_env.envs.episode import Observation
from canasta_env.rules import Rules
from canasta_env.validation import integers, shown

Opponent = Callable[[Observation], Any] | Agent | str

_REGISTRY = "canasta_agents.registry"  # knows the agents by their names; looked for when a name is given

_LONGEST_NAME = 1_000  # and so of a path in it


def seat_opponents(
    opponents: Opponent | Sequence[Opponent | None] | None, seat: int, rules: Rules
) -> dict[int, Any]:
    """Give every seat but the learner's its player.

    Args:
        opponents: One for all other seats, or one for each from the seat after the learner's on; chance
            if None.
        seat: The learner's.
        rules: The game.

    Returns:
        The opponent of each other seat, an agent where a name was given; None where chance plays. A name
        given once is one agent for all seats, in a list each name is an agent of its own.

    Raises:
        ValueError: If their number does not fit, if one is neither a callable nor an agent, or if no agent
            has the name.
    """
    others = [(seat + place) % rules.players for place in range(1, rules.players)]
    if isinstance(opponents, Sequence) and not isinstance(opponents, str):
        if len(opponents) != len(others):
            raise ValueError(f"opponents: {len(opponents)} of them; there are {len(others)} other seats")
        chosen = [_seated(opponent, f"opponents[{place}]", rules) for place, opponent in enumerate(opponents)]
    else:
        chosen = [_seated(opponents, "opponents", rules)] * len(others)
    return dict(zip(others, chosen, strict=True))


def distinct_agents(seated: dict[int, Any]) -> list[Agent]:
    """The opponents that are agents, each once, whatever number of seats it plays."""
    agents = {id(opponent): opponent for opponent in seated.values() if hasattr(opponent, "act")}
    return list(agents.values())


def ask_agent(agent: Agent, batch: DecisionBatch) -> NDArray[np.int64]:
    """An agent's answers to a batch, `(n,)`; whether they are legal is not looked at.

    Raises:
        ValueError: If they are not one integer for each decision.
    """
    return integers(agent.act(batch), len(batch), f"opponents: the actions of {shown(agent)}")


def _seated(opponent: Any, where: str, rules: Rules) -> Any:
    if isinstance(opponent, str):
        return _agent_by_name(opponent, where, rules)
    if opponent is None:
        return None
    if not hasattr(opponent, "act"):
        if callable(opponent):
            return opponent
    elif not isinstance(opponent, type) and callable(opponent.act):
        if callable(getattr(opponent, "reset", None)):
            return opponent
    raise ValueError(
        f"{where}: {shown(opponent)} is neither a callable, nor an agent with `reset` and `act`,"
        " nor the name of one"
    )


def _agent_by_name(name: str, where: str, rules: Rules) -> Agent:
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"{where}: {shown(name)} is not an agent's name")
    try:
        registry = import_module(_REGISTRY)
    except ImportError as error:
        raise ValueError(
            f"{where}: {shown(name)} is an agent's name; those come with the package canasta_agents, which"
            f" cannot be imported ({error}): pip install canasta-env, or give an agent or a callable"
        ) from error
    try:
        agent: Agent = registry.make(name, rules)
    except OSError as error:
        raise ValueError(f"{where}: {shown(name)} cannot be read: {error.strerror or error}") from error
    except (ValueError, ImportError) as error:
        raise ValueError(f"{where}: {error}") from error
    return agent
