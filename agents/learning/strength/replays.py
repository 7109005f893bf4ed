"""Deals as a policy plays them while it learns, as records to be stepped through."""

from __future__ import annotations

import numpy as np

from canasta_env import Table
from canasta_env.actions import NOTATIONS
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.records import Record, Recorder
from canasta_env.rules import Rules

FOLDER = "replays"


def record_deal(rules: Rules, agent: Agent, reference: Agent, seed: int) -> Record:
    """Play one deal, side 0 by `agent` and every other by `reference`."""
    table, recorder = Table(rules, seed=seed), Recorder(rules, seed)
    recorder.begin(table)
    for player in (agent, reference):
        player.reset(1, seed)
    while (seat := table.to_play) is not None:
        batch = DecisionBatch(
            rules,
            tables=np.zeros(1, np.int64),
            seats=np.array([seat], np.int8),
            views=table.view(seat).reshape(1),
            masks=table.action_mask()[None],
        )
        player = agent if rules.side_of(seat) == 0 else reference
        recorder.play(NOTATIONS[int(player.act(batch)[0])])
    return recorder.record()
