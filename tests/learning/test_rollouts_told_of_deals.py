"""In training, agents with a memory are told when deals begin, and players change between deals only."""

import numpy as np
import pytest
import torch

from canasta_agents.learning.config import from_dict
from canasta_agents.learning.distributed import Device
from canasta_agents.learning.opponents import PAST
from canasta_agents.learning.trainer import build_trainer
from tests.card_counter import CardCounter

COUNTER = "python:tests.card_counter:CardCounter"


def trainer_against_counters(folder, imitation=0.0):
    config = from_dict(
        {
            "game": {"name": "classic", "players": 2},
            "network": {"width": 16, "layers": 1},
            "rollout": {"tables": 8, "steps": 200, "workers": 1},
            "ppo": {"minibatch_size": 256},
            "opponents": {"self_play": 0.25, "past": 0.0, "reference": 0.75, "players": [COUNTER]},
            "imitation": {"share": imitation, "teacher": COUNTER, "dagger_share": 0.0},
            "evaluation": {"measurements": 0, "boards": 2},
            "run": {"decisions": 12_000, "seed": 3},
        }
    )
    return build_trainer(
        config, folder, Device(cores=1, torch_device=torch.device("cpu"), precision=torch.float32)
    )


def test_a_card_counter_counts_whole_deals_in_training_and_after_a_resume(tmp_path):
    first = trainer_against_counters(tmp_path)
    for _ in range(4):
        first.advance()
    (worker,) = first.collector.workers
    counter = worker.others[0]._agent
    assert isinstance(counter, CardCounter)
    own = set(worker.seats.tables_against(COUNTER).tolist())
    assert counter.tables_told == counter.tables_asked == own != set(range(8))
    assert counter.resets == 1
    assert sum(counter.told) > len(own)
    first.save()
    first.close()
    second = trainer_against_counters(tmp_path)
    second.resume()
    for _ in range(2):
        second.advance()
    second.close()
    assert second.collector.workers[0].others[0]._agent.tables_told == own


def test_a_card_counter_teaches_whole_deals_and_then_plays_whole_deals(tmp_path):
    trainer = trainer_against_counters(tmp_path, imitation=0.2)
    while trainer.is_imitating:
        trainer.advance()
    teacher, opponent = trainer.teachers[0]._agent, trainer.collector.workers[0].others[0]._agent
    assert teacher.tables_told == set(range(8))
    assert teacher.resets == 1
    assert opponent.told == []
    trainer.advance()
    trainer.close()
    assert opponent.tables_asked <= opponent.tables_told != set()


@pytest.fixture
def busy_config(small_config):
    """Rollouts that end in the middle of deals, and a new snapshot in each."""
    return small_config(
        rollout={"tables": 32, "steps": 7, "workers": 2},
        opponents={"past": 1.0, "players": ["right"], "freeze_every": 1, "past_selves": 1},
        run={"decisions": 4_000},
    )


def spread_deals(trainer):
    """Let a few deals end in every rollout."""
    for worker in trainer.collector.workers:
        worker.tables._turn += 3 * (np.arange(worker.num_tables) % 4)
    return trainer


def test_past_selves_change_between_deals_only(make_trainer, busy_config):
    trainer = spread_deals(make_trainer(busy_config))
    trainer.advance()
    changes = 0
    for _ in range(12):
        before = [player.seating for player in trainer.snapshot_players]
        deals = [worker.tables._turn.copy() for worker in trainer.collector.workers]
        trainer.advance()
        for worker, player, seating, turn in zip(
            trainer.collector.workers, trainer.snapshot_players, before, deals, strict=True
        ):
            against = worker.seats.tables_against(PAST)
            has_changed = (player.seating != seating)[against]
            has_ended = (worker.tables._turn < turn)[against]
            assert (has_changed == has_ended).all()
            changes += has_changed.sum()
    assert changes > 10


def test_a_run_whose_dropped_snapshots_still_play_resumes_to_the_bit(make_trainer, busy_config):
    whole, first = (spread_deals(make_trainer(busy_config)) for _ in range(2))
    for _ in range(9):
        whole.advance()
    for _ in range(6):
        first.advance()
    kept = [member.decisions for member in first.league.members]
    seated = {each.decisions for player in first.snapshot_players for each in player.seated}
    assert seated - set(kept)  # dropped by the league, and still at tables
    first.save()
    second = make_trainer(busy_config, first.folder)
    second.resume()
    for _ in range(3):
        second.advance()
    for ours, theirs in zip(
        second.network.state_dict().values(), whole.network.state_dict().values(), strict=True
    ):
        assert np.array_equal(ours.numpy(), theirs.numpy())
