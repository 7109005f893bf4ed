"""Opponents by name, and what is none."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from canasta_env import CanastaSeatEnv, CanastaSeatVectorEnv
from canasta_env.agent import DecisionBatch
from canasta_env.evaluation import points_per_deal
from tests.env.environments import GAMES, IDS, legal

FORMS = [CanastaSeatEnv, CanastaSeatVectorEnv]
each_form = pytest.mark.parametrize("form", FORMS)


@pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)
def test_a_name_of_an_agent_is_the_agent(game: str, players: int) -> None:
    from canasta_agents.registry import make

    env = CanastaSeatEnv(game, players, opponents="heuristic")
    expected = CanastaSeatEnv(game, players, opponents=make("heuristic", env.rules))
    observation, _ = env.reset(seed=3)
    assert np.array_equal(observation["observation"], expected.reset(seed=3)[0]["observation"])
    for _ in range(20):
        action = legal(observation)[-1]
        observation, _, is_over, *_ = env.step(action)
        assert np.array_equal(observation["observation"], expected.step(action)[0]["observation"])
        if is_over:
            break


def test_names_go_through_gymnasium_s_make_and_make_vec() -> None:
    name = "canasta_env:canasta/ClassicSeat-v1"
    env = gymnasium.make(name, opponents="heuristic")
    observation, _ = env.reset(seed=1)
    env.step(legal(observation)[0])
    envs = gymnasium.make_vec(name, num_envs=3, opponents=["closer", "random", "watcher"])
    observations, _ = envs.reset(seed=1)
    envs.step(observations["action_mask"].argmax(axis=1))


def test_points_against_a_name() -> None:
    points = points_per_deal(
        lambda _, masks: masks.argmax(axis=1), "classic", 2, deals=5, opponents="heuristic"
    )
    assert points.deals == 5


def test_names_agents_callables_and_chance_sit_at_one_table() -> None:
    env = CanastaSeatEnv("classic", opponents=["closer", lambda seen: legal(seen)[0], None])
    observation, _ = env.reset(seed=1)
    env.step(legal(observation)[0])


class NoReset:
    def act(self, batch: Any) -> Any:
        return np.zeros(len(batch), np.int64)


class Answers(NoReset):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def reset(self, num_tables: int, seed: int) -> None: ...

    def act(self, batch: Any) -> Any:
        return self.answer


@each_form
@pytest.mark.parametrize(
    ("opponents", "reason"),
    [
        ("nobody", "opponents: no agent 'nobody' for modern_american; the agents are "),
        (["keeper", "nobody", "keeper"], r"opponents\[1\]: no agent 'nobody'"),
        ("heuristic" * 1_000, "opponents: 'heuristicheur.* is not an agent's name"),
        (["keeper"], "opponents: 1 of them; there are 3 other seats"),
        (NoReset(), "opponents: .* is neither a callable, nor an agent with `reset` and `act`"),
        (Answers, "opponents: .* is neither"),
        (5, "opponents: 5 is neither"),
        ([None, 5, None], r"opponents\[1\]: 5 is neither"),
        ("neural:" + "x" * 900, r"opponents: 'neural:x+\.\.\. cannot be read: File name too long"),
        ("python:.bots:Careful", "opponents: 'python:.bots:Careful' should read python:module:Class"),
    ],
)
def test_who_is_no_opponent(form: Any, opponents: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        form(opponents=opponents)


@each_form
@pytest.mark.parametrize("answer", [None, 0, [0, 0], [0.0], np.zeros((1, 1), int), "draw", [[0], [0, 1]]])
def test_an_agent_that_answers_what_is_no_action_is_named(form: Any, answer: Any) -> None:
    env = form(opponents=Answers(answer))
    with pytest.raises(
        ValueError, match=r"opponents: the actions of <.*Answers.* must be integers of \(1,\)"
    ):
        for seed in range(20):  # until an opponent begins
            env.reset(seed=seed)


def test_the_environments_stand_without_the_agents() -> None:
    """`import canasta_env` needs none of them; a name then says what to install."""
    program = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "canasta_agents":
            raise ModuleNotFoundError("No module named 'canasta_agents'", name="canasta_agents")
sys.meta_path.insert(0, Absent())
import canasta_env
assert "canasta_agents" not in sys.modules
try:
    canasta_env.CanastaSeatEnv(opponents="heuristic")
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("opponents: 'heuristic' is an agent's name; those come with the package")
    assert "pip install canasta-env" in done.stdout


@pytest.mark.parametrize("program", ["del pettingzoo.register", "pettingzoo.register = None"])
def test_import_works_where_pettingzoo_has_no_register(program: str) -> None:
    """PettingZoo 1.24 to 1.26, to which other libraries are pinned."""
    text = f"import pettingzoo; {program}; import canasta_env, gymnasium; print(canasta_env.env())"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "canasta" in done.stdout


class Scribbling:
    """Plays the first legal action, and writes into all that it was given."""

    name = "scribbling"

    def __init__(self, writes: bool) -> None:
        self.writes = writes

    def reset(self, num_tables: int, seed: int) -> None:
        pass

    def act(self, batch: DecisionBatch) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = batch.masks.argmax(axis=1)
        if self.writes:
            batch.tables[:] = 1
            batch.seats[:] = 0
            batch.masks[:] = 1
            batch.views[:] = np.zeros((), batch.views.dtype)
        return actions


def test_an_agent_that_writes_into_what_it_is_given_was_asked_for_another_table() -> None:
    played = []
    for writes in (False, True):
        env = CanastaSeatVectorEnv("classic", num_envs=3, opponents=Scribbling(writes))
        observations, _ = env.reset(seed=5)
        for _ in range(30):
            observations, *_ = env.step(observations["action_mask"].argmax(axis=1))
        played.append(observations["observation"])
    assert (played[0] == played[1]).all()
