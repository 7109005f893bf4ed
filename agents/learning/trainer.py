"""A training run: imitation, then self-play, with measurements and checkpoints on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from canasta_agents import registry
from canasta_agents.learning import checkpoint
from canasta_agents.learning.buffer import RolloutArrays
from canasta_agents.learning.checkpoint import TrainingState
from canasta_agents.learning.config import Config, from_dict
from canasta_agents.learning.distributed import Device, share_of_tables
from canasta_agents.learning.evaluation import BoardEvaluator, Evaluator, Measurement
from canasta_agents.learning.gae import RolloutTargets, compute_targets
from canasta_agents.learning.match_equity import MatchTables, load_equity
from canasta_agents.learning.metrics import MetricsWriter
from canasta_agents.learning.opponents import (
    PAST,
    AgentPlayer,
    League,
    SeatAssignment,
    SnapshotPlayer,
    TablePlayer,
    Tables,
    seating_state,
    set_seating_state,
)
from canasta_agents.learning.ppo import ClippedAdam, DivergedError, PolicyUpdater, imitation_loss, load_loss
from canasta_agents.learning.resuming import check_changes
from canasta_agents.learning.rollout import (
    EpisodeStats,
    RolloutCollector,
    RolloutWorker,
    section_bounds,
    worker_sizes,
)
from canasta_agents.learning.schedule import Progress, linear_schedule
from canasta_agents.learning.selection import SELECTION_SEED, Measure, is_better, keep_replay
from canasta_agents.learning.wandb_run import WandbRun
from canasta_agents.neural import policy_file
from canasta_agents.neural.agent import NeuralAgent
from canasta_agents.neural.arrays import Arrays, CheckpointError, prefixed, with_prefix
from canasta_agents.neural.network import build_network
from canasta_env.agent import Agent
from canasta_env.engine.layout import row_size
from canasta_env.rules import Rules
from canasta_env.vector import VectorTables

SCALE_MEMORY = 0.95  # of the value scale's mean square, from one update to the next
COLLAPSED_UPDATES = 5  # updates in a row below the entropy floor that end a run

TablesMaker = Callable[[int, int], Tables]  # (num_tables, seed)
AgentMaker = Callable[[str], Agent]  # by registry name


def build_trainer(config: Config, folder: Path, device: Device) -> Trainer:
    """The trainer of the game that a config names; the same config gives the same one on the same machine.

    Args:
        config: What to run.
        folder: The run's folder.
        device: Cores, device, precision, processes.

    Raises:
        ConfigError: If the config cannot be run here.
        EquityError: If it trains for the match, and there is no match-equity table of the game.
    """
    rules, scores = config.game.rules, config.game.scores
    equity = load_equity(rules) if config.game.objective == "match" else None

    def make_tables(num_tables: int, seed: int) -> Tables:
        tables = VectorTables(rules, num_tables, seed=seed, scores=scores, check=False)
        return tables if equity is None else MatchTables(tables, equity)

    return Trainer(
        config,
        folder,
        device,
        rules=rules,
        make_tables=make_tables,
        make_agent=lambda name: registry.make(name, rules),
        evaluator=BoardEvaluator(rules, scores, equity),
    )


class Trainer:
    """One run in one folder. Build it, perhaps `resume` it, then call `advance` until `is_over`.

    Args:
        config: What to run.
        folder: The run's folder; its `latest` and `best` hold checkpoints.
        device: Cores, device, precision, processes.
        rules: The game.
        make_tables: Makes training tables: their number, a seed.
        make_agent: Makes a player by its registry name.
        evaluator: Measures policies.

    Raises:
        ConfigError: If the config cannot be run here.
    """

    def __init__(
        self,
        config: Config,
        folder: Path,
        device: Device,
        *,
        rules: Rules,
        make_tables: TablesMaker,
        make_agent: AgentMaker,
        evaluator: Evaluator,
    ) -> None:
        self.config = config
        self.folder = folder
        self.device = device
        self.group = device.group
        self.rules = rules
        self.make_tables = make_tables
        self.make_agent = make_agent
        self.evaluator = evaluator
        self._build()
        self.progress = Progress()
        self.measurement: Measurement | None = None  # the last one
        self.best: Measurement | None = None
        self._faced: list[int] = []  # the snapshot that each worker plays against, by its decisions
        self._low_entropy = 0  # updates in a row
        self._metrics: MetricsWriter | None = None

    def _build(self) -> None:
        """Make what the run works with: network, workers, opponents, optimizer."""
        config, rank = self.config, self.group.rank
        seeds = np.random.SeedSequence(config.run.seed, spawn_key=(rank,) if rank else ())
        learner_seeds, worker_seeds = seeds.spawn(2)
        torch.manual_seed(config.run.seed)
        self.rng = np.random.default_rng(learner_seeds)  # minibatches and the league

        num_tables = share_of_tables(config.rollout.tables, self.group)
        sizes = worker_sizes(num_tables, config.rollout.workers, self.device.cores)
        streams = worker_seeds.spawn(2 * len(sizes))
        tables = [
            self.make_tables(size, int(stream.generate_state(1)[0]))
            for size, stream in zip(sizes, streams[::2], strict=True)
        ]
        observation_size = tables[0].observations.shape[1]
        critic_size = tables[0].critic_states.shape[1] if config.network.critic == "privileged" else 0
        network = build_network(config.network, observation_size, critic_size, row_size(self.rules))
        self.network = network.to(self.device.torch_device)

        num_rows = (config.rollout.steps + self.rules.players) * num_tables
        arrays = RolloutArrays.allocate(num_rows, observation_size, critic_size)
        bounds = section_bounds(sizes, config.rollout.steps, self.rules.players).tolist()
        self.snapshot_players: list[SnapshotPlayer] = []  # one a worker, if snapshots are played against
        workers = []
        for place, (size, stream) in enumerate(zip(sizes, streams[1::2], strict=True)):
            seats = SeatAssignment(config.opponents, size, self.rules.players, self.rules.num_sides)
            others = [self._player(name, size) for name in (*seats.opponents, *seats.partners)]
            section = arrays[bounds[place] : bounds[place + 1]]
            rng = np.random.default_rng(stream)
            workers.append(RolloutWorker(tables[place], seats, others, section, rng))
        self.collector = RolloutCollector(workers, arrays, self.device)
        self.optimizer = ClippedAdam(self.network, config.ppo.max_gradient_norm)
        self.updater = PolicyUpdater(self.network, self.optimizer, arrays, self.device, self.rng)
        self._ppo_loss = load_loss(config.ppo.loss)
        loss = partial(self._ppo_loss, config=config.ppo, entropy_coef=config.ppo.entropy_coef)
        self.updater.try_out(loss, config.ppo.loss, needs_kl=config.ppo.target_kl > 0)
        self.league = League(config.opponents.past_selves)
        self.teachers: list[TablePlayer] = []  # one a worker, if a teacher is imitated
        if config.imitation.share > 0:
            self.teachers = [self._player(config.imitation.teacher, size) for size in sizes]
        self._reference = self.make_agent(config.evaluation.player)

    def _player(self, name: str, num_tables: int) -> TablePlayer:
        """Who plays beside the learner, by its name in `SeatAssignment`."""
        if name != PAST:
            return AgentPlayer(self.make_agent(name), self.rules)
        self.snapshot_players.append(SnapshotPlayer(num_tables, self.network))
        return self.snapshot_players[-1]

    @property
    def progress_fraction(self) -> float:
        """Part of the run that is done, 0 to 1."""
        return self.progress.fraction(self.config.run)

    @property
    def position(self) -> float:
        """Where the schedules are, 0 to 1: where a run gets longer they do not go back."""
        return self.progress.position(self.config.run)

    @property
    def is_over(self) -> bool:
        """Whether the run's length is reached."""
        return self.progress_fraction >= 1

    @property
    def is_imitating(self) -> bool:
        """Whether the run still learns from its teacher."""
        return self.position < self.config.imitation.share

    def advance(self) -> dict[str, float]:
        """Play a rollout, learn from it, measure where that is due; returns the update's metrics.

        Raises:
            DivergedError: If a number has become infinite or undefined, or the entropy has collapsed.
        """
        started = time.perf_counter()
        was_imitating = self.is_imitating
        metrics = self._imitate() if was_imitating else self._self_play()
        self.progress.updates += 1
        self.progress.seconds = self.group.broadcast(self.progress.seconds + time.perf_counter() - started)
        if was_imitating and not self.is_imitating:
            self.collector.deal_anew()  # the pending decisions, and the deals, are the teacher's
        self._check_entropy(metrics)
        if self.progress.measured < int(self.progress_fraction * self.config.evaluation.measurements):
            metrics |= self._measure()
        metrics |= {"seconds": self.progress.seconds, "decisions": self.progress.decisions}
        if self.group.is_first:
            self._write(metrics)
        return metrics

    def save(self) -> None:
        """Write the resumable checkpoint `latest`; every process of the group has to call it."""
        own = self.group.gather_objects(self._own_state())
        if self.group.is_first:
            state = TrainingState(self._arrays(own), self._facts(own))
            checkpoint.save(self.folder / "latest", self.network, self._card(), state)

    def begin(self, start: Path) -> None:
        """Begin with the weights of a trained policy; see `checkpoint.begin_from`."""
        checkpoint.begin_from(self.network, start, self.config.game.objective)

    def resume(self) -> None:
        """Go on from the folder's `latest` as if the run had never stopped.

        What the config has changed takes effect as `resuming.RULINGS` says. At tables with a player that has
        a memory (`canasta_env.agent.AgentWithMemory`) new deals begin.

        Raises:
            CheckpointError: If there is none, it is damaged, or it does not fit this machine.
            ConfigError: If the config changes a key that has to stay.
        """
        folder = self.folder / "latest"
        state = checkpoint.load_state(folder)
        before = from_dict(state.facts["config"], str(folder))
        changes = check_changes(before, self.config)
        with checkpoint.refusing_damage(folder):
            self._require_as_many(state.facts["processes"])
            self._set_arrays(state.arrays)
            self._set_facts(state.facts, state.facts["processes"][self.group.rank])
            self._forget_deals()
        self.progress.go_on(before.run, self.config.run, self.config.evaluation.measurements)
        if any(change.ruling.is_measure for change in changes):
            self._measure_best_anew()

    def _require_as_many(self, processes: list[dict[str, Any]]) -> None:
        """Refuse another number of processes or workers than the run has."""
        if len(processes) != self.group.size:
            raise CheckpointError(
                f"{self.folder}: the run has {len(processes)} processes, here it would have "
                f"{self.group.size}; start it with torchrun --nproc-per-node {len(processes)}"
            )
        num_workers, here = len(processes[self.group.rank]["worker_rngs"]), len(self.collector.workers)
        if num_workers != here:
            raise CheckpointError(
                f"{self.folder}: the run has {num_workers} workers, here it would have "
                f"{here}; set rollout.workers to {num_workers}"
            )

    def _set_arrays(self, arrays: Arrays) -> None:
        policy_file.set_weights(self.network, with_prefix("network.", arrays))
        self.optimizer.set_state(with_prefix("optimizer.", arrays))
        self.league.set_state(with_prefix("league.", arrays), self.network)
        for place, worker in enumerate(self.collector.workers):
            worker.set_state(with_prefix(f"process{self.group.rank}.worker{place}.", arrays))
        seating = with_prefix(f"process{self.group.rank}.seating.", arrays)
        set_seating_state(self.snapshot_players, self.league, seating, self.network)

    def close(self) -> None:
        """Bring the metrics to the disk."""
        if self._metrics is not None:
            self._metrics.close()
            self._metrics = None

    # Updates

    def _imitate(self) -> dict[str, float]:
        config = self.config.imitation
        started = time.perf_counter()
        stats = self.collector.collect_imitation(
            self.network, self.teachers, config.dagger_share, self.config.rollout.steps
        )
        played = time.perf_counter()
        targets = self._targets()
        done = self.position / config.share
        rate = linear_schedule(config.learning_rate, self.config.ppo.learning_rate, done)
        self.optimizer.set_learning_rate(rate)
        metrics, _ = self.updater.update(
            targets, partial(imitation_loss, config=config), config.minibatch_size
        )
        metrics |= self._learning_metrics(targets, rate)
        return _named("imitation", metrics) | self._rollout_metrics(stats, targets, started, played)

    def _self_play(self) -> dict[str, float]:
        config = self.config.ppo
        self._refresh_league()
        started = time.perf_counter()
        stats = self.collector.collect(self.network, self.config.rollout.steps)
        played = time.perf_counter()
        targets = self._targets()
        first = self.config.imitation.share
        done = (self.position - first) / (1 - first) if first < 1 else 1.0
        rate = linear_schedule(config.learning_rate, config.final_learning_rate, done)
        entropy_coef = linear_schedule(config.entropy_coef, config.final_entropy_coef, done)
        self.optimizer.set_learning_rate(rate)
        loss = partial(self._ppo_loss, config=config, entropy_coef=entropy_coef)
        metrics, epochs = self.updater.update(
            targets, loss, config.minibatch_size, config.num_epochs, config.target_kl
        )
        metrics |= self._learning_metrics(targets, rate) | {"entropy_coef": entropy_coef, "epochs": epochs}
        return _named("ppo", metrics) | self._rollout_metrics(stats, targets, started, played)

    def _targets(self) -> RolloutTargets:
        """Advantages and returns of the rollout; the unit of the values follows the size of the returns.

        The unit is the root of their mean square, which follows a rise at once and a fall slowly.
        """
        targets = compute_targets(self.collector, self.config.ppo)
        square = targets.mean_square_return(self.group)
        if square > 0:
            followed = SCALE_MEMORY * float(self.network.value_scale) ** 2 + (1 - SCALE_MEMORY) * square
            self.network.rescale_values(max(square, followed) ** 0.5)
        return targets

    def _refresh_league(self) -> None:
        """Take a snapshot where one is due, and let each worker face another one."""
        is_due = not self.league.members or self.progress.updates % self.config.opponents.freeze_every == 0
        if is_due and self.snapshot_players:
            self.league.add_snapshot(self.network, self.progress.decisions)
            self._face([self.league.draw(self.rng).decisions for _ in self.snapshot_players])

    def _face(self, faced: list[int]) -> None:
        """Let snapshots sit down, one a worker, given by their decisions; none before self-play."""
        members = {member.decisions: member for member in self.league.members}
        for player, decisions in zip(self.snapshot_players, faced, strict=False):
            player.sit_down(members[decisions])
        self._faced = faced

    # Metrics

    def _learning_metrics(self, targets: RolloutTargets, learning_rate: float) -> dict[str, float]:
        explained = targets.explained_variance(self.collector.arrays.values)
        return {
            "learning_rate": learning_rate,
            "explained_variance": float(self.group.all_gather(np.array([explained])).mean()),
            "value_scale": float(self.network.value_scale),
        }

    def _rollout_metrics(
        self, stats: EpisodeStats, targets: RolloutTargets, started: float, played: float
    ) -> dict[str, float]:
        seconds = time.perf_counter() - started
        own = np.concatenate([[len(targets.rows)], stats.deals, stats.points])
        num, *summed = self.group.all_gather(own.astype(np.float64)).sum(axis=0).tolist()
        self.progress.decisions += int(num)
        all_deals, all_points = np.array(summed).reshape(2, -1)
        metrics = {
            "time/decisions_per_s": num / seconds,
            "time/play_share": (played - started) / seconds,
            "rollout/deals": float(all_deals.sum()),
        }
        seats = self.collector.workers[0].seats
        names = [f"against_{name}" for name in seats.opponents] + [f"with_{name}" for name in seats.partners]
        for name, deals, points in zip(names, all_deals[1:], all_points[1:], strict=True):
            if deals and not self.is_imitating:
                metrics[f"rollout/points_{name}"] = float(points / deals)
        return metrics

    def _check_entropy(self, metrics: dict[str, float]) -> None:
        entropy, floor = metrics.get("ppo/entropy", float("inf")), self.config.run.entropy_floor
        self._low_entropy = self._low_entropy + 1 if entropy < floor else 0
        if self._low_entropy >= COLLAPSED_UPDATES:
            raise DivergedError(
                f"the entropy has collapsed: {entropy:.4f} nats, {COLLAPSED_UPDATES} updates in a row below "
                f"run.entropy_floor = {floor:g}; raise ppo.entropy_coef or lower ppo.learning_rate"
            )

    def _measure(self) -> dict[str, float]:
        """Measure the policy against the reference; keep it if it is the best so far."""
        started = time.perf_counter()
        self.progress.measured = int(self.progress_fraction * self.config.evaluation.measurements)
        measured, is_best = None, True
        if self.group.is_first:
            agent = NeuralAgent.of(self.network, "learner")
            measured = self._measured(agent)
            if self.best is not None:
                best, boards = NeuralAgent(self.folder), self.config.evaluation.boards
                is_best = is_better(self._measure_of_strength, agent, measured, best, self.best, boards)
            keep_replay(self.evaluator, agent, self._reference, self.folder, self.progress.updates)
        measured, is_best = self.group.broadcast((measured, is_best))
        self.measurement = measurement = cast(Measurement, measured)
        if is_best:
            self.best = measurement
            if self.group.is_first:
                checkpoint.save(self.folder / "best", self.network, self._card())
        self.progress.seconds = self.group.broadcast(self.progress.seconds + time.perf_counter() - started)
        name = f"eval/{measurement.unit}"
        return {name: measurement.estimate, f"{name}_low": measurement.low, f"{name}_high": measurement.high}

    def _measured(self, agent: NeuralAgent) -> Measurement:
        """How strong an agent is, on the boards that choose the best policy."""
        boards = self.config.evaluation.boards
        return self._measure_of_strength(agent, self._reference, boards, SELECTION_SEED)

    @property
    def _measure_of_strength(self) -> Measure:
        is_for_match = self.config.game.objective == "match"
        return self.evaluator.match_percent if is_for_match else self.evaluator.points

    def _measure_best_anew(self) -> None:
        """Hold the best policy against what is measured from now on: its old score says nothing there."""
        self.measurement = None
        if self.best is not None:
            measured = self._measured(NeuralAgent(self.folder)) if self.group.is_first else None
            self.best = cast(Measurement, self.group.broadcast(measured))

    def _write(self, metrics: dict[str, float]) -> None:
        if self._metrics is None:
            project = self.config.run.wandb
            wandb = WandbRun(project, self.folder, self.config.to_dict()) if project else None
            self._metrics = MetricsWriter(self.folder, self.progress.updates - 1, wandb)
        self._metrics.write(self.progress.updates, metrics)

    # Checkpoints

    def _card(self) -> dict[str, Any]:
        return policy_file.policy_card(
            self.network,
            self.rules,
            decisions=self.progress.decisions,
            seconds=round(self.progress.seconds, 1),
            objective=self.config.game.objective,
            reference=self.config.evaluation.player,
            measured=_as_dict(self.measurement),
        )

    def _own_state(self) -> tuple[Arrays, dict[str, Any]]:
        """What this process alone knows: its workers, its random numbers, whom they face."""
        arrays: Arrays = {}
        workers = self.collector.workers
        for place, worker in enumerate(workers):
            arrays |= prefixed(f"worker{place}.", worker.get_state())
        arrays |= prefixed("seating.", seating_state(self.snapshot_players, self.league))
        facts = {
            "rng": self.rng.bit_generator.state,
            "worker_rngs": [worker.rng.bit_generator.state for worker in workers],
            "faced": self._faced,
        }
        return arrays, facts

    def _forget_deals(self) -> None:
        """Deal anew where somebody plays who remembers the deals under way: a checkpoint does not."""
        for place, worker in enumerate(self.collector.workers):
            players = [self.teachers[place]] if self.is_imitating else worker.others
            if any(player.has_memory for player in players):
                worker.deal_anew()

    def _arrays(self, own: list[tuple[Arrays, dict[str, Any]]]) -> Arrays:
        arrays = prefixed("network.", policy_file.weights(self.network))
        arrays |= prefixed("optimizer.", self.optimizer.get_state())
        arrays |= prefixed("league.", self.league.get_state())
        for rank, (of_process, _) in enumerate(own):
            arrays |= prefixed(f"process{rank}.", of_process)
        return arrays

    def _facts(self, own: list[tuple[Arrays, dict[str, Any]]]) -> dict[str, Any]:
        return {
            "config": self.config.to_dict(),
            "progress": asdict(self.progress),
            "processes": [facts for _, facts in own],
            "low_entropy": self._low_entropy,
            "measurement": _as_dict(self.measurement),
            "best": _as_dict(self.best),
        }

    def _set_facts(self, facts: dict[str, Any], own: dict[str, Any]) -> None:
        self.progress = Progress(**facts["progress"])
        self.rng.bit_generator.state = own["rng"]
        for worker, state in zip(self.collector.workers, own["worker_rngs"], strict=True):
            worker.rng.bit_generator.state = state
        self._low_entropy = int(facts["low_entropy"])
        self.measurement = Measurement.from_dict(facts["measurement"]) if facts["measurement"] else None
        self.best = Measurement.from_dict(facts["best"]) if facts["best"] else None
        self._face(own["faced"])


def _as_dict(measurement: Measurement | None) -> dict[str, Any] | None:
    return asdict(measurement) if measurement else None


def _named(prefix: str, metrics: dict[str, float]) -> dict[str, float]:
    return {f"{prefix}/{name}": number for name, number in metrics.items()}
