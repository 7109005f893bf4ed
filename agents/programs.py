"""What the programs call themselves, and what they say where libraries are missing."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from importlib.util import find_spec
from pathlib import Path

_DISTRIBUTION = "canasta-env"
_REQUIREMENT = re.compile(r"([\w.-]+).*; *extra *== *[\"'](\w+)[\"']")


def program_name(script: str) -> str:
    """The name that a program was called by.

    Args:
        script: Its file in a checkout, such as "train.py".

    Returns:
        "canasta-train" where it runs as that, else the file.
    """
    installed = f"canasta-{Path(script).stem}"
    return installed if Path(sys.argv[0]).stem == installed else script


def command_of(script: str) -> list[str]:
    """The first words of a command line that calls a program as it was called: see `program_name`."""
    name = program_name(script)
    return ["python", script] if name == script else [name]


def explain_import_error(error: ImportError, extra: str) -> str:
    """What to install, for all libraries of an extra that are missing and not only the first one met.

    Args:
        error: What an import raised.
        extra: The extra that the program needs, such as "train".
    """
    install = f"pip install '{_DISTRIBUTION}[{extra}]'"
    missing = _missing(extra)
    if _top_level(error) in missing:
        verb = "is" if len(missing) == 1 else "are"
        return f"{', '.join(missing)} {verb} not installed: {install}"
    return (
        str(error) if "pip install" in str(error) else f"{error}: {install}"
    )  # the former is a text of ours


def _top_level(error: ImportError) -> str:
    return (error.name or "").partition(".")[0]


def _missing(extra: str) -> list[str]:
    """The libraries of an extra that cannot be imported; each is imported by the name it is installed by."""
    try:
        requirements = importlib.metadata.requires(_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    found = [match for text in requirements if (match := _REQUIREMENT.fullmatch(text))]
    return [match[1] for match in found if match[2] == extra and not _is_there(match[1])]


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False
