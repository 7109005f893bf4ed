"""The section `network` of a config; policy.json holds it too. PyTorch is not needed to read it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from canasta_agents.config_checks import require_choice, require_range


@dataclass(frozen=True)
class Network:
    """The form of the policy and of its critic."""

    width: int = 256
    """Units of a hidden layer."""
    layers: int = 2
    """Hidden layers."""
    critic: Literal["shared", "separate", "privileged"] = "shared"
    """A value head on the policy's layers; layers of its own; or such that see all hands (training only)."""
    custom: str = ""
    """A network class of your own, module:Class, in place of the fully connected one: docs/training.md."""

    def __post_init__(self) -> None:
        """Refuse sizes that make no network."""
        require_range(self, "width", 1)
        require_range(self, "layers", 1)
        require_choice(self, "critic", ("shared", "separate", "privileged"))

    def to_dict(self) -> dict[str, Any]:
        """What policy.json says of the network; `custom` only where there is one."""
        content = dataclasses.asdict(self)
        if not self.custom:
            del content["custom"]  # versions before it can read the policy
        return content
