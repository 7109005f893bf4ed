"""Train a Canasta player: `python train.py [configs/NAME.toml] [--section.key value ...]`."""

import sys

from agents.learning.cli import main

if __name__ == "__main__":
    sys.exit(main())
