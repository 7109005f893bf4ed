"""Play a tournament: `python evaluate.py --help`."""

from agents.arena.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
