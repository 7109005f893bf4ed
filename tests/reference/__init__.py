"""The oracle: a slow, second implementation of the rules, written from RULES.md and from nothing else."""
