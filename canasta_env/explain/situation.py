"""What the explanations ask of a table, in words of the game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import NUM_ACTIONS
from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, KINDS, NUM_CARDS
from canasta_env.engine.batch import mask_one
from canasta_env.engine.opening import has_clean_or_wild_meld, is_waived
from canasta_env.engine.state import MUST_GO_OUT, NO_CARD, PHASES, WILD_MELD, rules_record
from canasta_env.rules import Rules

_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven")


def in_words(number: int) -> str:
    """A number as a word: "none", "one", "two", then in digits."""
    return _WORDS[number] if number < len(_WORDS) else str(number)


def so_many(number: int, kind: str) -> str:
    """So many cards of a kind: "no K", "two K"."""
    return f"{in_words(number) if number else 'no'} {kind}"


def count(number: int, noun: str) -> str:
    """So many of a noun: "no cards", "one card", "two cards"."""
    return so_many(number, noun if number == 1 else f"{noun}s")


class Meld(NamedTuple):
    """The cards of one meld; all 0 where there is none."""

    naturals: int
    twos: int
    jokers: int

    @property
    def wilds(self) -> int:
        """Twos and jokers."""
        return self.twos + self.jokers

    @property
    def size(self) -> int:
        """All its cards."""
        return self.naturals + self.wilds


class Situation:
    """A table, `(1,) STATE`, as the seat to move sees to its turn."""

    def __init__(self, rules: Rules, state: NDArray[np.void]) -> None:
        self.rules = rules
        self.game = rules.short_name
        self._state = state
        s = state[0]
        self.phase = PHASES[s["phase"]]
        self.seat = int(s["to_play"])
        self.side = rules.side_of(self.seat)
        self.hand_size = int(s["hand_size"][self.seat])
        self.top = int(s["pile"][s["pile_size"] - 1]) if s["pile_size"] else NO_CARD
        self.taken = int(s["taken"])
        self.wild_frozen = bool(s["wild_frozen"])
        self.stock_is_empty = int(s["next_card"]) == NUM_CARDS
        self.opened = bool(s["opened"][self.side])
        self.melded_now = bool(s["melded_now"])
        self.answer = int(s["answer"])
        self.can_ask = bool(s["can_ask"])
        self.has_asked = bool(s["asked"][self.seat])
        self.canastas = int(s["canastas"][self.side])
        self.minimum = rules.minimum(int(s["scores"][self.side]))

    def hand(self, kind: int) -> int:
        """Cards of a kind in the hand."""
        return int(self._state["hand"][0, self.seat, kind])

    def held(self, kind: int) -> str:
        """How many cards of a kind the hand holds, in words."""
        return f"the hand holds {so_many(self.hand(kind), KINDS[kind])}"

    def meld(self, kind: int) -> Meld:
        """The side's meld of a kind."""
        parts = (int(self._state[part][0, self.side, kind]) for part in ("naturals", "twos", "jokers"))
        return Meld(*parts)

    def is_closed(self, rank: int) -> bool:
        """Whether a rank is closed (R-MELD-7)."""
        return bool(self._state["closed"][0, rank])

    @property
    def has_growing_wild_meld(self) -> bool:
        """Whether the side's wild meld has three to six cards (R-MELD-6)."""
        return 0 < self.meld(WILD_MELD).size < CANASTA_SIZE

    @property
    def must_go_out_for_black_threes(self) -> bool:
        """Whether black threes were melded, which ends the turn by going out (R-MELD-8)."""
        return self.meld(BLACK_THREE).size > 0

    @property
    def must_go_out(self) -> bool:
        """Whether the turn can only end by going out."""
        return self.answer == MUST_GO_OUT or self.must_go_out_for_black_threes

    def opening_fault(self) -> str:
        """Why what was melded in this turn is no complete opening; empty if it is one (R-OPEN)."""
        s = self._state[0]
        if self.rules.canasta_waives_minimum and is_waived(s, self.side):
            return ""
        if self.rules.needs_clean_opening and not has_clean_or_wild_meld(s, self.side):
            return "the opening holds no clean meld and no wild meld yet (R-OPEN-3)"
        if s["opening_points"] < self.minimum:
            return f"the opening is at {s['opening_points']} of {self.minimum} points (R-OPEN-1, R-OPEN-5)"
        return ""

    def would_be_legal(
        self,
        action: int,
        *,
        minimum: int | None = None,
        canastas_to_go_out: int | None = None,
        answer: int | None = None,
        spare_cards: int = 0,
        without_take: bool = False,
    ) -> bool:
        """Whether an action were legal if one thing or another were different.

        Args:
            action: Its id.
            minimum: Another opening minimum.
            canastas_to_go_out: Another number of canastas to go out.
            answer: Another answer of the partner.
            spare_cards: So many more cards in hand that can be discarded or kept, and never melded.
            without_take: The taken pile does not wait to be picked up.
        """
        rules, state = rules_record(self.rules), self._state.copy()
        if minimum is not None:
            rules["minimum"] = minimum
        if canastas_to_go_out is not None:
            rules["canastas_to_go_out"] = canastas_to_go_out
        if answer is not None:
            state["answer"] = answer
        if without_take:
            state["taken"] = NO_CARD
        state["hand"][0, self.seat, BLACK_THREE] += spare_cards  # too few to meld, and they hinder going out
        state["hand_size"][0, self.seat] += spare_cards
        mask = np.zeros(NUM_ACTIONS, np.int8)
        mask_one(rules, state, 0, mask)
        return bool(mask[action])
