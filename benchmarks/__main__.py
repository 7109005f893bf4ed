"""Run the benchmarks of the engine and of the environment; JSON at the end."""

from benchmarks import aec, engine
from benchmarks.measure import report

if __name__ == "__main__":
    print(report([*engine.main(), *aec.main()]))
