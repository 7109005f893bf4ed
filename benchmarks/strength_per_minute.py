"""Strength over minutes of training: this trainer with either network, and PPO of others, each on one core.

    python -m benchmarks.strength_per_minute --learner rank --minutes 10
    python -m benchmarks.strength_per_minute --plot docs/images/strength_per_minute.svg

Every learner plays Classic for two, from drawn scores, and is measured against the strongest rule-based
player while its clock stands still. Those of this package train against themselves; the two others, which
have no self-play, train against the player that measures them, which helps them here. `maskable_ppo` is that
of sb3-contrib with the settings of examples/sb3_maskable_ppo.py (install tests/integrations/sb3.txt), and
`single_file` is examples/cleanrl_style_ppo.py. Curves are kept in `--folder`, a file a learner.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from canasta_agents.processes import wait_passively

wait_passively()

import gymnasium  # noqa: E402
import torch  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from canasta_agents.files import write_file  # noqa: E402
from canasta_agents.learning.cli import main as train  # noqa: E402
from canasta_agents.learning.metrics import read_metrics  # noqa: E402
from canasta_env.evaluation import Choose, points_per_deal  # noqa: E402

GAME, PLAYERS, OPPONENT = "classic", 2, "heuristic"
DEALS = 1_000  # of a measurement; a board of the trainer's own evaluation is two
Curve = list[dict[str, float]]  # rows of minutes, points, error
NAMES = {
    "rank": "train.py, rank network",
    "flat": "train.py, flat network",
    "single_file": "single-file PPO",
    "maskable_ppo": "MaskablePPO (sb3-contrib)",
}


def own_trainer(kind: str, minutes: float, measurements: int, folder: Path) -> Curve:
    """The curve of a run of `train.py` on one core."""
    run = folder / "runs" / kind
    options = {
        "run.folder": run.parent,
        "run.name": kind,
        "run.minutes": minutes,
        "run.threads": 1,
        "network.kind": kind,
        "network.width": 320 if kind == "flat" else 256,
        "evaluation.measurements": measurements,
        "evaluation.boards": DEALS // 2,
        "evaluation.final-boards": 0,
    }
    if train([word for key, value in options.items() for word in (f"--{key}", str(value))]) != 0:
        raise SystemExit(f"{run}: stopped before its end")
    return [
        {
            "minutes": line["seconds"] / 60,
            "points": line["eval/points"],
            "error": (line["eval/points_high"] - line["eval/points_low"]) / 2,
        }
        for line in read_metrics(run)
        if "eval/points" in line
    ]


def measured(minutes: float, choose: Choose) -> dict[str, float]:
    """A row of a curve."""
    points = points_per_deal(choose, GAME, PLAYERS, deals=DEALS, opponents=OPPONENT, scores="drawn")
    print(f"{minutes:5.1f} minutes: {points}", flush=True)
    return {"minutes": minutes, "points": points.mean, "error": points.error}


def outside_trainer(learner: str, minutes: float, measurements: int) -> Curve:
    """The curve of a learner of another library, or of the single file."""
    learn, choose = {"single_file": single_file, "maskable_ppo": maskable_ppo}[learner]()
    curve, seconds = [], 0.0
    for share in range(1, measurements + 1):
        while seconds < 60 * minutes * share / measurements:
            began = time.perf_counter()
            learn(seconds / (60 * minutes))
            seconds += time.perf_counter() - began
        curve.append(measured(seconds / 60, choose))
    return curve


def single_file() -> tuple[Callable[[float], None], Choose]:
    """An update of examples/cleanrl_style_ppo.py, given the share of time that is over, and its policy."""
    from examples import cleanrl_style_ppo as example

    sys.argv = ["cleanrl_style_ppo.py", "--opponent", OPPONENT]
    options = example.parse()
    torch.manual_seed(options.seed)
    envs = gymnasium.make_vec(
        example.NAME,
        num_envs=options.num_envs,
        players=PLAYERS,
        opponents=OPPONENT,
        scores="drawn",
        autoreset_mode="SameStep",
    )
    spaces: Any = envs.single_observation_space
    sizes = spaces["observation"].shape[0], spaces["action_mask"].shape[0]
    network = example.Network(*sizes, options.width)
    optimizer = torch.optim.Adam(network.parameters(), options.learning_rate, eps=1e-5)
    seen, _ = envs.reset(seed=options.seed)

    def learn(share_over: float) -> None:
        nonlocal seen
        optimizer.param_groups[0]["lr"] = options.learning_rate * (1 - share_over)
        rollout, seen = example.collect(envs, network, seen, options.num_steps)
        example.learn(network, optimizer, rollout, example.values_of(network, seen), options)

    return learn, example.likeliest(network)


def maskable_ppo() -> tuple[Callable[[float], None], Choose]:
    """An update of MaskablePPO, and its policy; its learning rate is constant, as in the example."""
    from examples import sb3_maskable_ppo as example

    def make_env() -> Any:
        env = gymnasium.make(example.NAME, players=PLAYERS, scores="drawn", opponents=OPPONENT)
        return gymnasium.wrappers.TransformReward(env, lambda points: points / example.POINTS_PER_UNIT)

    model, choose = example.build(make_env)
    steps = model.n_steps * example.NUM_ENVS

    def learn(share_over: float) -> None:
        model.learn(steps, reset_num_timesteps=False)

    return learn, choose


def draw(folder: Path, picture: Path) -> None:
    """Draw the curves that are there."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for learner, curve in curves(folder):
        minutes = [row["minutes"] for row in curve]
        points = [row["points"] for row in curve]
        errors = [row["error"] for row in curve]
        axes.errorbar(minutes, points, errors, marker="o", markersize=3, capsize=2, label=NAMES[learner])
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("minutes of training on one core")
    axes.set_ylabel(f"points a deal against {OPPONENT} (95%)")
    axes.grid(alpha=0.3)
    axes.legend()
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    write_file(picture, drawn.getvalue())


def curves(folder: Path) -> Iterator[tuple[str, Curve]]:
    """The learners that have a curve in the folder, and it."""
    for learner in NAMES:
        if (path := folder / f"{learner}.json").exists():
            yield learner, json.loads(path.read_text())


def main(argv: Sequence[str]) -> None:
    """Train one learner, or draw all curves."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--learner", choices=NAMES, help="who learns")
    parser.add_argument("--minutes", type=float, default=10.0, help="of training, without measuring")
    parser.add_argument("--measurements", type=int, default=10, help="evenly spread over the minutes")
    parser.add_argument("--folder", type=Path, default=Path("runs/strength_per_minute"), help="of the curves")
    parser.add_argument("--plot", type=Path, help="draw the curves of the folder into this SVG")
    options = parser.parse_args(argv)
    if options.learner:
        torch.set_num_threads(1)
        about = options.minutes, options.measurements
        if options.learner in ("rank", "flat"):
            curve = own_trainer(options.learner, *about, options.folder)
        else:
            curve = outside_trainer(options.learner, *about)
        write_file(options.folder / f"{options.learner}.json", json.dumps(curve, indent=1) + "\n")
    if options.plot:
        draw(options.folder, options.plot)
    for learner, curve in curves(options.folder):
        row = "  ".join(f"{row['minutes']:.0f}: {row['points']:+,.0f}" for row in curve)
        print(f"{NAMES[learner]:26} {row}")


if __name__ == "__main__":
    main(sys.argv[1:])
