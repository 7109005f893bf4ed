"""One thread's part of a rollout: tables, who sits at them, and the decisions they asked of the learner."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.learning.buffer import Columns, Decisions
from canasta_agents.learning.config import Opponents
from canasta_agents.learning.distributed import MAX_ACTORS, Machine
from canasta_agents.learning.opponents import Opponent, Tables
from canasta_agents.neural.distribution import find_forced, sample_actions
from canasta_agents.neural.network import PolicyNetwork
from canasta_agents.neural.policy_file import Arrays, as_records, prefixed, with_prefix


@dataclass
class Tally:
    """Deals that ended, by group of tables (see `Seating.groups`)."""

    deals: NDArray[np.int64]  # (groups,)
    points: NDArray[
        np.float64
    ]  # (groups,) sum over the deals of the learner's side; 0 at tables of the learner alone

    @classmethod
    def empty(cls, groups: int) -> Tally:
        """No deal yet."""
        return cls(np.zeros(groups, np.int64), np.zeros(groups))

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.deals + other.deals, self.points + other.points)


class Actor:
    """Plays its tables step by step and keeps the learner's decisions.

    Where one action only is legal there is nothing to decide: it is played and not kept.

    Args:
        tables: Tables stepped together.
        seating: Owner of every seat.
        opponents: The players that `seating` names, in its order.
        columns: Room for `steps * num_tables + num_tables * players` decisions.
        rng: Draws the learner's actions and the opponents' seeds.
    """

    def __init__(
        self,
        tables: Tables,
        seating: Seating,
        opponents: list[Opponent],
        columns: Columns,
        rng: np.random.Generator,
    ) -> None:
        self.tables = tables
        self.seating = seating
        self.opponents = opponents
        self.num_tables, players = seating.owners.shape
        self.decisions = Decisions(columns, self.num_tables, players)
        self.rng = rng
        self._actions = np.zeros(self.num_tables, np.int64)

    def collect(self, network: PolicyNetwork, steps: int) -> Tally:
        """Play `steps` actions at each table; the learner's decisions are in `decisions` afterwards."""
        self.decisions.carry_over()
        self._prepare_opponents()
        tally = Tally.empty(len(self.opponents) + 1)
        for _ in range(steps):
            seats = self.tables.to_play.copy()
            is_choice = self._play_forced()
            rows = self.seating.tables_of(LEARNER, seats, is_choice)
            self._actions[rows] = self._decide(network, rows, seats[rows])
            for place, opponent in enumerate(self.opponents, start=1):
                asked = self.seating.tables_of(place, seats, is_choice)
                self._actions[asked] = opponent.choose(self.tables, asked)
            tally = tally + self._step()
        return tally

    def imitate(self, network: PolicyNetwork, teacher: Opponent, own_play: float, steps: int) -> Tally:
        """Play `steps` actions at each table; every seat is asked, and the teacher's choices are kept.

        Args:
            network: The learner.
            teacher: The player to learn from.
            own_play: Share of tables where the learner's own choice is played (Ross et al. 2011).
            steps: Actions at each table.
        """
        self.decisions.carry_over()
        teacher.prepare(self.num_tables, int(self.rng.integers(2**31)))
        num_own = round(own_play * self.num_tables)
        tally = Tally.empty(len(self.opponents) + 1)
        for _ in range(steps):
            seats = self.tables.to_play.copy()
            rows = np.flatnonzero(self._play_forced())
            kept = self._record(rows, seats[rows])
            drawn, _, kept.values[:] = self._draw(network, kept)
            kept.actions[:] = teacher.choose(self.tables, rows)
            self._actions[rows] = np.where(rows < num_own, drawn, kept.actions)
            tally = tally + self._step()
        return tally

    def get_state(self) -> Arrays:
        """Everything but `rng` that the next rollout depends on, as arrays by name."""
        return prefixed("tables.", self.tables.get_state()) | prefixed(
            "decisions.", self.decisions.get_state()
        )

    def set_state(self, arrays: Arrays) -> None:
        """Take back what `get_state` gave."""
        like = self.tables.get_state()
        tables = with_prefix("tables.", arrays).items()
        self.tables.set_state({name: as_records(array, like[name].dtype) for name, array in tables})
        self.decisions.set_state(with_prefix("decisions.", arrays))

    def _prepare_opponents(self) -> None:
        for opponent in self.opponents:
            opponent.prepare(self.num_tables, int(self.rng.integers(2**31)))

    def _play_forced(self) -> NDArray[np.bool_]:
        """Choose where one action only is legal; returns where there is a choice, `(num_tables,)`."""
        return find_forced(self.tables.masks, self._actions)

    def _decide(
        self, network: PolicyNetwork, rows: NDArray[np.int64], seats: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Record the learner's decisions at the tables `rows`; returns the actions drawn."""
        kept = self._record(rows, seats)
        kept.actions[:], kept.log_probs[:], kept.values[:] = self._draw(network, kept)
        return kept.actions

    def _record(self, rows: NDArray[np.int64], seats: NDArray[np.int8]) -> Columns:
        """Copy what the learner sees at the tables `rows` into new rows of the decisions."""
        kept = self.decisions.room_for(len(rows))
        np.take(self.tables.observations, rows, axis=0, out=kept.observations, mode="clip")
        np.take(self.tables.masks, rows, axis=0, out=kept.masks, mode="clip")
        np.take(self.tables.views["turn"], rows, out=kept.turns, mode="clip")
        if kept.critic_states.shape[1]:
            np.take(self.tables.critic_states, rows, axis=0, out=kept.critic_states, mode="clip")
        self.decisions.link(rows, seats)
        return kept

    def _draw(
        self, network: PolicyNetwork, kept: Columns
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Draw actions from the policy: actions, their log-probabilities, values in points, each `(n,)`."""
        device = network.value_scale.device
        observations = torch.from_numpy(kept.observations).to(device, non_blocking=True)
        critic_states = torch.from_numpy(kept.critic_states).to(device, non_blocking=True)
        logits, values = network(observations, critic_states)
        points = (values.float() * network.value_scale).cpu().numpy()
        actions = np.empty(len(points), np.int64)
        log_probs = np.empty(len(points), np.float32)
        uniforms = self.rng.random(len(points))
        sample_actions(logits.float().cpu().numpy(), kept.masks, uniforms, actions, log_probs)
        return actions, log_probs, points

    def _step(self) -> Tally:
        """Play the chosen actions; deals that end close their decisions."""
        ended, points = self.tables.step(self._actions)
        tally = Tally.empty(len(self.opponents) + 1)
        if ended.any():
            self.decisions.close(ended, points)
            groups = self.seating.groups[ended]
            scored = points[ended, self.seating.learner_seats[ended]]
            np.add.at(tally.deals, groups, 1)
            np.add.at(tally.points, groups, np.where(groups > 0, scored, 0))
        return tally


# Who sits where at one actor's tables: the learner alone, or the learner's side against others.


LEARNER = 0  # in `owners`; opponent k of the actor is k + 1
PAST = "past"  # the name of a past self among the opponents


class Seating:
    """The owner of every seat, fixed for a run.

    Tables stand in groups: those of the learner alone first, then those against a past self, then those
    against each reference player. At a table with opponents the learner has one side, in turn over them.

    Args:
        shares: Shares of the groups.
        num_tables: Tables of the actor.
        players: Seats at a table.
        num_sides: Sides of the game; seat s plays for side s % num_sides.
    """

    def __init__(self, shares: Opponents, num_tables: int, players: int, num_sides: int) -> None:
        parts = [shares.past, *[shares.reference / len(shares.players) for _ in shares.players]]
        names = [PAST, *shares.players]
        kept = [(name, part) for name, part in zip(names, parts, strict=True) if part > 0]
        self.opponents = [name for name, _ in kept]
        sizes = _split(num_tables, [shares.itself, *(part for _, part in kept)])
        self.groups = np.repeat(np.arange(len(sizes)), sizes)  # (num_tables,): 0 itself, k + 1 opponent k
        self._every_table = np.arange(num_tables)
        learner_sides = self._every_table % num_sides
        seat_sides = np.arange(players) % num_sides
        is_learner = (self.groups[:, None] == 0) | (learner_sides[:, None] == seat_sides)
        self.owners = np.where(is_learner, LEARNER, self.groups[:, None]).astype(
            np.int8
        )  # (num_tables, players)
        self.learner_seats = learner_sides  # (num_tables,): a seat of the learner's side

    def tables_of(
        self, owner: int, seats: NDArray[np.int8], is_choice: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Tables where `owner` has something to decide.

        Args:
            owner: `LEARNER`, or 1 + the place of an opponent.
            seats: `(num_tables,) int8`, seat to move.
            is_choice: `(num_tables,) bool`, whether that seat has more than one legal action.

        Returns:
            `(n,) int64`, rising.
        """
        return np.flatnonzero(is_choice & (self.owners[self._every_table, seats] == owner))


def _split(num: int, shares: list[float]) -> list[int]:
    """Split `num` tables by shares, rounding where the running sum falls."""
    bounds = np.round(np.cumsum(shares) / np.sum(shares) * num).astype(int)
    return [int(size) for size in np.diff(bounds, prepend=0)]


# Rollouts: all actors play at the same time, each in a thread of its own.


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
