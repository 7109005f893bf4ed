"""Commands of `python -m canasta_agents`: `export`, `equity`, `hands`, `review` and `cross-play`."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from canasta_agents.policies import playable_policy
from canasta_agents.processes import INTERRUPTED, wait_passively
from canasta_agents.registry import make
from canasta_env.rules import GAMES, standard_rules
from canasta_env.validation import explain_error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m canasta_agents", description="Work on trained players.")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write a trained policy as an ONNX file")
    export.add_argument(
        "run", help='a run (its best policy), a checkpoint in it, or a policy of the package ("classic_4")'
    )
    export.add_argument("file", type=Path, help="the file to write")
    export.set_defaults(run_command=_export)
    equity = commands.add_parser("equity", help="estimate what match scores are worth, from played deals")
    equity.add_argument("--game", choices=GAMES, default="modern_american", help="default: %(default)s")
    equity.add_argument("--players", type=int, default=4, help="default: %(default)s")
    equity.add_argument("--agent", help="who plays the deals; default: the strongest player of the package")
    equity.add_argument("--deals", type=int, default=20_000, help="default: %(default)s")
    equity.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    equity.add_argument("file", type=Path, nargs="?", help="the file to write; default: none, only shown")
    equity.set_defaults(run_command=_equity)
    hands = commands.add_parser("hands", help="learn what hands the players of a policy are likely to hold")
    hands.add_argument("run", help="as of export; the model is written beside the policy")
    hands.add_argument("--deals", type=int, default=8_000, help="to learn from; default: %(default)s")
    hands.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    hands.set_defaults(run_command=_hands)
    _add_review(commands.add_parser("review", help="judge the decisions of a record by a search"))
    _add_cross_play(commands.add_parser("cross-play", help="how well some agents play with each other"))
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(given, argparse.Namespace(given=given))
    wait_passively()
    try:
        options.run_command(options)
    except (ImportError, MemoryError, OSError, ValueError) as error:
        print(explain_error(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def _add_review(review: argparse.ArgumentParser) -> None:
    review.add_argument("record", type=Path, help="a file of canasta_env.records: a deal or a match")
    review.add_argument("--policy", help="who judges; default: the strongest player of the package")
    review.add_argument("--worlds", type=int, default=16, help="tables to choose in; default: %(default)s")
    review.add_argument("--candidates", type=int, default=4, help="actions to try; default: %(default)s")
    review.add_argument(
        "--loss-worlds", type=int, default=64, help="tables to measure a loss in; default: %(default)s"
    )
    review.add_argument("--seed", type=int, default=0, help="fixes all chance; default: %(default)s")
    review.add_argument("--errors", type=int, default=10, help="how many to show; default: %(default)s")
    review.add_argument("--html", type=Path, help="a page to write, for people")
    review.add_argument("--json", type=Path, help="a file to write, with all of it, for programs")
    review.add_argument("--csv", type=Path, help="a file to write, with a row for each decision")
    review.set_defaults(run_command=_review)


def _add_cross_play(cross_play: argparse.ArgumentParser) -> None:
    default = "default: %(default)s"
    cross_play.add_argument(
        "--agents",
        nargs="+",
        required=True,
        metavar="AGENT",
        help="who play together, as evaluate.py takes them",
    )
    cross_play.add_argument(
        "--opponents",
        nargs="+",
        default=["heuristic"],
        metavar="AGENT",
        help="whom each pair plays against; default: the strongest rule-based player",
    )
    cross_play.add_argument("--game", choices=GAMES, default="modern_american", help=default)
    cross_play.add_argument("--players", type=int, default=4, help=default)
    cross_play.add_argument("--boards", type=int, default=200, help=f"of each pair and opponent; {default}")
    cross_play.add_argument("--seed", type=int, default=0, help=f"draws the boards; {default}")
    cross_play.add_argument("--workers", type=int, help="processes to play on; default: all cores")
    cross_play.add_argument("--name", help="folder under results/; default: made from the settings")
    cross_play.set_defaults(run_command=_cross_play)


def _export(options: argparse.Namespace) -> None:
    run, file = Path(options.run.removeprefix("neural:")), options.file
    try:
        from canasta_agents.neural.onnx_export import export
    except ImportError as error:
        raise ImportError(
            f"exporting needs PyTorch: pip install 'canasta-env[train,onnx]' ({error})"
        ) from error

    metadata = export(run, file)
    print(
        f"{file}: {metadata['game']}, {metadata['players']} players, observations of "
        f"{metadata['observation_size']} entries; it plays as onnx:{file}"
    )


def _equity(options: argparse.Namespace) -> None:
    try:
        from rich.console import Console
        from rich.progress import Progress

        from canasta_agents.learning.match_equity import estimate_equity, play_deals
    except ImportError as error:
        raise ImportError(
            f"this needs some libraries more: pip install 'canasta-env[train]' ({error})"
        ) from error
    import numpy as np

    rules = standard_rules(options.game, options.players)
    policy = playable_policy(rules)
    name = options.agent or (f"neural:{policy}" if policy else "heuristic")
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task(f"deals of {name}", total=options.deals)
        scores, totals = play_deals(
            rules,
            make(name, rules),
            options.deals,
            options.seed,
            lambda num: progress.update(task, completed=num),
        )
    table = estimate_equity(rules, scores, totals, name)
    if options.file is not None:
        table.save(options.file)
    print(f"chance to win a match to {rules.target:,}, by own score (rows) and score of every other side")
    shown = [rules.target * fifth // 5 for fifth in range(5)]
    print("       " + "".join(f"{score:>7,}" for score in shown))
    for own in shown:
        at = np.array([[own, *[score] * (rules.num_sides - 1)] for score in shown])
        print(f"{own:>7,}" + "".join(f"{chance:>7.1%}" for chance in table.at(at)[:, 0]))


def _hands(options: argparse.Namespace) -> None:
    try:
        from rich.console import Console
        from rich.progress import Progress

        from canasta_agents.learning.hands import learn_hands
    except ImportError as error:
        raise ImportError(
            f"this needs some libraries more: pip install 'canasta-env[train]' ({error})"
        ) from error

    run = Path(options.run.removeprefix("neural:"))
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("deals, then training", total=1.0)
        file, gain = learn_hands(
            run, options.deals, options.seed, lambda part: progress.update(task, completed=part)
        )
    print(f"{file}: knows {gain:.2f} nats of the hidden hands more than that they are dealt by chance")


def _review(options: argparse.Namespace) -> None:
    try:
        from canasta_agents.review.cli import Request, run
    except ImportError as error:
        raise ImportError(
            f"this needs some libraries more: pip install 'canasta-env[train,arena]' ({error})"
        ) from error

    names = [field.name for field in dataclasses.fields(Request)]
    run(Request(**{name: getattr(options, name) for name in names}))


def _cross_play(options: argparse.Namespace) -> None:
    try:
        from rich.console import Console

        from canasta_agents.arena.suite.cross_play_cli import CrossPlayRequest, run_cross_play
    except ImportError as error:
        raise ImportError(
            f"this needs some libraries more: pip install 'canasta-env[arena]' ({error})"
        ) from error

    names = [field.name for field in dataclasses.fields(CrossPlayRequest)]
    request = CrossPlayRequest(**{name: getattr(options, name) for name in names})
    command = shlex.join(["python", "-m", "canasta_agents", *options.given])
    run_cross_play(request, command, Console(highlight=False))


if __name__ == "__main__":
    raise SystemExit(main())
