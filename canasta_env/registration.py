"""The names under which PettingZoo and Gymnasium make the environments.

`canasta/ModernAmerican-v0` and `canasta/Classic-v0` (AEC and parallel), `canasta/ModernAmericanSeat-v0` and
`canasta/ClassicSeat-v0` (Gymnasium, `make` and `make_vec`).
"""

from __future__ import annotations

import gymnasium
import pettingzoo

from canasta_env.envs.aec import VERSION
from canasta_env.rules import Game

NAMES: dict[Game, str] = {"modern_american": "ModernAmerican", "classic": "Classic"}


def register() -> None:
    """Register both games with PettingZoo and their one-seat forms with Gymnasium."""
    for game, name in NAMES.items():
        kwargs = {"game": game}
        pettingzoo.register("aec", f"canasta/{name}-{VERSION}", "canasta_env.envs.aec:env", kwargs=kwargs)
        parallel_entry = "canasta_env.envs.aec:parallel_env"
        pettingzoo.register("parallel", f"canasta/{name}-{VERSION}", parallel_entry, kwargs=kwargs)
        seat_entry = "canasta_env.envs.single_agent:CanastaSeatEnv"
        vector_entry = "canasta_env.envs.single_agent_vector:CanastaSeatVectorEnv"
        gymnasium.register(
            f"canasta/{name}Seat-{VERSION}", seat_entry, vector_entry_point=vector_entry, kwargs=kwargs
        )
