"""The command line of training: `python train.py [CONFIG.toml] [--section.key value ...]`."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from canasta_agents.learning.config import Config, ConfigError, from_dict, load
from canasta_agents.threads import wait_passively
from canasta_env.rules import RulesError

FAILED, REFUSED, INTERRUPTED = 1, 2, 130  # exit statuses

_NEEDS = "training needs some libraries more: pip install 'canasta-env[train]'"

try:
    import tyro
except ImportError as missing:
    raise ImportError(_NEEDS) from missing


@dataclass(frozen=True)
class Arguments:
    """Train a Canasta player by self-play. Without arguments: about three minutes of Modern American."""

    file: tyro.conf.Positional[Path | None] = None
    """A TOML file like those in configs/; what it leaves out keeps the default shown below."""
    resume: Path | None = None
    """A run to go on with, runs/NAME; keys given beside it replace those of the run."""
    minutes: float | None = None
    """Training time; short for --run.minutes."""
    config: Annotated[Config, tyro.conf.arg(name="")] = field(default_factory=Config)
    """The run."""


def parse(argv: Sequence[str]) -> Arguments:
    """Read the command line: a file or a run gives the defaults, keys replace them.

    Raises:
        ConfigError: If the file, the run or a value does not fit.
        SystemExit: If the command line itself cannot be read, or help was asked for.
    """
    from canasta_agents.learning.checkpoints import load_state

    defaults = Arguments()
    first = argv[0] if argv and not argv[0].startswith("-") else None
    if first is not None:
        defaults = Arguments(file=Path(first), config=load(Path(first)))
    elif (run := _value_of("--resume", argv)) is not None:
        facts = load_state(Path(run) / "latest").facts
        defaults = Arguments(resume=Path(run), config=from_dict(facts["config"], run))
    arguments: Arguments = tyro.cli(Arguments, args=list(argv), default=defaults, prog="train.py")
    if arguments.minutes is None:
        return arguments
    run_config = dataclasses.replace(arguments.config.run, minutes=arguments.minutes)
    return dataclasses.replace(arguments, config=dataclasses.replace(arguments.config, run=run_config))


def main(argv: Sequence[str] | None = None) -> int:
    """Train, then compare; returns the exit status."""
    wait_passively()
    from canasta_agents.roster import RosterError

    try:
        from canasta_agents.learning.checkpoints import CheckpointError
    except ImportError as missing:
        print(f"train.py: {missing}; {_NEEDS}", file=sys.stderr)
        return REFUSED
    try:
        arguments = parse(sys.argv[1:] if argv is None else argv)
        return _train(arguments)
    except (ConfigError, CheckpointError, RosterError, RulesError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return REFUSED


def _train(arguments: Arguments) -> int:
    from rich.console import Console

    from canasta_agents.learning.machine import prepare_machine
    from canasta_agents.learning.session import Session
    from canasta_agents.learning.updates.descent import DivergedError
    from canasta_agents.learning.world import canasta

    config = arguments.config
    machine = prepare_machine(config.run)
    group = machine.group
    folder = arguments.resume or group.agree(run_folder(config))
    console = Console(width=None if sys.stdout.isatty() else 120, quiet=not group.is_first)
    session = Session(
        config, folder, canasta(config), machine, console, is_resumed=arguments.resume is not None
    )
    try:
        is_finished = session.train()
    except DivergedError as error:
        if group.is_first:
            print(f"train.py: stopped after {session.progress_text}: {error}", file=sys.stderr)
        return FAILED
    group.leave()
    if not is_finished:
        return INTERRUPTED
    if group.is_first:
        session.report()
    return 0


def run_folder(config: Config) -> Path:
    """Where a new run goes.

    Raises:
        ConfigError: If there is a run of that name already.
    """
    name = config.run.name or f"{config.game.name}_{config.game.players}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = Path(config.run.folder) / name
    if (folder / "config.json").exists():
        raise ConfigError(
            f"run.name: {folder} holds a run already; go on with --resume {folder}, or take another name"
        )
    return folder


def _value_of(option: str, argv: Sequence[str]) -> str | None:
    """The value of an option, written `--option value` or `--option=value`."""
    for place, argument in enumerate(argv):
        if argument == option and place + 1 < len(argv):
            return argv[place + 1]
        if argument.startswith(f"{option}="):
            return argument.split("=", 1)[1]
    return None
