"""Opening a table compiles what the table needs: afterwards the server's own thread compiles nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

_SCRIPT = """
import sys, tempfile
from pathlib import Path
from random import Random
from numba.core.registry import CPUDispatcher
from canasta_agents.play.lobby import Lobby

def signatures():
    kernels = (thing for name, module in list(sys.modules.items()) if name.startswith("canasta_env.")
               for thing in list(vars(module).values()) if isinstance(thing, CPUDispatcher))
    return {(kernel.__name__, str(signature)) for kernel in kernels for signature in kernel.signatures}

folder = Path(tempfile.mkdtemp())
lobby = Lobby(folder / "runs", folder / "records")
name = lobby.open({"game": "modern_american", "players": 4, "seats": ["you", "random", "random", "random"]})
before = signatures()
session, rng = lobby.find(name), Random(1)
while True:
    state = session.advance() if session.waits_s is not None else session.state()
    if state["phase"] == "over":
        break
    if state["legal"]:
        session.handle({"type": "play", "action": rng.choice(state["legal"]), "at": len(state["moves"])})
print(len(before), sorted(signatures() - before))
"""


@pytest.mark.slow
def test_an_open_table_compiles_nothing_more() -> None:
    told = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    count, late = told.stdout.split(maxsplit=1)
    assert int(count) > 0
    assert late.strip() == "[]"
