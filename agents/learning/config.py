"""What a training run is made of: frozen dataclasses, read from TOML, changed on the command line.

The defaults are the run of `python train.py` without arguments; a file in configs/ names only its changes.
"""

from __future__ import annotations

import dataclasses
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from canasta_agents.config_checks import ConfigError, build, require_above_zero, require_choice, require_range
from canasta_agents.learning import training_file
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.config import Network
from canasta_env.rules import GAMES, PLAYERS, Rules, RulesError, standard_rules
from canasta_env.validation import MAX_SEED
from canasta_env.vector import MAX_TABLES

OLD_KEYS = {  # of files that older versions wrote or read, and what each is called now
    "judging": "evaluation",
    "rollout.actors": "rollout.workers",
    "ppo.epochs": "ppo.num_epochs",
    "ppo.minibatch": "ppo.minibatch_size",
    "ppo.clip": "ppo.clip_range",
    "ppo.value_clip": "ppo.clip_range_vf",
    "ppo.value_weight": "ppo.value_coef",
    "ppo.entropy": "ppo.entropy_coef",
    "ppo.final_entropy": "ppo.final_entropy_coef",
    "ppo.discount": "ppo.gamma",
    "ppo.trace": "ppo.gae_lambda",
    "ppo.trace_over": "ppo.gae_step",
    "ppo.max_kl": "ppo.target_kl",
    "opponents.itself": "opponents.self_play",
    "imitation.own_play": "imitation.dagger_share",
    "imitation.minibatch": "imitation.minibatch_size",
    "imitation.value_weight": "imitation.value_coef",
}
MAX_BOARDS = 100_000  # of a measurement, which are played at once
MAX_THREADS = 1_024  # PyTorch ends the process where the system cannot start so many
_reported: set[str] = set()  # old keys that have been named on the terminal


@dataclass(frozen=True)
class Game:
    """Which game is learnt."""

    name: Literal["classic", "modern_american"] = "classic"
    """The game."""
    players: int = 2
    """Classic: 2, 3 or 4; Modern American: 4."""
    scores: Literal["drawn", "zero"] = "drawn"
    """Match scores at which deals begin; drawn for each deal, every opening minimum is learnt."""
    objective: Literal["deal", "match"] = "deal"
    """What a deal pays: its points, or what it changes in the chance to win the match."""

    def __post_init__(self) -> None:
        """Refuse a game that cannot be played."""
        require_choice(self, "name", GAMES)
        require_choice(self, "players", PLAYERS[self.name])
        require_choice(self, "scores", ("drawn", "zero"))
        require_choice(self, "objective", ("deal", "match"))

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        try:
            return standard_rules(self.name, self.players)
        except RulesError as error:
            raise ConfigError(f"game: {error}") from None


@dataclass(frozen=True)
class Rollout:
    """How much is played between two updates."""

    tables: int = 512
    """Tables played side by side, over all workers."""
    steps: int = 64
    """Actions at each table between two updates, forced ones included."""
    workers: int = 0
    """Threads that play, each with its own tables; 0: one a core that may be used."""

    def __post_init__(self) -> None:
        """Refuse an empty rollout."""
        require_range(self, "tables", 1, MAX_TABLES)
        require_range(self, "steps", 2)
        require_range(self, "workers", 0)


@dataclass(frozen=True)
class Ppo:
    """Proximal policy optimisation (Schulman et al. 2017)."""

    learning_rate: float = 1.5e-3
    """Adam's step size at the start."""
    final_learning_rate: float = 5e-5
    """... and at the end; in between it falls in a straight line."""
    num_epochs: int = 2
    """Passes over the decisions of a rollout."""
    minibatch_size: int = 1_024
    """Decisions in one gradient step."""
    clip_range: float = 0.2
    """How far the probability of an action may move from 1 times the old one before its gradient stops."""
    clip_range_vf: float = 0.0
    """The same for values, in standard deviations of the returns; 0: not clipped."""
    value_coef: float = 0.5
    """Weight of the value loss beside the policy loss."""
    entropy_coef: float = 0.01
    """Weight of the entropy bonus at the start."""
    final_entropy_coef: float = 0.002
    """... and at the end; in between it falls in a straight line."""
    gamma: float = 1.0
    """Worth of a point one step later."""
    gae_lambda: float = 0.95
    """Lambda of the advantage estimate (Schulman et al. 2016)."""
    gae_step: Literal["turns", "decisions"] = "turns"
    """What gamma and lambda count: the turns of a seat, or each of its decisions."""
    loss: str = ""
    """A loss of your own in place of learning.ppo.ppo_loss, module:function: docs/training.md."""
    max_gradient_norm: float = 0.5
    """Longer gradients are shortened to this length."""
    target_kl: float = 0.05
    """An update ends early when the policy has moved this far (nats a decision); 0: never."""

    def __post_init__(self) -> None:
        """Refuse numbers that cannot learn."""
        for name in ("learning_rate", "clip_range", "max_gradient_norm"):
            require_above_zero(self, name)
        for name in (
            "final_learning_rate",
            "clip_range_vf",
            "value_coef",
            "entropy_coef",
            "final_entropy_coef",
            "target_kl",
        ):
            require_range(self, name, 0)
        for name in ("gamma", "gae_lambda"):
            require_range(self, name, 0, 1)
        require_range(self, "num_epochs", 1)
        require_range(self, "minibatch_size", 1)
        require_choice(self, "gae_step", ("turns", "decisions"))


@dataclass(frozen=True)
class Opponents:
    """Who sits at the tables: the shares are brought to a sum of 1."""

    self_play: float = 0.7
    """Share of tables where every seat is the learner's."""
    past: float = 0.15
    """Share of tables where the other sides are a snapshot of the learner."""
    reference: float = 0.15
    """Share of tables where the other sides are reference players."""
    players: tuple[str, ...] = ("heuristic",)
    """The reference players, by their registry names, in equal parts."""
    with_partners: float = 0.0
    """Share of tables where the learner's partner is one of `partners`; the other side is the learner."""
    partners: tuple[str, ...] = ()
    """The partners, by their registry names, in equal parts; a run's folder is neural:runs/NAME."""
    past_selves: int = 8
    """Snapshots that are kept."""
    freeze_every: int = 20
    """Updates between two snapshots."""

    def __post_init__(self) -> None:
        """Refuse shares that seat nobody."""
        shares = ("self_play", "past", "reference", "with_partners")
        for name in shares:
            require_range(self, name, 0)
        listed = f"{', '.join(shares[:-1])} and {shares[-1]}"
        total = sum(getattr(self, name) for name in shares)
        if total <= 0:
            raise ConfigError(f"opponents: {listed} are all 0; one must be above 0")
        if total == float("inf"):
            raise ConfigError(f"opponents: the sum of {listed} is too large; 1 is usual")
        if self.reference > 0 and not self.players:
            raise ConfigError("opponents.players: is empty; name a player, or set opponents.reference to 0")
        if self.with_partners > 0 and not self.partners:
            raise ConfigError(
                "opponents.partners: is empty; name a player, or set opponents.with_partners to 0"
            )
        require_range(self, "past_selves", 1)
        require_range(self, "freeze_every", 1)


@dataclass(frozen=True)
class Imitation:
    """A start from a reference player: the network learns its choices before self-play begins."""

    share: float = 0.0
    """Share of the run's budget; 0: start from nothing. Modern American needs it: most of a short run."""
    teacher: str = "heuristic"
    """Roster name of the player that is imitated."""
    dagger_share: float = 0.5
    """Share of tables where the learner's own choice is played (the teacher's is still what is learnt)."""
    learning_rate: float = 3e-3
    """Adam's step size at the start; it falls to that of PPO."""
    minibatch_size: int = 512
    """Decisions in one gradient step: many small steps copy a player far faster than few large ones."""
    value_coef: float = 0.5
    """Weight of the value loss."""

    def __post_init__(self) -> None:
        """Refuse shares outside 0 to 1."""
        require_range(self, "share", 0, 1)
        require_range(self, "dagger_share", 0, 1)
        require_above_zero(self, "learning_rate")
        require_range(self, "minibatch_size", 1)
        require_range(self, "value_coef", 0)


@dataclass(frozen=True)
class Evaluation:
    """How strength is measured, on duplicate boards."""

    player: str = "heuristic"
    """Roster name of the player that the learner is measured against while it trains."""
    measurements: int = 6
    """Measurements over the run, evenly spread; the best policy so far is kept."""
    boards: int = 500
    """Boards of a measurement while training, and of the race against the best policy so far."""
    final_boards: int = 400
    """Boards of the comparison at the end, others than those that chose the best policy; 0: no comparison."""
    final_matches: int = 100
    """Match boards of that comparison (each is played once from either side)."""

    def __post_init__(self) -> None:
        """Refuse measurements that cannot be made."""
        require_range(self, "measurements", 0)
        require_range(self, "boards", 2, MAX_BOARDS)
        require_range(self, "final_boards", 0, MAX_BOARDS)
        require_range(self, "final_matches", 0, MAX_BOARDS)


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
    wandb: str = ""
    """Project of Weights & Biases that gets the metrics too (pip install wandb); empty: none."""
    entropy_floor: float = 0.01
    """The run stops as collapsed when the mean entropy (nats) stays below this."""

    def __post_init__(self) -> None:
        """Refuse a run without a length."""
        require_above_zero(self, "minutes")
        require_above_zero(self, "checkpoint_minutes")
        for name in ("decisions", "entropy_floor"):
            require_range(self, name, 0)
        require_range(self, "threads", 0, MAX_THREADS)
        require_range(self, "seed", 0, MAX_SEED - 1)
        require_choice(self, "device", ("auto", "cpu", "cuda"))
        require_choice(self, "precision", ("auto", "float32", "bfloat16"))


@dataclass(frozen=True)
class Config:
    """A whole run."""

    game: Game = field(default_factory=Game)
    network: Network = field(default_factory=Network)
    rollout: Rollout = field(default_factory=Rollout)
    ppo: Ppo = field(default_factory=Ppo)
    opponents: Opponents = field(default_factory=Opponents)
    imitation: Imitation = field(default_factory=Imitation)
    evaluation: Evaluation = field(default_factory=Evaluation)
    run: Run = field(default_factory=Run)

    def __post_init__(self) -> None:
        """Refuse partners in a game that has none."""
        if self.opponents.with_partners > 0 and self.game.rules.num_sides == self.game.players:
            raise ConfigError(
                f"opponents.with_partners: in {self.game.name} with {self.game.players} players nobody has a "
                "partner; set it to 0, or game.players to 4"
            )

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
        tables = tomllib.loads(content)
    except (
        ValueError,
        RecursionError,
    ) as error:  # TOMLDecodeError, a number of thousands of digits, or depth
        raise ConfigError(f"{path}: is not TOML: {error}") from None
    return from_dict(tables, str(path))


def load_of_run(run: Path) -> Config:
    """The config of a run that can be resumed, from its checkpoint `latest`.

    Raises:
        ConfigError: If the folder holds no such run, or one that is damaged or of a newer version.
    """
    try:
        content = training_file.read_facts(training_file.find_state(run / "latest"))["config"]
    except CheckpointError as error:
        raise ConfigError(str(error)) from None
    return from_dict(content, str(run))


def from_dict(content: Mapping[str, Any], source: str = "config") -> Config:
    """Build a config from nested dicts, as TOML and JSON hold them.

    The names that keys had in older versions are understood; a line on stderr says what they are now.

    Args:
        content: Sections by name, each a dict of its keys.
        source: Where it came from, for the errors.

    Raises:
        ConfigError: Names the key and the choices.
    """
    try:
        return build(Config, _renamed(content, "", source), "")
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _renamed(table: Mapping[str, Any], prefix: str, source: str) -> dict[str, Any]:
    """A table of a config with its old keys, and those of the tables in it, under today's names."""
    renamed: dict[str, Any] = {}
    for name, value in table.items():
        now = OLD_KEYS.get(prefix + name, prefix + name)
        key = now.removeprefix(prefix)
        if key != name and key in table:
            raise ConfigError(f"{prefix + name} is called {now} now, and both are given; leave {name} out")
        if key != name and prefix + name not in _reported:
            _reported.add(prefix + name)
            print(f"{source}: {prefix + name} is called {now} now", file=sys.stderr)
        renamed[key] = _renamed(value, f"{key}.", source) if isinstance(value, Mapping) else value
    return renamed
