"""Trained policies that come with the package: `neural:modern_american`, `neural:classic_4` and so on.

A folder holds the policy, the config of its run, and what was measured (result.json); docs/training.md says
how they were made and how strong they are. Some hold a model of the policy's hands, too (docs/search.md). The
folder `partners` holds policies that are no stronger than others, but were trained apart from them: strangers
to play with, `neural:partners/classic_4_a` and so on.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from canasta_agents.files import find_folder
from canasta_env.rules import Rules

FOLDER = Path(__file__).parent
PARTNERS = "partners"
WEIGHTS = "policy.safetensors"
POLICY_FILES = ("policy.json", WEIGHTS)  # a policy is its card (rules, form of the network) and weights
HANDS = "hands.safetensors"  # beside a policy, where there is one: what hands such players are likely to hold


def bundled_policies() -> list[str]:
    """Names of the policies."""
    return sorted(path.parent.name for path in FOLDER.glob("*/policy.json"))


def frozen_partners() -> list[str]:
    """Names of the policies that were trained apart to be partners; they never change."""
    return sorted(f"{PARTNERS}/{path.parent.name}" for path in FOLDER.glob(f"{PARTNERS}/*/policy.json"))


def bundled_policy(name: str) -> Path | None:
    """Folder of a policy, or of a partner; None if none has that name."""
    return FOLDER / name if name in (*bundled_policies(), *frozen_partners()) else None


def policy_folder(path: Path) -> Path | None:
    """Where the files of a policy are: the one rule, for whoever plays, exports or fingerprints it.

    Args:
        path: A checkpoint's folder, or a run (its best policy, else its latest), or else the name of a policy
            of the package.

    Returns:
        A folder that holds POLICY_FILES; None if the path stands for no policy.
    """
    for candidate in (path, path / "best", path / "latest"):
        folder = find_folder(candidate)
        if folder is not None and (folder / WEIGHTS).is_file():
            return folder
    return bundled_policy(path.as_posix())


def policy_name(rules: Rules) -> str:
    """Name that the policy of a game has, if there is one."""
    return rules.game if rules.game == "modern_american" else f"{rules.game}_{rules.players}"


def playable_policy(rules: Rules) -> str | None:
    """Name of the policy of a game; None if there is none, or no PyTorch to play it."""
    name = policy_name(rules)
    return name if name in bundled_policies() and find_spec("torch") is not None else None
