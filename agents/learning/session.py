"""A run from its first line on the terminal to the last: train, show, save, compare."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from canasta_agents.learning.config import Config
from canasta_agents.learning.files import write_file
from canasta_agents.learning.machine import Machine
from canasta_agents.learning.reporting.curves import draw_curves
from canasta_agents.learning.reporting.display import Display, Status
from canasta_agents.learning.stopping import StopRequest
from canasta_agents.learning.strength.comparison import Result, compare
from canasta_agents.learning.trainer import Trainer
from canasta_agents.learning.world import World


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
            results = compare(self._folder, self._world, self._config.judging)
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
