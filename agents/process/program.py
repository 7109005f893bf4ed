"""A program that is running, the lines that go to it and come from it, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

MOST_BYTES = 4_096  # of a line that a program sends
_MOST_WAITING = 1_000  # lines that a program has sent and nobody has asked for
_TAIL_BYTES = 2_000  # of standard error that are kept
_TAIL_SHOWN = 160  # characters of it in an error
_SHOWN = 60  # bytes of a bad line in an error
_GRACE_S = 0.3  # for a program to end by itself when its input ends
_CHUNK = 1 << 16
_LAUNCHER = Path(__file__).with_name("launcher.py")


class ProgramError(Exception):
    """A program ended, was silent, or said what it should not: says what, and how its errors ended."""


class Program:
    """A running program.

    Threads read and write, so that one that reads nothing, or floods a pipe, holds nobody up.

    Args:
        command: Its words.

    Raises:
        ProgramError: If it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process, self._lifeline = _start(command)
        self._is_ended = False
        self._tail = b""
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._received: queue.Queue[tuple[float, bytes]] = queue.Queue(_MOST_WAITING)
        targets = (self._write, self._read, self._read_errors)
        self._threads = [threading.Thread(target=target, daemon=True) for target in targets]
        for thread in self._threads:
            thread.start()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a line; whether it is read shows where an answer is waited for."""
        self._to_send.put(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def receive(self, since: float, seconds: float, wanted: str) -> tuple[dict[str, Any], float]:
        """The next line, and when it came, by the monotonic clock.

        Args:
            since: When its time began.
            seconds: The time it has.
            wanted: What is waited for, for errors.

        Raises:
            ProgramError: If none comes in time or it is no JSON object. The program is over then.
        """
        try:
            came, line = self._received.get(timeout=max(0.0, since + seconds - time.monotonic()))
        except queue.Empty:
            raise self.failed(f"no {wanted} within {seconds:g} s") from None
        if came - since > seconds:
            raise self.failed(f"no {wanted} within {seconds:g} s")
        if not line:
            raise self._vanished(wanted)
        if len(line) > MOST_BYTES:
            raise self.failed(f"a line longer than {MOST_BYTES:,} bytes in place of {wanted}")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise self.failed(f"{shown(line)} in place of {wanted}, which is a line with a JSON object")
        return message, came

    def failed(self, reason: str) -> ProgramError:
        """End the program; the error that says why."""
        self.end()
        tail = " ".join(self._tail.decode(errors="replace").split())
        return ProgramError(f"{reason}; stderr: …{tail[-_TAIL_SHOWN:]}" if tail else reason)

    def end(self) -> None:
        """End its input and, soon after, the program and all of its process group."""
        if self._is_ended:
            return
        self._is_ended = True
        self._to_send.put(None)
        self._wait(_GRACE_S)
        with contextlib.suppress(OSError):  # nobody is left in the group
            _kill(self._process)
        self._process.wait()
        if self._lifeline is not None:
            os.close(self._lifeline)
        while self._threads[1].is_alive():  # it may wait for room, and then sees that this is the end
            with contextlib.suppress(queue.Empty):
                self._received.get(timeout=0.01)
            if self._is_pipe_kept():
                break
        self._threads[2].join(_GRACE_S)
        for stream, thread in (
            (self._process.stdout, self._threads[1]),
            (self._process.stderr, self._threads[2]),
        ):
            if not thread.is_alive():
                _pipe(stream).close()

    def _is_pipe_kept(self) -> bool:
        """Whether a process that left the group keeps our pipe open: its reader ends with this process."""
        self._threads[1].join(_GRACE_S)
        return self._threads[1].is_alive() and self._received.empty()

    def _vanished(self, wanted: str) -> ProgramError:
        has_ended = self._wait(_GRACE_S)
        error = self.failed("")  # only now the status is asked for: until then the group has its number
        status = self._process.returncode
        if not has_ended:
            reason = "closed its standard output"
        elif status < 0:
            reason = f"ended by signal {-status}"
        else:
            reason = f"ended with exit status {status}"
        return ProgramError(f"{reason} in place of {wanted}{error}")

    def _wait(self, seconds: float) -> bool:
        """Whether the program ends in time; its status is left for later."""
        deadline = time.monotonic() + seconds
        while not _has_ended(self._process):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def _write(self) -> None:
        stream = _pipe(self._process.stdin)
        with contextlib.suppress(OSError, ValueError):
            while (line := self._to_send.get()) is not None:
                stream.write(line)
                if self._to_send.empty():
                    stream.flush()
        with contextlib.suppress(OSError, ValueError):
            stream.close()

    def _read(self) -> None:
        stream = _pipe(self._process.stdout)
        line = b"-"
        while line and len(line) <= MOST_BYTES and not self._is_ended:
            line = stream.readline(MOST_BYTES + 1)
            self._received.put((time.monotonic(), line))

    def _read_errors(self) -> None:
        descriptor = _pipe(self._process.stderr).fileno()
        while chunk := os.read(descriptor, _CHUNK):
            self._tail = (self._tail + chunk)[-_TAIL_BYTES:]


def shown(value: object) -> str:
    """What a program sent, as an error quotes it."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _start(command: Sequence[str]) -> tuple[subprocess.Popen[bytes], int | None]:
    """Start a program in a session of its own; its process, and our end of what its life hangs on."""
    if sys.platform != "linux":
        return _open(command, ()), None
    held, lifeline = os.pipe()
    try:
        launched = [sys.executable, "-I", "-S", str(_LAUNCHER), str(held), *command]
        return _open(launched, (held,)), lifeline
    finally:
        os.close(held)


def _open(command: Sequence[str], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=descriptors, start_new_session=True
        )
    except OSError as error:
        raise ProgramError(f"{command[0]} cannot be started: {error.strerror or error}") from error


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    options = os.WEXITED | os.WNOWAIT | os.WNOHANG
    return process.returncode is not None or os.waitid(os.P_PID, process.pid, options) is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
