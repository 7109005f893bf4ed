"""What the terminal shows of a run: a bar, measurements, and the table at its end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from canasta_agents.learning.evaluation import Result
from canasta_agents.short_names import ShortName

SECONDS_BETWEEN_LINES = 10.0  # where there is no terminal to redraw on


@dataclass(frozen=True)
class Status:
    """One update, as people want to see it."""

    phase: str  # "imitation" or "self-play"
    fraction: float  # of the run that is done, 0 to 1
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
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, status: Status) -> None:
        """Show an update."""
        if self.console.is_terminal:
            self._bar.update(
                self._task, completed=status.fraction, description=status.phase, status=str(status)
            )
        elif time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            self.say(f"{status.phase:<10} {status.fraction:4.0%}  {status}")

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self.console.print(text, highlight=False, soft_wrap=True)


def result_table(results: list[Result]) -> Table:
    """How the best policy stands against each player."""
    table = Table(
        title="The best policy, on boards that chose nothing (95% intervals)",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    table.add_column("against")
    for heading in ("points a deal", "deals", "matches won", "matches"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        points, matches = result.points, result.matches
        table.add_row(
            ShortName(result.opponent),
            f"{points.estimate:+.0f}  [{points.low:+.0f}, {points.high:+.0f}]",
            f"{points.boards:,}",
            f"{matches.estimate:.1%}  [{matches.low:.1%}, {matches.high:.1%}]" if matches else "",
            f"{matches.boards:,}" if matches else "",
        )
    return table
