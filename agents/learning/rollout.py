"""Rollouts: workers play training tables, each in a thread of its own, and keep the learner's decisions."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.learning.buffer import RolloutArrays, RolloutBuffer
from canasta_agents.learning.distributed import MAX_WORKERS, Device
from canasta_agents.learning.opponents import LEARNER, SeatAssignment, TablePlayer, Tables
from canasta_agents.neural.arrays import Arrays, as_records, prefixed, with_prefix
from canasta_agents.neural.distribution import find_forced, sample_actions
from canasta_agents.neural.network import ActorCritic


@dataclass
class EpisodeStats:
    """Deals that ended, by group of tables (see `SeatAssignment.groups`)."""

    deals: NDArray[np.int64]  # (groups,)
    points: NDArray[np.float64]  # (groups,) sum of the learner's side over the deals; 0 in self-play

    @classmethod
    def empty(cls, groups: int) -> EpisodeStats:
        """No deal yet."""
        return cls(np.zeros(groups, np.int64), np.zeros(groups))

    def __add__(self, other: EpisodeStats) -> EpisodeStats:
        return EpisodeStats(self.deals + other.deals, self.points + other.points)


class RolloutWorker:
    """Plays its tables step by step and keeps the learner's decisions.

    Where one action only is legal there is nothing to decide: it is played and not kept.

    Args:
        tables: Tables stepped together.
        seats: Owner of every seat.
        others: The players that `seats` names, opponents and then partners, in its order.
        arrays: Room for `steps * num_tables + num_tables * players` decisions.
        rng: Draws the learner's actions and the others' seeds.
    """

    def __init__(
        self,
        tables: Tables,
        seats: SeatAssignment,
        others: list[TablePlayer],
        arrays: RolloutArrays,
        rng: np.random.Generator,
    ) -> None:
        self.tables = tables
        self.seats = seats
        self.others = others
        self.num_tables, players = seats.owners.shape
        self.buffer = RolloutBuffer(arrays, self.num_tables, players)
        self.rng = rng
        self._actions = np.zeros(self.num_tables, np.int64)
        self._is_new = True  # no deal at the tables has begun
        self._told: list[tuple[TablePlayer, NDArray[np.bool_]]] = []  # when deals begin, and at which tables

    def collect(self, network: ActorCritic, steps: int) -> EpisodeStats:
        """Play `steps` actions at each table; the learner's decisions are in `buffer` afterwards."""
        self._begin_rollout(
            [(player, self.seats.groups == place) for place, player in enumerate(self.others, start=1)]
        )
        stats = self._no_deals()
        for _ in range(steps):
            to_play = self.tables.to_play.copy()
            is_choice = self._choose_forced()
            rows = self.seats.tables_of(LEARNER, to_play, is_choice)
            kept = self._record(rows, to_play[rows])
            kept.actions[:], kept.log_probs[:], kept.values[:] = self._sample(network, kept)
            self._actions[rows] = kept.actions
            for place, player in enumerate(self.others, start=1):
                asked = self.seats.tables_of(place, to_play, is_choice)
                self._actions[asked] = player.choose(self.tables, asked)
            stats = stats + self._step()
        return stats

    def collect_imitation(
        self, network: ActorCritic, teacher: TablePlayer, dagger_share: float, steps: int
    ) -> EpisodeStats:
        """Play `steps` actions at each table; every seat is asked, and the teacher's choices are kept.

        Args:
            network: The learner.
            teacher: The player to learn from.
            dagger_share: Share of tables where the learner's own choice is played (Ross et al. 2011).
            steps: Actions at each table.
        """
        self._begin_rollout([(teacher, np.ones(self.num_tables, np.bool_))])
        num_own = round(dagger_share * self.num_tables)
        stats = self._no_deals()
        for _ in range(steps):
            to_play = self.tables.to_play.copy()
            rows = np.flatnonzero(self._choose_forced())
            kept = self._record(rows, to_play[rows])
            sampled, _, kept.values[:] = self._sample(network, kept)
            kept.actions[:] = teacher.choose(self.tables, rows)
            self._actions[rows] = np.where(rows < num_own, sampled, kept.actions)
            stats = stats + self._step()
        return stats

    def deal_anew(self) -> None:
        """Give up the deals under way and their decisions: who plays from now on plays whole deals."""
        self.buffer.clear()
        self.tables.reset(int(self.rng.integers(2**31)))
        self._is_new = True

    def get_state(self) -> Arrays:
        """Everything but `rng` and the others that the next rollout depends on, as arrays by name."""
        own = {"is_new": np.array([self._is_new])}
        return (
            own | prefixed("tables.", self.tables.get_state()) | prefixed("buffer.", self.buffer.get_state())
        )

    def set_state(self, arrays: Arrays) -> None:
        """Take back what `get_state` gave."""
        self._is_new = bool(arrays["is_new"][0]) if "is_new" in arrays else False  # older: always under way
        like = self.tables.get_state()
        tables = with_prefix("tables.", arrays).items()
        self.tables.set_state({name: as_records(array, like[name].dtype) for name, array in tables})
        self.buffer.set_state(with_prefix("buffer.", arrays))

    def _begin_rollout(self, players: list[tuple[TablePlayer, NDArray[np.bool_]]]) -> None:
        """Get the players ready, each with the tables where it plays, `(num_tables,) bool`."""
        self.buffer.begin_rollout()
        for player, _ in players:
            player.prepare(self.num_tables, int(self.rng.integers(2**31)), self._is_new)
        self._told = [(player, is_seated) for player, is_seated in players if player.is_told]
        if self._is_new:
            self._tell_of_deals(np.ones(self.num_tables, np.bool_))
        self._is_new = False

    def _tell_of_deals(self, begun: NDArray[np.bool_]) -> None:
        """Tell those who want to know it where deals have begun, `(num_tables,) bool`."""
        for player, is_seated in self._told:
            player.begin_deals(np.flatnonzero(begun & is_seated))

    def _no_deals(self) -> EpisodeStats:
        return EpisodeStats.empty(len(self.others) + 1)

    def _choose_forced(self) -> NDArray[np.bool_]:
        """Choose where one action only is legal; returns where there is a choice, `(num_tables,)`."""
        return find_forced(self.tables.masks, self._actions)

    def _record(self, rows: NDArray[np.int64], seats: NDArray[np.int8]) -> RolloutArrays:
        """Copy what the learner sees at the tables `rows` into new rows of the buffer."""
        kept = self.buffer.append(rows, seats)
        np.take(self.tables.observations, rows, axis=0, out=kept.observations, mode="clip")
        np.take(self.tables.masks, rows, axis=0, out=kept.masks, mode="clip")
        np.take(self.tables.views["turn"], rows, out=kept.turns, mode="clip")
        if kept.critic_states.shape[1]:
            np.take(self.tables.critic_states, rows, axis=0, out=kept.critic_states, mode="clip")
        return kept

    def _sample(
        self, network: ActorCritic, kept: RolloutArrays
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Sample actions from the policy: actions, their log-probabilities, values in points, each `(n,)`."""
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

    def _step(self) -> EpisodeStats:
        """Play the chosen actions; deals that end pay their decisions."""
        ended, points = self.tables.step(self._actions)
        stats = self._no_deals()
        if ended.any():
            self.buffer.end_deals(ended, points)
            groups = self.seats.groups[ended]
            scored = points[ended, self.seats.learner_seats[ended]]
            np.add.at(stats.deals, groups, 1)
            np.add.at(stats.points, groups, np.where(groups > 0, scored, 0))
            self._tell_of_deals(ended)
        return stats


def worker_sizes(num_tables: int, workers: int, cores: int) -> list[int]:
    """Tables of each worker.

    Args:
        num_tables: Tables over all workers.
        workers: Number of workers; 0: one a core.
        cores: Cores that may be used.
    """
    num = min(workers or min(cores, MAX_WORKERS), num_tables)
    return [num_tables // num + (place < num_tables % num) for place in range(num)]


def section_bounds(sizes: list[int], steps: int, players: int) -> NDArray[np.int64]:
    """First row of each worker's part of the arrays, and the end: a rollout's decisions and pending ones."""
    return np.cumsum([0, *((steps + players) * size for size in sizes)])


class RolloutCollector:
    """Runs the workers, each in a thread; results do not depend on which thread is faster.

    Args:
        workers: Each with its own tables, random numbers and part of `arrays`.
        arrays: The rows of all workers.
        device: Its cores are split evenly over the workers while they play.
    """

    def __init__(self, workers: list[RolloutWorker], arrays: RolloutArrays, device: Device) -> None:
        self.workers = workers
        self.arrays = arrays
        self.device = device
        self._threads = ThreadPoolExecutor(len(workers), "rollout") if len(workers) > 1 else None

    def collect(self, network: ActorCritic, steps: int) -> EpisodeStats:
        """Play `steps` actions at every table; see `RolloutWorker.collect`."""
        return self._run([partial(worker.collect, network, steps) for worker in self.workers])

    def collect_imitation(
        self, network: ActorCritic, teachers: list[TablePlayer], dagger_share: float, steps: int
    ) -> EpisodeStats:
        """Play `steps` actions at every table, one teacher a worker: `RolloutWorker.collect_imitation`."""
        return self._run(
            [
                partial(worker.collect_imitation, network, teacher, dagger_share, steps)
                for worker, teacher in zip(self.workers, teachers, strict=True)
            ]
        )

    def deal_anew(self) -> None:
        """Give up the deals under way at every table, and every decision, pending ones too."""
        for worker in self.workers:
            worker.deal_anew()

    def sections(self) -> list[tuple[RolloutWorker, int]]:
        """Each worker with the first row of its part of `arrays`."""
        sizes = [len(worker.buffer.arrays.actions) for worker in self.workers]
        return list(zip(self.workers, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))

    def _run(self, jobs: list[Callable[[], EpisodeStats]]) -> EpisodeStats:
        """Run one job a worker, side by side."""
        self.device.use_threads(max(1, self.device.cores // len(jobs)))
        map_jobs = map if self._threads is None else self._threads.map
        stats = reduce(EpisodeStats.__add__, map_jobs(self._without_gradients, jobs))
        self.device.use_threads(self.device.cores)
        return stats

    def _without_gradients(self, job: Callable[[], EpisodeStats]) -> EpisodeStats:
        with self.device.autocast(), torch.inference_mode():
            return job()
