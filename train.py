"""Train a Canasta player: `python train.py [configs/NAME.toml] [--section.key value ...]`."""

import sys
from importlib.util import find_spec

if find_spec("canasta_agents") is None:
    sys.exit("train.py: this checkout is not installed: run `make setup`, then `.venv/bin/python train.py`")

from canasta_agents.commands import train

if __name__ == "__main__":
    sys.exit(train())
