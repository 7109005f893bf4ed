"""The parts of a run, built from its config: network, actors, opponents, updates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from canasta_agents.learning.config import Config, ConfigError
from canasta_agents.learning.group import Group
from canasta_agents.learning.machine import Machine
from canasta_agents.learning.network import PolicyNetwork
from canasta_agents.learning.rollouts.actor import Actor
from canasta_agents.learning.rollouts.decisions import Columns
from canasta_agents.learning.rollouts.league import League
from canasta_agents.learning.rollouts.opponents import Opponent, PastSelf, SeatedAgent
from canasta_agents.learning.rollouts.rollout import Rollouts, actor_sizes, section_bounds
from canasta_agents.learning.rollouts.seating import PAST, Seating
from canasta_agents.learning.updates.descent import Descent
from canasta_agents.learning.updates.imitation import ImitationUpdate
from canasta_agents.learning.updates.ppo import PpoUpdate
from canasta_agents.learning.world import World


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
