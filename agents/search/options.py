"""What a search can be told, and how a spec says it: "search:neural:classic_2?worlds=16&candidates=4"."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Literal, get_args

from canasta_agents.config_checks import ConfigError

SEARCH_PREFIX = "search:"
MOST_WORLDS = 4_096  # of a decision
WhichBeliefs = Literal["uniform", "learned"]
_USUAL_WORLDS = 16


@dataclass(frozen=True)
class SearchOptions:
    """How a search goes about a decision."""

    worlds: int = 0
    """Tables to draw for a decision, at least 2; 0: 16, or as many as there is time for."""
    candidates: int = 4
    """Actions to try, at least 2, the base player's own among them."""
    time: float = math.inf
    """Seconds for a decision, after which no more tables are drawn; choices then depend on the machine."""
    gate: float = 2.0
    """Standard errors by which a candidate must be ahead to be played instead of the base player's action."""
    floor: float = 0.02
    """Probability below which a policy's action is no candidate."""
    beliefs: WhichBeliefs = "uniform"
    """Whether tables are as likely as the cards fall, or as a model of the policy's hands has learnt."""

    def __post_init__(self) -> None:
        """Refuse numbers that make no search."""
        _require("worlds", self.worlds, 2, MOST_WORLDS, self.worlds == 0)
        _require("candidates", self.candidates, 2, math.inf)
        _require("gate", self.gate, 0, math.inf)
        _require("floor", self.floor, 0, 1)
        if not self.time > 0:
            raise ConfigError(f"time: {self.time!r} must be seconds above 0")
        if self.beliefs not in get_args(WhichBeliefs):
            raise ConfigError(f"beliefs: {self.beliefs!r} must be {' or '.join(get_args(WhichBeliefs))}")

    @property
    def most_worlds(self) -> int:
        """Tables after which a search ends, if its time has not ended it before."""
        if self.worlds:
            return self.worlds
        return _USUAL_WORLDS if self.time == math.inf else MOST_WORLDS


def _require(name: str, value: float, low: float, high: float, is_usual: bool = False) -> None:
    if not (is_usual or low <= value <= high):
        bound = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
        raise ConfigError(f"{name}: {value!r} must be {bound}")


def parse_search(spec: str) -> tuple[str, SearchOptions]:
    """Read the spec of a search: "search:BASE" or "search:BASE?option=value&option=value".

    Returns:
        The spec of the base player, and the options.

    Raises:
        ConfigError: If an option is unknown, told twice or has no such value: names it.
    """
    base, mark, text = spec.removeprefix(SEARCH_PREFIX).partition("?")
    told: dict[str, float | str] = {}
    for part in text.split("&") if mark else ():
        name, _, value = part.partition("=")
        if name in told:
            raise ConfigError(f"{name}: is told twice in {spec!r}; once is enough")
        told[name] = _value(name, value)
    return base, SearchOptions(**told)  # type: ignore[arg-type]  # each of its field's type


def _value(name: str, text: str) -> float | str:
    kinds = {field.name: field.type for field in dataclasses.fields(SearchOptions)}
    if name not in kinds:
        raise ConfigError(f"unknown option {name!r}; the options of a search are {', '.join(kinds)}")
    if kinds[name] not in ("int", "float"):
        return text
    try:
        return int(text) if kinds[name] == "int" else float(text)
    except ValueError:
        kind = "a whole number" if kinds[name] == "int" else "a number"
        raise ConfigError(f"{name}: {text!r} must be {kind}") from None
