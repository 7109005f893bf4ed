"""A run from its first line on the terminal to the last: train, show, save, compare."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import time
from pathlib import Path
from types import FrameType, TracebackType

import numpy as np
from rich.console import Console

from canasta_agents.config_checks import ConfigError
from canasta_agents.files import write_file
from canasta_agents.learning.config import Config, load_of_run
from canasta_agents.learning.display import Display, Status, result_table
from canasta_agents.learning.distributed import Device, LostGroupError, prepare_device, telling_of_losses
from canasta_agents.learning.evaluation import compare
from canasta_agents.learning.metrics import draw_curves
from canasta_agents.learning.ppo import DivergedError
from canasta_agents.learning.resuming import check_changes
from canasta_agents.learning.run_folder import CONFIG_FILE, claim_run_folder
from canasta_agents.learning.trainer import Trainer, build_trainer
from canasta_agents.learning.wandb_run import load_wandb
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.processes import FAILED, INTERRUPTED, REFUSED
from canasta_agents.programs import command_of, program_name
from canasta_agents.registry import RegistryError
from canasta_env.rules import RulesError
from canasta_env.validation import explain_error

_SCRIPT = "train.py"


def run(config: Config, resume: Path | None) -> int:
    """Train, then compare; returns the exit status.

    Args:
        config: What to run.
        resume: The run to go on with; None begins a new one.
    """
    try:
        return _run(config, resume)
    except (ConfigError, CheckpointError, RegistryError, RulesError) as error:
        print(f"{program_name(_SCRIPT)}: {explain_error(error)}", file=sys.stderr)
        return REFUSED


def _run(config: Config, resume: Path | None) -> int:
    changes = check_changes(load_of_run(resume), config) if resume is not None else []
    if config.run.wandb:
        load_wandb()  # before anything is played
    device = prepare_device(config.run)
    console = Console(width=None if sys.stdout.isatty() else 120, quiet=not device.group.is_first)
    for change in changes:
        console.print(f"Changed: {change}", highlight=False, markup=False, soft_wrap=True)
    try:
        with telling_of_losses(), claim_run_folder(config, resume, device.group) as folder:
            return _train_in(folder, config, device, console, is_resumed=resume is not None)
    except LostGroupError:
        return FAILED


def _train_in(folder: Path, config: Config, device: Device, console: Console, is_resumed: bool) -> int:
    session = Session(build_trainer(config, folder, device), console, is_resumed)
    try:
        is_finished = session.train()
    except DivergedError as error:
        if device.group.is_first:
            print(f"{program_name(_SCRIPT)}: stopped after {session.progress_text}: {error}", file=sys.stderr)
        return FAILED
    device.group.close()
    if not is_finished:
        return INTERRUPTED
    if device.group.is_first:
        session.report()
    return 0


class Session:
    """One call of the command line.

    Args:
        trainer: A new one.
        console: Where to report.
        is_resumed: Whether the trainer's folder holds a run to go on with.
    """

    def __init__(self, trainer: Trainer, console: Console, is_resumed: bool) -> None:
        config, folder = trainer.config, trainer.folder
        self._config = config
        self._folder = folder
        self._console = console
        self._trainer = trainer
        self._is_resumed = is_resumed
        if is_resumed:
            trainer.resume()
        elif config.run.start:
            trainer.begin(Path(config.run.start))
        self._group = trainer.group
        if self._group.is_first:
            folder.mkdir(parents=True, exist_ok=True)
            write_file(folder / CONFIG_FILE, json.dumps(config.to_dict(), indent=1).encode() + b"\n")
        console.print(self._first_line(trainer.device), highlight=False, soft_wrap=True)

    @property
    def progress_text(self) -> str:
        """How far the run is, in words."""
        progress = self._trainer.progress
        return f"{progress.updates} updates, {progress.decisions:,} decisions"

    def train(self) -> bool:
        """Train to the end or to the first Ctrl-C or SIGTERM; leaves a resumable checkpoint.

        Returns:
            Whether the end was reached.

        Raises:
            DivergedError: If the run cannot go on; the last checkpoint stays.
        """
        trainer = self._trainer
        saved = time.monotonic()
        try:
            with telling_of_losses(), Display(self._console) as display, StopRequest() as stop:
                if not self._is_resumed:
                    trainer.save()  # whatever ends the run, it can be resumed
                while not trainer.is_over and not self._is_stopped(stop):
                    self._advance(display)
                    if self._is_checkpoint_due(saved):
                        trainer.save()
                        saved = time.monotonic()
                trainer.save()
        finally:
            trainer.close()
            if self._group.is_first:
                draw_curves(self._folder)
        if not trainer.is_over:
            self._console.print(
                f"Stopped after {self.progress_text}. Go on with: {self._resuming}",
                highlight=False,
                soft_wrap=True,
            )
        return trainer.is_over

    def _advance(self, display: Display) -> None:
        """Make one update and show it."""
        trainer = self._trainer
        is_imitating, measured = trainer.is_imitating, trainer.measurement
        metrics = trainer.advance()
        display.show(self._status(is_imitating, metrics))
        if trainer.measurement is not measured and trainer.measurement is not None:
            reference = self._config.evaluation.player
            display.say(f"{trainer.progress_fraction:4.0%} {trainer.measurement} against {reference}")

    def _is_checkpoint_due(self, saved: float) -> bool:
        """Whether the last checkpoint, of the time `saved`, is old enough; the same for all processes."""
        return self._group.broadcast(time.monotonic() - saved > 60 * self._config.run.checkpoint_minutes)

    def _is_stopped(self, stop: StopRequest) -> bool:
        """Whether any process of the group was asked to stop."""
        return bool(self._group.all_gather(np.array([float(stop.is_made)])).any())

    def report(self) -> None:
        """Compare the best policy with random and reference players; say where everything is."""
        with self._console.status("measuring the best policy on new boards"):
            results = compare(
                self._folder, self._trainer.evaluator, self._trainer.make_agent, self._config.evaluation
            )
        if results:
            content = [result.to_dict() for result in results]
            write_file(self._folder / "result.json", json.dumps(content, indent=1).encode() + b"\n")
            self._console.print(result_table(results))
        self._console.print(
            f"{self.progress_text.capitalize()} in {self._trainer.progress.seconds / 60:.1f} minutes.\n"
            f"policy   {self._folder}/best     play against it as neural:{self._folder}\n"
            f"curves   {self._folder}/curves.png\n"
            f"metrics  {self._folder}/metrics.jsonl, and: tensorboard --logdir {self._folder}\n"
            f"go on    {self._resuming} {self._twice_as_long}",
            highlight=False,
            soft_wrap=True,
        )

    @property
    def _resuming(self) -> str:
        """The command that goes on with this run."""
        return shlex.join([*command_of(_SCRIPT), "--resume", str(self._folder)])

    @property
    def _twice_as_long(self) -> str:
        run = self._config.run
        return f"--run.decisions {2 * run.decisions}" if run.decisions else f"--minutes {2 * run.minutes:g}"

    def _first_line(self, device: Device) -> str:
        game = self._config.game
        weights = sum(parameter.numel() for parameter in self._trainer.network.parameters())
        precision = str(device.precision).removeprefix("torch.")
        return (
            f"{game.name}, {game.players} players: {weights / 1e6:.2f} M weights, {device.cores} cores, "
            f"{device.torch_device.type}, {precision}; writing to {self._folder}"
        )

    def _status(self, is_imitating: bool, metrics: dict[str, float]) -> Status:
        trainer = self._trainer
        measured, done = trainer.measurement, trainer.progress_fraction
        return Status(
            phase="imitation" if is_imitating else "self-play",
            fraction=done,
            seconds_left=trainer.progress.seconds * (1 - done) / max(done, 1e-9),
            decisions=trainer.progress.decisions,
            rate=metrics["time/decisions_per_s"],
            entropy=metrics.get("ppo/entropy", metrics.get("imitation/entropy", 0.0)),
            strength=measured.with_margin if measured else "",
        )


class StopRequest:
    """Whether somebody has asked the process to stop, by Ctrl-C or SIGTERM. Use it with `with`.

    A second Ctrl-C stops at once.
    """

    def __init__(self) -> None:
        self.is_made = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> StopRequest:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.is_made:
            raise KeyboardInterrupt
        self.is_made = True
