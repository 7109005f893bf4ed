"""The command line of training: `python train.py [CONFIG.toml] [--section.key value ...]`."""

from __future__ import annotations

import dataclasses
import json
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Annotated

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from canasta_agents.config_checks import ConfigError
from canasta_agents.files import write_file
from canasta_agents.learning.config import Config, from_dict, load
from canasta_agents.learning.distributed import Machine
from canasta_agents.learning.evaluation import Result, compare
from canasta_agents.learning.metrics import draw_curves
from canasta_agents.learning.trainer import Trainer, World
from canasta_agents.processes import wait_passively
from canasta_env.rules import RulesError

FAILED, REFUSED, INTERRUPTED = 1, 2, 130  # exit statuses

_NEEDS = "training needs some libraries more: pip install 'canasta-env[train]'"

try:
    import tyro
except ImportError as missing:
    raise ImportError(_NEEDS) from missing


@dataclass(frozen=True)
class Arguments:
    """Train a Canasta player by self-play. Without arguments: about three minutes of Modern American."""

    file: tyro.conf.Positional[Path | None] = None
    """A TOML file like those in configs/; what it leaves out keeps the default shown below."""
    resume: Path | None = None
    """A run to go on with, runs/NAME; keys given beside it replace those of the run."""
    minutes: float | None = None
    """Training time; short for --run.minutes."""
    config: Annotated[Config, tyro.conf.arg(name="")] = field(default_factory=Config)
    """The run."""


def parse(argv: Sequence[str]) -> Arguments:
    """Read the command line: a file or a run gives the defaults, keys replace them.

    Raises:
        ConfigError: If the file, the run or a value does not fit.
        SystemExit: If the command line itself cannot be read, or help was asked for.
    """
    from canasta_agents.learning.checkpoint import load_state

    defaults = Arguments()
    first = argv[0] if argv and not argv[0].startswith("-") else None
    if first is not None:
        defaults = Arguments(file=Path(first), config=load(Path(first)))
    elif (run := _value_of("--resume", argv)) is not None:
        facts = load_state(Path(run) / "latest").facts
        defaults = Arguments(resume=Path(run), config=from_dict(facts["config"], run))
    arguments: Arguments = tyro.cli(Arguments, args=list(argv), default=defaults, prog="train.py")
    if arguments.minutes is None:
        return arguments
    run_config = dataclasses.replace(arguments.config.run, minutes=arguments.minutes)
    return dataclasses.replace(arguments, config=dataclasses.replace(arguments.config, run=run_config))


def main(argv: Sequence[str] | None = None) -> int:
    """Train, then compare; returns the exit status."""
    wait_passively()
    from canasta_agents.registry import RegistryError

    try:
        from canasta_agents.neural.policy_file import CheckpointError
    except ImportError as missing:
        print(f"train.py: {missing}; {_NEEDS}", file=sys.stderr)
        return REFUSED
    try:
        arguments = parse(sys.argv[1:] if argv is None else argv)
        return _train(arguments)
    except (ConfigError, CheckpointError, RegistryError, RulesError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return REFUSED


def _train(arguments: Arguments) -> int:
    from rich.console import Console

    from canasta_agents.learning.distributed import prepare_machine

    pass  # HOUSE
    from canasta_agents.learning.ppo import DivergedError
    from canasta_agents.learning.trainer import canasta

    config = arguments.config
    machine = prepare_machine(config.run)
    group = machine.group
    folder = arguments.resume or group.agree(run_folder(config))
    console = Console(width=None if sys.stdout.isatty() else 120, quiet=not group.is_first)
    session = Session(
        config, folder, canasta(config), machine, console, is_resumed=arguments.resume is not None
    )
    try:
        is_finished = session.train()
    except DivergedError as error:
        if group.is_first:
            print(f"train.py: stopped after {session.progress_text}: {error}", file=sys.stderr)
        return FAILED
    group.leave()
    if not is_finished:
        return INTERRUPTED
    if group.is_first:
        session.report()
    return 0


def run_folder(config: Config) -> Path:
    """Where a new run goes.

    Raises:
        ConfigError: If there is a run of that name already.
    """
    name = config.run.name or f"{config.game.name}_{config.game.players}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = Path(config.run.folder) / name
    if (folder / "config.json").exists():
        raise ConfigError(
            f"run.name: {folder} holds a run already; go on with --resume {folder}, or take another name"
        )
    return folder


def _value_of(option: str, argv: Sequence[str]) -> str | None:
    """The value of an option, written `--option value` or `--option=value`."""
    for place, argument in enumerate(argv):
        if argument == option and place + 1 < len(argv):
            return argv[place + 1]
        if argument.startswith(f"{option}="):
            return argument.split("=", 1)[1]
    return None


# A run from its first line on the terminal to the last: train, show, save, compare.


class Session:
    """One call of the command line.

    Args:
        config: What to run.
        folder: The run's folder.
        world: Tables, players and judge.
        machine: Cores, device, precision.
        console: Where to report.
        is_resumed: Whether the folder holds a run to go on with.
    """

    def __init__(
        self, config: Config, folder: Path, world: World, machine: Machine, console: Console, is_resumed: bool
    ) -> None:
        self._config = config
        self._folder = folder
        self._world = world
        self._console = console
        self._trainer = Trainer(config, folder, world, machine)
        if is_resumed:
            self._trainer.resume()
        elif config.run.start:
            self._trainer.begin(Path(config.run.start))
        self._group = machine.group
        if self._group.is_first:
            folder.mkdir(parents=True, exist_ok=True)
            write_file(folder / "config.json", json.dumps(config.to_dict(), indent=1).encode() + b"\n")
        console.print(self._first_line(machine), highlight=False, soft_wrap=True)

    @property
    def progress_text(self) -> str:
        """How far the run is, in words."""
        progress = self._trainer.progress
        return f"{progress.updates} updates, {progress.decisions:,} decisions"

    def train(self) -> bool:
        """Train to the end or to the first Ctrl-C; leaves a resumable checkpoint.

        Returns:
            Whether the end was reached.

        Raises:
            DivergedError: If the run cannot go on; the last checkpoint stays.
        """
        trainer = self._trainer
        saved = time.monotonic()
        try:
            with Display(self._console) as display, StopRequest() as stop:
                while not trainer.is_over and not self._is_stopped(stop):
                    is_imitating, measured = trainer.is_imitating, trainer.measurement
                    metrics = trainer.advance()
                    display.show(self._status(is_imitating, metrics))
                    if trainer.measurement is not measured and trainer.measurement is not None:
                        reference = self._config.judging.player
                        display.say(f"{trainer.share:4.0%} {trainer.measurement} against {reference}")
                    if self._group.agree(time.monotonic() - saved > 60 * self._config.run.checkpoint_minutes):
                        trainer.save()
                        saved = time.monotonic()
                trainer.save()
        finally:
            trainer.close()
            if self._group.is_first:
                draw_curves(self._folder)
        if not trainer.is_over:
            self._console.print(
                f"Stopped after {self.progress_text}. Go on with: python train.py --resume {self._folder}",
                highlight=False,
                soft_wrap=True,
            )
        return trainer.is_over

    def _is_stopped(self, stop: StopRequest) -> bool:
        """Whether any process of the group was asked to stop."""
        return bool(self._group.gather(np.array([float(stop.is_made)])).any())

    def report(self) -> None:
        """Compare the best policy with random and reference players; say where everything is."""
        with self._console.status("measuring the best policy on new boards"):
            results = compare(self._folder, self._world.judge, self._world.make_player, self._config.judging)
        if results:
            content = [result.to_dict() for result in results]
            write_file(self._folder / "result.json", json.dumps(content, indent=1).encode() + b"\n")
            self._console.print(_result_table(results))
        self._console.print(
            f"{self.progress_text.capitalize()} in {self._trainer.progress.seconds / 60:.1f} minutes.\n"
            f"policy   {self._folder}/best     play against it as neural:{self._folder}\n"
            f"curves   {self._folder}/curves.png\n"
            f"metrics  {self._folder}/metrics.jsonl, and: tensorboard --logdir {self._folder}\n"
            f"go on    python train.py --resume {self._folder} --minutes {2 * self._config.run.minutes:g}",
            highlight=False,
            soft_wrap=True,
        )

    def _first_line(self, machine: Machine) -> str:
        parameters = sum(parameter.numel() for parameter in self._trainer.parts.network.parameters())
        precision = str(machine.precision).removeprefix("torch.")
        return (
            f"{self._config.game.name}, {self._config.game.players} players: {parameters / 1e6:.2f} M "
            f"weights, {machine.cores} cores, {machine.device.type}, {precision}; writing to {self._folder}"
        )

    def _status(self, is_imitating: bool, metrics: dict[str, float]) -> Status:
        trainer = self._trainer
        measured = trainer.measurement
        return Status(
            phase="imitation" if is_imitating else "self-play",
            share=trainer.share,
            seconds_left=trainer.progress.seconds * (1 - trainer.share) / max(trainer.share, 1e-9),
            decisions=trainer.progress.decisions,
            rate=metrics["time/decisions_per_s"],
            entropy=metrics.get("learn/entropy", metrics.get("imitate/entropy", 0.0)),
            strength=measured.with_margin if measured else "",
        )


def _result_table(results: list[Result]) -> Table:
    table = Table(title="The best policy, on boards that chose nothing (95% intervals)")
    for heading in ("against", "points a deal", "matches won", "boards"):
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for result in results:
        points, matches = result.points, result.matches
        table.add_row(
            result.opponent,
            f"{points.estimate:+.0f}  [{points.low:+.0f}, {points.high:+.0f}]",
            f"{matches.estimate:.1%}  [{matches.low:.1%}, {matches.high:.1%}]" if matches else "",
            f"{points.boards} deals" + (f", {matches.boards} matches" if matches else ""),
        )
    return table


# What the terminal shows of a run.


SECONDS_BETWEEN_LINES = 10.0  # where there is no terminal to redraw on


@dataclass(frozen=True)
class Status:
    """One update, as people want to see it."""

    phase: str  # "imitation" or "self-play"
    share: float  # of the run, 0 to 1
    seconds_left: float
    decisions: int
    rate: float  # decisions a second of the last update
    entropy: float  # nats
    strength: str  # points against the reference, "" before the first measurement

    def __str__(self) -> str:
        left = f"{int(self.seconds_left) // 60}:{int(self.seconds_left) % 60:02d} left"
        parts = [
            f"{self.decisions / 1e6:6.2f} M decisions",
            f"{self.rate / 1e3:5.1f} k/s",
            left,
            f"entropy {self.entropy:.2f}",
            self.strength,
        ]
        return "  ".join(part for part in parts if part)


class Display:
    """A progress bar on a terminal, a line every ten seconds elsewhere. Use it with `with`."""

    def __init__(self, console: Console) -> None:
        self.console = console
        columns = (
            TextColumn("{task.description:<10}"),
            BarColumn(20),
            TextColumn("{task.percentage:>3.0f}%"),
        )
        self._bar = Progress(*columns, TextColumn("{task.fields[status]}"), console=console, transient=True)
        self._task = self._bar.add_task("", total=1.0, status="")
        self._last_line = 0.0

    def __enter__(self) -> Display:
        if self.console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, status: Status) -> None:
        """Show an update."""
        if self.console.is_terminal:
            self._bar.update(self._task, completed=status.share, description=status.phase, status=str(status))
        elif time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            self.say(f"{status.phase:<10} {status.share:4.0%}  {status}")

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self.console.print(text, highlight=False, soft_wrap=True)


# Ctrl-C and polite kills: the run ends after the update under way, with a checkpoint.


class StopRequest:
    """Whether somebody has asked the process to stop. Use it with `with`; a second Ctrl-C stops at once."""

    def __init__(self) -> None:
        self.is_made = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> StopRequest:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.is_made:
            raise KeyboardInterrupt
        self.is_made = True
