"""Agents with a memory are told when deals begin at a table of a browser or a terminal."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from canasta_agents.play.agent_calls import advise, prepare_for_advice
from canasta_agents.play.session import YOU, Session
from canasta_env import classic
from canasta_env.agent import Agent
from tests.card_counter import CardCounter, ContractError, MatchCardCounter
from tests.play.seated import play_deal

RULES = classic(2, target=5_000)


def seat(made: list[MatchCardCounter], seats: tuple[str, ...] = (YOU, "counter")) -> Session:
    def make(spec: str) -> Agent:
        made.append(MatchCardCounter())
        return made[-1]

    return Session(RULES, seats, make, 7)


def advance(session: Session, moves: int) -> None:
    """Play some moves of a table at which nobody plays."""
    for _ in range(moves):
        assert session.advance()["fault"] is None


def test_a_card_counter_counts_whole_deals_of_a_match() -> None:
    made: list[MatchCardCounter] = []
    session = seat(made)
    for deal in range(1, 4):
        assert play_deal(session, Random(deal))[-1]["fault"] is None
        assert made[0].told == [1] * deal
        if deal < 3:
            session.handle({"type": "next"})
    assert made[0].resets == 1


def test_a_card_counter_counts_anew_after_undo() -> None:
    made: list[MatchCardCounter] = []
    session = seat(made, ("counter", "counter"))
    advance(session, 40)
    session.handle({"type": "undo"})
    advance(session, 40)
    assert [counter.told for counter in made] == [[1, 1], [1, 1]]


def test_a_card_counter_of_a_table_that_was_kept_catches_up() -> None:
    made: list[MatchCardCounter] = []
    session = seat(made, ("counter", "counter"))
    advance(session, 40)

    def make(spec: str) -> Agent:
        made.append(MatchCardCounter())
        return made[-1]

    advance(Session.restored(session.kept(), make), 20)
    assert [counter.told for counter in made[2:]] == [[1], [1]]
    assert [len(counter.seen) for counter in made[2:]] == [1, 1]


def test_a_card_counter_gives_advice_from_what_the_seat_has_seen() -> None:
    session = seat([], ("counter", "counter"))
    advance(session, 41)
    table, adviser = session.table_for_advice(), CardCounter()
    prepare_for_advice(adviser, table, session.so_far())
    advise(adviser, table)
    assert adviser.told == [1]
    untold = CardCounter()
    untold.reset(1, 0)
    untold.begin_deals(np.zeros(1, np.int64), np.ones(1, np.bool_))
    with pytest.raises(Exception, match="told in the middle of a deal") as caught:
        advise(untold, table)
    assert isinstance(caught.value.__cause__, ContractError)
