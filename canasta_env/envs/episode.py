"""Episode: what the AEC, parallel and one-seat environments have in common, a game under way at one table."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from operator import index
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine import batch
from canasta_env.engine.batch import ILLEGAL, observe_seat, play_legal
from canasta_env.engine.dealing import mix
from canasta_env.engine.encoding import encode_state_one
from canasta_env.engine.layout import critic_size, observation_size
from canasta_env.engine.scoring import SCORE_FIELDS, TOTAL
from canasta_env.engine.state import MAX_SIDES, NOBODY, allocate, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.explain import IllegalActionError, explain
from canasta_env.rules import Game, Rules
from canasta_env.table import Table
from canasta_env.validation import (
    MAX_SEED,
    check_choice,
    check_seed,
    check_start_scores,
    shown,
    whole_number,
)
from canasta_env.vector import MAX_CYCLES

Length = Literal["deal", "match"]
Scores = Literal["zero", "drawn"] | Sequence[int]
Reward = Literal["points", "win"]
Illegal = Literal["raise", "forfeit"]
Form = Literal["dict", "flat"]
Observation = dict[str, NDArray[Any]]
Presented = Any  #: an Observation, or the array in it, as chosen; Any so that users need not tell them apart

FORFEIT_POINTS: dict[Game, int] = {"classic": 2_000, "modern_american": 5_000}  # lost, as in a very bad deal
NO_ACTION = -1
IDLE = NUM_ACTIONS  # the action of a seat that waits, where there is one


class Episode:
    """A deal or a match under way, and the next after it.

    Args:
        rules: The game.
        episode: "deal": one deal. "match": deals until a side has won (R-MATCH).
        scores: Match scores at the start of a deal (`episode="deal"`): 0, drawn below the target so that
            every opening minimum comes up equally often, or one number a side.
        reward: "points": when a deal ends, the points of the own side minus the mean of the other sides'.
            "win": at the end of the episode, 1 for the winning side and −1 for the others; a deal that
            two sides share gives 0 to all.
        illegal: "raise": an illegal action raises IllegalActionError and changes nothing. "forfeit": it ends
            the episode as a loss of the whole side.
        max_cycles: Decisions, of all seats together, after which the episode is truncated; never if None.
        observation: "dict": `present` returns observation and mask together. "flat": the observation alone,
            and the mask in the info.

    Attributes:
        seat: The seat to move; the last one that moved when the episode is over.
        rewards: Of each seat, for the last action, exact.
        is_terminated: Whether the game has ended.
        is_truncated: Whether the cap on decisions was met.
        news: What the last action brought to an end; an empty dict most of the time.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        episode: Length = "deal",
        scores: Scores = "zero",
        reward: Reward = "points",
        illegal: Illegal = "raise",
        max_cycles: int | None = None,
        observation: Form = "dict",
    ) -> None:
        self.rules = rules
        self.is_match = check_choice(episode, "episode", ("deal", "match")) == "match"
        self.counts_points = check_choice(reward, "reward", ("points", "win")) == "points"
        self.forfeits = check_choice(illegal, "illegal", ("raise", "forfeit")) == "forfeit"
        self.max_cycles = max_cycles
        if max_cycles is not None:
            self.max_cycles = whole_number(max_cycles, "max_cycles", 1, MAX_CYCLES)
        self.is_flat = check_choice(observation, "observation", ("dict", "flat")) == "flat"
        self.num_actions = NUM_ACTIONS
        self._draws_scores, self._scores = check_start_scores(scores, rules, self.is_match)
        self._rules = rules_record(rules)
        self._state = allocate(1)
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._view = allocate(1, VIEW)
        self._breakdown = np.zeros((MAX_SIDES, len(SCORE_FIELDS)), np.int64)
        self._num_features = observation_size(rules)
        self._num_critic_features = critic_size(rules)
        self._next_seed = secrets.randbits(64)
        self.begin()

    def begin(self, seed: int | None = None) -> None:
        """Deal for a new episode.

        Args:
            seed: Fixes this episode and all that follow it without a seed; goes on from the last one if None.

        Raises:
            ValueError: If `seed` is not a whole number of 64 bits.
        """
        self.seed = self._next_seed if seed is None else check_seed(seed)
        self._next_seed = int(mix(np.uint64((self.seed + 1) % MAX_SEED)))
        batch.start_match(self._rules, self._state, 0, np.uint64(self.seed))
        if self._draws_scores:
            batch.start_deal_apart(self._rules, self._state, 0, True)
        elif self._scores is not None:
            self._state["scores"][0, : self.rules.num_sides] = self._scores
        self.cycles = 0
        self.is_terminated = self.is_truncated = False
        self.news: dict[str, Any] = {}
        self.rewards = [0.0] * self.rules.players
        self._look()

    def play(self, action: Any) -> bool:
        """Play an action for the seat to move.

        Returns:
            Whether something ended, a deal or the episode: then `rewards` and `news` tell.

        Raises:
            IllegalActionError: If it is not legal, or not an action at all; nothing has changed then.
        """
        number = _action_id(action, self.num_actions)
        is_idle = number == IDLE
        seat = ILLEGAL if is_idle else play_legal(self._rules, self._state, number, self._mask)
        if seat == ILLEGAL:
            self._refuse(number)
            return True
        self.cycles += 1
        if seat != NOBODY and self.cycles != self.max_cycles:
            self.seat = seat
            return False
        self._end(seat)
        return True

    def let_others_idle(self) -> None:
        """Give masks one place more, `IDLE`, the only legal action of a seat that is not to move."""
        self.num_actions = NUM_ACTIONS + 1

    def share(self, state: NDArray[np.void], mask: NDArray[np.int8]) -> None:
        """Play at a table of somebody else's from the next `begin` on, who plays the plain actions there.

        Args:
            state: `(1,) STATE`, a part of a larger array.
            mask: `(NUM_ACTIONS,) int8`, kept up to date by whoever plays an action.
        """
        self._state, self._mask = state, mask

    def close(self, cycles: int) -> None:
        """At a shared table: do what follows an action that ended the deal or met the cap.

        Args:
            cycles: Decisions of the episode so far.
        """
        self.cycles = cycles
        self._end(int(self._state["to_play"][0]))

    def check(self, action: Any, who: str) -> None:
        """Refuse an action that is not legal for the seat to move, in the name of `who`."""
        try:
            number = _action_id(action, NUM_ACTIONS)
            if not self._mask[number]:
                raise IllegalActionError(explain(self.rules, self._state, number, self._mask))
        except IllegalActionError as error:
            raise IllegalActionError(f"{who}: {error}") from None

    def observe(self, seat: int) -> Observation:
        """What a seat observes: new arrays; no action but `IDLE` is legal for a seat that is not to move."""
        observation = np.empty(self._num_features, np.float32)
        mask = self.action_mask(seat)
        observe_seat(self._rules, self._state, seat, mask[:NUM_ACTIONS], self._view, observation)
        return {"observation": observation, "action_mask": mask}

    def action_mask(self, seat: int) -> NDArray[np.int8]:
        """The legal actions of a seat: a new `(num_actions,) int8`, 1 = legal."""
        is_to_move = seat == self.seat and not self.is_over
        mask = np.zeros(self.num_actions, np.int8)
        if is_to_move:
            mask[:NUM_ACTIONS] = self._mask
        mask[IDLE:] = not is_to_move
        return mask

    def present(self, seat: int) -> tuple[Presented, dict[str, Any]]:
        """What a seat observes in the form chosen, and what of it stands in its info."""
        seen = self.observe(seat)
        if not self.is_flat:
            return seen, {}
        return seen["observation"], {"action_mask": seen["action_mask"]}

    def critic_state(self) -> NDArray[np.float32]:
        """What the seat to move observes, and the other hands behind it: a new `(critic_size,) float32`."""
        state = np.zeros(self._num_critic_features, np.float32)
        encode_state_one(self._rules, self._state, 0, self.seat, self._mask, self._view, state)
        return state

    def table(self) -> Table:
        """The table as it stands, a copy."""
        return Table.of_state(self.rules, self._state.copy())

    def view(self, seat: int) -> NDArray[np.void]:
        """What a seat knows: a new `(1,) VIEW`."""
        views = allocate(1, VIEW)
        batch.view_one(self._rules, self._state, 0, seat, views, 0)
        return views

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended, by the game or by the cap."""
        return self.is_terminated or self.is_truncated

    @property
    def has_dealt_again(self) -> bool:
        """After an action that brought something to an end: whether the match's next deal has begun."""
        return "points" in self.news and not self.is_over

    def observation_space(self) -> spaces.Space[Any]:
        """A new space of the observations that `present` returns."""
        features = spaces.Box(0, 1, (self._num_features,), np.float32)
        if self.is_flat:
            return features
        mask = spaces.Box(0, 1, (self.num_actions,), np.int8)
        return spaces.Dict({"observation": features, "action_mask": mask})

    def action_space(self) -> spaces.Discrete:
        """A new space of the actions."""
        return spaces.Discrete(self.num_actions)

    def state_space(self) -> spaces.Box:
        """A new space of what `critic_state` returns."""
        return spaces.Box(0, 1, (self._num_critic_features,), np.float32)

    def _look(self) -> None:
        batch.mask_one(self._rules, self._state, 0, self._mask)
        self.seat = int(self._state["to_play"][0])

    def _end(self, seat: int) -> None:
        """Settle a deal that has ended, go on to the next one or end the episode."""
        self.news = {}
        self.rewards = [0.0] * self.rules.players
        if seat == NOBODY:
            self._settle()
        else:
            self.seat = seat
        if not self.is_terminated:
            self.is_truncated = self.cycles == self.max_cycles
        if self.is_over:
            self._mask[:] = 0

    def _settle(self) -> None:
        sides = self.rules.num_sides
        batch.score_one(self._rules, self._state, 0, self._breakdown)
        points = self._breakdown[:sides, TOTAL].tolist()
        scores = self._state["scores"][0, :sides] + points
        winner = batch.winner_one(self._rules, scores) if self.is_match else _leader(points)
        self.is_terminated = not self.is_match or winner != NOBODY
        self.news = {"points": tuple(points), "scores": tuple(scores.tolist())}
        if self.counts_points:
            total = sum(points)
            self._reward([own - (total - own) / (sides - 1) for own in points])
        elif self.is_terminated and winner != NOBODY:
            self._reward([1.0 if side == winner else -1.0 for side in range(sides)])
        if not self.is_terminated:
            batch.next_deal(self._rules, self._state, 0)
            self._look()

    def _reward(self, of_side: list[float]) -> None:
        self.rewards = [float(of_side[self.rules.side_of(seat)]) for seat in range(self.rules.players)]

    def _refuse(self, action: int) -> None:
        if self.is_over:
            raise IllegalActionError("the episode is over: reset begins the next one")
        reason = f"{IDLE} does nothing, and is for agents that are not to act; seat {self.seat} is to act"
        if action != IDLE:
            reason = explain(self.rules, self._state, action, self._mask)
        if not self.forfeits:
            raise IllegalActionError(reason)
        sides, loser = self.rules.num_sides, self.rules.side_of(self.seat)
        lost = FORFEIT_POINTS[self.rules.game] if self.counts_points else 1
        won = lost / (sides - 1) if self.counts_points else 1
        self._reward([-lost if side == loser else won for side in range(sides)])
        self.news = {"forfeit": reason}
        self.cycles += 1
        self.is_terminated = True
        self._mask[:] = 0


def _action_id(action: Any, num_actions: int) -> int:
    try:
        number = NO_ACTION if isinstance(action, bool) else index(action)
    except TypeError:
        number = NO_ACTION
    if not 0 <= number < num_actions:
        raise IllegalActionError(f"{shown(action)} is not an action id; ids run from 0 to {num_actions - 1}")
    return number


def _leader(points: list[int]) -> int:
    """The side with the most points, NOBODY if two share them."""
    best = max(points)
    return points.index(best) if points.count(best) == 1 else NOBODY
