"""CanastaState: a deal under way, in the words of OpenSpiel's `State`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import NOTATIONS, NUM_ACTIONS, parse
from canasta_env.cards import COPIES, KINDS, NUM_CARDS, NUM_KINDS, kind_of
from canasta_env.engine.encoding import encode_views
from canasta_env.engine.layout import observation_size
from canasta_env.engine.state import rules_record
from canasta_env.openspiel.seen import Seen, view_text
from canasta_env.rules import Rules
from canasta_env.table import Table
from canasta_env.validation import MAX_SEED, check_seat, shown, whole_number

CHANCE, TERMINAL = -1, -4  # as pyspiel.PlayerId has them


class CanastaState:
    """A deal from before the shuffle to its end.

    Chance acts first, in 109 explicit nodes: it draws the dealer (outcomes are seats), then the cards in the
    order in which they will leave the stock (outcomes are kinds, with the probabilities of a shuffled deck).
    After that nothing is left to chance. Actions are those of the environments (docs/actions.md).

    Made by `CanastaGame.new_initial_state` and `CanastaGame.deal`.

    Args:
        rules: The game.
        scores: Match score of each side; 0 if None.
    """

    def __init__(self, rules: Rules, scores: Sequence[int] | None = None) -> None:
        self.rules = rules
        self._scores = scores
        self._history: list[tuple[int, int]] = []
        self._is_resampled = False
        self._dealer: int | None = None
        self._order: list[int] = []
        self._left = list(COPIES)
        self._table: Table | None = None
        self._seen = Seen(rules.players)

    @property
    def table(self) -> Table:
        """The table as it stands, a copy.

        Raises:
            ValueError: Before the cards are dealt.
        """
        if self._table is None:
            raise ValueError("table: no cards have been dealt; chance is to move")
        return self._table.copy()

    def current_player(self) -> int:
        """The seat to move, `CHANCE` before the cards are dealt, `TERMINAL` after the end."""
        if self._table is None:
            return CHANCE
        seat = self._table.to_play
        return TERMINAL if seat is None else seat

    def is_chance_node(self) -> bool:
        """Whether the cards have still to be dealt."""
        return self._table is None

    def is_terminal(self) -> bool:
        """Whether the deal has ended."""
        return self._table is not None and self._table.is_over

    def num_players(self) -> int:
        """Seats."""
        return self.rules.players

    def num_distinct_actions(self) -> int:
        """Ids of actions."""
        return NUM_ACTIONS

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each outcome of the chance node and its probability, in order.

        Raises:
            ValueError: If the state is no chance node.
        """
        if self._table is not None:
            raise ValueError("chance_outcomes: the cards have been dealt, chance is not to move any more")
        if self._dealer is None:
            return [(seat, 1 / self.rules.players) for seat in range(self.rules.players)]
        cards = sum(self._left)
        return [(kind, count / cards) for kind, count in enumerate(self._left) if count]

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions in rising order; none for a player that is not to move, or at the end.

        Args:
            player: A seat or `CHANCE`; whoever is to move if None.
        """
        mover = self.current_player()
        if mover == TERMINAL or (player is not None and player != mover):
            return []
        if self._table is None:
            return [outcome for outcome, _ in self.chance_outcomes()]
        legal: list[int] = np.flatnonzero(self._table.action_mask()).tolist()
        return legal

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """The same as zeros and ones: `NUM_ACTIONS` of them, `max_chance_outcomes` at a chance node."""
        mask = [0] * (NUM_KINDS if self._table is None else NUM_ACTIONS)
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def apply_action(self, action: int) -> None:
        """Play an action for the seat to move, or an outcome for chance.

        Raises:
            ValueError: If it is not legal (IllegalActionError for a seat, with the clause); nothing changes.
        """
        action = whole_number(action, "action", 0, NUM_ACTIONS - 1)
        player = self.current_player()
        if player == TERMINAL:
            raise ValueError("apply_action: the deal is over")
        if self._table is None:
            self._apply_chance(action)
        else:
            self._seen.play(self._table, NOTATIONS[action])
        self._history.append((player, action))

    def shuffle(self, rng: np.random.Generator) -> None:
        """Play all chance nodes that are left."""
        if self._dealer is None:
            self.apply_action(int(rng.integers(self.rules.players)))
        for kind in rng.permutation(np.repeat(np.arange(NUM_KINDS), self._left)).tolist():
            self.apply_action(kind)

    def child(self, action: int) -> CanastaState:
        """A new state after an action."""
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> CanastaState:
        """An independent state in the same position."""
        twin = CanastaState(self.rules, self._scores)
        twin._history, twin._is_resampled = self._history.copy(), self._is_resampled
        twin._dealer, twin._order, twin._left = self._dealer, self._order.copy(), self._left.copy()
        twin._table = None if self._table is None else self._table.copy()
        twin._seen = self._seen.copy()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> CanastaState:
        return self.clone()

    def returns(self) -> list[float]:
        """Each seat's points so far: 0 until the deal ends, then those of its side minus the others' mean."""
        if self._table is None or not self._table.is_over:
            return [0.0] * self.rules.players
        totals = [score.total for score in self._table.score()]
        others = self.rules.num_sides - 1
        of_side = [own - (sum(totals) - own) / others for own in totals]
        return [float(of_side[self.rules.side_of(seat)]) for seat in range(self.rules.players)]

    def rewards(self) -> list[float]:
        """What the last action brought each seat; only the one that ends the deal brings anything."""
        return self.returns()

    def player_return(self, player: int) -> float:
        """One seat's part of `returns`."""
        return self.returns()[check_seat(player, self.rules, "player")]

    def player_reward(self, player: int) -> float:
        """One seat's part of `rewards`."""
        return self.rewards()[check_seat(player, self.rules, "player")]

    def action_to_string(self, *player_and_action: int) -> str:
        """An action's notation, or what an outcome of chance says: `action_to_string([player,] action)`."""
        action = player_and_action[-1]
        player = player_and_action[0] if len(player_and_action) == 2 else self.current_player()
        if player != CHANCE:
            return NOTATIONS[action]
        return f"dealer {action}" if self._dealer is None else f"next {KINDS[action]}"

    def string_to_action(self, *player_and_text: Any) -> int:
        """The reverse of `action_to_string`: `string_to_action([player,] text)`."""
        text = player_and_text[-1]
        player = player_and_text[0] if len(player_and_text) == 2 else self.current_player()
        if player != CHANCE:
            return parse(text)
        word, _, value = str(text).partition(" ")
        if word == "dealer" and value.isdecimal():
            return check_seat(int(value), self.rules, "dealer")
        if word == "next":
            return kind_of(value, "text")
        raise ValueError(f'text: {shown(text)} is not an outcome of chance, such as "dealer 0" or "next K"')

    def information_state_string(self, player: int | None = None) -> str:
        """All that a seat has seen since the deal began: a key with perfect recall.

        The seat's own hand as it was dealt, every action with the cards that it saw move, and its view now.

        Args:
            player: A seat; the one to move if None.
        """
        seat = self._seat(player)
        if self._table is None:
            return "not dealt"
        return f"{self._seen.text(seat)}\n{view_text(self._table.view(seat))}"

    def observation_string(self, player: int | None = None) -> str:
        """A seat's view, every field by name (docs/view.md): what it knows now, whatever led there."""
        seat = self._seat(player)
        return "not dealt" if self._table is None else view_text(self._table.view(seat))

    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """What the environments observe: a new `(num_features,) float32`, zeros before the deal."""
        seat = self._seat(player)
        features = np.zeros((1, observation_size(self.rules)), np.int8)
        if self._table is not None:
            is_to_move = self._table.to_play == seat
            mask = self._table.action_mask() if is_to_move else np.zeros(NUM_ACTIONS, np.int8)
            encode_views(rules_record(self.rules), self._table.view(seat), mask[None], features)
        tensor: NDArray[np.float32] = features[0].astype(np.float32)
        return tensor

    def information_state_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """The same as `observation_tensor`: no tensor of fixed size holds every history."""
        return self.observation_tensor(player)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> CanastaState:
        """A state that a seat cannot tell from this one: what it has not seen is dealt anew (docs/search.md).

        Its `history` begins anew. What the others drew so far is told to nobody in it.

        Args:
            player: The seat whose information state stays as it is.
            sampler: Draws a number in [0, 1) on each call, the only source of chance.
        """
        seat = check_seat(player, self.rules, "player")
        rng = np.random.default_rng(int(sampler() * MAX_SEED))
        other = CanastaState(self.rules, self._scores)
        if self._table is None:
            return self._reshuffled(other, rng)
        other._is_resampled = True
        other._table = self._table.redeal(seat, rng)
        other._seen = self._seen.known_to(seat)
        return other

    def history(self) -> list[int]:
        """All actions so far, those of chance included; those since the resampling in a resampled state."""
        return [action for _, action in self._history]

    def full_history(self) -> list[tuple[int, int]]:
        """The same with the player of each."""
        return self._history.copy()

    def move_number(self) -> int:
        """How many actions there have been, those of chance included."""
        return len(self._history)

    def serialize(self) -> str:
        """The whole state as a text; `CanastaGame.deserialize_state` reads it."""
        saved: dict[str, Any] = {"game": self.rules.game, "players": self.rules.players}
        saved["history"] = [list(step) for step in self._history]
        if self._is_resampled:
            assert self._table is not None
            saved |= {"table": self._table.position(), "seen": self._seen.saved()}
        return json.dumps(saved)

    @classmethod
    def of_saved(cls, rules: Rules, scores: Sequence[int] | None, saved: Any) -> CanastaState:
        """Read what `serialize` wrote, out of JSON.

        Raises:
            ValueError: If it is something else, or of another game.
        """
        if not isinstance(saved, Mapping) or not isinstance(saved.get("history"), list):
            raise ValueError("text: must be what serialize() returns: game, players and history")
        if (saved.get("game"), saved.get("players")) != (rules.game, rules.players):
            theirs = f"{shown(saved.get('game'))} with {shown(saved.get('players'))} players"
            raise ValueError(f"text: a state of {theirs}; this is {rules.game} with {rules.players}")
        state = cls(rules, scores)
        steps = [_step(step) for step in saved["history"]]
        if "table" not in saved:
            for _, action in steps:
                state.apply_action(action)
            return state
        state._is_resampled, state._history = True, steps
        state._table = _table_of(rules, saved["table"])
        state._seen = Seen.of_saved(rules.players, saved.get("seen"))
        return state

    def __str__(self) -> str:
        """The open table, or how far the shuffle has come."""
        if self._table is not None:
            return str(self._table)
        dealer = "dealer not drawn" if self._dealer is None else f"dealer {self._dealer}"
        return f"{dealer}, {len(self._order)} of {NUM_CARDS} cards shuffled: " + " ".join(
            KINDS[kind] for kind in self._order
        )

    def _seat(self, player: int | None) -> int:
        mover = self.current_player()
        if player is None and mover < 0:
            raise ValueError("player: no seat is to move; name one")
        return check_seat(mover if player is None else player, self.rules, "player")

    def _apply_chance(self, outcome: int) -> None:
        legal = [each for each, _ in self.chance_outcomes()]
        if outcome not in legal:
            what = "dealers" if self._dealer is None else "kinds that are left"
            raise ValueError(f"apply_action: {outcome} is no outcome of chance here; the {what} are {legal}")
        if self._dealer is None:
            self._dealer = outcome
            return
        self._left[outcome] -= 1
        self._order.append(outcome)
        if len(self._order) == NUM_CARDS:
            names = [KINDS[kind] for kind in self._order]
            self._table = Table(self.rules, 0, order=names, dealer=self._dealer, scores=self._scores)
            self._seen.begin(self._table)

    def _reshuffled(self, other: CanastaState, rng: np.random.Generator) -> CanastaState:
        """Bring a new state as far as this one has come in the shuffle, with other cards."""
        if self._dealer is None:
            return other
        other.apply_action(self._dealer)
        for kind in rng.permutation(np.repeat(np.arange(NUM_KINDS), COPIES))[: len(self._order)].tolist():
            other.apply_action(kind)
        return other


def _table_of(rules: Rules, position: Any) -> Table:
    table = Table.from_position(position)
    if table.rules != rules:
        raise ValueError("text: table: is of other rules than the game's")
    return table


def _step(step: Any) -> tuple[int, int]:
    if not isinstance(step, list) or len(step) != 2:
        raise ValueError(f"text: history: {shown(step)} is not a player and its action")
    player = whole_number(step[0], "text: history: player", CHANCE, None)
    return player, whole_number(step[1], "text: history: action", 0, NUM_ACTIONS - 1)
