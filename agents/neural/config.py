"""The section `network` of a config; policy.json holds it too. PyTorch is not needed to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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

    def __post_init__(self) -> None:
        """Refuse sizes that make no network."""
        require_range(self, "width", 1)
        require_range(self, "layers", 1)
        require_choice(self, "critic", ("shared", "separate", "privileged"))
