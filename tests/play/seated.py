"""What the tests of tables share: quick agents, and a person who plays by chance."""

from __future__ import annotations

import threading
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from canasta_agents.play.messages import PlayError
from canasta_agents.play.session import Session
from canasta_env.actions import DRAW
from canasta_env.agent import Agent, DecisionBatch

CHANCE = "python:tests.play.seated:Chance"


class Chance:
    """Plays at random."""

    name = "chance"

    def reset(self, num_tables: int, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        return np.array([self._rng.choice(np.flatnonzero(mask)) for mask in batch.masks])


class Stubborn(Chance):
    """Always draws."""

    name = "stubborn"

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        return np.full(len(batch), DRAW)


class Broken(Chance):
    """Raises."""

    name = "broken"

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        raise RuntimeError("out of luck")


class Hanging(Chance):
    """Thinks until the gate is opened."""

    name = "hanging"
    gate = threading.Event()
    asked = threading.Event()

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        self.asked.set()
        self.gate.wait()
        return super().act(batch)


class Leaving(Chance):
    """Ends the program, or tries to."""

    name = "leaving"

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        raise SystemExit("enough")


def make(spec: str) -> Agent:
    """An agent of this file."""
    agents = {
        "chance": Chance,
        "stubborn": Stubborn,
        "broken": Broken,
        "hanging": Hanging,
        "leaving": Leaving,
    }
    if spec not in agents:
        raise PlayError(f"agent: {spec!r} is not offered")
    return agents[spec]()


def play_deal(session: Session, rng: Random) -> list[dict[str, Any]]:
    """Play a deal to its end; returns every state on the way."""
    states = [session.state()]
    while states[-1]["phase"] != "over":
        legal = states[-1]["legal"]
        if legal:
            action = rng.choice(legal)
            states += session.handle({"type": "play", "action": action, "at": len(states[-1]["moves"])})
        else:
            states.append(session.advance())
            assert states[-1]["fault"] is None  # a table that has stopped would never come to its end
    return states


def check_refused(table: Session, message: dict[str, Any], reason: str) -> None:
    """A message is refused for this reason, and changes nothing."""
    before = table.state()
    with pytest.raises(PlayError) as refused:
        table.handle(message)
    assert reason in str(refused.value)
    assert table.state() == before
