"""One thread's part of a rollout: tables, who sits at them, and the decisions they asked of the learner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.learning.arrays import Arrays, as_records, prefixed, with_prefix
from canasta_agents.learning.distribution import sample_actions
from canasta_agents.learning.network import PolicyNetwork
from canasta_agents.learning.rollouts.decisions import Columns, Decisions, find_forced
from canasta_agents.learning.rollouts.opponents import Opponent, Tables
from canasta_agents.learning.rollouts.seating import LEARNER, Seating


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
