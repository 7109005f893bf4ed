"""Entrants: names and specs, and the agents made of them in whichever process plays.

A spec is what `agents.roster` knows ("heuristic", "neural:runs/x", "onnx:policy.onnx", "python:module:Class",
...), or "file:PATH:Class" for a class in a file that is not a module (`--agents-from`).
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from canasta_agents.arena.errors import ArenaError
from canasta_agents.arena.forfeits import EntrantError, ThoughtTooLongError, call, describe, watching
from canasta_agents.arena.play import WARM_UP_S, Block, Player
from canasta_agents.arena.watch import at_work
from canasta_agents.roster import RosterError, files_of, make
from canasta_env import agent as env_agent
from canasta_env.agent import Agent
from canasta_env.engine.jit import engine_sources
from canasta_env.rules import Rules

FILE_PREFIX, PYTHON_PREFIX = "file:", "python:"
_AGENTS = Path(__file__).resolve().parents[1]
# Where the code stands that results depend on: neither the browser's nor the trainer's.
_CODE = (
    "*.py",
    "arena/**/*.py",
    "heuristics/**/*.py",
    "policies/**/*.py",
    "neural/**/*.py",
)


class CannotBeMadeError(Exception):
    """The entrant in a slot cannot be made here, though it could be when the tournament began."""

    def __init__(self, slot: int, reason: str) -> None:
        super().__init__(reason)
        self.slot = slot


@dataclass(frozen=True)
class Entrant:
    """Who takes part: a name for tables and reports, and how to make the agent."""

    name: str
    spec: str
    plays_as: str = ""  # the agent's own name


def name_entrants(specs: Sequence[str], agent_names: Sequence[str]) -> list[Entrant]:
    """Give every entrant a name of its own: its spec, shortened where that is clear.

    Args:
        specs: Their specs; the same one may stand twice.
        agent_names: What the agents call themselves.
    """
    short = {spec: short_name(spec) for spec in specs}
    taken = list(short.values())
    names = [short[spec] if taken.count(short[spec]) == 1 else spec for spec in specs]
    copies = [names[:place].count(name) + 1 for place, name in enumerate(names)]
    numbered = [name if copy == 1 else f"{name} #{copy}" for name, copy in zip(names, copies, strict=True)]
    return [Entrant(*entrant) for entrant in zip(numbered, specs, agent_names, strict=True)]


def short_name(spec: str) -> str:
    """A spec as tables show it where it is clear: of somebody else's class its name."""
    return spec.rsplit(":", 1)[-1] if is_outsider(spec) else spec


def is_outsider(spec: str) -> bool:
    """Whether a spec is of somebody else's class, which may do anything to its process."""
    return spec.startswith((FILE_PREFIX, PYTHON_PREFIX))


def make_agent(spec: str, rules: Rules) -> Agent:
    """Make the agent of a spec.

    Raises:
        ArenaError: If there is none, with the reason.
    """
    try:
        if spec.startswith(FILE_PREFIX):
            return _from_file(spec.removeprefix(FILE_PREFIX), rules)
        return make(spec, rules)
    except (ArenaError, RosterError) as error:
        raise ArenaError(f"agents: {error}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an outsider's class may raise anything
        raise ArenaError(f"agents: {spec} cannot be made: {describe(error)}") from error


def specs_in_file(path: Path) -> list[str]:
    """The specs of the agents that a Python file defines: its classes with `reset` and `act`.

    Raises:
        ArenaError: If the file cannot be run, or defines no agent.
    """
    module = _run_file(path)
    classes = [
        name
        for name, member in vars(module).items()
        if inspect.isclass(member) and member.__module__ == module.__name__ and _is_agent_class(member)
    ]
    if not classes:
        raise ArenaError(
            f"agents-from: {path} defines no agent: a class with reset() and act(); see docs/own_agent.md"
        )
    return [f"{FILE_PREFIX}{path.resolve()}:{name}" for name in classes]


def _is_agent_class(member: type) -> bool:
    is_protocol = getattr(member, "_is_protocol", False)
    is_public = not member.__name__.startswith("_")
    return (
        is_public and not is_protocol and callable(getattr(member, "act", None)) and hasattr(member, "reset")
    )


def _from_file(location: str, rules: Rules) -> Agent:
    path, _, name = location.rpartition(":")
    if not path or not name:
        raise ArenaError(
            f"'{FILE_PREFIX}{location}' should read file:PATH:Class; --agents-from PATH takes all classes"
        )
    maker = getattr(_run_file(Path(path)), name, None)
    if maker is None:
        raise ArenaError(f"{path} defines no {name!r}")
    agent: Agent = maker(rules) if _takes_rules(maker) else maker()
    if not isinstance(getattr(agent, "name", None), str):
        agent.name = name
    return agent


def _takes_rules(maker: type) -> bool:
    """Whether a class is made with one argument, as in `agents.roster`."""
    try:
        inspect.signature(maker).bind(None)
    except TypeError:
        return False
    return True


def _run_file(path: Path) -> ModuleType:
    name = f"canasta_entrants_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise ArenaError(f"agents-from: there is no file {path}")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ArenaError(f"agents-from: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[name]
        raise ArenaError(f"agents-from: {path} does not run: {describe(error)}") from error
    return module


_players: dict[tuple[str, str, Rules, int], Player] = {}


def players_for(block: Block, specs: Sequence[str], fingerprints: Sequence[str]) -> list[Player]:
    """The players of a block's slots, made once in each process; equal specs get an agent each.

    Args:
        block: The block to be played.
        specs: A spec for each slot.
        fingerprints: Likewise; an entrant whose files have changed is made anew.

    Raises:
        CannotBeMadeError: If an outsider's class fails.
    """
    players = []
    for slot, (spec, print_) in enumerate(zip(specs, fingerprints, strict=True)):
        key = (spec, print_, block.rules, list(specs[:slot]).count(spec))
        if key not in _players:
            _players[key] = Player(_made(slot, spec, block.rules))
        players.append(_players[key])
    return players


def _made(slot: int, spec: str, rules: Rules) -> Agent:
    if not is_outsider(spec):
        return make_agent(spec, rules)
    try:
        with watching(), at_work(slot, WARM_UP_S):
            return call(lambda: make_agent(spec, rules), WARM_UP_S)
    except EntrantError as error:
        raise CannotBeMadeError(slot, str(error).removeprefix("ArenaError: ")) from error
    except ThoughtTooLongError as error:
        raise CannotBeMadeError(slot, f"took longer than {WARM_UP_S:.0f} s to be made") from error


def fingerprint(spec: str) -> str:
    """A hash that changes when a file of the entrant does: its weights, its rules, its code.

    Raises:
        ArenaError: If a file is missing or cannot be read.
    """
    try:
        return _digest(files_of(spec), spec)
    except (OSError, ValueError) as error:
        raise ArenaError(f"agents: {spec}: its files cannot be read ({error})") from error


def code_fingerprint(agents: Path = _AGENTS) -> str:
    """A hash of `code_files`, from the folder of this package."""
    return _digest(code_files(agents))


def code_files(agents: Path = _AGENTS) -> dict[str, Path]:
    """The code that results depend on: the engine, all players, what plays neural policies, the arena."""
    env = Path(env_agent.__file__).resolve()  # what an agent is asked with; no kernel
    files = {path.relative_to(env.parent).as_posix(): path for path in (*engine_sources(), env)}
    ours = {path.relative_to(agents): path for part in _CODE for path in agents.glob(part)}
    return files | {f"agents/{name.as_posix()}": path for name, path in ours.items()}


def _digest(files: Mapping[str, Path], beginning: str = "") -> str:
    """A hash of names and contents: 16 hexadecimal digits."""
    digest = hashlib.sha256(beginning.encode(errors="backslashreplace"))
    for name, path in sorted(files.items()):
        content = path.read_bytes()
        digest.update(f"\0{name}\0{len(content)}\0".encode(errors="backslashreplace"))
        digest.update(content)
    return digest.hexdigest()[:16]
