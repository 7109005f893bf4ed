"""Small players for the arena's tests: some honest, some at fault."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import DecisionBatch


class Drawing:
    """Plays a legal action drawn by a generator of its own for each table."""

    name = "drawing"

    def reset(self, num_tables: int, seed: int) -> None:
        self.rngs = [np.random.default_rng((seed, table)) for table in range(num_tables)]

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        draws = np.array([self.rngs[table].random(NUM_ACTIONS) for table in batch.tables])
        return np.argmax(draws * batch.masks, axis=1)


class Laying:
    """Plays the first legal action that lays cards, else the first legal one."""

    name = "laying"

    def reset(self, num_tables: int, seed: int) -> None:
        pass

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        preference = np.arange(NUM_ACTIONS, 0, -1)
        preference[8:82] += 1_000
        return np.argmax(preference * batch.masks, axis=1)


class Faulty(Laying):
    """Lays like `Laying`, until at one table, on one turn, it does something else."""

    def __init__(self, table: int | None, turn: int = 5) -> None:
        self.table = table
        self.turn = turn

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        actions = super().act(batch)
        here = batch.views["turn"] >= self.turn
        if self.table is not None:
            here &= batch.tables == self.table
        return self.misbehave(actions, here) if here.any() else actions

    def misbehave(self, actions: NDArray[np.int64], here: NDArray[np.bool_]) -> NDArray[np.int64]:
        return actions


class Raising(Faulty):
    name = "raising"

    def misbehave(self, actions, here):
        raise RuntimeError("no idea\nof what to do")


class Cheating(Faulty):
    name = "cheating"
    action = 8  # meld black3 black3 black3

    def misbehave(self, actions, here):
        return np.where(here, self.action, actions)


class Sprawling(Faulty):
    name = "sprawling"

    def misbehave(self, actions, here):
        return np.stack([actions, actions])


class Sleeping(Faulty):
    name = "sleeping"

    def misbehave(self, actions, here):
        time.sleep(30)
        return actions


class Unwilling(Laying):
    name = "unwilling"

    def reset(self, num_tables: int, seed: int) -> None:
        raise OSError("no weights here")


class Tampering(Laying):
    """Makes everything legal in its own copy and plays something that is not."""

    name = "tampering"

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        batch.masks[:] = 1
        batch.views["hand"][:] = 1
        return np.full(len(batch), NUM_ACTIONS - 1)


class Scribbling(Laying):
    """Writes into everything it is given, once it has chosen."""

    name = "scribbling"

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        actions = super().act(batch)
        for array in (batch.tables, batch.seats, batch.masks):
            array[:] = 0
        batch.views[:] = np.zeros((), batch.views.dtype)
        return actions


class Panicking(Scribbling):
    """Writes into what it is given and raises, unless it is asked about one decision only."""

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        actions = super().act(batch)
        if len(batch) > 1:
            raise ValueError("too many tables")
        return actions


class Quitting(Laying):
    """Asks Python to end."""

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        sys.exit("enough")


class Speechless(Laying):
    """Raises what cannot even say what it is."""

    class SpeechlessError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        raise self.SpeechlessError


class Exiting(Laying):
    """Ends its process."""

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        os._exit(3)


class ExitingInReset(Laying):
    """Ends its process before it is asked anything."""

    def reset(self, num_tables: int, seed: int) -> None:
        os._exit(4)


class Interrupting(Laying):
    """Behaves like somebody who presses Ctrl-C."""

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        raise KeyboardInterrupt


class Deaf(Laying):
    """Switches the alarm off and sleeps, from its second call on (the first has time to load)."""

    has_been_asked = False

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        if self.has_been_asked:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            time.sleep(600)
        self.has_been_asked = True
        return super().act(batch)


class Untold(Laying):
    """Fails when it is told that deals begin."""

    def begin_deals(self, tables: NDArray[np.int64], are_first: NDArray[np.bool_]) -> None:
        raise RuntimeError("I will not hear it")
