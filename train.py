"""Train a Canasta player: `python train.py [configs/NAME.toml] [--section.key value ...]`."""

import sys

from agents.commands import train

if __name__ == "__main__":
    sys.exit(train())
