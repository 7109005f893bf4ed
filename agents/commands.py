"""The commands `train.py`, `evaluate.py` and `play.py`, as they are installed too.

Each says in one line, by the name it was called by, what to install where libraries are missing, which file
it cannot read or write, and that it was interrupted. SIGTERM does what Ctrl-C does.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from importlib import import_module

from canasta_agents.processes import INTERRUPTED, REFUSED
from canasta_agents.programs import explain_import_error, program_name
from canasta_env.validation import printable

_OURS = ("canasta_agents", "canasta_env")


def train() -> int:
    """Train a player."""
    return _run("train.py", "canasta_agents.learning.cli", "train")


def evaluate() -> int:
    """Play a tournament."""
    return _run("evaluate.py", "canasta_agents.arena.cli", "arena")


def play() -> int:
    """Sit down at a table."""
    return _run("play.py", "canasta_agents.play.cli", "play")


def _run(script: str, module: str, extra: str) -> int:
    """Call `main` of a module; the process's exit status."""
    command = program_name(script)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main: Callable[[], int] = import_module(module).main
        return main()
    except ImportError as missing:
        if (missing.name or "").partition(".")[0] in _OURS:
            raise
        print(f"{command}: {printable(explain_import_error(missing, extra))}", file=sys.stderr)
        return REFUSED
    except OSError as error:
        reason = f"{error.filename or 'input or output'}: {error.strerror or error}"
        print(f"{command}: {printable(reason)}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        return INTERRUPTED
