"""Verify a result of the benchmark: compute its figures again, and play some of its blocks again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from canasta_agents.arena.blocks import Block
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.suite.plan import ENTRANT, GamePlan, plan_game
from canasta_agents.arena.suite.protocol import FORMS, Form, GameProtocol, Protocol
from canasta_agents.arena.suite.result import meeting, read_result, summarise
from canasta_agents.arena.tournament import BLOCK_BOARDS, MatchupRun
from canasta_agents.arena.workers import Task, play_tasks

SAMPLED_BLOCKS = 3  # of each game
_TOLERANCE = 1e-6  # of figures: intervals are computed alike on all machines, but for rounding


def verify(path: Path, protocol: Protocol, spec: str | None, rng: random.Random) -> Iterator[str]:
    """Find what is wrong with a result.

    Args:
        path: Of result.json.
        protocol: The protocol of this package.
        spec: Of the entrant, where it lies elsewhere than the result says; None: as there.
        rng: Draws the blocks that are played again.

    Yields:
        What is wrong, a line each; nothing if all is right.

    Raises:
        ArenaError: If the file is no result of this protocol, or its form has been changed.
        RegistryError: If the entrant cannot be made.
    """
    result = read_result(path, protocol)
    try:
        form = _form(path, result)
        parts = [(protocol.game(part["game"], part["players"]), part) for part in result["games"]]
        entrant = spec or str(result["entrant"]["spec"])
        for game, part in parts:
            yield from _different_figures(game, part)
            yield from _different_boards(game, part, protocol, form, entrant, rng)
    except (KeyError, TypeError, IndexError) as error:
        raise ArenaError(f"{path}: is damaged: {type(error).__name__}: {error}") from error


def _form(path: Path, result: dict[str, Any]) -> Form:
    known = FORMS.get(result["form"]["name"])
    if known is None or asdict(known) != result["form"]:
        raise ArenaError(
            f"{path}: its form {result['form']!r} is none of {', '.join(FORMS)} as they are fixed"
        )
    return known


def _different_figures(game: GameProtocol, part: dict[str, Any]) -> Iterator[str]:
    """Where the summary is not what follows from the numbers of the boards."""
    for place, said, found in _differences(part["summary"], summarise(game, part["meetings"]), "summary"):
        yield f"{game.name}: {place} says {said!r}; its boards give {found!r}"


def _differences(said: Any, found: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(said, dict) and isinstance(found, dict) and said.keys() == found.keys():
        for name in said:
            yield from _differences(said[name], found[name], f"{place}.{name}")
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        for index, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from _differences(one, other, f"{place}[{index}]")
    elif not _is_same(said, found):
        yield place, said, found


def _is_same(said: Any, found: Any) -> bool:
    if isinstance(said, float | int) and isinstance(found, float | int):
        return bool(np.isclose(said, found, rtol=_TOLERANCE, atol=_TOLERANCE))
    return bool(said == found)


def _different_boards(
    game: GameProtocol,
    part: dict[str, Any],
    protocol: Protocol,
    form: Form,
    spec: str,
    rng: random.Random,
) -> Iterator[str]:
    """Where blocks that are played again come out otherwise."""
    plan = plan_game(game, protocol, form.of(game.rules), spec)
    said = {(each["first"], each["second"]): each["per_board"] for each in part["meetings"]}
    for run in plan.tournament.runs:
        boards = len(said.get((run.first, run.second), {"points": ()})["points"])
        if boards != run.wanted:
            meets = f"{game.name}: {run.first} – {run.second}"
            yield f"{meets} has {boards} boards; the form asks for {run.wanted}"
            return
    for run, block, played in _replayed(plan, rng):
        yield from _compare(game, said[run.first, run.second], run, block, played)


def _replayed(plan: GamePlan, rng: random.Random) -> Iterator[tuple[MatchupRun, Block, dict[str, Any]]]:
    """Some blocks of meetings with the entrant, played again."""
    settings, runs = plan.tournament.settings, plan.tournament.runs
    choices = [
        (run, start)
        for run in runs
        if ENTRANT in run.matchup.slots
        for start in range(0, run.wanted, BLOCK_BOARDS)
    ]
    tasks, sampled = [], rng.sample(choices, min(SAMPLED_BLOCKS, len(choices)))
    for place, (run, start) in enumerate(sampled):
        stop = min(start + BLOCK_BOARDS, run.wanted)
        block = Block(
            settings.rules,
            run.matchup,
            start,
            stop,
            settings.seed,
            settings.episode,
            settings.scores,
            settings.decision_time_s,
        )
        specs = tuple(plan.tournament.entrants[slot].spec for slot in run.matchup.slots)
        prints = tuple(plan.tournament.fingerprints[slot] for slot in run.matchup.slots)
        tasks.append(Task(place, block, specs, prints, "none"))
    for place, played in play_tasks(tasks, workers=1):
        run, block = sampled[place][0], tasks[place].block
        again = MatchupRun(run.matchup, run.first, run.second, block.num_boards, {block.start: played})
        yield run, block, meeting(again)["per_board"]


def _compare(
    game: GameProtocol, said: dict[str, Any], run: MatchupRun, block: Block, played: dict[str, Any]
) -> Iterator[str]:
    for name, numbers in played.items():
        for board, (one, other) in enumerate(
            zip(said[name][block.start : block.stop], numbers, strict=True), start=block.start
        ):
            if not _is_same(one, other):
                yield (
                    f"{game.name}: {run.first} – {run.second}, board {board}: {name} {one}; "
                    f"played again it is {other}"
                )
