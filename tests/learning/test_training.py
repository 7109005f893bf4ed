"""Training as a whole: a tiny game is solved, a run that cannot go on says so, and who sits where."""

import json

import numpy as np
import pytest
import torch

from canasta_agents.learning.config import Opponents
from canasta_agents.learning.opponents import LEARNER, League, SeatAssignment
from canasta_agents.learning.ppo import DivergedError
from canasta_agents.learning.schedule import linear_schedule
from canasta_agents.neural.agent import NeuralAgent
from canasta_agents.neural.distribution import find_forced
from canasta_agents.neural.network import FlatNetwork
from canasta_env.actions import DRAW

from .conftest import replace
from .fake import FIRST_CHOICE, FakeTables, share_right


def train(trainer):
    while not trainer.is_over:
        metrics = trainer.advance()
    return metrics


@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("critic", ["shared", "separate", "privileged"])
def test_self_play_solves_a_tiny_game(make_trainer, small_config, critic, precision):
    trainer = make_trainer(small_config(network={"critic": critic}), precision=precision)
    train(trainer)
    tables = FakeTables(500, seed=9)
    tables.step(np.full(500, DRAW))
    for choice in ("best", "drawn"):
        agent = NeuralAgent.of(trainer.network, "learner", choice)
        assert share_right(agent, tables) > 0.95


def test_imitation_learns_the_teachers_choices(make_trainer, small_config):
    trainer = make_trainer(small_config(imitation={"share": 1.0, "learning_rate": 3e-3}))
    assert train(trainer)["imitation/agreement"] > 0.95
    assert trainer.measurement.estimate > 95


def test_the_best_policy_is_kept_and_plays_from_its_folder(make_trainer, small_config):
    trainer = make_trainer(small_config())
    train(trainer)
    trainer.save()
    tables = FakeTables(200, seed=4)
    tables.step(np.full(200, DRAW))
    agent = NeuralAgent(trainer.folder)
    agent.reset(200, seed=0)
    assert share_right(agent, tables) > 0.95
    card = json.loads((trainer.folder / "best" / "policy.json").read_text())
    assert card["measured"]["estimate"] == trainer.best.estimate


def test_every_decision_of_the_learner_is_learnt_from_once(make_trainer, small_config):
    config = small_config(opponents={"self_play": 1.0, "past": 0.0, "reference": 0.0})
    trainer = make_trainer(config)
    for _ in range(5):
        trainer.advance()
    played = 5 * config.rollout.steps * config.rollout.tables // 2  # every second action is forced
    still_pending = sum(int((worker.buffer.pending_rows >= 0).sum()) for worker in trainer.collector.workers)
    assert trainer.progress.decisions == played - still_pending


def test_a_run_with_an_undefined_number_stops(make_trainer, small_config):
    trainer = make_trainer(small_config())
    trainer.network.value_head.bias.data.fill_(float("nan"))
    with pytest.raises(DivergedError, match=r"has become nan: the run has diverged"):
        for _ in range(3):
            trainer.advance()


def test_a_run_whose_entropy_collapses_stops(make_trainer, small_config):
    trainer = make_trainer(replace(small_config(), "run", entropy_floor=10.0))
    with pytest.raises(DivergedError, match=r"the entropy has collapsed"):
        train(trainer)
    assert trainer.progress.updates == 5


def test_seats_are_shared_out_as_configured():
    shares = Opponents(self_play=0.5, past=0.25, reference=0.25, players=("a", "b"))
    assignment = SeatAssignment(shares, num_tables=80, players=4, num_sides=2)
    assert assignment.opponents == ["past", "a", "b"]
    assert np.bincount(assignment.groups).tolist() == [40, 20, 10, 10]
    assert (assignment.owners[:40] == LEARNER).all()
    for table in range(40, 80):
        own = assignment.owners[table] == LEARNER
        assert own.tolist() in ([True, False, True, False], [False, True, False, True])
    assert (assignment.owners[40:, 0] == LEARNER).sum() == 20  # either side equally often
    seats, is_choice = np.zeros(80, np.int8), np.arange(80) % 3 > 0
    asked = [assignment.tables_of(owner, seats, is_choice) for owner in range(4)]
    assert sorted(np.concatenate(asked).tolist()) == np.flatnonzero(is_choice).tolist()


def test_three_players_are_three_sides():
    assignment = SeatAssignment(
        Opponents(self_play=0, past=1, reference=0), num_tables=6, players=3, num_sides=3
    )
    assert (assignment.owners == LEARNER).sum(axis=0).tolist() == [2, 2, 2]
    assert (assignment.owners == LEARNER).sum(axis=1).tolist() == [1] * 6


def test_an_opponents_decisions_are_not_learnt_from(make_trainer, small_config):
    trainer = make_trainer(small_config(opponents={"self_play": 0.0, "past": 0.0, "players": ["wrong"]}))
    trainer.collector.collect(trainer.network, 24)
    arrays = trainer.collector.arrays
    for worker, start in trainer.collector.sections():
        rows = slice(start, start + worker.buffer.size)
        right = arrays.observations[rows, :4].argmax(axis=1)
        chosen = arrays.actions[rows]
        # The wrong player always misses by one; an untrained policy hits about every fourth time.
        assert 0.1 < (chosen == FIRST_CHOICE + right).mean() < 0.5


def test_forced_actions_are_played_and_not_learnt_from(make_trainer, small_config):
    trainer = make_trainer(small_config())
    trainer.collector.collect(trainer.network, 24)  # the tables refuse illegal actions
    arrays = trainer.collector.arrays
    for worker, start in trainer.collector.sections():
        assert (arrays.masks[start : start + worker.buffer.size].sum(axis=1) > 1).all()
        assert worker.buffer.size > 0


def test_find_forced_fills_in_the_only_legal_action_and_leaves_the_others():
    actions = np.array([7, 7, 7])
    is_choice = find_forced(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 1]], np.int8), actions)
    assert is_choice.tolist() == [False, True, False]
    assert actions.tolist() == [1, 7, 2]


def test_the_league_keeps_the_first_the_newest_and_an_even_spread(small_config):
    league = League(capacity=4)
    network = FlatNetwork(small_config().network, 5)
    for decisions in range(0, 1700, 100):
        league.add_snapshot(network, decisions)
    kept = [member.decisions for member in league.members]
    assert kept[0] == 0
    assert kept[-1] == 1600
    assert len(kept) == 4
    assert np.diff(kept).max() <= 3 * np.diff(kept).min()


def test_a_snapshot_does_not_learn_on(small_config):
    league, network = League(2), FlatNetwork(small_config().network, 5)
    league.add_snapshot(network, 0)
    before = league.members[0].network.policy_head.weight.clone()
    network.policy_head.weight.data.add_(1)
    assert (league.members[0].network.policy_head.weight == before).all()


def test_changing_the_unit_of_values_keeps_the_values(small_config):
    import torch

    network = FlatNetwork(small_config().network, 5)
    observations = torch.ones(3, 5, dtype=torch.int8)
    before = network(observations, observations)[1] * network.value_scale
    network.rescale_values(650.0)
    after = network(observations, observations)[1] * network.value_scale
    assert network.value_scale.item() == 650
    assert after.tolist() == pytest.approx(before.tolist(), rel=1e-4)


def test_schedules_are_linear_and_stop_at_their_ends():
    assert [linear_schedule(1.0, 0.0, fraction) for fraction in (-1, 0, 0.25, 1, 2)] == [1, 1, 0.75, 0, 0]


def test_a_rollout_without_an_outcome_is_no_diverged_run(make_trainer, small_config):
    """In two steps each seat at most draws: kl became nan, and a smaller learning rate was advised."""
    trainer = make_trainer(small_config(rollout={"tables": 8, "steps": 2}, run={"decisions": 200}))
    before = trainer.network.value_head.weight.clone()
    metrics = trainer.advance()
    assert trainer.progress.decisions == 0
    assert metrics["ppo/epochs"] == 0
    assert "ppo/kl" not in metrics
    assert (trainer.network.value_head.weight == before).all()
    while not trainer.is_over:
        trainer.advance()
    assert trainer.progress.decisions >= 200
