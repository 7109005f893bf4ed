"""Speed, measured: `python -m benchmarks` runs the short ones, each module one alone."""
