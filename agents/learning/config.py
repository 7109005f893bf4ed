"""What a training run is made of: frozen dataclasses, read from TOML, changed on the command line.

The defaults are the run of `python train.py` without arguments; a file in configs/ names only its changes.
"""

from __future__ import annotations

import dataclasses
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeVar

from canasta_env.rules import GAMES, PLAYERS, Rules, RulesError, standard_rules

Section = TypeVar("Section")


class ConfigError(ValueError):
    """A configuration that cannot be run: names the key, its value, and what would be right."""


@dataclass(frozen=True)
class Game:
    """Which game is learnt."""

    name: Literal["classic", "modern_american"] = "modern_american"
    """The game."""
    players: int = 4
    """Classic: 2, 3 or 4; Modern American: 4."""
    scores: Literal["drawn", "zero"] = "drawn"
    """Match scores at which deals begin; drawn for each deal, every opening minimum is learnt."""
    objective: Literal["deal", "match"] = "deal"
    """What a deal pays: its points, or what it changes in the chance to win the match."""

    def __post_init__(self) -> None:
        """Refuse a game that cannot be played."""
        _require_choice(self, "name", GAMES)
        _require_choice(self, "players", PLAYERS[self.name])
        _require_choice(self, "scores", ("drawn", "zero"))
        _require_choice(self, "objective", ("deal", "match"))

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        try:
            return standard_rules(self.name, self.players)
        except RulesError as error:
            raise ConfigError(f"game: {error}") from None


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
        _require_range(self, "width", 1)
        _require_range(self, "layers", 1)
        _require_choice(self, "critic", ("shared", "separate", "privileged"))


@dataclass(frozen=True)
class Rollout:
    """How much is played between two updates."""

    tables: int = 512
    """Tables played side by side, over all actors."""
    steps: int = 64
    """Actions at each table between two updates, forced ones included."""
    actors: int = 0
    """Threads that play, each with its own tables; 0: one a core that may be used."""

    def __post_init__(self) -> None:
        """Refuse an empty rollout."""
        _require_range(self, "tables", 1)
        _require_range(self, "steps", 2)
        _require_range(self, "actors", 0)


@dataclass(frozen=True)
class Ppo:
    """Proximal policy optimisation (Schulman et al. 2017)."""

    learning_rate: float = 5e-4
    """Adam's step size at the start."""
    final_learning_rate: float = 5e-5
    """... and at the end; in between it falls in a straight line."""
    epochs: int = 2
    """Passes over the decisions of a rollout."""
    minibatch: int = 2_048
    """Decisions in one gradient step."""
    clip: float = 0.2
    """How far the probability of an action may move from 1 times the old one before its gradient stops."""
    value_clip: float = 0.0
    """The same for values, in standard deviations of the returns; 0: not clipped."""
    value_weight: float = 0.5
    """Weight of the value loss beside the policy loss."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start."""
    final_entropy: float = 0.002
    """... and at the end; in between it falls in a straight line."""
    discount: float = 1.0
    """Worth of a point one step later."""
    trace: float = 0.95
    """Lambda of the advantage estimate (Schulman et al. 2016)."""
    trace_over: Literal["turns", "decisions"] = "turns"
    """Whether discount and trace count from turn to turn of a seat, or at each of its decisions."""
    max_gradient_norm: float = 0.5
    """Longer gradients are shortened to this length."""
    max_kl: float = 0.05
    """An update ends early when the policy has moved this far (nats a decision); 0: never."""

    def __post_init__(self) -> None:
        """Refuse numbers that cannot learn."""
        for name in ("learning_rate", "clip", "max_gradient_norm"):
            _require_above_zero(self, name)
        for name in (
            "final_learning_rate",
            "value_clip",
            "value_weight",
            "entropy",
            "final_entropy",
            "max_kl",
        ):
            _require_range(self, name, 0)
        for name in ("discount", "trace"):
            _require_range(self, name, 0, 1)
        _require_range(self, "epochs", 1)
        _require_range(self, "minibatch", 1)
        _require_choice(self, "trace_over", ("turns", "decisions"))


@dataclass(frozen=True)
class Opponents:
    """Who sits at the tables: the shares are brought to a sum of 1."""

    itself: float = 0.7
    """Share of tables where every seat is the learner's."""
    past: float = 0.15
    """Share of tables where the other sides are a frozen past self."""
    reference: float = 0.15
    """Share of tables where the other sides are reference players."""
    players: tuple[str, ...] = ("heuristic",)
    """The reference players, by their roster names, in equal parts."""
    past_selves: int = 8
    """Frozen past selves that are kept."""
    freeze_every: int = 20
    """Updates between two frozen selves."""

    def __post_init__(self) -> None:
        """Refuse shares that seat nobody."""
        for name in ("itself", "past", "reference"):
            _require_range(self, name, 0)
        if self.itself + self.past + self.reference <= 0:
            raise ConfigError("opponents: itself, past and reference are all 0; one of them must be above 0")
        if self.reference > 0 and not self.players:
            raise ConfigError("opponents.players: is empty; name a player, or set opponents.reference to 0")
        _require_range(self, "past_selves", 1)
        _require_range(self, "freeze_every", 1)


@dataclass(frozen=True)
class Imitation:
    """A start from a reference player: its choices are learnt by heart before self-play begins."""

    share: float = 0.15
    """Share of the run's budget; 0: start from nothing."""
    teacher: str = "heuristic"
    """Roster name of the player that is imitated."""
    own_play: float = 0.5
    """Share of tables where the learner's own choice is played (the teacher's is still what is learnt)."""
    learning_rate: float = 3e-3
    """Adam's step size at the start; it falls to that of PPO."""
    minibatch: int = 512
    """Decisions in one gradient step: many small steps copy a player far faster than few large ones."""
    value_weight: float = 0.5
    """Weight of the value loss."""

    def __post_init__(self) -> None:
        """Refuse shares outside 0 to 1."""
        _require_range(self, "share", 0, 1)
        _require_range(self, "own_play", 0, 1)
        _require_above_zero(self, "learning_rate")
        _require_range(self, "minibatch", 1)
        _require_range(self, "value_weight", 0)


@dataclass(frozen=True)
class Judging:
    """How strength is measured, on duplicate boards."""

    player: str = "heuristic"
    """Roster name of the player that the learner is measured against while it trains."""
    measurements: int = 6
    """Measurements over the run, evenly spread; the best policy so far is kept."""
    boards: int = 500
    """Boards of a measurement while training."""
    final_boards: int = 400
    """Boards of the comparison at the end, others than those that chose the best policy; 0: no comparison."""
    final_matches: int = 100
    """Match boards of that comparison (each is played once from either side)."""

    def __post_init__(self) -> None:
        """Refuse measurements that cannot be made."""
        _require_range(self, "measurements", 0)
        _require_range(self, "boards", 2)
        _require_range(self, "final_boards", 0)
        _require_range(self, "final_matches", 0)


@dataclass(frozen=True)
class Run:
    """Length, place and machine of a run."""

    name: str = ""
    """Name of the run's folder; empty: the game and the time."""
    folder: str = "runs"
    """Where runs are kept."""
    seed: int = 1
    """Every random number of the run follows from it."""
    start: str = ""
    """Policy whose weights the run begins with: a run, a checkpoint, a policy of the package; empty: none."""
    minutes: float = 2.3
    """Training time. Schedules follow the clock, so runs differ; those that give decisions are repeatable."""
    decisions: int = 0
    """Length in decisions of the learner in place of minutes; 0: minutes count."""
    checkpoint_minutes: float = 1.0
    """Time between two resumable checkpoints."""
    threads: int = 0
    """Cores that may be used; 0: all that this process is allowed."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the network runs; auto: a GPU if there is one."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Of matrix products; auto: bfloat16 where the processor has instructions for it."""
    entropy_floor: float = 0.01
    """The run stops as collapsed when the mean entropy (nats) stays below this."""

    def __post_init__(self) -> None:
        """Refuse a run without a length."""
        _require_above_zero(self, "minutes")
        _require_above_zero(self, "checkpoint_minutes")
        for name in ("decisions", "threads", "seed", "entropy_floor"):
            _require_range(self, name, 0)
        _require_choice(self, "device", ("auto", "cpu", "cuda"))
        _require_choice(self, "precision", ("auto", "float32", "bfloat16"))


@dataclass(frozen=True)
class Config:
    """A whole run."""

    game: Game = field(default_factory=Game)
    network: Network = field(default_factory=Network)
    rollout: Rollout = field(default_factory=Rollout)
    ppo: Ppo = field(default_factory=Ppo)
    opponents: Opponents = field(default_factory=Opponents)
    imitation: Imitation = field(default_factory=Imitation)
    judging: Judging = field(default_factory=Judging)
    run: Run = field(default_factory=Run)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-able dict; `from_dict` reads it back."""
        return dataclasses.asdict(self)


def load(path: Path) -> Config:
    """Read a config from a TOML file; what it leaves out keeps its default.

    Raises:
        ConfigError: If the file cannot be read, or a key or a value does not fit.
    """
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: cannot be read ({error}); give a TOML file like those in configs/"
        ) from None
    try:
        return from_dict(tomllib.loads(content), str(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from None


def from_dict(content: Mapping[str, Any], source: str = "config") -> Config:
    """Build a config from nested dicts, as TOML and JSON hold them.

    Args:
        content: Sections by name, each a dict of its keys.
        source: Where it came from, for the errors.

    Raises:
        ConfigError: Names the key and the choices.
    """
    try:
        return _build(Config, content, "")
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _build(section: type[Section], content: object, prefix: str) -> Section:
    """Build a dataclass from a dict; `prefix` is "" or "section."."""
    if not isinstance(content, Mapping):
        raise ConfigError(
            f"{prefix.rstrip('.')}: {content!r} must be a table of keys, [{prefix.rstrip('.')}] in TOML"
        )
    hints = typing.get_type_hints(section)
    if unknown := [name for name in content if name not in hints]:
        raise ConfigError(_unknown_key(prefix, unknown[0], list(hints)))
    return section(**{name: _value(hints[name], value, prefix + name) for name, value in content.items()})


def _unknown_key(prefix: str, name: str, choices: list[str]) -> str:
    near = get_close_matches(name, choices, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"unknown key {prefix + name!r}; {hint}The keys are {', '.join(choices)}"


def _value(hint: Any, value: object, name: str) -> object:
    """Check a value against a field's type and bring it into that type."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _build(hint, value, f"{name}.")
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
        if value not in choices:
            raise ConfigError(
                f"{name}: {value!r} is not a choice; the choices are {', '.join(map(repr, choices))}"
            )
        return value
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
            raise ConfigError(f"{name}: {value!r} must be a list of names")
        return tuple(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        kind = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[hint]
        raise ConfigError(f"{name}: {value!r} must be {kind}")
    return value


def _key(section: object, name: str) -> str:
    return f"{type(section).__name__.lower()}.{name}"


def _require_range(section: object, name: str, low: float, high: float | None = None) -> None:
    value = getattr(section, name)
    if not low <= value <= (float("inf") if high is None else high):
        bound = f"at least {low:g}" if high is None else f"from {low:g} to {high:g}"
        raise ConfigError(f"{_key(section, name)}: {value!r} must be {bound}")


def _require_above_zero(section: object, name: str) -> None:
    value = getattr(section, name)
    if not 0 < value < float("inf"):
        raise ConfigError(f"{_key(section, name)}: {value!r} must be above 0")


def _require_choice(section: object, name: str, choices: typing.Iterable[object]) -> None:
    value = getattr(section, name)
    if value not in (choices := tuple(choices)):
        raise ConfigError(
            f"{_key(section, name)}: {value!r} is not a choice; "
            f"the choices are {', '.join(map(repr, choices))}"
        )
