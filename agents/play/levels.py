"""The levels at which opponents are chosen: the one table that says which agent each stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from canasta_agents.policies import playable_policy
from canasta_agents.search.options import SEARCH_PREFIX
from canasta_env import Rules
from canasta_env.rules import Game

_SEARCH_S = 0.5  # that an expert thinks about a move, at most


@dataclass(frozen=True)
class Level:
    """How strong an opponent is.

    Attributes:
        name: As it is shown.
        spec_for: The agent of this level in a game, as a spec of the registry.
    """

    name: str
    spec_for: Callable[[Rules], str]


def _by_game(specs: Mapping[Game, str]) -> Callable[[Rules], str]:
    return lambda rules: specs[rules.game]


def _policy(rules: Rules) -> str:
    """The package's policy; the strongest rule-based player where there is none, or no PyTorch."""
    own = playable_policy(rules)
    return f"neural:{own}" if own else "heuristic"


def _searching_policy(rules: Rules) -> str:
    return f"{SEARCH_PREFIX}{_policy(rules)}?time={_SEARCH_S:g}"


LEVELS = (
    Level("Beginner", _by_game({"classic": "builder", "modern_american": "simple"})),
    Level("Casual", _by_game({"classic": "gambler", "modern_american": "keeper"})),
    Level("Club", _policy),
    Level("Expert", _searching_policy),
)
