"""The benchmark that others report on: one fixed, versioned protocol for each game (docs/benchmark.md)."""
