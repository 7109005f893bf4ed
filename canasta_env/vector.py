"""VectorTables: many tables stepped together, for training and tournaments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.engine import batch
from canasta_env.engine.dealing import mix
from canasta_env.engine.encoding import encode_critic_states, encode_views
from canasta_env.engine.layout import critic_size, observation_size
from canasta_env.engine.state import NOBODY, STATE, allocate, as_kernel_argument, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.explain import IllegalActionError
from canasta_env.rules import Rules
from canasta_env.state_checks import check_tables
from canasta_env.validation import (
    check_choice,
    check_flag,
    check_rules,
    check_seed,
    check_start_scores,
    integers,
    whole_number,
)

MAX_TABLES = 1 << 20
MAX_CYCLES = 10**9
Scores = Literal["zero", "drawn"] | Sequence[int]


class StepResult(NamedTuple):
    """What a step brought about; the arrays are buffers, overwritten by the next step."""

    ended: NDArray[np.bool_]  #: whether the deal ended with this action, (num_tables,)
    points: NDArray[np.float32]  #: each seat's points of a deal that ended, else 0, (num_tables, players)


class VectorTables:
    """Tables of one game, stepped together; a deal that ends is followed by the next in the same step.

    `masks`, `views`, `observations` and `critic_states` are of the seat to move at each table. They are
    buffers of this object and are overwritten by the next `step`: copy what is to be kept. So is
    `deal_totals`, `(num_tables, num_sides) int64`: what each side scored in a deal that the last step ended,
    else 0. So is `truncated`, `(num_tables,) bool`: where the last step met `max_cycles`.

    Args:
        rules: The game.
        num_tables: How many tables.
        seed: Fixes every shuffle, dealer and drawn score.
        episode: "match": deals follow each other until a side has won, then a new match begins. "deal": each
            deal stands for itself, its dealer drawn.
        scores: Match scores at the start of each deal with `episode="deal"`: 0, drawn so that every opening
            minimum comes up equally often, or one number a side.
        check: Raise on an illegal action; False saves the check where actions come from the masks.
        max_cycles: Decisions, of all seats together, after which an episode, a deal or a match, is cut off
            unpaid and the next begun; never if None.

    Raises:
        ValueError: Names the argument that does not fit.
    """

    def __init__(
        self,
        rules: Rules,
        num_tables: int,
        seed: int = 0,
        *,
        episode: Literal["deal", "match"] = "deal",
        scores: Scores = "zero",
        check: bool = True,
        max_cycles: int | None = None,
    ) -> None:
        self.rules = check_rules(rules)
        self.num_tables = num_tables = whole_number(num_tables, "num_tables", 1, MAX_TABLES)
        self.episode = check_choice(episode, "episode", ("deal", "match"))
        self.check = check_flag(check, "check")
        self.max_cycles = (
            None if max_cycles is None else whole_number(max_cycles, "max_cycles", 1, MAX_CYCLES)
        )
        self._draws_scores, self._scores = check_start_scores(scores, rules, episode == "match")
        self._rules = rules_record(rules)
        self._states = allocate(num_tables)
        self.masks = np.zeros((num_tables, NUM_ACTIONS), np.int8)
        self.views = allocate(num_tables, VIEW)
        self._observations = np.zeros((num_tables, observation_size(rules)), np.int8)
        self._critic_states = np.zeros((num_tables, critic_size(rules)), np.int8)
        self._ended = np.zeros(num_tables, np.bool_)
        self._points = np.zeros((num_tables, rules.players), np.float32)
        self.deal_totals = np.zeros((num_tables, rules.num_sides), np.int64)
        self.match_winner = np.full(num_tables, NOBODY, np.int8)
        self.truncated = np.zeros(num_tables, np.bool_)
        self._cycles = np.zeros(num_tables, np.int64)
        self._every_table = np.arange(num_tables)
        self._is_encoded = self._has_critic_states = False
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        """Deal anew at every table."""
        seeds = np.random.SeedSequence(check_seed(seed)).generate_state(self.num_tables, np.uint64)
        for table in range(self.num_tables):
            batch.start_match(self._rules, self._states, table, seeds[table])
            if self.episode == "deal":
                if self._scores is not None:
                    self._states["scores"][table, : self.rules.num_sides] = self._scores
                batch.start_deal_apart(self._rules, self._states, table, self._draws_scores)
        self.match_winner[:] = NOBODY
        self._cycles[:] = 0
        self.truncated[:] = False
        self._observe()

    def step(self, actions: ArrayLike) -> StepResult:
        """Play one action at every table.

        Args:
            actions: `(num_tables,)` integer action ids, each legal by `masks`.

        Returns:
            Where deals ended, and their points; see `StepResult`.

        Raises:
            ValueError: If `actions` has another shape or type.
            IllegalActionError: With `check`, if an action is not legal; nothing has been played then.
        """
        given = integers(actions, self.num_tables, "actions")
        if self.check:
            self._refuse_illegal(given)
        actions = np.array(given, np.int64)  # a copy that kernels may read, whatever array was given
        batch.advance_all(
            self._rules,
            self._states,
            actions,
            self.episode == "match",
            self._draws_scores,
            self._ended,
            self._points,
            self.deal_totals,
            self.match_winner,
        )
        if self.max_cycles is not None:
            self._cut_off(self.max_cycles)
        self._observe()
        return StepResult(self._ended, self._points)

    @property
    def to_play(self) -> NDArray[np.int8]:
        """The seat to move at each table, `(num_tables,) int8`, a buffer."""
        seats: NDArray[np.int8] = self._states["to_play"]
        return seats

    @property
    def scores(self) -> NDArray[np.int64]:
        """Match scores when the current deals began, `(num_tables, num_sides) int64`, a copy."""
        scores: NDArray[np.int64] = self._states["scores"][:, : self.rules.num_sides].copy()
        return scores

    @property
    def match_ended(self) -> NDArray[np.bool_]:
        """Where a match was won in the last step, `(num_tables,) bool`; `match_winner` says by which side."""
        ended: NDArray[np.bool_] = self.match_winner != NOBODY
        return ended

    @property
    def observations(self) -> NDArray[np.int8]:
        """Observations of the seats to move, `(num_tables, observation_size) int8`, a buffer."""
        if not self._is_encoded:
            encode_views(self._rules, self.views, self.masks, self._observations)
            self._is_encoded = True
        return self._observations

    @property
    def critic_states(self) -> NDArray[np.int8]:
        """Observations and the other hands, `(num_tables, critic_size) int8`, a buffer; for training only."""
        if not self._has_critic_states:
            encode_critic_states(self._rules, self._states, self.views, self.masks, self._critic_states)
            self._has_critic_states = True
        return self._critic_states

    def get_state(self) -> dict[str, Any]:
        """Everything that the coming steps depend on, as arrays; `set_state` brings it back."""
        state = {"tables": np.asarray(self._states).copy(), "match_winner": self.match_winner.copy()}
        return state if self.max_cycles is None else state | {"cycles": self._cycles.copy()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `get_state` returned.

        Raises:
            ValueError: If it is of another number of tables or another version of the tables, or if something
                in it is not a table of this game; names the table and the field. Nothing has changed then.
        """
        tables = as_kernel_argument(self._check_tables(_part_of(state, "tables")))
        match_winner = self._check_winners(_part_of(state, "match_winner"))
        cycles = self._cycles if self.max_cycles is None else self._check_cycles(_part_of(state, "cycles"))
        masks, views = np.zeros_like(self.masks), allocate(self.num_tables, VIEW)
        batch.observe_all(self._rules, tables, masks, views)
        is_stuck = ~masks.any(axis=1)
        if is_stuck.any():
            table = int(np.argmax(is_stuck))
            raise ValueError(
                f"state: tables[{table}]: seat {tables['to_play'][table]} must have a legal action, "
                "but the turn cannot be completed (R-TURN-4)"
            )
        self._states = tables
        self.match_winner[:] = match_winner
        self._cycles[:] = cycles
        self.truncated[:] = False
        self._observe()

    def _check_tables(self, tables: Any) -> NDArray[np.void]:
        """A copy of tables that may be played at."""
        array = np.asarray(tables)
        if array.dtype != STATE or array.shape != (self.num_tables,):
            raise ValueError(
                f"state: tables {array.dtype}{array.shape} are not {self.num_tables} tables of this version"
            )
        copy = array.copy()
        check_tables(self.rules, copy, "state: tables")
        return copy

    def _check_winners(self, winners: Any) -> NDArray[np.int8]:
        array = integers(winners, self.num_tables, "state: match_winner")
        sides = self.rules.num_sides
        if ((array < NOBODY) | (array >= sides)).any():
            raise ValueError(f"state: match_winner must be sides from 0 to {sides - 1}, or {NOBODY}")
        return array.astype(np.int8)

    def _check_cycles(self, cycles: Any) -> NDArray[np.int64]:
        array = integers(cycles, self.num_tables, "state: cycles")
        assert self.max_cycles is not None
        if ((array < 0) | (array >= self.max_cycles)).any():
            raise ValueError(f"state: cycles must be decisions from 0 to {self.max_cycles - 1}")
        return array.astype(np.int64)

    def _cut_off(self, max_cycles: int) -> None:
        """Begin the next deal or match where this one has come to its cap."""
        has_ended = self.match_ended if self.episode == "match" else self._ended
        self._cycles += 1
        self._cycles[has_ended] = 0
        np.equal(self._cycles, max_cycles, out=self.truncated)
        for table in np.flatnonzero(self.truncated):
            if self.episode == "match":
                next_seed = mix(np.uint64(self._states["seed"][table]) + np.uint64(1))
                batch.start_match(self._rules, self._states, table, np.uint64(next_seed))
            else:
                self._states["deal"][table] += 1
                batch.start_deal_apart(self._rules, self._states, table, self._draws_scores)
        self._cycles[self.truncated] = 0

    def _observe(self) -> None:
        batch.observe_all(self._rules, self._states, self.masks, self.views)
        self._is_encoded = False
        self._has_critic_states = False

    def _refuse_illegal(self, actions: NDArray[Any]) -> None:
        outside = (actions < 0) | (actions >= NUM_ACTIONS)
        illegal = outside | (self.masks[self._every_table, np.where(outside, 0, actions)] == 0)
        if not illegal.any():
            return
        table = int(np.flatnonzero(illegal)[0])
        action = int(actions[table])
        name = action if outside[table] else f'"{NOTATIONS[action]}"'
        legal = ", ".join(NOTATIONS[legal] for legal in np.flatnonzero(self.masks[table]))
        raise IllegalActionError(
            f"illegal action {name} at table {table}, seat {self.to_play[table]}; legal: {legal}"
        )


def _part_of(state: Any, name: str) -> Any:
    if not isinstance(state, Mapping) or name not in state:
        raise ValueError(f"state: {name!r} is missing: it must be a dict as get_state returns it")
    return state[name]
