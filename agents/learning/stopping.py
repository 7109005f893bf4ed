"""Ctrl-C and polite kills: the run ends after the update under way, with a checkpoint."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType


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
