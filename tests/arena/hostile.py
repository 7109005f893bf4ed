"""Agents that do to their process what no agent should; each is honest but for one thing."""

from __future__ import annotations

import os
import re
import resource
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
from pathlib import Path

import numpy as np

from tests.arena.stubs import Laying

ESCAPES = "\x1b[2J\x1b[31mred"
held = []  # memory that is never given back


def lines() -> list[socket.socket]:
    """Every socket that the process has open."""
    names = [int(path.name) for path in Path("/proc/self/fd").iterdir()]
    return [socket.socket(fileno=os.dup(name)) for name in names if _is_socket(name)]


def _is_socket(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def send(number: int, content: bytes, length: int | None = None) -> None:
    """Write a frame on every line there is."""
    for line in lines():
        line.sendall(struct.pack("<QQ", number, len(content) if length is None else length) + content)


class Hostile(Laying):
    """Does something at its third call of `act`, then plays on as if nothing had happened."""

    calls = 0

    def act(self, batch):
        self.calls += 1
        actions = super().act(batch)
        if self.calls == 3:
            self.do(batch)
        return actions

    def do(self, batch):
        raise NotImplementedError


class Raising(Hostile):
    """Raises from its third call on."""

    def do(self, batch):
        self.calls = 2
        raise RuntimeError("no idea")


class Stumbling(Hostile):
    """Raises once; it is asked again, one decision at a time."""

    def do(self, batch):
        raise RuntimeError("too many tables")


class Hanging(Hostile):
    """Does not come back until it is interrupted."""

    def do(self, batch):
        time.sleep(10_000)


class Exiting(Hostile):
    """Ends its process."""

    def do(self, batch):
        os._exit(3)


class Quitting(Hostile):
    """Asks Python to end, from its third call on."""

    def do(self, batch):
        self.calls = 2
        sys.exit("enough")


class Forking(Hostile):
    """Goes on in two processes."""

    def do(self, batch):
        os.fork()


class ForkingAndAnswering(Hostile):
    """Its copy answers on the line too, which it has kept open."""

    def do(self, batch):
        kept = lines()
        if os.fork() == 0:
            for line in kept:
                line.sendall(struct.pack("<QQ", 5, 2) + b"[]")
            os._exit(0)
        os.wait()


class Threading(Hostile):
    """Leaves a thread running that never ends."""

    def do(self, batch):
        threading.Thread(target=time.sleep, args=(10_000,)).start()


class Printing(Hostile):
    """Writes on every way out."""

    def do(self, batch):
        print(ESCAPES)
        print(ESCAPES, file=sys.stderr, flush=True)
        for descriptor in (1, 2):
            os.write(descriptor, ESCAPES.encode())


class Reading(Hostile):
    """Waits for what somebody types."""

    def do(self, batch):
        sys.stdin.read()


class Closing(Hostile):
    """Closes everything that is open."""

    def do(self, batch):
        os.closerange(0, 256)


class Allocating(Hostile):
    """Takes memory until there is none, and keeps it."""

    def do(self, batch):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] < 1 << 40
        self.calls = 2  # do it again when asked again
        while True:
            held.append(np.empty(1 << 28, np.int8))


class AnsweringTwice(Hostile):
    """Sends an answer of its own before the one that is sent for it."""

    def do(self, batch):
        answer = f'["answer", [{[int(action) for action in super(Hostile, self).act(batch)]}, []]]'
        send(5, answer.encode())  # made, reset, asked three times


class AnsweringForOthers(Hostile):
    """Answers a question that was not asked."""

    def do(self, batch):
        send(10**6, b'["answer", [[], []]]')


class Flooding(Hostile):
    """Announces an answer that is larger than any memory."""

    def do(self, batch):
        send(5, b"", length=1 << 60)


class Stopping(Hostile):
    """Stops in the middle of an answer."""

    def do(self, batch):
        send(5, b"[", length=100)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(10_000)


class Garbling(Hostile):
    """Sends an answer that is no answer."""

    def do(self, batch):
        send(5, b'["answer", [[1e400, "x"], 7]]')


class Pickling(Hostile):
    """Sends what would be run if it were unpickled."""

    def do(self, batch):
        send(5, b"cos\n_exit\n(I9\ntR.")


class Seeding(Hostile):
    """Replaces the state of NumPy's shared generator."""

    def do(self, batch):
        np.random.seed(1)


class Handling(Hostile):
    """Installs handlers for every signal that allows it."""

    def do(self, batch):
        for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, lambda *_: None)


class Moving(Hostile):
    """Goes to another folder, and leaves no way back."""

    def do(self, batch):
        os.chdir("/")
        os.environ.clear()


class Sleeping(Hostile):
    """Sleeps where no alarm wakes it."""

    def do(self, batch):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        select.select([], [], [], 10_000)


class Scribbling(Hostile):
    """Writes into all that it is given."""

    def do(self, batch):
        for array in (batch.tables, batch.seats, batch.masks):
            array[:] = 0
        batch.views[:] = np.zeros((), batch.views.dtype)


class Patching(Hostile):
    """Replaces the functions that it could think results are made by."""

    def do(self, batch):
        from canasta_agents.arena import blocks, forfeits

        blocks.tally = blocks.play_block = forfeits.guarded_act = None


class Copied(Laying):
    """Copies its process when it is made, and is named by the numbers of both.

    In `reset` it hangs in native code that lets no other thread of its process run.
    """

    def __init__(self):
        copy = os.fork()
        if copy == 0:
            while True:
                time.sleep(10_000)
        self.name = f"{os.getpid()} {copy}"

    def reset(self, num_tables, seed):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        re.match("(a+)+$", "a" * 60 + "b")
