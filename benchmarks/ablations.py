"""What each choice of the trainer is worth: runs that differ from a base run in one thing.

    python -m benchmarks.ablations [configs/NAME.toml] [--variants NAME ...] [--section.key value ...]

Trains the base and every variant, or those named, with two seeds into `run.folder`/ablations/GAME (give
`--run.decisions`, so that all learn from equally many), then plays each variant's best policy against the
base's best of the same seed on duplicate boards that no run has seen. Finished runs are kept and broken ones
resumed: run it again to go on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from canasta_agents.learning.cli import main as train
from canasta_agents.learning.cli import parse
from canasta_agents.learning.config import Config
from canasta_agents.learning.evaluation import BoardEvaluator, Measurement
from canasta_agents.neural.agent import NeuralAgent
from canasta_agents.registry import make

SEEDS = (1, 2)
BOARDS = 2_000
BOARD_SEED = 3_000_017  # neither that of the selecting boards nor that of the reported ones
BASE = "base"
VARIANTS = {
    BASE: "",
    "flat network, 2 x 320": "--network.kind flat --network.width 320",
    "rows in the trunk": "--network.rows-in-trunk",
    "trunk 512 wide": "--network.width 512",
    "rows 128 wide": "--network.row-width 128",
    "critic with layers of its own": "--network.critic separate",
    "critic that sees all hands": "--network.critic privileged",
    "no imitation": "--imitation.share 0",
    "reference players at 0.3 of the tables": "--opponents.reference 0.3",
    "against itself only": "--opponents.self-play 1 --opponents.past 0 --opponents.reference 0",
    "lambda 0.8": "--ppo.gae-lambda 0.8",
    "lambda 1": "--ppo.gae-lambda 1",
    "entropy bonus 0": "--ppo.entropy-coef 0 --ppo.final-entropy-coef 0",
    "entropy bonus 0.02 throughout": "--ppo.entropy-coef 0.02 --ppo.final-entropy-coef 0.02",
    "clip range 0.1": "--ppo.clip-range 0.1",
    "one epoch": "--ppo.num-epochs 1",
    "four epochs": "--ppo.num-epochs 4",
    "minibatches of 1,024": "--ppo.minibatch-size 1024",
}


def main(argv: Sequence[str]) -> None:
    """Train what is missing, seed by seed, and print a row for each variant when all is there."""
    variants, argv = split_variants(argv)
    config = parse(argv).config
    folder = Path(config.run.folder) / "ablations" / f"{config.game.name}_{config.game.players}"
    for seed in SEEDS:
        for variant in variants:
            print(f"== {variant}, seed {seed}", flush=True)
            _train(folder, variant, seed, [*argv, *VARIANTS[variant].split()])
    print(f"\n| variant | against the base, {BOARDS:,} boards a seed | against {config.evaluation.player} |")
    print("|---|---|---|")
    for variant in variants:
        against_base = "" if variant == BASE else _compare(config, folder, variant, BASE)
        print(
            f"| {variant} | {against_base} | {_compare(config, folder, variant, config.evaluation.player)} |",
            flush=True,
        )


def split_variants(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The variants that a command line names, the base first, and the rest of it."""
    options = argparse.ArgumentParser("python -m benchmarks.ablations", allow_abbrev=False, add_help=False)
    options.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS), metavar="NAME")
    chosen, rest = options.parse_known_args(argv)
    return list(dict.fromkeys([BASE, *chosen.variants])), rest


def run_name(variant: str, seed: int) -> str:
    """A run's folder inside that of the ablations."""
    return f"{''.join(letter if letter.isalnum() else '_' for letter in variant)}-{seed}"


def _train(folder: Path, variant: str, seed: int, argv: list[str]) -> None:
    run = folder / run_name(variant, seed)
    finished = run / "ablation.json"
    if finished.exists():
        return
    own = ["--run.folder", str(folder), "--run.name", run.name, "--run.seed", str(seed)]
    resumed = ["--resume", str(run)]
    if not (run / "latest").exists():
        resumed = [*argv, *own, "--evaluation.final-boards", "0"]
    if train(resumed) != 0:
        raise SystemExit(f"{run}: stopped before its end; run the command again to go on")
    finished.write_text(json.dumps({"variant": variant, "seed": seed, "argv": argv}) + "\n")


def _compare(config: Config, folder: Path, variant: str, other: str) -> str:
    """Points a deal of a variant against the base of the same seed, or against a player, seed by seed."""
    return "; ".join(_points(config, folder, variant, other, seed) for seed in SEEDS)


def _points(config: Config, folder: Path, variant: str, other: str, seed: int) -> str:
    run = folder / run_name(variant, seed)
    stored = run / f"against-{run_name(other, seed)}.json"
    if not stored.exists():
        rules = config.game.rules
        opponent = NeuralAgent(folder / run_name(BASE, seed)) if other == BASE else make(other, rules)
        evaluator = BoardEvaluator(rules, config.game.scores)
        measured = evaluator.points(NeuralAgent(run), opponent, BOARDS, BOARD_SEED)
        stored.write_text(json.dumps(vars(measured)) + "\n")
    measured = Measurement(**json.loads(stored.read_text()))
    return f"{measured.estimate:+.0f} ± {measured.estimate - measured.low:.0f}"


if __name__ == "__main__":
    main(sys.argv[1:])
