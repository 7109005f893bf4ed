"""Partners in training: where they sit, what is learnt from beside them, and that a run with them resumes."""

from pathlib import Path

import numpy as np
import pytest
import torch

from canasta_agents.learning.buffer import DEAL_ENDED, NO_ROW
from canasta_agents.learning.config import Opponents, from_dict
from canasta_agents.learning.distributed import Device
from canasta_agents.learning.opponents import LEARNER, SeatAssignment
from canasta_agents.learning.trainer import build_trainer
from canasta_agents.neural import policy_file
from tests.card_counter import CardCounter

from .fake import TURNS

COUNTER = "python:tests.card_counter:CardCounter"
FOUR = {"name": "classic", "players": 4}


@pytest.fixture
def config_with_partners(small_config):
    """A function: tables with partners, and the rest in self-play."""

    def make(share=0.5, **sections):
        opponents = {"self_play": 1 - share, "past": 0.0, "reference": 0.0, "with_partners": share}
        return small_config(game=FOUR, opponents={**opponents, "partners": ["wrong"]}, **sections)

    return make


def test_a_partner_has_one_seat_and_the_learner_the_others_in_turn():
    shares = Opponents(
        self_play=0.25,
        past=0.0,
        reference=0.25,
        players=("a",),
        with_partners=0.5,
        partners=("a", "b"),
    )
    seats = SeatAssignment(shares, num_tables=64, players=4, num_sides=2)
    assert (seats.opponents, seats.partners) == (["a"], ["a", "b"])
    assert seats.tables_against("a").tolist() == list(range(16, 32))
    for place, name in enumerate(seats.partners, start=2):
        tables = seats.tables_with(name)
        assert len(tables) == 16
        assert (np.sort(seats.owners[tables]) == [LEARNER, LEARNER, LEARNER, place]).all()
        assert (seats.owners[tables] == place).sum(axis=0).tolist() == [4, 4, 4, 4]
        partner_seats = (seats.owners[tables] == place).argmax(axis=1)
        assert ((partner_seats + 2) % 4 == seats.learner_seats[tables]).all()


def test_without_partners_the_seats_are_as_they_were():
    named = Opponents(partners=("a",))  # a share of 0
    seats, usual = (SeatAssignment(shares, 40, 4, 2) for shares in (named, Opponents()))
    assert seats.partners == []
    assert np.array_equal(seats.owners, usual.owners)
    assert np.array_equal(seats.learner_seats, np.arange(40) % 2)


def test_only_the_learners_seats_bring_experience_and_each_is_paid_its_sides_points(
    make_trainer, config_with_partners
):
    trainer = make_trainer(config_with_partners(share=1.0, rollout={"workers": 1}))
    (worker,) = trainer.collector.workers
    paid = []
    step = worker.tables.step
    worker.tables.step = lambda actions: paid.append(step(actions)) or paid[-1]
    trainer.collector.collect(trainer.network, 8 * TURNS)  # a deal at every table: seats draw and choose
    owners, buffer = worker.seats.owners, worker.buffer
    assert buffer.size == (owners == LEARNER).sum() * TURNS == 3 * TURNS * worker.num_tables
    ended, points = paid[-1]
    assert ended.all()
    assert (points != 0).any()
    last = np.flatnonzero(buffer.arrays.next_row[: buffer.size] == DEAL_ENDED)
    expected = [points[owners[:, seat] == LEARNER, seat] for seat in range(4)]  # seats decide in turn
    assert np.array_equal(buffer.arrays.rewards[last], np.concatenate(expected))
    trainer.collector.collect(trainer.network, 7)  # three seats have chosen
    assert (buffer.pending_rows[owners != LEARNER] == NO_ROW).all()
    assert (buffer.pending_rows[:, :3] != NO_ROW).sum() == (owners[:, :3] == LEARNER).sum()


def test_what_a_pair_scores_is_reported_by_its_partner(make_trainer, config_with_partners):
    trainer = make_trainer(config_with_partners())
    metrics = trainer.advance()
    # The partner never chooses right, an untrained learner about every fourth time.
    assert metrics["rollout/points_with_wrong"] < 0
    assert "rollout/points_against_wrong" not in metrics


def test_a_learner_beside_a_partner_learns(make_trainer, config_with_partners):
    trainer = make_trainer(config_with_partners(share=1.0))
    while not trainer.is_over:
        trainer.advance()
    assert trainer.best is not None
    assert trainer.best.estimate > 90


def test_a_run_with_partners_resumes_to_the_bit(whole_and_resumed, config_with_partners):
    config = config_with_partners(run={"decisions": 6_000})
    whole, second = whole_and_resumed(config)
    ours, theirs = (policy_file.weights(trainer.network) for trainer in (second, whole))
    assert all(np.array_equal(ours[name], theirs[name]) for name in theirs)


def trainer_beside(partners: list[str], folder: Path):
    config = from_dict(
        {
            "game": FOUR,
            "network": {"width": 8, "row_width": 8, "layers": 1},
            "rollout": {"tables": 8, "steps": 150, "workers": 1},
            "ppo": {"minibatch_size": 256},
            "opponents": {
                "self_play": 0.5,
                "past": 0.0,
                "reference": 0.0,
                "with_partners": 0.5,
                "partners": partners,
            },
            "evaluation": {"measurements": 0, "boards": 2},
            "run": {"decisions": 12_000, "seed": 3},
        }
    )
    device = Device(cores=1, torch_device=torch.device("cpu"), precision=torch.float32)
    return build_trainer(config, folder, device)


def test_a_card_counter_and_a_run_as_partners_see_whole_deals_and_after_a_resume_too(tmp_path):
    other = trainer_beside([COUNTER], tmp_path / "other")
    other.save()
    other.close()
    partners = [COUNTER, f"neural:{tmp_path / 'other'}"]
    trainers = [trainer_beside(partners, tmp_path / "run") for _ in range(2)]
    for trainer, is_resumed in zip(trainers, (False, True), strict=True):
        if is_resumed:
            trainer.resume()
        for _ in range(2):
            trainer.advance()
        (worker,) = trainer.collector.workers
        counter = worker.others[0]._agent
        assert isinstance(counter, CardCounter)
        own = set(worker.seats.tables_with(COUNTER).tolist())
        assert counter.tables_told == counter.tables_asked == own != set()
        assert counter.resets == 1
        trainer.save()
        trainer.close()
