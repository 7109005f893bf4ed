"""A game as one person sees and plays it: from the own seat, or as one who watches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from canasta_agents.play.game import GameProgress
from canasta_agents.play.messages import (
    PlayError,
    illegal_reasons,
    open_hands,
    quoted,
    reason_in_words,
    refusal,
    text_of,
    truth_of,
    whole_number_of,
)
from canasta_agents.play.prompt import prompt
from canasta_agents.play.proposal import cheapest_opening
from canasta_agents.play.selection import LAYING, Selection, meaning_of, meanings, selection_message
from canasta_env import IllegalActionError, NotationError, Rules, Table
from canasta_env.events import view_message

_MAX_MOVES = 100_000
_MAX_LAID = 108  # actions of one turn that lay cards


class SeatView:
    """What one person sees of a game, and does in it.

    Args:
        game: What is played.
        seat: Where the person plays. None: nowhere; the person watches, and sees all hands, or what a seat
            sees.

    Attributes:
        seat: As given.
        seen_from: The seat whose view is shown; None: all hands are open.
    """

    def __init__(self, game: GameProgress, seat: int | None) -> None:
        self._game = game
        self.seat = seat
        self.seen_from: int | None = seat

    @property
    def shown_seat(self) -> int:
        """The seat at the lower edge of the table."""
        return self.seen_from or 0

    @property
    def is_own_turn(self) -> bool:
        """Whether the person is to move."""
        return self.seat is not None and self._game.table.to_play == self.seat

    def told(self) -> dict[str, Any]:
        """What the person may know of the deal, and can do now.

        All hands are open only to who watches, or when the deal is over.
        """
        game, table = self._game, self._game.table
        is_open = self.seat is None and self.seen_from is None
        told = view_message(game.rules, table.view(self.shown_seat))
        if is_open or (self.seat is not None and table.is_over):
            told["hands"] = open_hands(table)
        return {
            **told,
            "own_seat": self.seat,
            "seen_from": self.seen_from,
            "legal": table.legal() if self.is_own_turn else [],
            "prompt": prompt(table) if self.is_own_turn else None,
            "moves": [move.seen_by(None if is_open else self.shown_seat) for move in game.moves],
        }

    @property
    def taken_back_next(self) -> list[str]:
        """The person's actions that would be taken back."""
        game = self._game
        is_own = bool(game.moves) and game.moves[-1].seat == self.seat
        return game.taken_back_next if is_own else []

    def table_for_advice(self) -> Table:
        """The table of which an agent may be asked what it would do in the place of the seat to move.

        Raises:
            PlayError: If another is to move.
        """
        table = self._game.table
        if self.seat is not None and not table.is_over and table.to_play != self.seat:
            raise PlayError("it is not your turn")
        return table.copy()

    def play(self, message: Mapping[str, Any]) -> None:
        """Follow `play`; raises PlayError, as all that follow a message."""
        at = place_of(message)
        self._play_together([text_of(message, "action")], at)

    def lay(self, message: Mapping[str, Any]) -> None:
        """Follow `lay`: play the actions that a selection means, to be taken back together."""
        at = place_of(message)
        actions = message.get("actions")
        is_laying = isinstance(actions, list) and all(action in LAYING for action in actions)
        if not is_laying or not actions or len(actions) > _MAX_LAID:
            raise PlayError(f"actions: {quoted(actions)} must be a list of takes, melds and additions")
        self._play_together(actions, at)

    def look(self, message: Mapping[str, Any]) -> None:
        """Follow `look`: watch from another seat."""
        if self.seat is not None:
            raise PlayError("who plays sees the table from the own seat")
        self.seen_from = seat_to_look_from(message, self._game.rules)

    def why(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Why what a target suggests is not offered to the person."""
        target = text_of(message, "target")
        self._check_own_turn()
        return {"target": target, "refused": illegal_reasons(self._game.table, target)}

    def select(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """What the selected cards mean."""
        self._check_own_turn()
        table = self._game.table
        selection = Selection.of_message(message, table)
        return selection_message(table, selection, meanings(table, selection))

    def propose(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The cheapest selection that opens; as `select`, or only `why_not`."""
        self._check_own_turn()
        table = self._game.table
        with_pile = truth_of({"pile": False, **message}, "pile")
        try:
            selection, actions = cheapest_opening(table, with_pile)
        except PlayError as error:
            return {"why_not": reason_in_words(table, str(error))}
        return selection_message(table, selection, [meaning_of(table, actions)])

    def check_place(self, at: int) -> None:
        """Raise PlayError if the deal does not stand at this move."""
        if at != len(self._game.moves):
            stands = f"the table stands at move {len(self._game.moves)}, not at {at}"
            raise PlayError(f"{stands}: it has gone on since, perhaps in another window")

    def _play_together(self, actions: Sequence[str], at: int) -> None:
        if self._game.table.is_over:
            raise PlayError("the deal is over")
        self._check_own_turn()
        self.check_place(at)
        try:
            self._game.play_together(actions)
        except IllegalActionError as error:
            raise PlayError(refusal(self._game.table, error)) from None
        except NotationError as error:
            raise PlayError(str(error)) from None

    def _check_own_turn(self) -> None:
        if not self.is_own_turn:
            raise PlayError("it is not your turn")


def place_of(message: Mapping[str, Any]) -> int:
    """The `at` of a message: how many moves of the deal its sender has seen."""
    return whole_number_of(message, "at", 0, _MAX_MOVES)


def seat_to_look_from(message: Mapping[str, Any], rules: Rules) -> int | None:
    """The seat of a message `look`; None: all hands are open."""
    if message.get("seat") is None:
        return None
    return whole_number_of(message, "seat", 0, rules.players - 1)
