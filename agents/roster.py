"""From a text to an agent: "closer", "neural:runs/x/best", "onnx:policy.onnx", "python:module:Class"."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping

from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.heuristics.players import PLAYERS_OF, STRONGEST
from canasta_env.agent import Agent
from canasta_env.rules import Game, Rules

_NEURAL, _ONNX, _PYTHON = "neural:", "onnx:", "python:"
_STRONGEST = "heuristic"

_ALIASES: Mapping[Game, Mapping[str, str]] = {
    "classic": {_STRONGEST: STRONGEST["classic"].name},
    "modern_american": {_STRONGEST: STRONGEST["modern_american"].name, "closer": "keeper"},
}


class RosterError(ValueError):
    """A text that names no agent, or one that cannot sit down: says what would be right."""


def names(rules: Rules) -> tuple[str, ...]:
    """The rule-based players of a game, "random" first, aliases left out."""
    return tuple(PLAYERS_OF[rules.game])


def make(spec: str, rules: Rules) -> Agent:
    """Return the agent that a text stands for.

    Args:
        spec: A name of `names(rules)`, "heuristic" (the strongest of them), "neural:PATH" (a run, a
            checkpoint, or a policy of the package such as "neural:classic_4"), "onnx:FILE" (an exported one;
            needs no PyTorch), or "python:module:Class" (a class made with the rules, or with nothing).
        rules: The game it will play.

    Raises:
        RosterError: If there is no such agent; names those there are.
    """
    if not isinstance(spec, str):
        raise RosterError(f"{spec!r} is not the name of an agent; {_choices(rules)}")
    if spec.startswith(_NEURAL):
        return _neural(spec.removeprefix(_NEURAL), rules)
    if spec.startswith(_ONNX):
        return _exported(spec.removeprefix(_ONNX), rules)
    if spec.startswith(_PYTHON):
        return _outsider(spec, rules)
    name = _ALIASES[rules.game].get(spec, spec)
    if name not in PLAYERS_OF[rules.game]:
        raise RosterError(f"no agent {spec!r} for {rules.game}; {_choices(rules)}")
    return CompiledAgent(PLAYERS_OF[rules.game][name], rules)


def _choices(rules: Rules) -> str:
    others = [_STRONGEST, "neural:PATH", "onnx:FILE", "python:module:Class"]
    return f"the agents are {', '.join([*names(rules), *others])}"


def _neural(path: str, rules: Rules) -> Agent:
    from canasta_agents.neural.agent import NeuralAgent

    if not path:
        raise RosterError(f"'neural:' lacks the folder of a checkpoint; {_choices(rules)}")
    agent = NeuralAgent(path)
    learnt = agent.rules
    if (learnt.game, learnt.players) != (rules.game, rules.players):
        raise RosterError(
            f"'neural:{path}' has learnt {learnt.game} with {learnt.players} players; "
            f"this table plays {rules.game} with {rules.players}"
        )
    seated: Agent = agent
    return seated


def _exported(file: str, rules: Rules) -> Agent:
    from canasta_agents.neural.onnx_agent import OnnxAgent

    if not file:
        raise RosterError(f"'onnx:' lacks the exported file; {_choices(rules)}")
    agent: Agent = OnnxAgent(file, rules)
    return agent


def _outsider(spec: str, rules: Rules) -> Agent:
    """Make an agent of a class that is not ours."""
    parts = spec.split(":")
    if len(parts) != 3 or not all(parts):
        raise RosterError(f"{spec!r} should read python:module:Class, such as python:my_players:Careful")
    _, module_name, class_name = parts
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise RosterError(f"{spec!r}: cannot import {module_name!r}: {error}") from error
    factory = getattr(module, class_name, None)
    if not callable(factory):
        raise RosterError(f"{spec!r}: module {module_name!r} has no class {class_name!r}")
    agent = factory(rules) if _takes_rules(factory) else factory()
    for method in ("reset", "act"):
        if not callable(getattr(agent, method, None)):
            raise RosterError(f"{spec!r}: {class_name} has no method {method!r}, which an agent needs")
    if not isinstance(getattr(agent, "name", None), str):
        agent.name = class_name
    named: Agent = agent
    return named


def _takes_rules(factory: Callable[..., object]) -> bool:
    """Whether a class is made with one argument."""
    try:
        inspect.signature(factory).bind(None)
    except TypeError:
        return False
    return True
