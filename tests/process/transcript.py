"""The transcript of docs/protocol.md: `python -m tests.process.transcript` prints what to show there."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from canasta_agents.arena.blocks import Block, Player, play_block
from canasta_agents.arena.schedule import matchup
from canasta_agents.process import agent as process_agent
from canasta_agents.process.program import Program
from canasta_agents.registry import make
from canasta_env.rules import classic

BOT = Path("examples/bots/simple_bot.py")
TO, FROM, LEFT_OUT = "→ ", "← ", "…"
_HEAD, _TAIL = 14, 4  # lines that are shown


def played_lines(root: Path) -> list[str]:
    """All lines to and from the program of seat 0 in one deal of Classic for two."""
    rules = classic(players=2)
    heard: dict[int, list[str]] = {}

    class Recorded(Program):
        def send(self, message: Mapping[str, Any]) -> None:
            heard.setdefault(id(self), []).append(TO + json.dumps(message))
            super().send(message)

        def receive(self, since: float, seconds: float, wanted: str) -> tuple[dict[str, Any], float]:
            message, came = super().receive(since, seconds, wanted)
            heard[id(self)].append(FROM + json.dumps(message))
            return message, came

    block = Block(rules, matchup(rules, (0,), (1,)), 0, 1, seed=5, decision_time_s=60)
    program = make(f"process:{sys.executable} {root / BOT}?hello=60&move=60", rules)
    with patch.object(process_agent, "Program", Recorded):
        played = play_block(block, [Player(program), Player(make("random", rules))])
    assert not played.faults
    return next(lines for lines in heard.values() if '"seat": 0' in lines[0])


def shown(lines: list[str]) -> list[str]:
    """The beginning and the end of a transcript."""
    return [*lines[:_HEAD], LEFT_OUT, *lines[-_TAIL:]]


if __name__ == "__main__":
    print("\n".join(shown(played_lines(Path()))))
