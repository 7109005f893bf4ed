"""A process beside this one that answers questions, and that may fail without harm.

Question and answer are frames on a pair of sockets: a number, a length, and so many bytes. An answer bears
the number of its question, so that one that was sent twice, or by a copy of the process, is not taken for
another question's. The bytes of an answer are not unpickled here: whoever asks knows whether the process can
be trusted with that. Everything has a time limit: a process that stops within a frame holds nobody up.

It ends with the process that started it, however that one ends: beside the line there is a pipe that only the
parent can write to, and when that end is closed, Linux kills the group of the process, copies and all.
Elsewhere it ends when it next looks at its line.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

_SPAWN = multiprocessing.get_context("spawn")  # forking a process with threads can hang it
_HEADER = struct.Struct("<QQ")  # number, length
_LOOK_EVERY_S = 0.5  # whether a process that says nothing is still there
_CHUNK = 1 << 20

Answer = Callable[[bytes], bytes]
"""What a guarded process does with the bytes of a question."""


class LostProcessError(Exception):
    """A guarded process ended, did not answer in time, or answered what it was not asked."""


class StuckProcessError(LostProcessError):
    """It did not answer in time."""


@dataclass
class GuardedProcess:
    """A process and our end of its line."""

    process: SpawnProcess
    line: socket.socket
    lifeline: Connection  # never written to: the process ends when it is closed
    most_bytes: int  # of an answer

    @classmethod
    def start(cls, name: str, make_answer: Callable[[], Answer], most_bytes: int) -> GuardedProcess:
        """Start a process.

        Args:
            name: Of the process.
            make_answer: Called there first; makes what answers the questions. A function of a module.
            most_bytes: A longer answer is a fault.
        """
        ours, theirs = socket.socketpair()
        held, lifeline = _SPAWN.Pipe(duplex=False)
        process = _SPAWN.Process(target=_serve, args=(theirs, held, make_answer), name=name)
        process.start()
        theirs.close()  # either side notices when the other one is gone
        held.close()
        return cls(process, ours, lifeline, most_bytes)

    def fileno(self) -> int:
        """Our end, for `select` and `multiprocessing.connection.wait`."""
        return self.line.fileno()

    def ask(self, number: int, question: bytes, seconds: float) -> None:
        """Send a question.

        Raises:
            LostProcessError: If the process is gone, or does not take the question in time.
        """
        self.line.settimeout(seconds)
        with self._losses():
            self.line.sendall(_HEADER.pack(number, len(question)) + question)

    def answer(self, number: int, seconds: float) -> bytes:
        """The answer to a question.

        Raises:
            LostProcessError: If there is none in time, or it is another question's.
        """
        deadline = time.monotonic() + seconds
        with self._losses():
            answered, length = _HEADER.unpack(self._read(_HEADER.size, deadline))
            if answered != number:
                raise LostProcessError(f"answered question {answered} in place of question {number}")
            if length > self.most_bytes:
                raise LostProcessError(f"answered with {length:,} bytes, more than {self.most_bytes:,}")
            return self._read(length, deadline)

    def end(self) -> None:
        """End the process and what it has started in its group."""
        self.line.close()
        self.lifeline.close()
        if self.process.pid is not None and hasattr(os, "killpg"):
            with contextlib.suppress(OSError):  # it ended, or was still on its way into a session of its own
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()

    def _read(self, length: int, deadline: float) -> bytes:
        parts, missing = [], length
        while missing:
            wait_s = min(_LOOK_EVERY_S, deadline - time.monotonic())
            if wait_s <= 0:
                raise TimeoutError
            if wait([self.line], wait_s):
                parts.append(self.line.recv(min(missing, _CHUNK)))
                missing -= len(parts[-1])
                if not parts[-1]:
                    raise EOFError
            elif not self.process.is_alive():
                raise EOFError
        return b"".join(parts)

    @contextlib.contextmanager
    def _losses(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise StuckProcessError("did not stop in time") from error
        except (EOFError, OSError) as error:
            self.process.join(_LOOK_EVERY_S)
            status = self.process.exitcode
            reason = "closed its line" if status is None else f"ended its process (exit status {status})"
            raise LostProcessError(reason) from error


def _serve(line: socket.socket, lifeline: Connection, make_answer: Callable[[], Answer]) -> None:
    """Answer what comes in, until nobody is there any more."""
    _stand_alone(line)
    _end_with(lifeline)
    own, answer = os.getpid(), make_answer()
    with contextlib.suppress(OSError, EOFError):
        while True:
            number, length = _HEADER.unpack(_receive(line, _HEADER.size))
            content = answer(_receive(line, length))
            if os.getpid() != own:  # a copy that an entrant made of its process
                os._exit(0)
            line.sendall(_HEADER.pack(number, len(content)) + content)


def _receive(line: socket.socket, length: int) -> bytes:
    parts, missing = [], length
    while missing:
        parts.append(line.recv(min(missing, _CHUNK)))
        missing -= len(parts[-1])
        if not parts[-1]:
            raise EOFError
    return b"".join(parts)


def _stand_alone(line: socket.socket) -> None:
    """A session, and so a group, of its own; copies of the process have no line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    if hasattr(os, "setsid"):
        os.setsid()
        os.register_at_fork(after_in_child=line.close)


def _end_with(lifeline: Connection) -> None:
    """Have the system kill this process's group when the other end is closed, by the parent or by its end.

    The system tells a group of news on a pipe by a signal of one's choice. That needs no thread here, which
    an entrant's native code could hold up; and what counts is the parent itself, not the thread of it that
    started this process, as with PR_SET_PDEATHSIG.
    """
    if sys.platform == "linux":  # no other system lets one choose the signal
        import fcntl

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
