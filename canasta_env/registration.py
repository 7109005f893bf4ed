"""The names under which PettingZoo and Gymnasium make the environments.

`canasta/ModernAmerican-v1` and `canasta/Classic-v1` (AEC and parallel), `canasta/ModernAmericanSeat-v1` and
`canasta/ClassicSeat-v1` (Gymnasium, `make` and `make_vec`).
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from canasta_env.envs.aec import VERSION
from canasta_env.rules import Game

NAMES: dict[Game, str] = {"modern_american": "ModernAmerican", "classic": "Classic"}


def register() -> None:
    """Register both games with PettingZoo, where it knows names, and their one-seat forms with Gymnasium."""
    with_pettingzoo = getattr(pettingzoo, "register", None)  # since 1.27
    for game, name in NAMES.items():
        kwargs = {"game": game}
        if with_pettingzoo is not None:
            for kind, function in (("aec", "env"), ("parallel", "parallel_env")):
                entry = f"canasta_env.envs.aec:{function}"
                with_pettingzoo(kind, f"canasta/{name}-{VERSION}", entry, kwargs=kwargs)
        seat_entry = "canasta_env.envs.single_agent:CanastaSeatEnv"
        vector_entry = "canasta_env.envs.single_agent_vector:CanastaSeatVectorEnv"
        gymnasium.register(
            f"canasta/{name}Seat-{VERSION}", seat_entry, vector_entry_point=vector_entry, kwargs=kwargs
        )
