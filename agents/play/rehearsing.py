"""Deals that nobody sees: they compile what tables need, where waiting for that holds up nobody."""

from __future__ import annotations

import functools

from canasta_agents import roster
from canasta_agents.play.advice import decision
from canasta_agents.play.session import Session
from canasta_env import Rules, classic
from canasta_env.rules import GAMES, standard_rules

_MOVES = 40  # of a deal between rule-based players: enough for what they are made of


@functools.cache
def rehearse() -> None:
    """Play one deal, once in a process. It takes about a minute where the engine is not compiled yet."""
    rules = classic(players=2)
    session = _seated(rules, "random")
    _ = decision(session.asked_for_advice()).observations
    session.state()
    while session.waits_s is not None:
        session.advance()
    session.state()
    session.handle({"type": "next"})


def rehearse_players() -> None:
    """Let the strongest rule-based players begin a deal of each game, while people still choose theirs."""
    for game in GAMES:
        session = _seated(standard_rules(game), "heuristic")
        for _ in range(_MOVES):
            if session.waits_s is not None:  # until the deal is over
                session.advance()


def _seated(rules: Rules, player: str) -> Session:
    """A table with one player in every seat."""
    return Session(rules, [player] * rules.players, functools.partial(roster.make, rules=rules), seed=0)
