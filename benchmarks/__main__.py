"""Run the benchmarks of the engine, the environment and the arena; JSON at the end."""

from benchmarks import aec, arena, engine
from benchmarks.measure import report

if __name__ == "__main__":
    print(report([*engine.main(), *aec.main(), *arena.main()]))
