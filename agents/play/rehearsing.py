"""A deal that nobody sees: it compiles what tables need, where waiting for that holds up nobody."""

from __future__ import annotations

import functools

from canasta_env import classic

from .. import roster
from .advice import decision
from .session import Session


@functools.cache
def rehearse() -> None:
    """Play one deal, once in a process. It takes about a minute where the engine is not compiled yet."""
    rules = classic(players=2)
    session = Session(rules, ["random", "random"], lambda spec: roster.make(spec, rules), seed=0)
    _ = decision(session.asked_for_advice()).observations
    session.state()
    while session.waits_s is not None:
        session.advance()
    session.state()
    session.handle({"type": "next"})
