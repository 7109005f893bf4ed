"""A training run: imitation, then self-play, with measurements and checkpoints on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning import checkpoint
from canasta_agents.learning.buffer import Columns
from canasta_agents.learning.checkpoint import TrainingState
from canasta_agents.learning.config import Config, Run
from canasta_agents.learning.distributed import Group, Machine
from canasta_agents.learning.evaluation import REPLAY_FOLDER, BoardJudge, Judge, Measurement
from canasta_agents.learning.gae import Estimates, estimate
from canasta_agents.learning.match_equity import MatchTables, load_equity
from canasta_agents.learning.metrics import MetricsWriter
from canasta_agents.learning.opponents import League, Opponent, PastSelf, SeatedAgent, Tables
from canasta_agents.learning.ppo import Descent, DivergedError, ImitationUpdate, PpoUpdate
from canasta_agents.learning.rollout import PAST, Actor, Rollouts, Seating, Tally, actor_sizes, section_bounds
from canasta_agents.neural import policy_file
from canasta_agents.neural.agent import NeuralAgent
from canasta_agents.neural.network import PolicyNetwork
from canasta_agents.neural.policy_file import Arrays, CheckpointError, prefixed, with_prefix
from canasta_env import records
from canasta_env.agent import Agent
from canasta_env.rules import Rules

SELECTION_SEED = 1_000_003  # of the boards that choose the best policy; reported boards have another
SCALE_MEMORY = 0.95  # of the value scale's mean square, from one update to the next
COLLAPSED_UPDATES = 5  # updates in a row below the entropy floor that end a run


class Trainer:
    """One run in one folder. Build it, perhaps `resume` it, then call `advance` until `is_over`.

    Args:
        config: What to run.
        folder: The run's folder; its `latest` and `best` hold checkpoints.
        world: Tables, players and judge.
        machine: Cores, device, precision.
    """

    def __init__(self, config: Config, folder: Path, world: World, machine: Machine) -> None:
        self.config = config
        self.folder = folder
        self.world = world
        self.group = machine.group
        self.parts = assemble(config, world, machine)
        self._reference = world.make_player(config.judging.player)
        self.progress = Progress()
        self.measurement: Measurement | None = None  # the last one
        self.best: Measurement | None = None
        self._faced: list[int] = []  # the past self that each actor plays against, by its decisions
        self._low_entropy = 0  # updates in a row
        self._metrics: MetricsWriter | None = None

    @property
    def share(self) -> float:
        """Part of the run that is done, 0 to 1."""
        return self.progress.share(self.config.run)

    @property
    def is_over(self) -> bool:
        """Whether the run's length is reached."""
        return self.share >= 1

    @property
    def is_imitating(self) -> bool:
        """Whether the run still learns from its teacher."""
        return self.share < self.config.imitation.share

    def advance(self) -> dict[str, float]:
        """Play a rollout, learn from it, measure where that is due; returns the update's metrics.

        Raises:
            DivergedError: If a number has become infinite or undefined, or the entropy has collapsed.
        """
        started = time.perf_counter()
        was_imitating = self.is_imitating
        metrics = self._imitate() if was_imitating else self._self_play()
        self.progress.updates += 1
        self.progress.seconds = self.group.agree(self.progress.seconds + time.perf_counter() - started)
        if was_imitating and not self.is_imitating:
            self.parts.rollouts.forget()  # open decisions are the teacher's: not the policy's to learn from
        self._check_entropy(metrics)
        if self.progress.measured < int(self.share * self.config.judging.measurements):
            metrics |= self._measure()
        metrics |= {"seconds": self.progress.seconds, "decisions": self.progress.decisions}
        if self.group.is_first:
            self._write(metrics)
        return metrics

    def save(self) -> None:
        """Write the resumable checkpoint `latest`; every process of the group has to call it."""
        own = self.group.collect(self._own_state())
        if self.group.is_first:
            state = TrainingState(self._arrays(own), self._facts(own))
            checkpoint.save(self.folder / "latest", self.parts.network, self._card(), state)

    def begin(self, start: Path) -> None:
        """Begin with the weights of a trained policy; see `checkpoint.begin_from`."""
        checkpoint.begin_from(self.parts.network, start, self.config.game.objective)

    def resume(self) -> None:
        """Go on from the folder's `latest` as if the run had never stopped.

        Raises:
            CheckpointError: If there is none, or it does not fit the config.
        """
        parts = self.parts
        state = checkpoint.load_state(self.folder / "latest")
        processes = state.facts["processes"]
        if len(processes) != self.group.size:
            raise CheckpointError(
                f"{self.folder}: the run has {len(processes)} processes, here it would have "
                f"{self.group.size}; start it with torchrun --nproc-per-node {len(processes)}"
            )
        own = processes[self.group.rank]
        actor_rngs = own["actor_rngs"]
        if len(actor_rngs) != len(parts.rollouts.actors):
            raise CheckpointError(
                f"{self.folder}: the run has {len(actor_rngs)} actors, here it would have "
                f"{len(parts.rollouts.actors)}; set rollout.actors to {len(actor_rngs)}"
            )
        policy_file.set_weights(parts.network, with_prefix("network.", state.arrays))
        parts.descent.set_state(with_prefix("descent.", state.arrays))
        parts.league.set_state(with_prefix("league.", state.arrays), parts.network)
        for place, actor in enumerate(parts.rollouts.actors):
            actor.set_state(with_prefix(f"process{self.group.rank}.actor{place}.", state.arrays))
            actor.rng.bit_generator.state = actor_rngs[place]
        self._set_facts(state.facts, own)

    def close(self) -> None:
        """Bring the metrics to the disk."""
        if self._metrics is not None:
            self._metrics.close()
            self._metrics = None

    # Updates

    def _imitate(self) -> dict[str, float]:
        config, parts = self.config, self.parts
        started = time.perf_counter()
        steps, own_play = config.rollout.steps, config.imitation.own_play
        tally = parts.rollouts.imitate(parts.network, parts.teachers, own_play, steps)
        played = time.perf_counter()
        estimates = self._estimate()
        done = self.share / config.imitation.share
        rate = straight(config.imitation.learning_rate, config.ppo.learning_rate, done)
        parts.descent.set_learning_rate(rate)
        metrics = parts.imitation.learn(estimates)
        metrics |= self._learning_metrics("imitate", estimates, rate)
        return metrics | self._playing_metrics(tally, estimates, started, played)

    def _self_play(self) -> dict[str, float]:
        config, parts = self.config.ppo, self.parts
        self._refresh_league()
        started = time.perf_counter()
        tally = parts.rollouts.collect(parts.network, self.config.rollout.steps)
        played = time.perf_counter()
        estimates = self._estimate()
        first = self.config.imitation.share
        done = (self.share - first) / (1 - first)
        rate = straight(config.learning_rate, config.final_learning_rate, done)
        entropy_weight = straight(config.entropy, config.final_entropy, done)
        parts.descent.set_learning_rate(rate)
        metrics = parts.ppo.learn(estimates, entropy_weight)
        metrics |= self._learning_metrics("learn", estimates, rate)
        return metrics | self._playing_metrics(tally, estimates, started, played)

    def _estimate(self) -> Estimates:
        """Advantages and returns of the rollout; the unit of the values follows the size of the returns.

        The unit is the root of their mean square, which follows a rise at once and a fall slowly.
        """
        network = self.parts.network
        estimates = estimate(self.parts.rollouts, self.config.ppo)
        square = estimates.mean_square_return(self.group)
        if square > 0:
            followed = SCALE_MEMORY * float(network.value_scale) ** 2 + (1 - SCALE_MEMORY) * square
            network.rescale_values(max(square, followed) ** 0.5)
        return estimates

    def _refresh_league(self) -> None:
        """Freeze a past self where one is due, and let each actor face another one."""
        parts = self.parts
        is_due = not parts.league.members or self.progress.updates % self.config.opponents.freeze_every == 0
        if is_due and parts.past_selves:
            parts.league.freeze(parts.network, self.progress.decisions)
            self._face([parts.league.draw(parts.rng).decisions for _ in parts.past_selves])

    def _face(self, faced: list[int]) -> None:
        networks = {member.decisions: member.network for member in self.parts.league.members}
        for past_self, decisions in zip(self.parts.past_selves, faced, strict=False):
            past_self.network = networks[decisions]
        self._faced = faced

    # Metrics

    def _learning_metrics(self, kind: str, estimates: Estimates, learning_rate: float) -> dict[str, float]:
        explained = estimates.explained_variance(self.parts.rollouts.columns.values)
        return {
            f"{kind}/learning_rate": learning_rate,
            f"{kind}/explained_variance": float(self.group.gather(np.array([explained])).mean()),
            f"{kind}/value_scale": float(self.parts.network.value_scale),
        }

    def _playing_metrics(
        self, tally: Tally, estimates: Estimates, started: float, played: float
    ) -> dict[str, float]:
        seconds = time.perf_counter() - started
        own = np.concatenate([[len(estimates.rows)], tally.deals, tally.points])
        num, *tallied = self.group.gather(own.astype(np.float64)).sum(axis=0).tolist()
        self.progress.decisions += int(num)
        all_deals, all_points = np.array(tallied).reshape(2, -1)
        metrics = {
            "time/decisions_per_s": num / seconds,
            "time/play_share": (played - started) / seconds,
            "play/deals": float(all_deals.sum()),
        }
        names = self.parts.rollouts.actors[0].seating.opponents
        for name, deals, points in zip(names, all_deals[1:], all_points[1:], strict=True):
            if deals and not self.is_imitating:
                metrics[f"play/points_against_{name}"] = float(points / deals)
        return metrics

    def _check_entropy(self, metrics: dict[str, float]) -> None:
        entropy, floor = metrics.get("learn/entropy", float("inf")), self.config.run.entropy_floor
        self._low_entropy = self._low_entropy + 1 if entropy < floor else 0
        if self._low_entropy >= COLLAPSED_UPDATES:
            raise DivergedError(
                f"the entropy has collapsed: {entropy:.4f} nats, {COLLAPSED_UPDATES} updates in a row below "
                f"run.entropy_floor = {floor:g}; raise ppo.entropy or lower ppo.learning_rate"
            )

    def _measure(self) -> dict[str, float]:
        """Measure the policy against the reference; keep it if it is the best so far."""
        started = time.perf_counter()
        judging, measured = self.config.judging, None
        self.progress.measured = int(self.share * judging.measurements)
        if self.group.is_first:
            agent = NeuralAgent.of(self.parts.network, "learner")
            judge = self.world.judge
            judged = judge.match_percent if self.config.game.objective == "match" else judge.points
            measured = judged(agent, self._reference, judging.boards, SELECTION_SEED)
            self._keep_replay(agent)
        self.measurement = measurement = cast(Measurement, self.group.agree(measured))
        if self.best is None or measurement.estimate >= self.best.estimate:
            self.best = measurement
            if self.group.is_first:
                checkpoint.save(self.folder / "best", self.parts.network, self._card())
        self.progress.seconds = self.group.agree(self.progress.seconds + time.perf_counter() - started)
        name = f"judge/{measurement.unit}"
        return {name: measurement.estimate, f"{name}_low": measurement.low, f"{name}_high": measurement.high}

    def _keep_replay(self, agent: NeuralAgent) -> None:
        """Write a deal of the policy as it is now, the same cards each time."""
        folder = self.folder / REPLAY_FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        record = self.world.judge.replay(agent, self._reference, SELECTION_SEED)
        records.write(record, folder / f"update-{self.progress.updates:06d}.jsonl")

    def _write(self, metrics: dict[str, float]) -> None:
        if self._metrics is None:
            self._metrics = MetricsWriter(self.folder, self.progress.updates - 1)
        self._metrics.write(self.progress.updates, metrics)

    # Checkpoints

    def _card(self) -> dict[str, Any]:
        return policy_file.policy_card(
            self.parts.network,
            self.world.rules,
            decisions=self.progress.decisions,
            seconds=round(self.progress.seconds, 1),
            objective=self.config.game.objective,
            reference=self.config.judging.player,
            measured=_as_dict(self.measurement),
        )

    def _own_state(self) -> tuple[Arrays, dict[str, Any]]:
        """What this process alone knows: its actors, its random numbers, whom they face."""
        arrays: Arrays = {}
        actors = self.parts.rollouts.actors
        for place, actor in enumerate(actors):
            arrays |= prefixed(f"actor{place}.", actor.get_state())
        facts = {
            "rng": self.parts.rng.bit_generator.state,
            "actor_rngs": [actor.rng.bit_generator.state for actor in actors],
            "faced": self._faced,
        }
        return arrays, facts

    def _arrays(self, own: list[tuple[Arrays, dict[str, Any]]]) -> Arrays:
        parts = self.parts
        arrays = prefixed("network.", policy_file.weights(parts.network))
        arrays |= prefixed("descent.", parts.descent.get_state())
        arrays |= prefixed("league.", parts.league.get_state())
        for rank, (of_process, _) in enumerate(own):
            arrays |= prefixed(f"process{rank}.", of_process)
        return arrays

    def _facts(self, own: list[tuple[Arrays, dict[str, Any]]]) -> dict[str, Any]:
        return {
            "format": policy_file.FORMAT,
            "config": self.config.to_dict(),
            "progress": asdict(self.progress),
            "processes": [facts for _, facts in own],
            "low_entropy": self._low_entropy,
            "measurement": _as_dict(self.measurement),
            "best": _as_dict(self.best),
        }

    def _set_facts(self, facts: dict[str, Any], own: dict[str, Any]) -> None:
        self.progress = Progress(**facts["progress"])
        self.parts.rng.bit_generator.state = own["rng"]
        self._low_entropy = facts["low_entropy"]
        self.measurement = Measurement(**facts["measurement"]) if facts["measurement"] else None
        self.best = Measurement(**facts["best"]) if facts["best"] else None
        self._face(own["faced"])


def _as_dict(measurement: Measurement | None) -> dict[str, Any] | None:
    return asdict(measurement) if measurement else None


# The parts of a run, built from its config: network, actors, opponents, updates.


@dataclass(frozen=True)
class Parts:
    """What a trainer works with."""

    network: PolicyNetwork
    descent: Descent
    rollouts: Rollouts
    imitation: ImitationUpdate
    ppo: PpoUpdate
    league: League
    past_selves: list[PastSelf]  # one an actor, if past selves are played against
    teachers: list[Opponent]  # one an actor, if a teacher is imitated
    rng: np.random.Generator  # minibatches and the league


def assemble(config: Config, world: World, machine: Machine) -> Parts:
    """Build a run's parts; the same config gives the same parts on the same machine."""
    group = machine.group
    seeds = np.random.SeedSequence(config.run.seed, spawn_key=(group.rank,) if group.rank else ())
    learner_seeds, actor_seeds = seeds.spawn(2)
    torch.manual_seed(config.run.seed)
    rng = np.random.default_rng(learner_seeds)
    num_tables = share_of_tables(config.rollout.tables, group)
    sizes = actor_sizes(num_tables, config.rollout.actors, machine.cores)
    streams = actor_seeds.spawn(2 * len(sizes))
    tables = [
        world.make_tables(size, int(stream.generate_state(1)[0]))
        for size, stream in zip(sizes, streams[::2], strict=True)
    ]
    observation_size = tables[0].observations.shape[1]
    critic_size = tables[0].critic_states.shape[1] if config.network.critic == "privileged" else 0
    network = PolicyNetwork(config.network, observation_size, critic_size).to(machine.device)
    bounds = section_bounds(sizes, config.rollout.steps, world.rules.players).tolist()
    columns = Columns.allocate(bounds[-1], observation_size, critic_size)
    past_selves: list[PastSelf] = []
    actors = []
    for place, size in enumerate(sizes):
        seating = Seating(config.opponents, size, world.rules.players, world.rules.num_sides)
        opponents = [_seat(name, network, past_selves, world) for name in seating.opponents]
        section = columns[bounds[place] : bounds[place + 1]]
        rng_of_actor = np.random.default_rng(streams[2 * place + 1])
        actors.append(Actor(tables[place], seating, opponents, section, rng_of_actor))
    descent = Descent(network, config.ppo.max_gradient_norm)
    shared = group.shared(network)
    return Parts(
        network=network,
        descent=descent,
        rollouts=Rollouts(actors, columns, machine),
        imitation=ImitationUpdate(network, shared, descent, columns, config.imitation, machine, rng),
        ppo=PpoUpdate(network, shared, descent, columns, config.ppo, machine, rng),
        league=League(config.opponents.past_selves),
        past_selves=past_selves,
        teachers=[_player(config.imitation.teacher, world) for _ in actors]
        if config.imitation.share > 0
        else [],
        rng=rng,
    )


def share_of_tables(num_tables: int, group: Group) -> int:
    """Tables of this process.

    Raises:
        ConfigError: If there are more processes than tables.
    """
    if num_tables < group.size:
        raise ConfigError(f"rollout.tables: {num_tables} for {group.size} processes; each needs at least one")
    return num_tables // group.size + (group.rank < num_tables % group.size)


def _seat(name: str, network: PolicyNetwork, past_selves: list[PastSelf], world: World) -> Opponent:
    """An opponent by its name in `Seating`; a past self is noted in `past_selves`."""
    if name != PAST:
        return _player(name, world)
    past_selves.append(PastSelf(network))
    return past_selves[-1]


def _player(name: str, world: World) -> Opponent:
    return SeatedAgent(world.make_player(name), world.rules)


# How far a run has come, and the numbers that change on the way.


@dataclass
class Progress:
    """Counters of a run; they go on after a resume."""

    updates: int = 0
    decisions: int = 0  # of the learner, each learnt from
    seconds: float = 0.0  # of training, measurements included
    measured: int = 0  # measurements made

    def share(self, run: Run) -> float:
        """Part of the run that is done, 0 to 1: of its decisions if they are given, else of its minutes."""
        done = self.decisions / run.decisions if run.decisions else self.seconds / (60 * run.minutes)
        return min(1.0, done)


def straight(start: float, end: float, share: float) -> float:
    """The number at `share` (0 to 1) of the straight way from `start` to `end`."""
    return start + (end - start) * min(1.0, max(0.0, share))


# What training takes from the rest of the project: tables, players, and a judge. Tests put smaller ones.


@dataclass(frozen=True)
class World:
    """A game to be learnt."""

    rules: Rules
    make_tables: Callable[[int, int], Tables]  # (num_tables, seed)
    make_player: Callable[[str], Agent]  # by roster name
    judge: Judge


def canasta(config: Config) -> World:
    """The game that the config names."""
    from canasta_agents.registry import make
    from canasta_env.vector import VectorTables

    rules, scores = config.game.rules, config.game.scores
    equity = load_equity(rules) if config.game.objective == "match" else None

    def make_tables(num_tables: int, seed: int) -> Tables:
        tables = VectorTables(rules, num_tables, seed=seed, scores=scores, check=False)
        return tables if equity is None else MatchTables(tables, equity)

    return World(rules, make_tables, lambda name: make(name, rules), BoardJudge(rules, scores, equity))
