"""Trained policies that come with the package: `neural:modern_american`, `neural:classic_4` and so on.

A folder holds the policy, the config of its run, and what was measured (result.json); docs/training.md says
how they were made and how strong they are.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from canasta_env.rules import Rules

FOLDER = Path(__file__).parent


def bundled_policies() -> list[str]:
    """Names of the policies."""
    return sorted(path.parent.name for path in FOLDER.glob("*/policy.json"))


def bundled_policy(name: str) -> Path | None:
    """Folder of a policy; None if none has that name."""
    return FOLDER / name if name in bundled_policies() else None


def policy_name(rules: Rules) -> str:
    """Name that the policy of a game has, if there is one."""
    return rules.game if rules.game == "modern_american" else f"{rules.game}_{rules.players}"


def playable_policy(rules: Rules) -> str | None:
    """Name of the policy of a game; None if there is none, or no PyTorch to play it."""
    name = policy_name(rules)
    return name if name in bundled_policies() and find_spec("torch") is not None else None
