"""What the agents at a table are told of it between their decisions, if they want to hear."""

from __future__ import annotations

from canasta_agents.play.game import DealSoFar, GameProgress
from canasta_env.agent import Heard
from canasta_env.events import action_event, deal_event, end_event


def news_of(so_far: DealSoFar, seat: int) -> tuple[Heard, ...]:
    """What a seat has seen of a deal until now."""
    dealt = deal_event(so_far.dealt, seat, so_far.is_first)
    played = (action_event(move, seat) for move in so_far.moves)
    return tuple((0, seat, event) for event in (dealt, *played))


class TableNews:
    """What each seat has been told of a table, and what not yet."""

    def __init__(self) -> None:
        self._num_told: dict[int, int] = {}  # events of this deal
        self._of_ended: dict[int, tuple[Heard, ...]] = {}  # the rest of the deals before

    def take(self, game: GameProgress, seat: int) -> tuple[Heard, ...]:
        """What a seat is to be told now: it counts as told from then on."""
        news = news_of(game.so_far(), seat)
        untold = news[self._num_told.get(seat, 0) :]
        self._num_told[seat] = len(news)
        return self._of_ended.pop(seat, ()) + untold

    def end_deal(self, game: GameProgress) -> None:
        """The deal is over, and another follows: who was told of it will be told how it ended."""
        for seat in list(self._num_told):
            ended: Heard = (0, seat, end_event(game.table, is_last=False))
            self._of_ended[seat] = (*self.take(game, seat), ended)
        self._num_told.clear()

    def forget(self, seat: int) -> None:
        """A seat's agent is another one, or was reset: it has been told nothing."""
        self._num_told.pop(seat, None)
        self._of_ended.pop(seat, None)
