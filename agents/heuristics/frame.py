"""The frame of a player's turn: asks for the phases in order; a player fills them in with `make_player`.

To add a player: one file with a kernel for each phase and a call of `make_player` (greedy.py is a short one
to copy), and its name in `players.PLAYERS`. docs/players.md walks through an example.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

from canasta_agents.heuristics.features import NOTHING, legal
from canasta_agents.heuristics.going_out import going_out_step
from canasta_agents.heuristics.jit import kernel
from canasta_agents.heuristics.opening import needs_opening
from canasta_agents.heuristics.params import Params
from canasta_env.actions import PICK_UP, YES
from canasta_env.engine.state import PHASE_ANSWER, PHASE_DRAW
from canasta_env.rules import Game

_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Player:
    """A rule-based player: how it chooses, and with which numbers.

    Attributes:
        name: The name it is listed under.
        games: The games it plays.
        choose: `(rules, params, view, mask, random) -> action`, a plain function that Numba can compile.
        params: Its numbers.
        is_cached: Whether its compiled form may be kept: an edit of any of its files empties the cache.
    """

    name: str
    games: tuple[Game, ...]
    choose: Callable[..., Any]
    params: Params = field(default_factory=Params)
    is_cached: bool = True


@kernel
def goes_out_if_it_can(rules, params, view, mask, random):
    """Go out at the first chance, without asking."""
    return going_out_step(rules, view, mask)


@kernel
def never_plans_to_go_out(rules, params, view, mask, random):
    """Make no plan of it: the deal may still end by the way."""
    return NOTHING


@kernel
def always_agrees(rules, params, view, mask, random):
    """Say yes when the partner asks to go out."""
    return YES


def make_player(
    name: str,
    games: tuple[Game, ...],
    *,
    draw: Callable[..., Any],
    lay_opening: Callable[..., Any],
    lay: Callable[..., Any],
    discard: Callable[..., Any],
    go_out: Callable[..., Any] = goes_out_if_it_can,
    answer: Callable[..., Any] = always_agrees,
) -> Player:
    """Make a player of its phases: kernels `(rules, params, view, mask, random) -> action`.

    All get a RULES, a PARAMS and a VIEW record, the legal actions `(NUM_ACTIONS,) int8` and a number in
    [0, 1) for what is left to chance. After the draw, `go_out`, then `lay_opening` or `lay`, then `discard`
    are asked for one action at a time; one that has none answers NOTHING.

    Args:
        name: The name it is listed under.
        games: The games it plays.
        draw: Draws, or takes the pile.
        lay_opening: The next card of the side's opening, as long as that is not complete.
        lay: The next card to lay, once the side has opened.
        discard: Ends the turn.
        go_out: The next card of going out in this turn, or the question to the partner; comes before
            anything else is laid.
        answer: YES or NO to a partner who asks whether to go out.
    """
    phases = {
        "draw": draw,
        "go_out": go_out,
        "lay_opening": lay_opening,
        "lay": lay,
        "discard": discard,
        "answer": answer,
    }
    # A copy of the frame that finds this player's phases among its global names. A closure would be plainer,
    # but Numba would compile it anew in every process: its key in the cache holds what it encloses, and a
    # kernel is pickled with a random number. The name tells the copies apart there.
    choose = FunctionType(_choose.__code__, {**globals(), **phases}, name)
    choose.__qualname__ = f"choose_{name}"
    return Player(name, games, choose, is_cached=all(_is_ours(phase) for phase in phases.values()))


# The phases that `_choose` asks for: each player's copy of it finds that player's own.
draw = go_out = lay_opening = lay = discard = answer = never_plans_to_go_out


def _choose(rules, params, view, mask, random):
    """Choose an action: the frame itself, whose phases `make_player` fills in."""
    if view.phase == PHASE_DRAW:
        action = draw(rules, params, view, mask, random)
    elif view.phase == PHASE_ANSWER:
        action = answer(rules, params, view, mask, random)
    elif mask[PICK_UP]:  # the opening is complete, and the pile was taken for it
        action = PICK_UP
    else:
        action = go_out(rules, params, view, mask, random)
        if action == NOTHING:
            if needs_opening(view, mask):
                action = lay_opening(rules, params, view, mask, random)
            else:
                action = lay(rules, params, view, mask, random)
        if action == NOTHING:
            action = discard(rules, params, view, mask, random)
    return legal(mask, action)


def _is_ours(phase: Callable[..., Any]) -> bool:
    """Whether a phase is of this folder, whose files the cache knows."""
    return Path(getattr(phase, "py_func", phase).__code__.co_filename).resolve().parent == _FOLDER
