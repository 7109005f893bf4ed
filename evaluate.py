"""Play a tournament: `python evaluate.py --help`."""

import sys
from importlib.util import find_spec

if find_spec("canasta_agents") is None:
    sys.exit(
        "evaluate.py: this checkout is not installed: run `make setup`, then `.venv/bin/python evaluate.py`"
    )

from canasta_agents.commands import evaluate

if __name__ == "__main__":
    sys.exit(evaluate())
