"""Sit down at a table: `python play.py --help`."""

import sys

from agents.play.cli import main

if __name__ == "__main__":
    sys.exit(main())
