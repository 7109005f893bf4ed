"""Rollouts: all actors play at the same time, each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.learning.machine import MAX_ACTORS, Machine
from canasta_agents.learning.network import PolicyNetwork
from canasta_agents.learning.rollouts.actor import Actor, Tally
from canasta_agents.learning.rollouts.decisions import Columns
from canasta_agents.learning.rollouts.opponents import Opponent

Play = Callable[[Actor], Tally]


def actor_sizes(num_tables: int, actors: int, cores: int) -> list[int]:
    """Tables of each actor.

    Args:
        num_tables: Tables over all actors.
        actors: Number of actors; 0: one a core.
        cores: Cores that may be used.
    """
    num = min(actors or min(cores, MAX_ACTORS), num_tables)
    return [num_tables // num + (place < num_tables % num) for place in range(num)]


def section_bounds(sizes: list[int], steps: int, players: int) -> NDArray[np.int64]:
    """First row of each actor's part of the columns, and the end: a rollout's decisions and the open ones."""
    return np.cumsum([0, *((steps + players) * size for size in sizes)])


class Rollouts:
    """Runs the actors; results do not depend on which thread is faster.

    Args:
        actors: Each with its own tables, random numbers and part of `columns`.
        columns: The rows of all actors.
        machine: Cores are split evenly over the actors while they play.
    """

    def __init__(self, actors: list[Actor], columns: Columns, machine: Machine) -> None:
        self.actors = actors
        self.columns = columns
        self.machine = machine
        self._threads = ThreadPoolExecutor(len(actors), "actor") if len(actors) > 1 else None

    def collect(self, network: PolicyNetwork, steps: int) -> Tally:
        """Play `steps` actions at every table; see `Actor.collect`."""
        return self._play(lambda actor: actor.collect(network, steps))

    def imitate(self, network: PolicyNetwork, teachers: list[Opponent], own_play: float, steps: int) -> Tally:
        """Play `steps` actions at every table, with one teacher an actor; see `Actor.imitate`."""
        by_actor = dict(zip(map(id, self.actors), teachers, strict=True))
        return self._play(lambda actor: actor.imitate(network, by_actor[id(actor)], own_play, steps))

    def forget(self) -> None:
        """Drop every decision, open ones too."""
        for actor in self.actors:
            actor.decisions.forget()

    def sections(self) -> list[tuple[Actor, int]]:
        """Each actor with the first row of its part of `columns`."""
        sizes = [len(actor.decisions.columns.actions) for actor in self.actors]
        return list(zip(self.actors, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))

    def _play(self, play: Play) -> Tally:
        self.machine.use_threads(max(1, self.machine.cores // len(self.actors)))
        if self._threads is None:
            tallies = [self._in_precision(play, self.actors[0])]
        else:
            tallies = list(self._threads.map(lambda actor: self._in_precision(play, actor), self.actors))
        self.machine.use_threads(self.machine.cores)
        return reduce(Tally.__add__, tallies)

    def _in_precision(self, play: Play, actor: Actor) -> Tally:
        with self.machine.autocast(), torch.inference_mode():
            return play(actor)
