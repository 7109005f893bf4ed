"""What a spec says of a program: "process:./bot --fast?move=2&hello=20"."""

from __future__ import annotations

import dataclasses
import math
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from canasta_agents.config_checks import ConfigError

PROCESS_PREFIX = "process:"
MOST_S = 86_400
_OPTIONS = re.compile(r"\?((?:\w+=[^?&\s]*)(?:&\w+=[^?&\s]*)*)$")


@dataclass(frozen=True)
class ProcessOptions:
    """The time that a program has."""

    hello: float = 10.0
    """Seconds from its start to its hello."""
    move: float = 5.0
    """Seconds for each answer."""

    def __post_init__(self) -> None:
        """Refuse what is no time."""
        for name, seconds in dataclasses.asdict(self).items():
            if not 0 < seconds <= MOST_S:
                raise ConfigError(f"{name}: {seconds!r} must be seconds above 0, at most {MOST_S:,}")


def parse_process(spec: str) -> tuple[list[str], ProcessOptions]:
    """Read the spec of a program: "process:COMMAND" or "process:COMMAND?option=value&option=value".

    Returns:
        The words of the command, as a shell would split them, and the options.

    Raises:
        ConfigError: If there is no command, or an option is unknown, told twice or no number: names it.
    """
    text = spec.removeprefix(PROCESS_PREFIX)
    told: dict[str, float] = {}
    if (found := _OPTIONS.search(text)) is not None:
        text = text[: found.start()]
        for part in found[1].split("&"):
            name, _, value = part.partition("=")
            if name in told:
                raise ConfigError(f"{name}: is told twice in {spec!r}; once is enough")
            told[name] = _seconds(name, value)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"the command cannot be split into words: {error}") from None
    if not words:
        raise ConfigError('the command is missing; "process:./bot --args" is right')
    return words, ProcessOptions(**told)


def _seconds(name: str, text: str) -> float:
    names = [field.name for field in dataclasses.fields(ProcessOptions)]
    if name not in names:
        raise ConfigError(f"unknown option {name!r}; the options of a program are {', '.join(names)}")
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds):
        raise ConfigError(f"{name}: {text!r} must be a number of seconds")
    return seconds


def program_files(spec: str) -> dict[str, Path]:
    """The files that a program is made of, by the words of its command.

    These are the program itself, and each argument that is a file, or a folder with all files in it.
    """
    (program, *arguments), _ = parse_process(spec)
    files = {program: Path(shutil.which(program) or program)}
    for word in arguments:
        path = Path(word)
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files |= {each.as_posix(): each for each in inside if each.is_file()}
    return files
