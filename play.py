"""Sit down at a table: `python play.py --help`."""

import sys

from agents.commands import play

if __name__ == "__main__":
    sys.exit(play())
