"""From a text to an agent: "closer", "neural:runs/x/best", "python:module:Class", "process:./bot".

Here stands, too, which files such a text stands for (`files_of`).
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import re
import shlex
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from canasta_agents.config_checks import ConfigError
from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.heuristics.players import PLAYERS_OF, STRONGEST
from canasta_agents.policies import HANDS, POLICY_FILES, policy_folder
from canasta_agents.process.agent import ProcessAgent
from canasta_agents.process.options import PROCESS_PREFIX, parse_process, program_files
from canasta_agents.search.agent import SearchAgent
from canasta_agents.search.beliefs import Beliefs
from canasta_agents.search.options import SEARCH_PREFIX, parse_search
from canasta_env import agent as env_agent
from canasta_env.agent import Agent
from canasta_env.engine.jit import engine_sources
from canasta_env.rules import Game, Rules

FILE_PREFIX, PYTHON_PREFIX = "file:", "python:"
_NEURAL, _ONNX = "neural:", "onnx:"
_STRONGEST = "heuristic"

_ALIASES: Mapping[Game, Mapping[str, str]] = {
    "classic": {_STRONGEST: STRONGEST["classic"].name},
    "modern_american": {_STRONGEST: STRONGEST["modern_american"].name, "closer": "keeper"},
}

# How an ONNX model names a file that holds weights in its stead: an entry of protobuf with the key (field 1)
# "location" and the name (field 2), its length first. All writers put the key first. Looking for these bytes
# finds the name wherever in the model a tensor stands, without the library that reads models; where a weight
# happens to look the same, there is no file of that name, or one file too many is watched.
_LOCATION = re.compile(rb"\x0a\x08location\x12([\x80-\xff]{0,2}[\x00-\x7f])")

_AGENTS = Path(__file__).resolve().parent
# Where the code stands that results depend on: neither the browser's nor the trainer's.
_CODE = (
    "*.py",
    "arena/*.py",  # not the suite: it only reads what the arena played
    "heuristics/**/*.py",
    "policies/**/*.py",
    "neural/**/*.py",
    "process/**/*.py",
    "search/**/*.py",
)

_MAX_REASON = 300  # characters of what an entrant's error says
_OUR_CODE = (_AGENTS, Path(np.__file__).resolve().parent)  # whose lines are not where an entrant went wrong


class RegistryError(ValueError):
    """A text that names no agent, or one that cannot sit down: says what would be right."""


def names(rules: Rules) -> tuple[str, ...]:
    """The rule-based players of a game, "random" first, aliases left out."""
    return tuple(PLAYERS_OF[rules.game])


def make(spec: str, rules: Rules) -> Agent:
    """Return the agent that a text stands for.

    Args:
        spec: A name of `names(rules)`, "heuristic" (the strongest of them), "neural:PATH" (a run, a
            checkpoint, or a policy of the package such as "neural:classic_4"), "onnx:FILE" (an exported one;
            needs no PyTorch), "search:AGENT" (one of these that looks ahead, "search:AGENT?worlds=16" with
            options), "python:module:Class" (a class made with the rules, or with nothing), or
            "process:COMMAND" (a program in any language, docs/protocol.md).
        rules: The game it will play.

    Raises:
        RegistryError: If there is no such agent; names those there are.
    """
    if not isinstance(spec, str):
        raise RegistryError(f"{spec!r} is not the name of an agent; {_choices(rules)}")
    if spec.startswith(_NEURAL):
        return _neural(spec.removeprefix(_NEURAL), rules)
    if spec.startswith(_ONNX):
        return _exported(spec.removeprefix(_ONNX), rules)
    if spec.startswith(SEARCH_PREFIX):
        return _searching(spec, rules)
    if spec.startswith(PYTHON_PREFIX):
        return _from_module(spec, rules)
    if spec.startswith(PROCESS_PREFIX):
        return _program(spec, rules)
    name = _ALIASES[rules.game].get(spec, spec)
    if name not in PLAYERS_OF[rules.game]:
        raise RegistryError(f"no agent {spec!r} for {rules.game}; {_choices(rules)}")
    return CompiledAgent(PLAYERS_OF[rules.game][name], rules)


def _choices(rules: Rules) -> str:
    others = [
        _STRONGEST,
        "neural:PATH",
        "onnx:FILE",
        "python:module:Class",
        "search:AGENT",
        "process:COMMAND",
    ]
    return f"the agents are {', '.join([*names(rules), *others])}"


def _neural(path: str, rules: Rules) -> Agent:
    if not path:
        raise RegistryError(f"'neural:' lacks the folder of a checkpoint; {_choices(rules)}")
    try:
        from canasta_agents.neural.agent import NeuralAgent
    except ImportError as error:
        raise ImportError(
            "a neural agent needs PyTorch: pip install 'canasta-env[train]' (or torch and safetensors)"
        ) from error
    agent = NeuralAgent(path)
    learnt = agent.rules
    if (learnt.game, learnt.players) != (rules.game, rules.players):
        raise RegistryError(
            f"'neural:{path}' has learnt {learnt.game} with {learnt.players} players; "
            f"this table plays {rules.game} with {rules.players}"
        )
    seated: Agent = agent
    return seated


def _exported(file: str, rules: Rules) -> Agent:
    from canasta_agents.neural.onnx_agent import OnnxAgent

    if not file:
        raise RegistryError(f"'onnx:' lacks the exported file; {_choices(rules)}")
    agent: Agent = OnnxAgent(file, rules)
    return agent


def _searching(spec: str, rules: Rules) -> Agent:
    try:
        base, options = parse_search(spec)
    except ConfigError as error:
        raise RegistryError(f"{spec!r}: {error}") from error
    if not base or base.startswith((SEARCH_PREFIX, PYTHON_PREFIX, FILE_PREFIX, PROCESS_PREFIX)):
        raise RegistryError(
            f"{spec!r}: {base!r} cannot search: it must be a rule-based player, neural:PATH or onnx:FILE, "
            "as in search:neural:classic_4?worlds=16 (a class of your own: canasta_agents.search.agent)"
        )
    player = make(base, rules)
    beliefs = _beliefs(spec, base, rules) if options.beliefs == "learned" else None
    agent = SearchAgent(player, rules, options, beliefs)
    agent.name = spec
    searching: Agent = agent
    return searching


def _beliefs(spec: str, base: str, rules: Rules) -> Beliefs:
    from canasta_agents.neural.hands import load_hands

    file = _hands_file(spec, base)
    beliefs = load_hands(file)
    learnt = beliefs.rules
    if (learnt.game, learnt.players) != (rules.game, rules.players):
        raise RegistryError(f"{spec!r}: {file} has learnt {learnt.game} with {learnt.players} players")
    return beliefs


def _hands_file(spec: str, base: str) -> Path:
    """Where the model of a policy's hands is.

    Raises:
        RegistryError: If there is none.
    """
    folder = policy_folder(Path(base.removeprefix(_NEURAL))) if base.startswith(_NEURAL) else None
    if folder is None:
        raise RegistryError(f"{spec!r}: beliefs: only those about a policy, neural:PATH, can be learned")
    if not (folder / HANDS).is_file():
        raise RegistryError(
            f"{spec!r}: beliefs: there is no {HANDS} beside the policy; "
            f"python -m canasta_agents hands {base.removeprefix(_NEURAL)} makes one"
        )
    return folder / HANDS


def _program(spec: str, rules: Rules) -> Agent:
    try:
        command, options = parse_process(spec)
    except ConfigError as error:
        raise RegistryError(f"{spec!r}: {error}") from error
    if shutil.which(command[0]) is None:
        raise RegistryError(f"{spec!r}: there is no program {command[0]!r} that can be run")
    agent: Agent = ProcessAgent(short_name(spec), command, options, rules)
    return agent


def _from_module(spec: str, rules: Rules) -> Agent:
    parts = spec.split(":")
    if len(parts) != 3 or not all(parts) or parts[1].startswith("."):
        raise RegistryError(f"{spec!r} should read python:module:Class, such as python:my_players:Careful")
    _, module_name, class_name = parts
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        reason = error if isinstance(error, ImportError) else describe(error)
        raise RegistryError(f"{spec!r}: cannot import {module_name!r}: {reason}") from error
    factory = getattr(module, class_name, None)
    if not callable(factory):
        raise RegistryError(f"{spec!r}: module {module_name!r} has no class {class_name!r}")
    return _instance_of(factory, spec, rules)


def _instance_of(factory: Callable[..., Any], spec: str, rules: Rules) -> Agent:
    """Make somebody else's agent with the rules or with nothing; without a name it gets its class's."""
    try:
        agent = factory(rules) if _takes_rules(factory) else factory()
    except (Exception, SystemExit) as error:
        raise RegistryError(f"{spec} cannot be made: {describe(error)}") from error
    for method in ("reset", "act"):
        if not callable(getattr(agent, method, None)):
            raise RegistryError(
                f"{spec!r}: {short_name(spec)} has no method {method!r}, which an agent needs"
            )
    if not isinstance(getattr(agent, "name", None), str):
        agent.name = short_name(spec)
    named: Agent = agent
    return named


def _takes_rules(factory: Callable[..., object]) -> bool:
    """Whether a class is made with one argument."""
    try:
        inspect.signature(factory).bind(None)
    except TypeError:
        return False
    return True


def files_of(spec: str) -> dict[str, Path]:
    """The files that an agent is made of: where one of them changes, it may play otherwise.

    Args:
        spec: As for `make`, or "file:PATH:Class", a class in a file that is no module.

    Returns:
        Each file by its name relative to where the agent lies; of a program the program itself and each
        argument that is a file, or a folder with all files in it. Nothing for the rule-based players, which
        are code of this package, nor for a module whose source cannot be seen.

    Raises:
        RegistryError: If a file is not there.
    """
    kind, _, place = spec.partition(":")
    files = _FILES[kind](place) if kind in _FILES else {}
    for file in files.values():
        if not file.is_file():
            raise RegistryError(f"{spec!r}: there is no file {file}")
    return files


def _search_files(place: str) -> dict[str, Path]:
    base, options = parse_search(place)
    files = files_of(base)
    return files | {HANDS: _hands_file(f"search:{place}", base)} if options.beliefs == "learned" else files


def _policy_files(path: str) -> dict[str, Path]:
    folder = policy_folder(Path(path))
    if folder is None:
        raise RegistryError(f"'neural:{path}' holds no policy: {' and '.join(POLICY_FILES)} are missing")
    return {name: folder / name for name in POLICY_FILES}


def _exported_files(file: str) -> dict[str, Path]:
    path = Path(file)
    if not path.is_file():
        return {path.name: path}
    named = {name: path.parent / name for name in _external_names(path.read_bytes())}
    return {path.name: path} | {name: other for name, other in named.items() if _is_file(other)}


def _external_names(model: bytes) -> Iterator[str]:
    for match in _LOCATION.finditer(model):
        digits = enumerate(match[1])  # of the length to the base 128, the lowest first
        length = sum((digit & 0x7F) << 7 * place for place, digit in digits)
        name = model[match.end() : match.end() + length]
        yield name.decode(errors="replace")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # not the name of any file: too long
        return False


def _program_files(command: str) -> dict[str, Path]:
    try:
        return program_files(command)
    except ConfigError as error:
        raise RegistryError(f"'process:{command}': {error}") from error


def _source_file(location: str) -> dict[str, Path]:
    path = Path(location.rpartition(":")[0])
    return {path.name: path}


def _module_files(location: str) -> dict[str, Path]:
    """A module's source, or all of a package's; found without running the packages that it lies in."""
    top, *rest = location.partition(":")[0].split(".")
    found = importlib.util.find_spec(top) if top else None
    if found is None:
        return {}
    for place in (Path(folder).joinpath(*rest) for folder in found.submodule_search_locations or ()):
        if (place / "__init__.py").is_file():
            return {file.relative_to(place).as_posix(): file for file in sorted(place.rglob("*.py"))}
        if place.with_suffix(".py").is_file():
            return {f"{place.name}.py": place.with_suffix(".py")}
    origin = Path(found.origin) if found.has_location and found.origin and not rest else None
    return {origin.name: origin} if origin is not None and origin.is_file() else {}


_FILES: Mapping[str, Callable[[str], dict[str, Path]]] = {
    "neural": _policy_files,
    "onnx": _exported_files,
    "file": _source_file,
    "python": _module_files,
    "process": _program_files,
    "search": _search_files,
}


def short_name(spec: str) -> str:
    """A spec as tables show it where it is clear: of somebody else's class the name, a program's command."""
    if spec.startswith(PROCESS_PREFIX):
        return shlex.join(parse_process(spec)[0])
    return spec.rsplit(":", 1)[-1] if is_third_party(spec) else spec


def is_third_party(spec: str) -> bool:
    """Whether a spec is of somebody else's class or program, which may do anything to its process."""
    return spec.startswith((FILE_PREFIX, PYTHON_PREFIX, PROCESS_PREFIX))


def make_agent(spec: str, rules: Rules) -> Agent:
    """Make the agent of a spec.

    Raises:
        RegistryError: If there is none, with the reason.
    """
    try:
        if spec.startswith(FILE_PREFIX):
            return _from_file(spec, rules)
        return make(spec, rules)
    except RegistryError as error:
        raise RegistryError(f"agents: {error}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a third party's class may raise anything
        raise RegistryError(f"agents: {spec} cannot be made: {describe(error)}") from error


def specs_in_file(path: Path) -> list[str]:
    """The specs of the agents that a Python file defines: its classes with `reset` and `act`.

    Raises:
        RegistryError: If the file cannot be run, or defines no agent.
    """
    module = _run_file(path)
    classes = [
        name
        for name, member in vars(module).items()
        if inspect.isclass(member) and member.__module__ == module.__name__ and _is_agent_class(member)
    ]
    if not classes:
        raise RegistryError(
            f"agents-from: {path} defines no agent: a class with reset() and act(); see docs/own_agent.md"
        )
    return [f"{FILE_PREFIX}{path.resolve()}:{name}" for name in classes]


def _is_agent_class(member: type) -> bool:
    is_protocol = getattr(member, "_is_protocol", False)
    is_public = not member.__name__.startswith("_")
    return (
        is_public and not is_protocol and callable(getattr(member, "act", None)) and hasattr(member, "reset")
    )


def _from_file(spec: str, rules: Rules) -> Agent:
    path, _, name = spec.removeprefix(FILE_PREFIX).rpartition(":")
    if not path or not name:
        raise RegistryError(f"{spec!r} should read file:PATH:Class; --agents-from PATH takes all classes")
    factory = getattr(_run_file(Path(path)), name, None)
    if not callable(factory):
        raise RegistryError(f"{path} defines no {name!r}")
    return _instance_of(factory, spec, rules)


def _run_file(path: Path) -> ModuleType:
    name = f"canasta_entrants_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise RegistryError(f"agents-from: there is no file {path}")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RegistryError(f"agents-from: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[name]
        raise RegistryError(f"agents-from: {path} does not run: {describe(error)}") from error
    return module


def fingerprint(spec: str) -> str:
    """A hash that changes when a file of the entrant does: its weights, its rules, its code.

    Raises:
        RegistryError: If a file is missing or cannot be read.
    """
    try:
        return _digest(files_of(spec), spec)
    except (OSError, ValueError) as error:
        raise RegistryError(f"agents: {spec}: its files cannot be read ({error})") from error


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


def describe(error: BaseException) -> str:
    """An entrant's error in one line: its type, what it says first, and where it was raised."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # a third party's __str__ may raise as well
        lines = []
    text = ": ".join([type(error).__name__, *lines[:1]])[:_MAX_REASON]
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair can be printed nowhere
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_absolute() and not any(folder in path.parents for folder in _OUR_CODE):
            return f"{text} ({path.name}, line {frame.lineno})"
    return text
