"""A tiny game behind the interface of VectorTables: one action is right, and the observation says which."""

from __future__ import annotations

import numpy as np

from canasta_agents.learning.evaluation import Measurement
from canasta_agents.neural.agent import NeuralAgent
from canasta_env import Table, classic
from canasta_env.actions import DRAW, NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.records import Record, Recorder

CHOICES = 4  # the right action is 10 + one of these
FIRST_CHOICE = 10
TURNS = 3  # turns of each seat in a deal
POINTS = 100.0  # for each right action


class FakeTables:
    """Four seats in turn draw (no choice) and then choose; the side with more right actions scores."""

    def __init__(self, num_tables: int, seed: int, players: int = 4) -> None:
        self.num_tables, self.players = num_tables, players
        self.steps = 0
        self.reset(seed)

    def reset(self, seed: int) -> None:
        num_tables = self.num_tables
        self._rng = np.random.default_rng(seed)
        self.to_play = np.zeros(num_tables, np.int8)
        self._turn = np.zeros(num_tables, np.int64)
        self._draws = np.ones(num_tables, bool)
        self._right = self._rng.integers(CHOICES, size=num_tables)
        self._score = np.zeros((num_tables, 2), np.float32)

    @property
    def masks(self):
        masks = np.zeros((self.num_tables, NUM_ACTIONS), np.int8)
        masks[self._draws, DRAW] = 1
        masks[~self._draws, FIRST_CHOICE : FIRST_CHOICE + CHOICES] = 1
        return masks

    @property
    def views(self):
        views = np.zeros(self.num_tables, [("right", np.int8), ("turn", np.int16)])
        views["right"], views["turn"] = self._right, self._turn
        return views

    @property
    def observations(self):
        observations = np.zeros((self.num_tables, CHOICES + 2), np.int8)
        observations[np.arange(self.num_tables), self._right] = 1
        observations[:, CHOICES] = self._draws
        observations[:, CHOICES + 1] = 1
        return observations

    @property
    def critic_states(self):
        return np.concatenate([self.observations, self.observations], axis=1)

    def step(self, actions):
        assert self.masks[np.arange(self.num_tables), actions].all(), "an illegal action was played"
        is_right = ~self._draws & (actions == FIRST_CHOICE + self._right)
        self._score[np.arange(self.num_tables), self.to_play % 2] += POINTS * is_right
        ends_turn = ~self._draws
        self._draws = ends_turn.copy()
        self.to_play = np.where(ends_turn, (self.to_play + 1) % self.players, self.to_play).astype(np.int8)
        self._turn += ends_turn
        self._right = np.where(ends_turn, self._rng.integers(CHOICES, size=self.num_tables), self._right)
        ended = self._turn == TURNS * self.players
        ahead = self._score[:, 0] - self._score[:, 1]
        points = np.stack([ahead, -ahead] * 2, axis=1) * ended[:, None]
        self._turn[ended] = 0
        self._score[ended] = 0
        self.steps += 1
        return ended, points.astype(np.float32)

    def get_state(self):
        words = np.array([self._rng.bit_generator.state["state"][name] for name in ("state", "inc")], object)
        halves = [[int(word) >> 64, int(word) & (2**64 - 1)] for word in words]
        return {
            "rng": np.array(halves, np.uint64),
            "to_play": self.to_play.copy(),
            "turn": self._turn.copy(),
            "draws": self._draws.copy(),
            "right": self._right.copy(),
            "score": self._score.copy(),
        }

    def set_state(self, state):
        words = [(int(high) << 64) | int(low) for high, low in state["rng"]]
        self._rng.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": words[0], "inc": words[1]},
            "has_uint32": 0,
            "uinteger": 0,
        }
        self.to_play, self._turn = state["to_play"].copy(), state["turn"].copy()
        self._draws, self._right = state["draws"].copy(), state["right"].copy()
        self._score = state["score"].copy()


class FakePlayer:
    """Always right, or never."""

    def __init__(self, name: str) -> None:
        self.name = name

    def reset(self, num_tables: int, seed: int) -> None:
        pass

    def act(self, batch: DecisionBatch):
        shift = 0 if self.name == "right" else 1
        chosen = FIRST_CHOICE + (batch.views["right"].astype(np.int64) + shift) % CHOICES
        return np.where(batch.masks[:, DRAW] == 1, DRAW, chosen)


class FakeEvaluator:
    """The share of right choices, as points."""

    def points(self, agent, reference, boards: int, seed: int) -> Measurement:
        tables = FakeTables(boards, seed)
        tables.step(np.full(boards, DRAW))
        share = share_right(agent, tables)
        if isinstance(reference, NeuralAgent):
            share -= share_right(reference, tables)
        return Measurement(share * POINTS, share * POINTS - 1, share * POINTS + 1, boards)

    def matches(self, agent, reference, boards: int, seed: int) -> Measurement:
        share = self.points(agent, reference, boards, seed).estimate / POINTS
        return Measurement(share, share, share, boards)

    def replay(self, agent, reference, seed: int) -> Record:
        recorder = Recorder(classic(4), seed)
        recorder.begin(Table(classic(4), seed=seed))
        return recorder.record()


def share_right(agent, tables) -> float:
    batch = DecisionBatch(
        classic(4), np.arange(tables.num_tables), tables.to_play, tables.views, tables.masks
    )
    batch._observations = tables.observations
    return float(np.mean(agent.act(batch) == FIRST_CHOICE + tables.views["right"]))


FAKE_GAME = {  # arguments of a Trainer
    "rules": classic(4),
    "make_tables": FakeTables,
    "make_agent": FakePlayer,
    "evaluator": FakeEvaluator(),
}
