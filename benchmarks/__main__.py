"""Run the benchmarks of the engine, the environment, the arena and the trainer; JSON at the end."""

from benchmarks import aec, arena, engine, networks, redeal, train
from benchmarks.measure import report

if __name__ == "__main__":
    print(
        report([*engine.main(), *redeal.main(), *aec.main(), *arena.main(), *networks.main(), *train.main()])
    )
