"""Table: one table for people and tests; text in, text out."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import NOTATIONS, NUM_ACTIONS, NotationError, parse
from canasta_env.cards import NUM_CARDS
from canasta_env.engine import batch
from canasta_env.engine.scoring import SCORE_FIELDS
from canasta_env.engine.state import MAX_SIDES, NO_CARD, NOBODY, PHASE_OVER, PHASES, allocate, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.explain import IllegalActionError, explain
from canasta_env.hidden_hands import redeal
from canasta_env.positions import (
    named_counts,
    named_kinds,
    named_melds,
    named_threes,
    read_position,
    write_position,
)
from canasta_env.rendering.text import picture
from canasta_env.rules import Rules
from canasta_env.validation import (
    MAX_SEED,
    check_order,
    check_rules,
    check_scores,
    check_seat,
    check_seed,
    check_side,
    shown,
)

_LONGEST_NOTATION = 2 * max(map(len, NOTATIONS))  # for what nothing similar is looked for beyond it


@dataclass(frozen=True)
class Score:
    """The points of one side for one deal, a field for each clause of R-SCORE; losses are negative."""

    melded_cards: int  #: R-SCORE-1
    canastas: int  #: R-SCORE-2
    going_out: int  #: R-SCORE-3
    threes: int  #: R-SCORE-4
    cards_in_hand: int  #: R-SCORE-5
    penalties: int  #: R-SCORE-6
    total: int


class Table:
    """One table, dealt at once.

    Args:
        rules: The game.
        seed: Fixes the shuffle and the dealer; drawn from the system if None.
        order: All 108 kinds by name, `order[0]` dealt first (R-DEAL-2), in place of a shuffle.
        dealer: Seat of the dealer; drawn from the seed if None, seat 0 if an order is given.
        scores: Match score of each side when the deal begins; 0 if None.

    Raises:
        ValueError: Names the argument that does not fit.
    """

    def __init__(
        self,
        rules: Rules,
        seed: int | None = None,
        *,
        order: Sequence[str] | None = None,
        dealer: int | None = None,
        scores: Sequence[int] | None = None,
    ) -> None:
        self.rules = check_rules(rules)
        self._rules = rules_record(rules)
        self._state = allocate(1)
        self.seed = secrets.randbits(63) if seed is None else check_seed(seed)
        batch.start_match(self._rules, self._state, 0, np.uint64(self.seed))
        if scores is not None:
            self._state["scores"][0, : rules.num_sides] = check_scores(scores, rules)
        if order is None and dealer is None:
            return
        chosen_dealer = 0 if dealer is None else check_seat(dealer, rules, "dealer")
        shuffled = self._state["stock"][0].copy() if order is None else check_order(order)
        batch.start_deal(self._rules, self._state, 0, chosen_dealer, shuffled)

    @classmethod
    def from_position(cls, position: dict[str, Any], *, partial: bool = False) -> Table:
        """Set up a position (see docs/positions.md).

        Args:
            position: What `position` returns; what can be defaulted may be left out.
            partial: Let the cards that are named nowhere give a card to each hand that may not be empty, and
                fill the stock, in kind order.

        Raises:
            PositionError: If this cannot be a position, with the reason.
        """
        return cls.of_state(*read_position(position, partial=partial))

    @classmethod
    def of_state(cls, rules: Rules, state: NDArray[np.void]) -> Table:
        """A table on a record of the engine, `(1,) STATE`, which it owns from then on."""
        table = cls.__new__(cls)
        table.rules, table._rules, table._state = rules, rules_record(rules), state
        table.seed = int(state["seed"][0])
        return table

    def position(self) -> dict[str, Any]:
        """The whole table as a plain dict that JSON can hold; `from_position` reads it back."""
        return write_position(self.rules, self._state)

    def copy(self) -> Table:
        """An independent table in the same position."""
        table = Table.__new__(Table)
        table.rules, table._rules = self.rules, self._rules  # which nobody writes
        table._state, table.seed = self._state.copy(), self.seed
        return table

    @property
    def to_play(self) -> int | None:
        """The seat to act (the partner's in phase "answer"), None when the deal is over."""
        seat = int(self._state["to_play"][0])
        return None if seat == NOBODY else seat

    @property
    def phase(self) -> str:
        """One of "draw", "play", "answer" and "over"."""
        return PHASES[self._state["phase"][0]]

    @property
    def is_over(self) -> bool:
        """Whether the deal has ended."""
        return bool(self._state["phase"][0] == PHASE_OVER)

    @property
    def dealer(self) -> int:
        """The dealer's seat."""
        return int(self._state["dealer"][0])

    @property
    def scores(self) -> tuple[int, ...]:
        """Match score of each side when the deal began."""
        return tuple(self._state["scores"][0, : self.rules.num_sides].tolist())

    @property
    def order(self) -> list[str]:
        """All the cards in the order in which they leave the stock, those dealt first.

        Raises:
            ValueError: If the table was set up from a position, which tells nothing of the cards gone.
        """
        if self._state["stock"][0, 0] == NO_CARD:
            raise ValueError("order: a table from a position does not know the order of the cards that left")
        return named_kinds(self._state["stock"][0])

    @property
    def went_out(self) -> int | None:
        """The seat that went out, if one did."""
        seat = int(self._state["went_out"][0])
        return None if seat == NOBODY else seat

    def action_mask(self) -> NDArray[np.int8]:
        """The legal actions: a new `(96,) int8`, 1 = legal, all 0 when the deal is over."""
        mask = np.zeros(NUM_ACTIONS, np.int8)
        batch.mask_one(self._rules, self._state, 0, mask)
        return mask

    def legal(self) -> list[str]:
        """The notations of the legal actions, in action-id order; empty when the deal is over."""
        return [NOTATIONS[action] for action in np.flatnonzero(self.action_mask())]

    def play(self, notation: str) -> None:
        """Play an action by its notation.

        Raises:
            NotationError: If no action is spelled so.
            IllegalActionError: If it is not legal now; names the reason and its clause.
        """
        if not isinstance(notation, str) or len(notation) > _LONGEST_NOTATION:
            raise NotationError(f"{shown(notation)} is not the notation of an action")
        action = parse(notation)
        mask = self.action_mask()
        if not mask[action]:
            raise IllegalActionError(explain(self.rules, self._state, action, mask))
        batch.step_one(self._rules, self._state, 0, action)

    def hand(self, seat: int) -> dict[str, int]:
        """A seat's cards: `{kind: count}` in kind order."""
        return named_counts(self._state["hand"][0, check_seat(seat, self.rules, "seat")])

    def melds(self, side: int) -> dict[str, tuple[int, int, int]]:
        """A side's melds: `{rank, "wilds" or "black3": (naturals, twos, jokers)}` in kind order."""
        return named_melds(self._state, check_side(side, self.rules))

    def threes(self, side: int) -> dict[str, int]:
        """A side's laid threes: `{"red3" or "black3": count}`."""
        return named_threes(self._state, check_side(side, self.rules))

    @property
    def pile(self) -> list[str]:
        """The pile's kinds, top card last; between `take` and `pick up` see R-TAKE-5."""
        return named_kinds(self._state["pile"][0, : self._state["pile_size"][0]])

    @property
    def stock_size(self) -> int:
        """Cards left in the stock."""
        return NUM_CARDS - int(self._state["next_card"][0])

    def score(self) -> list[Score]:
        """One breakdown a side for this deal, as if it ended now."""
        breakdown = np.zeros((MAX_SIDES, len(SCORE_FIELDS)), np.int64)
        batch.score_one(self._rules, self._state, 0, breakdown)
        return [Score(*points) for points in breakdown[: self.rules.num_sides].tolist()]

    def view(self, seat: int) -> NDArray[np.void]:
        """What one seat knows: a new `(1,) VIEW`."""
        views = allocate(1, VIEW)
        batch.view_one(self._rules, self._state, 0, check_seat(seat, self.rules, "seat"), views, 0)
        return views

    def information_state(self, seat: int) -> bytes:
        """All that a seat knows, as bytes: equal at two tables of a game if their views are equal.

        A key for dictionaries, e.g. of regrets or visits. It is the view and no history: whatever led to the
        same view has the same key. The bytes are those of `view`, so a change of VIEW changes them.
        """
        return self.view(seat).tobytes()

    def redeal(self, seat: int, rng: np.random.Generator) -> Table:
        """A table that a seat cannot tell from this one: what it does not see is dealt anew.

        The new table is drawn from the seat's view and nothing else of this table; see `canasta_env.redeal`.

        Args:
            seat: Whose view stays as it is.
            rng: Where the one seed comes from that fixes the new table.

        Raises:
            ValueError: If an argument does not fit.
        """
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng: {shown(rng)} must be a numpy.random.Generator")
        seeds = rng.integers(0, MAX_SEED, 1, np.uint64)
        return Table.of_state(self.rules, redeal(self.rules, self.view(seat), seeds))

    def views(self) -> NDArray[np.void]:
        """What each seat knows: a new `(players,) VIEW`."""
        return np.concatenate([self.view(seat) for seat in range(self.rules.players)])

    def __str__(self) -> str:
        """A readable picture of the open table."""
        return picture(self.rules, self.views())
