"""The command line of training: `python train.py [CONFIG.toml] [--section.key value ...]`.

PyTorch is loaded only when a run begins: `--help` answers without it.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.config import Config, load, load_of_run
from canasta_agents.processes import REFUSED, wait_passively
from canasta_agents.programs import explain_import_error, program_name
from canasta_env.validation import explain_error

_SCRIPT = "train.py"


@dataclass(frozen=True)
class Arguments:
    """Train a Canasta player by self-play. Without arguments: about three minutes of Classic for two."""

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
    defaults = Arguments()
    first = argv[0] if argv and not argv[0].startswith("-") else None
    if first is not None:
        defaults = Arguments(file=Path(first), config=load(Path(first)))
    elif (run := _value_of("--resume", argv)) is not None:
        defaults = Arguments(resume=Path(run), config=load_of_run(Path(run)))
    arguments: Arguments = tyro.cli(Arguments, args=list(argv), default=defaults, prog=program_name(_SCRIPT))
    if arguments.minutes is None:
        return arguments
    run_config = dataclasses.replace(arguments.config.run, minutes=arguments.minutes)
    return dataclasses.replace(arguments, config=dataclasses.replace(arguments.config, run=run_config))


def main(argv: Sequence[str] | None = None) -> int:
    """Train, then compare; returns the exit status."""
    wait_passively()
    try:
        arguments = parse(sys.argv[1:] if argv is None else argv)
    except ConfigError as error:
        print(f"{program_name(_SCRIPT)}: {explain_error(error)}", file=sys.stderr)
        return REFUSED
    try:
        from canasta_agents.learning import session
    except ImportError as missing:
        print(f"{program_name(_SCRIPT)}: {explain_import_error(missing, 'train')}", file=sys.stderr)
        return REFUSED
    return session.run(arguments.config, arguments.resume)


def _value_of(option: str, argv: Sequence[str]) -> str | None:
    """The value of an option, written `--option value` or `--option=value`."""
    for place, argument in enumerate(argv):
        if argument == option and place + 1 < len(argv):
            return argv[place + 1]
        if argument.startswith(f"{option}="):
            return argument.split("=", 1)[1]
    return None
