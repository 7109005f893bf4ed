"""Verify a result of the benchmark: compute its figures again, and play some of its blocks again."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from canasta_agents.arena.blocks import Block
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.suite.plan import ENTRANT, GamePlan, plan_game
from canasta_agents.arena.suite.protocol import FORMS, Form, GameProtocol, Protocol, behaviour, rule_based
from canasta_agents.arena.suite.result import meeting, summarise
from canasta_agents.arena.suite.stored import read_result
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
            yield from _different_players(game, part, protocol)
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


def _different_players(game: GameProtocol, part: dict[str, Any], protocol: Protocol) -> Iterator[str]:
    """Where the frozen rule-based players play otherwise here than the result says."""
    found = behaviour(game.rules, rule_based(game), protocol.seed) == game.behaviour
    if part["frozen_players_are_unchanged"] is not found:
        yield f"{game.name}: frozen_players_are_unchanged says {not found}; here it is {found}"


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
        try:
            return math.isclose(said, found, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
        except OverflowError:  # a whole number beyond all floats
            return False
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
    said = {(each["first"], each["second"]): each for each in part["meetings"]}
    problems = [f"{game.name}: {each}" for each in _other_meetings(plan.tournament.runs, said)]
    if problems:
        yield from problems
        return
    for again, block in _replayed(plan, rng):
        meets = f"{game.name}: {again.first} – {again.second}"
        boards = said[again.first, again.second]["per_board"]
        yield from (f"{meets}, {each}" for each in _compare(boards, meeting(again)["per_board"], block))
        yield from (f"{meets}, {each}" for each in _other_forfeits(part["forfeits"], again, block))


def _other_meetings(runs: Sequence[MatchupRun], said: dict[tuple[str, str], Any]) -> Iterator[str]:
    """Where a result holds other meetings than the form asks for, or others of their boards."""
    asked = {(run.first, run.second): run for run in runs}
    for first, second in said.keys() - asked.keys():
        yield f"{first} – {second} is no meeting that the form asks for"
    for names, run in asked.items():
        each = said.get(names, {"games": len(run.matchup.arrangements), "per_board": {"points": ()}})
        boards, games = len(each["per_board"]["points"]), len(run.matchup.arrangements)
        if boards != run.wanted:
            yield f"{run.first} – {run.second} has {boards} boards; the form asks for {run.wanted}"
        if each["games"] != games:
            yield f"{run.first} – {run.second} has {each['games']} games a board; it should have {games}"


def _replayed(plan: GamePlan, rng: random.Random) -> Iterator[tuple[MatchupRun, Block]]:
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
        yield MatchupRun(run.matchup, run.first, run.second, block.num_boards, {block.start: played}), block


def _compare(said: dict[str, Any], played: dict[str, Any], block: Block) -> Iterator[str]:
    for name, numbers in played.items():
        for board, (one, other) in enumerate(
            zip(said[name][block.start : block.stop], numbers, strict=True), start=block.start
        ):
            if not _is_same(one, other):
                yield f"board {board}: {name} {one}; played again it is {other}"


def _other_forfeits(said: list[dict[str, Any]], again: MatchupRun, block: Block) -> Iterator[str]:
    """Where other boards of a block are said to be forfeited by the entrant than it forfeits again."""
    names = (again.first, again.second)
    told = {each["board"] for each in said if (each["first"], each["second"]) == names}
    found = {fault.board for fault in again.faults if again.matchup.slots[fault.slot] == ENTRANT}
    for board in sorted((told ^ found) & set(range(block.start, block.stop))):
        what = "did not forfeit" if board in told else "forfeited"
        yield f"board {board}: the entrant {what} it when it was played again"
