"""Playing tables on with one player in all seats, to see what the action of a seat leads to."""

from __future__ import annotations

# mypy: allow-untyped-calls
import copy
from dataclasses import dataclass
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from canasta_agents.asking import ask
from canasta_agents.config_checks import ConfigError
from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.search.kernels import (
    AT_NEXT_TURN,
    GOES_ON,
    IS_OVER,
    find_distinct,
    play_on,
    play_out,
    score,
)
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.engine.state import allocate, as_kernel_argument, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.rules import Rules

_WORD = np.dtype(np.uint64).itemsize


class Judge(Agent, Protocol):
    """An agent that tells what it thinks of decisions: `neural.agent.NeuralAgent`."""

    value_unit: str

    def judge(self, batch: DecisionBatch) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """The probability of each action, `(n, NUM_ACTIONS)`, and the values `(n,)`, if it has any."""
        ...


def can_judge(agent: Agent) -> TypeGuard[Judge]:
    """Whether an agent tells probabilities."""
    return hasattr(agent, "judge") and hasattr(agent, "value_unit")


def judge(agent: Judge, batch: DecisionBatch) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """See `Judge.judge`.

    Raises:
        ConfigError: If it answers anything else, or numbers that are not finite; names the agent.
    """
    probabilities, values = agent.judge(batch)
    _require_finite(probabilities, (len(batch), NUM_ACTIONS), f"{agent.name}: its probabilities")
    if values is not None:
        _require_finite(values, (len(batch),), f"{agent.name}: its values")
    return probabilities, values


def _require_finite(numbers: NDArray[np.float32], shape: tuple[int, ...], what: str) -> None:
    if np.shape(numbers) != shape or not np.isfinite(numbers).all():
        raise ConfigError(f"{what} must be finite numbers of {shape}")


@dataclass
class Tries:
    """Actions to be tried out, each at a table of its own."""

    tables: NDArray[np.void]  # (n,) STATE; played on
    seats: NDArray[np.int8]  # (n,) who searches
    actions: NDArray[np.int64]  # (n,)
    seeds: NDArray[np.uint64]  # (n,) of the chance of compiled players: the same in the same world


class RolloutPlayer:
    """Plays tables on, one player in all seats.

    Args:
        player: Who plays. Asked for many tables at once, other than compiled players as a copy that is reset.
        rules: The game.
    """

    def __init__(self, player: Agent, rules: Rules) -> None:
        self._player, self._rules, self._record = player, rules, rules_record(rules)
        self._masks = np.zeros((1, NUM_ACTIONS), np.int8)
        self._views = allocate(1, VIEW)

    def outcomes(self, tries: Tries, to_the_end: bool) -> NDArray[np.float64]:
        """What each try leads to for the searching seat.

        Args:
            tries: What to try; its tables are played on.
            to_the_end: Whether to play deals to their ends. Otherwise rollouts end at the searching seat's
                first choice in a later turn, and what the player thinks that worth counts; it has to be one
                that judges in points.

        Returns:
            `(n,) float64` points, own side's less the mean of the others'.
        """
        if isinstance(self._player, CompiledAgent):
            return self._compiled_outcomes(self._player, tries)
        if len(tries.actions) > len(self._masks):
            self._masks = np.zeros((len(tries.actions), NUM_ACTIONS), np.int8)
            self._views = allocate(len(tries.actions), VIEW)
        return self._outcomes_step_by_step(tries, to_the_end)

    def _compiled_outcomes(self, player: CompiledAgent, tries: Tries) -> NDArray[np.float64]:
        num = len(tries.actions)
        tables, is_legal, points = as_kernel_argument(tries.tables), np.empty(num, np.bool_), np.zeros(num)
        play_out(
            self._record,
            player.params,
            player.choose,
            tables,
            tries.seeds,
            tries.actions,
            self._views,
            is_legal,
        )
        if not is_legal.all():
            raise ValueError(f"{player.name} chose an illegal action in a rollout")
        score(self._record, tables, tries.seats, np.arange(num), points)
        return points

    def _outcomes_step_by_step(self, tries: Tries, to_the_end: bool) -> NDArray[np.float64]:
        num = len(tries.actions)
        player = copy.copy(self._player)
        player.reset(num, 0)
        tables, turns = as_kernel_argument(tries.tables), np.array(tries.tables["turn"])
        points, status = np.zeros(num), np.zeros(num, np.int8)
        leaves: list[DecisionBatch] = []
        which, actions = np.arange(num), tries.actions
        while len(which):
            play_on(
                self._record,
                tables,
                tries.seats,
                turns,
                to_the_end,
                which,
                actions,
                self._masks,
                self._views,
                status,
            )
            now = status[: len(which)]
            score(self._record, tables, tries.seats, which[now == IS_OVER], points)
            if (now == AT_NEXT_TURN).any():
                leaves.append(self._decisions(tables, which, now == AT_NEXT_TURN))
            asked = self._decisions(tables, which, now == GOES_ON)
            which, actions = asked.tables, _choose_once_each(player, asked)
        if leaves and can_judge(player):
            all_leaves = _concatenate(leaves)
            points[all_leaves.tables] = judge(player, all_leaves)[1]
        return points

    def _decisions(
        self, tables: NDArray[np.void], which: NDArray[np.int64], is_wanted: NDArray[np.bool_]
    ) -> DecisionBatch:
        """Some of the decisions at the tables `which`, which are in the first rows of the buffers."""
        rows = np.flatnonzero(is_wanted)
        wanted = which[rows]
        views = as_kernel_argument(_words(self._views)[rows].view(VIEW).reshape(-1))
        return DecisionBatch(self._rules, wanted, tables["to_play"][wanted], views, self._masks[rows])


def _words(views: NDArray[np.void]) -> NDArray[np.uint64]:
    """Views as numbers, `(n, words)`; NumPy copies records without the bytes between their fields."""
    return np.asarray(views).view(np.uint64).reshape(len(views), VIEW.itemsize // _WORD)


def _concatenate(batches: list[DecisionBatch]) -> DecisionBatch:
    return DecisionBatch(
        batches[0].rules,
        np.concatenate([batch.tables for batch in batches]),
        np.concatenate([batch.seats for batch in batches]),
        np.concatenate([batch.views for batch in batches]),
        np.concatenate([batch.masks for batch in batches]),
    )


def _choose_once_each(player: Agent, batch: DecisionBatch) -> NDArray[np.int64]:
    """Ask for decisions, those that look the same once only.

    They are many: until the searching seat's turn ends, it sees the same in every world.
    """
    group, first = np.empty(len(batch), np.int64), np.empty(len(batch), np.int64)
    rows = first[: find_distinct(_words(batch.views), group, first)]
    if not len(rows):
        return group
    distinct = DecisionBatch(
        batch.rules, batch.tables[rows], batch.seats[rows], batch.views[rows], batch.masks[rows]
    )
    return ask(player, distinct)[group]
