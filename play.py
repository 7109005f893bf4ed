"""Sit down at a table: `python play.py --help`."""

import sys
from importlib.util import find_spec

if find_spec("canasta_agents") is None:
    sys.exit("play.py: this checkout is not installed: run `make setup`, then `.venv/bin/python play.py`")

from canasta_agents.commands import play

if __name__ == "__main__":
    sys.exit(play())
