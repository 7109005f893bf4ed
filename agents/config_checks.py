"""Frozen dataclasses as configs: built from nested dicts and checked key by key; code that a key names.

Errors name the key, its value, and the choices.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeVar

from canasta_agents.processes import machine_memory

Section = TypeVar("Section")


class ConfigError(ValueError):
    """A configuration that cannot be run: names the key, its value, and what would be right."""


def build(section: type[Section], content: object, prefix: str) -> Section:
    """Build a dataclass from a dict; `prefix` is "" or "section."."""
    if not isinstance(content, Mapping):
        raise ConfigError(
            f"{prefix.rstrip('.')}: {content!r} must be a table of keys, [{prefix.rstrip('.')}] in TOML"
        )
    hints = typing.get_type_hints(section)
    if unknown := [name for name in content if name not in hints]:
        raise ConfigError(_unknown_key(prefix, unknown[0], list(hints)))
    return section(**{name: _value(hints[name], value, prefix + name) for name, value in content.items()})


def _unknown_key(prefix: str, name: str, choices: list[str]) -> str:
    near = get_close_matches(name, choices, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"unknown key {prefix + name!r}; {hint}The keys are {', '.join(choices)}"


def _value(hint: Any, value: object, name: str) -> object:
    """Check a value against a field's type and bring it into that type."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return build(hint, value, f"{name}.")
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return _as_float(value, name)
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
        if value not in choices:
            raise ConfigError(
                f"{name}: {value!r} is not a choice; the choices are {', '.join(map(repr, choices))}"
            )
        return value
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
            raise ConfigError(f"{name}: {value!r} must be a list of names")
        return tuple(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        kind = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[hint]
        raise ConfigError(f"{name}: {value!r} must be {kind}")
    return value


def _as_float(value: int, name: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ConfigError(f"{name}: a number of {value.bit_length()} bits is too large") from None


def _key(section: object, name: str) -> str:
    return f"{type(section).__name__.lower()}.{name}"


def require_range(section: object, name: str, low: float, high: float | None = None) -> None:
    """Refuse a number outside low ... high, or not finite."""
    value = getattr(section, name)
    if not low <= value < float("inf") or (high is not None and value > high):
        bound = f"at least {low:g}, and finite" if high is None else f"from {low:g} to {high:g}"
        raise ConfigError(f"{_key(section, name)}: {value!r} must be {bound}")


def require_above_zero(section: object, name: str) -> None:
    """Refuse a number that is not above 0, or not finite."""
    value = getattr(section, name)
    if not 0 < value < float("inf"):
        raise ConfigError(f"{_key(section, name)}: {value!r} must be above 0, and finite")


def require_choice(section: object, name: str, choices: typing.Iterable[object]) -> None:
    """Refuse what is not among the choices."""
    value = getattr(section, name)
    if value not in (choices := tuple(choices)):
        raise ConfigError(
            f"{_key(section, name)}: {value!r} is not a choice; "
            f"the choices are {', '.join(map(repr, choices))}"
        )


def require_memory(key: str, num_bytes: int, right: str) -> None:
    """Refuse what needs more memory than this machine has."""
    if num_bytes > (memory := machine_memory()):
        needs, has = num_bytes / 1e9, memory / 1e9
        raise ConfigError(f"{key}: needs {needs:,.0f} GB of memory, and this machine has {has:,.0f}; {right}")


@contextmanager
def refusing_faults(spec: str, key: str, right: str) -> Iterator[None]:
    """Refuse code that a key names and that fails when it is tried out.

    Raises:
        ConfigError: In place of whatever is raised; says what would be right.
    """
    try:
        yield
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{key}: {spec!r} fails ({type(error).__name__}: {reason}); {right}") from error


def import_named(spec: str, key: str) -> object:
    """What a key that names code stands for: "module:Name", also of a file in the current folder.

    Args:
        spec: The key's value.
        key: For the errors.

    Raises:
        ConfigError: If there is no such module, it fails, or there is nothing of that name in it.
    """
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.append(folder)  # behind all others; an installed command does not look there by itself
    module_name, _, name = spec.partition(":")
    if not module_name or not name or module_name.startswith("."):
        raise ConfigError(f"{key}: {spec!r} should read module:Name, such as my_file:MyName for my_file.py")
    with refusing_faults(spec, key, f"{module_name} must be a module that can be imported"):
        try:
            module = importlib.import_module(module_name)
        except ImportError as error:
            raise ConfigError(
                f"{key}: {spec!r} cannot be imported ({error}); start from the folder that holds "
                f"{module_name.partition('.')[0]!r}, or put that folder on PYTHONPATH"
            ) from error
    if not hasattr(module, name):
        raise ConfigError(f"{key}: {spec!r}: module {module_name!r} has no {name!r}")
    return getattr(module, name)
