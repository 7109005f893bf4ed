"""The commands `train.py`, `evaluate.py` and `play.py`, as they are installed too.

Each says in one line, by the name it was called by, what to install where libraries are missing, which file
it cannot read or write, that memory is lacking, and that it was interrupted. SIGTERM does what Ctrl-C does.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from importlib import import_module

from canasta_agents.processes import INTERRUPTED, REFUSED
from canasta_agents.programs import explain_import_error, program_name
from canasta_env.validation import explain_error, printable

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
    except (OSError, MemoryError) as error:
        print(f"{command}: {explain_error(error)}", file=sys.stderr)
        return REFUSED
    except RuntimeError as error:
        if not _is_lack_of_memory(error):
            raise
        print(f"{command}: {explain_error(MemoryError(error))}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print(f"{command}: interrupted", file=sys.stderr)
        return INTERRUPTED


def _is_lack_of_memory(error: RuntimeError) -> bool:
    """Whether PyTorch lacks memory: of a GPU, or of the machine, for which it has no class of errors."""
    return type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in str(error)
