"""Measurements of a run."""

from __future__ import annotations

from canasta_agents.learning import evaluation
from canasta_agents.learning.evaluation import BoardEvaluator
from canasta_agents.registry import make
from canasta_env import classic


def test_a_busy_machine_ends_no_run(monkeypatch) -> None:
    """A run ended with an error when a measurement's decisions took longer than a tournament allows."""
    allowed, play_block = [], evaluation.play_block

    def play(block, players):
        allowed.append(block.decision_time_s)
        return play_block(block, players)

    monkeypatch.setattr(evaluation, "play_block", play)
    rules = classic(2)
    player = make("random", rules)
    assert BoardEvaluator(rules, "zero").points(player, player, boards=2, seed=1).boards == 2
    assert min(allowed) >= 600
