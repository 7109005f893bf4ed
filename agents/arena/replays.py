"""A kept deal as steps that a page can show: the position after every action, as what has changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canasta_agents.arena.boards import Board
from canasta_env import Table
from canasta_env.cards import KINDS, RANKS
from canasta_env.rules import Rules

_HAND_ORDER = [*RANKS, "2", "joker", "black3", "red3"]
_CARD_RANK = {kind: place for place, kind in enumerate(_HAND_ORDER)}


def replay(rules: Rules, deal: Mapping[str, Any]) -> dict[str, Any]:
    """Play a deal of results.json again.

    Args:
        rules: The game.
        deal: One of the deals under "notable".

    Returns:
        `seats`, `dealer`, `scores` and so on as given, and `steps`: the first holds every part of the
        position, each later one its action, who played it, and the parts that it changed.
    """
    board = Board(deal["board"], deal["seed"], deal["dealer"], tuple(deal["scores"]))
    table = Table(rules, order=board.order(deal["deal"]), dealer=board.dealer, scores=board.scores)
    before = _parts(table)
    steps = [before]
    for action in deal["actions"]:
        seat = table.to_play
        table.play(action)
        after = _parts(table)
        changed = {name: part for name, part in after.items() if part != before[name]}
        steps.append({"a": action, "by": seat, **changed})
        before = after
    breakdown = [vars(score) for score in table.score()]
    shown = ("first", "second", "board", "deal", "seats", "dealer", "scores", "totals")
    return {
        **{name: deal[name] for name in shown},
        "sides": rules.num_sides,
        "breakdown": breakdown,
        "steps": steps,
    }


def _parts(table: Table) -> dict[str, Any]:
    """Hands `h0` ..., each side's melds `m0` ... and threes `t0` ..., pile, stock, mover, points, turn."""
    rules = table.rules
    parts: dict[str, Any] = {f"h{seat}": _hand(table.hand(seat)) for seat in range(rules.players)}
    for side in range(rules.num_sides):
        melds = table.melds(side)
        parts[f"m{side}"] = [[name, *melds[name]] for name in sorted(melds, key=_meld_rank)]
        parts[f"t{side}"] = [kind for kind, count in table.threes(side).items() for _ in range(count)]
    parts["p"] = table.pile
    parts["s"] = table.stock_size
    parts["to"] = table.to_play
    parts["v"] = [score.total for score in table.score()]
    parts["n"] = table.position()["turn"]
    return parts


def _hand(counts: Mapping[str, int]) -> list[str]:
    return [kind for kind in sorted(counts, key=_CARD_RANK.__getitem__) for _ in range(counts[kind])]


def _meld_rank(name: str) -> int:
    return KINDS.index(name) if name in KINDS else len(KINDS)
