"""Who sits at the training tables: the learner, agents of the registry, and snapshots of the learner.

Others than the learner play as its opponents or, in a game of partners, in the seat of its partner.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from canasta_agents.learning.asking import DecidingTables, ask_at
from canasta_agents.learning.config import Opponents
from canasta_agents.neural.arrays import Arrays, prefixed, with_prefix
from canasta_agents.neural.distribution import sample_actions
from canasta_agents.neural.network import ActorCritic
from canasta_env.agent import Agent, remembers, tell_of_deals
from canasta_env.rules import Rules

LEARNER = 0  # in `owners`; the others are k + 1, opponents first, then partners
PAST = "past"  # the name of a snapshot among the opponents
_UNSEATED, _LEARNER = -2, -1  # in place of a snapshot's `decisions`


class Tables(DecidingTables, Protocol):
    """What training asks of `canasta_env.vector.VectorTables`."""

    @property
    def observations(self) -> NDArray[np.int8]:
        """The views encoded, `(num_tables, observation_size)`."""

    @property
    def critic_states(self) -> NDArray[np.int8]:
        """The views with the hidden cards, encoded: `(num_tables, critic_size)`; for training only."""

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Apply an action at every table: `ended (num_tables,)` and `points (num_tables, players)`."""

    def reset(self, seed: int) -> None:
        """Deal anew at every table."""

    def get_state(self) -> Arrays:
        """Everything that the future depends on, as arrays by name."""

    def set_state(self, state: Arrays) -> None:
        """Take back what `get_state` gave."""


class TablePlayer(Protocol):
    """Whoever plays the seats that are not the learner's, or teaches it."""

    @property
    def has_memory(self) -> bool:
        """Whether it keeps something of a deal that a checkpoint does not hold."""

    @property
    def is_told(self) -> bool:
        """Whether it wants to be told when deals begin."""

    def prepare(self, num_tables: int, seed: int, is_new: bool) -> None:
        """Get ready for a rollout.

        Args:
            num_tables: Tables of the worker.
            seed: All chance of the rollout comes from it, but that of a player with a memory.
            is_new: Whether no deal at the tables has begun; a player with a memory forgets everything then.
        """

    def begin_deals(self, tables: NDArray[np.int64]) -> None:
        """Learn that deals begin at some of its tables, `(n,) int64`."""

    def choose(self, tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action at each of the tables `rows`: `(n,) int64`."""


class AgentPlayer:
    """An agent of the registry at training tables."""

    def __init__(self, agent: Agent, rules: Rules) -> None:
        self._agent = agent
        self._rules = rules

    @property
    def has_memory(self) -> bool:
        """See `TablePlayer.has_memory`."""
        return remembers(self._agent)

    @property
    def is_told(self) -> bool:
        """See `TablePlayer.is_told`."""
        return remembers(self._agent)

    def prepare(self, num_tables: int, seed: int, is_new: bool) -> None:
        """See `TablePlayer.prepare`."""
        if is_new or not self.has_memory:
            self._agent.reset(num_tables, seed)

    def begin_deals(self, tables: NDArray[np.int64]) -> None:
        """See `TablePlayer.begin_deals`; each deal stands for itself in training."""
        tell_of_deals(self._agent, tables, first=True)

    def choose(self, tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `TablePlayer.choose`."""
        return ask_at(self._agent, self._rules, tables, rows)


class SeatAssignment:
    """The owner of every seat, fixed for a run.

    Tables stand in groups: those of the learner alone first, then those against a snapshot, then those
    against each reference player, then those with each partner. At a table with opponents the learner has
    one side, in turn over them. At a table with a partner it has three seats, in turn over them: one beside
    the partner, and both of the other side, so that the pair is always up against today's learner and
    all three seats bring experience.

    Args:
        shares: Shares of the groups.
        num_tables: Tables of the worker.
        players: Seats at a table.
        num_sides: Sides of the game; seat s plays for side s % num_sides.
    """

    def __init__(self, shares: Opponents, num_tables: int, players: int, num_sides: int) -> None:
        parts = [shares.past, *[shares.reference / len(shares.players) for _ in shares.players]]
        names = [PAST, *shares.players]
        kept = [(name, part) for name, part in zip(names, parts, strict=True) if part > 0]
        self.opponents = [name for name, _ in kept]
        self.partners = list(shares.partners) if shares.with_partners > 0 else []
        parts_with = [shares.with_partners / len(self.partners) for _ in self.partners]
        sizes = _split(num_tables, [shares.self_play, *(part for _, part in kept), *parts_with])
        # (num_tables,): 0 self-play, k + 1 with the k-th of the opponents and then the partners
        self.groups = np.repeat(np.arange(len(sizes)), sizes)
        self._every_table = np.arange(num_tables)
        learner_sides = self._every_table % num_sides
        # (num_tables,): a seat of the learner's side; beside a partner its own, in turn over all seats
        self.learner_seats = np.where(self._has_partner, self._every_table % players, learner_sides)
        is_learner = self._are_learners(learner_sides, players, num_sides)
        self.owners = np.where(is_learner, LEARNER, self.groups[:, None]).astype(np.int8)  # (tables, players)

    @property
    def _has_partner(self) -> NDArray[np.bool_]:
        """Tables where a partner sits, `(num_tables,)`."""
        return self.groups > len(self.opponents)

    def _are_learners(
        self, learner_sides: NDArray[np.int64], players: int, num_sides: int
    ) -> NDArray[np.bool_]:
        """Which seats are the learner's, `(num_tables, players)`."""
        seats = np.arange(players)
        is_own_side = learner_sides[:, None] == seats % num_sides
        is_partner = is_own_side & (self.learner_seats[:, None] != seats)
        is_alone = self.groups[:, None] == 0
        are_learners: NDArray[np.bool_] = np.where(
            self._has_partner[:, None], ~is_partner, is_own_side | is_alone
        )
        return are_learners

    def tables_against(self, opponent: str) -> NDArray[np.int64]:
        """Tables where an opponent plays, by its name, rising: `(n,) int64`."""
        return np.flatnonzero(self.groups == 1 + self.opponents.index(opponent))

    def tables_with(self, partner: str) -> NDArray[np.int64]:
        """Tables where a partner of the learner plays, by its name, rising: `(n,) int64`."""
        return np.flatnonzero(self.groups == 1 + len(self.opponents) + self.partners.index(partner))

    def tables_of(
        self, owner: int, seats: NDArray[np.int8], is_choice: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Tables where `owner` has something to decide.

        Args:
            owner: `LEARNER`, or 1 + the place among the opponents and then the partners.
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


@dataclass(frozen=True)
class Snapshot:
    """The learner as it was at some time of the run."""

    decisions: int  # learner's decisions until it was taken
    network: ActorCritic


class SnapshotPlayer:
    """Snapshots of the learner at training tables; they sample their actions.

    A snapshot that sits down plays at a table from its next deal on; deals under way stay with their players.

    Args:
        num_tables: Tables of the worker.
        learner: Plays until a snapshot sits down.
    """

    has_memory = False
    is_told = True

    def __init__(self, num_tables: int, learner: ActorCritic) -> None:
        self._seated = [Snapshot(_LEARNER, learner)]  # the last one is the newcomer
        self._taken_at = np.full(num_tables, _UNSEATED)  # at each table, its snapshot's `decisions`
        self._rng = np.random.default_rng(0)

    def sit_down(self, snapshot: Snapshot) -> None:
        """Let a snapshot play the deals that begin from now on."""
        others = [other for other in self.seated if other.decisions != snapshot.decisions]
        self._seated = [*others, snapshot]

    @property
    def seated(self) -> list[Snapshot]:
        """The snapshots that play deals under way."""
        return [snapshot for snapshot in self._seated if (self._taken_at == snapshot.decisions).any()]

    def prepare(self, num_tables: int, seed: int, is_new: bool) -> None:
        """See `TablePlayer.prepare`."""
        self._rng = np.random.default_rng(seed)

    def begin_deals(self, tables: NDArray[np.int64]) -> None:
        """See `TablePlayer.begin_deals`."""
        self._taken_at[tables] = self._seated[-1].decisions

    def choose(self, tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `TablePlayer.choose`."""
        actions = np.empty(len(rows), np.int64)
        uniforms = self._rng.random(len(rows))
        for snapshot in self._seated:
            places = np.flatnonzero(self._taken_at[rows] == snapshot.decisions)
            if len(places):
                actions[places] = _sample(snapshot.network, tables, rows[places], uniforms[places])
        return actions

    @property
    def seating(self) -> NDArray[np.int64]:
        """At each table the snapshot that plays, by its `decisions`: `(num_tables,)`, a copy."""
        return self._taken_at.copy()

    def seat(self, seating: NDArray[np.int64], snapshots: list[Snapshot]) -> None:
        """Take back a `seating`, before the newcomer sits down; `snapshots` has all that play."""
        self._taken_at[:] = seating
        self._seated = [*self._seated, *snapshots]


def _sample(
    network: ActorCritic, tables: Tables, rows: NDArray[np.int64], uniforms: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Sample a network's actions at some tables, `(n,) int64`."""
    device = network.value_scale.device
    with torch.inference_mode():
        logits = network.logits(torch.from_numpy(tables.observations[rows]).to(device))
    actions = np.empty(len(rows), np.int64)
    log_probs = np.empty(len(rows), np.float32)
    sample_actions(logits.float().cpu().numpy(), tables.masks[rows], uniforms, actions, log_probs)
    return actions


class League:
    """Keeps some snapshots, spread evenly over the run: the first and the newest always stay.

    Playing against them keeps the learner from forgetting how to beat what it once was.

    Args:
        capacity: Snapshots that are kept, at least 1.
    """

    def __init__(self, capacity: int) -> None:
        self.members: list[Snapshot] = []
        self._capacity = capacity

    def add_snapshot(self, network: ActorCritic, decisions: int) -> None:
        """Add the network as it is now; beyond the capacity, the most crowded snapshots are dropped."""
        copied = copy.deepcopy(network).eval().requires_grad_(False)
        self.members.append(Snapshot(decisions, copied))
        while len(self.members) > self._capacity:  # a resumed run may keep fewer than before
            del self.members[self._most_crowded()]

    def draw(self, rng: np.random.Generator) -> Snapshot:
        """A snapshot, each equally likely."""
        return self.members[int(rng.integers(len(self.members)))]

    def get_state(self) -> Arrays:
        """Weights as arrays by name."""
        return snapshot_arrays(self.members)

    def set_state(self, arrays: Arrays, like: ActorCritic) -> None:
        """Take back what `get_state` gave; `like` is a network of the same form."""
        self.members = snapshots_of(arrays, like)

    def _most_crowded(self) -> int:
        """The member, neither first nor newest, whose neighbours in time are closest; else the oldest."""
        if len(self.members) < 3:
            return 0
        times = np.array([member.decisions for member in self.members])
        return 1 + int(np.argmin(times[2:] - times[:-2]))


def snapshot_arrays(snapshots: list[Snapshot]) -> Arrays:
    """Weights of snapshots as arrays by name."""
    return {
        f"{snapshot.decisions}.{name}": tensor.cpu().numpy()
        for snapshot in snapshots
        for name, tensor in snapshot.network.state_dict().items()
    }


def snapshots_of(arrays: Arrays, like: ActorCritic) -> list[Snapshot]:
    """The snapshots of which `snapshot_arrays` are given, the oldest first; `like` is of the same form."""
    weights: dict[int, dict[str, torch.Tensor]] = {}
    for key, array in arrays.items():
        decisions, name = key.split(".", 1)
        weights.setdefault(int(decisions), {})[name] = torch.from_numpy(array.copy())
    snapshots = []
    for taken_at in sorted(weights):
        network = copy.deepcopy(like).eval().requires_grad_(False)
        network.load_state_dict(weights[taken_at])
        snapshots.append(Snapshot(taken_at, network))
    return snapshots


def seating_state(players: list[SnapshotPlayer], league: League) -> Arrays:
    """Which snapshots play, and the weights of those that the league has dropped since, as arrays by name."""
    kept = {member.decisions for member in league.members}
    seated = {each.decisions: each for player in players for each in player.seated}
    dropped = [snapshot for decisions, snapshot in seated.items() if decisions not in kept]
    seatings = {f"worker{place}": player.seating for place, player in enumerate(players)}
    return seatings | prefixed("dropped.", snapshot_arrays(dropped))


def set_seating_state(
    players: list[SnapshotPlayer], league: League, arrays: Arrays, like: ActorCritic
) -> None:
    """Take back what `seating_state` gave; nothing, if a version before this one saved the state."""
    snapshots = [*league.members, *snapshots_of(with_prefix("dropped.", arrays), like)]
    for place, player in enumerate(players):
        if (seating := arrays.get(f"worker{place}")) is not None:
            player.seat(seating, snapshots)
