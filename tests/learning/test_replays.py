"""Replays of a policy are records that verify, one for each measurement."""

from __future__ import annotations

from canasta_agents import registry
from canasta_agents.learning.evaluation import REPLAY_FOLDER, record_deal
from canasta_env import classic
from canasta_env.records import read, verify


def test_a_replay_is_a_whole_deal_that_verifies() -> None:
    rules = classic(2)
    record = record_deal(rules, registry.make("random", rules), registry.make("greedy", rules), seed=3)
    assert verify(record).deals[0].points is not None
    again = record_deal(rules, registry.make("random", rules), registry.make("greedy", rules), seed=3)
    assert again == record


def test_every_measurement_leaves_a_replay(make_trainer, small_config) -> None:
    trainer = make_trainer(small_config(evaluation={"measurements": 2}))
    while not trainer.is_over:
        trainer.advance()
    replays = sorted((trainer.folder / REPLAY_FOLDER).iterdir())
    assert len(replays) == 2
    assert read(replays[0]).rules == classic(4)
