"""The section `network` of a config; policy.json holds it too. PyTorch is not needed to read it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from canasta_agents.config_checks import require_choice, require_range

MAX_WIDTH, MAX_LAYERS = 16_384, 256  # beyond what a machine holds, and far beyond what learns
OF_FORMAT_1 = {"kind": "flat"}  # what files of the first format leave unsaid


@dataclass(frozen=True)
class Network:
    """The form of the policy and of its critic."""

    kind: Literal["rank", "flat"] = "rank"
    """Weights shared over the ranks, or fully connected layers over the whole observation."""
    width: int = 256
    """Units of a hidden layer."""
    layers: int = 2
    """Hidden layers; in a rank network, of its trunk."""
    row_width: int = 64
    """Units of the layers that a rank network runs over every rank."""
    rows_in_trunk: bool = False
    """Whether the trunk of a rank network reads the rows themselves too, beside their mean and maximum."""
    critic: Literal["shared", "separate", "privileged"] = "shared"
    """A value head on the policy's layers; layers of its own; or such that see all hands (training only)."""
    custom: str = ""
    """A network class of your own, module:Class, in place of these two: docs/training.md."""

    def __post_init__(self) -> None:
        """Refuse sizes that make no network."""
        require_choice(self, "kind", ("rank", "flat"))
        require_range(self, "width", 1, MAX_WIDTH)
        require_range(self, "row_width", 1, MAX_WIDTH)
        require_range(self, "layers", 1, MAX_LAYERS)
        require_choice(self, "critic", ("shared", "separate", "privileged"))

    def to_dict(self) -> dict[str, Any]:
        """What policy.json says of the network; later keys only where they are used."""
        content = dataclasses.asdict(self)
        for key in ("custom", "rows_in_trunk"):
            if not content[key]:
                del content[key]  # versions before it can read the policy
        return content
