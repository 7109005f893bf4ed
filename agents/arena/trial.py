"""Before a tournament every entrant is made once, to learn its name and whether it can be made at all.

Outsiders are made in a process of their own, as they play: code that ends its process ends that one. Such an
entrant takes part all the same, and forfeits what it is asked to play.
"""

from __future__ import annotations

import ast
import contextlib
import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from canasta_agents.arena.entrants import FILE_PREFIX, is_outsider, make_agent, short_name, specs_in_file
from canasta_agents.arena.errors import ArenaError
from canasta_agents.arena.play import WARM_UP_S
from canasta_env.rules import Rules

_SPAWN = multiprocessing.get_context("spawn")


def names_of_agents(specs: Sequence[str], rules: Rules) -> list[str]:
    """Make every agent once.

    Returns:
        What each calls itself; the name of its class if it ended the process it was made in.

    Raises:
        ArenaError: If one cannot be made, with the reason, or takes longer than `WARM_UP_S`.
    """
    outsiders = list(dict.fromkeys(spec for spec in specs if is_outsider(spec)))
    answers = _answers(_name_of, [(spec, rules) for spec in outsiders])
    names = {spec: answer or short_name(spec) for spec, answer in zip(outsiders, answers, strict=True)}
    return [names[spec] if spec in names else make_agent(spec, rules).name for spec in specs]


def agents_in_file(path: Path) -> list[str]:
    """The specs of the agents that a Python file defines.

    Raises:
        ArenaError: If the file does not run, or defines no agent.
    """
    (found,) = _answers(specs_in_file, [path])
    specs: list[str] = found or [
        f"{FILE_PREFIX}{path.resolve()}:{name}" for name in _classes_written_in(path)
    ]
    if not specs:
        raise ArenaError(
            f"agents-from: {path} ends the process that runs it, and no agent is to be seen in its text: "
            "a class with reset() and act(); see docs/own_agent.md"
        )
    return specs


def _name_of(question: tuple[str, Rules]) -> str:
    return make_agent(*question).name


def _classes_written_in(path: Path) -> list[str]:
    """The public classes of a file that write both methods, found without running it."""
    classes = [node for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.ClassDef)]
    return [
        node.name
        for node in classes
        if not node.name.startswith("_")
        and {"reset", "act"} <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    ]


def _answers(function: Callable[[Any], Any], questions: Sequence[Any]) -> list[Any]:
    """Call a function for each question in another process; None where that ended it.

    Raises:
        ArenaError: The function's own, or if an answer takes longer than `WARM_UP_S`.
    """
    answers: list[Any] = []
    while len(answers) < len(questions):
        answers += _answers_of_one_process(function, questions[len(answers) :])
    return answers


def _answers_of_one_process(function: Callable[[Any], Any], questions: Sequence[Any]) -> list[Any]:
    """The answers up to the question that ends the process, with None for that one."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_answer, args=(theirs, function, questions), name="canasta-arena-trial")
    process.start()
    theirs.close()
    answers: list[Any] = []
    try:
        for _ in questions:
            answers.append(_receive(ours))
    except (EOFError, OSError):
        answers.append(None)
    finally:
        process.kill()
        process.join()
        ours.close()
    return answers


def _receive(connection: Connection) -> Any:
    if not connection.poll(WARM_UP_S):
        raise ArenaError(f"agents: an entrant took longer than {WARM_UP_S:.0f} s to be made")
    answer = connection.recv()
    if isinstance(answer, ArenaError):
        raise answer
    return answer


def _answer(connection: Connection, function: Callable[[Any], Any], questions: Sequence[Any]) -> None:
    """The other process's life."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with contextlib.suppress(OSError):  # the parent is gone
        for question in questions:
            try:
                connection.send(function(question))
            except ArenaError as error:
                connection.send(error)
