"""Play a tournament: `python evaluate.py --help`."""

import sys

from agents.commands import evaluate

if __name__ == "__main__":
    sys.exit(evaluate())
