"""Odd positions: those of random deals changed at random, and tables put together at random."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

from canasta_env import PositionError, Table
from canasta_env.cards import COPIES, KINDS, RANKS
from canasta_env.rules import PLAYERS
from tests.engine.walking import FOUR_GAMES, house_rules, walk

Position = dict[str, Any]
NUM_WALKS = 12
PHASES = ("draw", "play", "answer", "over")


@cache
def deals(num_walks: int = NUM_WALKS) -> list[list[Position]]:
    """The positions of random deals of the four games and of house rules."""
    games = [*FOUR_GAMES, *(house_rules(seed) for seed in range(num_walks - len(FOUR_GAMES)))]
    return [[table.position() for table in walk(rules, seed)] for seed, rules in enumerate(games)]


def odd_position(rng: Random) -> Position:
    """A position that may or may not be one."""
    position = _put_together(rng) if rng.random() < 0.3 else copy.deepcopy(rng.choice(rng.choice(deals())))
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        rng.choice(CHANGES)(position, rng)
    return position


def accepted(num: int, seed: int) -> Iterator[tuple[Position, Table]]:
    """The tables of those of `num` odd positions that are accepted."""
    for number in range(num):
        position = odd_position(Random(f"{seed} {number}"))
        with suppress(PositionError):
            yield position, Table.from_position(position, partial=True)


def _put_together(rng: Random) -> Position:
    """A few hands, melds and a pile of any cards; what is not said takes its default."""
    game = rng.choice(list(PLAYERS))
    players = rng.choice(PLAYERS[game])
    deck = [kind for kind, copies in zip(KINDS, COPIES, strict=True) for _ in range(copies) if kind != "red3"]
    if game == "modern_american":
        deck = [kind for kind in deck if kind != "black3"]
    rng.shuffle(deck)
    position: Position = {"game": game, "players": players, "phase": rng.choice(PHASES)}
    if position["phase"] != "over":
        position["to_play"] = rng.randrange(players)
    sides = 2 if players == 4 else players
    position["melds"] = [{} for _ in range(sides)]
    for rank in rng.sample(RANKS, rng.randrange(6)):
        meld = [rank] * rng.randint(2, 7) + rng.choices(("2", "joker"), k=rng.choice((0, 0, 1, 2)))
        if all(deck.count(kind) >= meld.count(kind) for kind in meld):
            for kind in meld:
                deck.remove(kind)
            position["melds"][rng.randrange(sides)][rank] = meld
    position["hands"] = [[deck.pop() for _ in range(_small(rng))] for _ in range(players)]
    position["pile"] = [deck.pop() for _ in range(min(len(deck), _small(rng)))]
    position["stock"] = [deck.pop() for _ in range(min(len(deck), _small(rng)))]
    if rng.random() < 0.5:  # a short deal: who sits last holds the rest
        position["hands"][-1] += deck
        position["threes"] = [
            [
                kind
                for kind, copies in zip(KINDS, COPIES, strict=True)
                if "3" in kind
                for _ in range(copies)
                if kind not in deck
            ][: 8 if game != "classic" else 4]
        ]
        position["threes"] += [[]] * (sides - 1)
    return position


def _small(rng: Random) -> int:
    return rng.choice((0, 1, 1, 2, 3, 5, 9, 14))


def _move_card(position: Position, rng: Random) -> None:
    """Take a card from somewhere and put it somewhere else."""
    zones = [*position.get("hands", []), *position.get("melds", []), *position.get("threes", [])]
    zones += [position[key] for key in ("pile", "stock") if key in position]
    source = rng.choice(zones)
    if not source:
        return
    if isinstance(source, list):
        kind = source.pop(rng.randrange(len(source)))
    else:
        kind = rng.choice(list(source))
        if not isinstance(source[kind], int):
            return
        source[kind] -= 1
    target = rng.choice([*position.get("hands", []), position.get("pile", []), position.get("stock", [])])
    _put(target, kind)


def _put(target: Any, kind: str) -> None:
    if isinstance(target, list):
        target.append(kind)
    else:
        target[kind] = target.get(kind, 0) + 1


def _empty_stock(position: Position, rng: Random) -> None:
    """Bring most of the stock into one hand or onto the pile."""
    stock = position.get("stock", [])
    threes = [kind for kind in stock if "3" in kind]
    rest = [kind for kind in stock if "3" not in kind]
    keep = rng.choice((0, 0, 1, 2, 5))
    target = rng.choice([*position.get("hands", []), position.setdefault("pile", [])])
    for kind in rest[keep:]:
        _put(target, kind)
    for kind in threes:
        if position.get("threes"):
            _put(rng.choice(position["threes"]), kind)
    position["stock"] = rest[:keep]


def _empty_hand(position: Position, rng: Random) -> None:
    """Bring a hand onto the pile, all of it or all but a card."""
    hand = rng.choice(position.get("hands") or [[]])
    if isinstance(hand, dict) and "pile" in position:
        keep = rng.choice((0, 0, 1, 2))
        cards = [kind for kind, count in hand.items() for _ in range(count)]
        rng.shuffle(cards)
        hand.clear()
        for place, kind in enumerate(cards):
            _put(hand if place < keep else position["pile"], kind)


def _drop_key(position: Position, rng: Random) -> None:
    keys = [key for key in position if key not in ("game", "players", "rules")]
    del position[rng.choice(keys)]


def _set_turn(position: Position, rng: Random) -> None:
    position["phase"] = rng.choice(PHASES)
    position["to_play"] = None if position["phase"] == "over" else rng.randrange(position["players"])
    if rng.random() < 0.7:
        for key in ("taken", "answer", "begun", "melded_now", "joined_earlier", "can_ask", "opening_points"):
            position.pop(key, None)


def _set_taken(position: Position, rng: Random) -> None:
    position["phase"] = "play"
    pile = position.get("pile") or ["4"]
    position["taken"] = rng.choice((pile[-1], rng.choice(RANKS)))
    for key in ("begun", "melded_now", "joined_earlier", "can_ask", "opening_points", "opened", "melded"):
        position.pop(key, None)


def _set_question(position: Position, rng: Random) -> None:
    position["answer"] = rng.choice((None, "yes", "no"))
    position["asked"] = [rng.random() < 0.5 for _ in range(position["players"])]
    position.pop("can_ask", None)


def _set_opened(position: Position, rng: Random) -> None:
    num_sides = 2 if position["players"] == 4 else position["players"]
    position["opened"] = [rng.random() < 0.5 for _ in range(num_sides)]
    for key in ("begun", "melded_now", "opening_points", "melded", "can_ask"):
        position.pop(key, None)


def _set_flags(position: Position, rng: Random) -> None:
    key = rng.choice(("wild_frozen", "can_ask", "melded_now", "joined_earlier", "concealed"))
    position[key] = rng.random() < 0.5


def _set_begun(position: Position, rng: Random) -> None:
    melds = [name for side in position.get("melds", []) for name in side]
    position["begun"] = rng.sample(melds, rng.randrange(len(melds) + 1))
    for key in ("melded_now", "melded", "opening_points", "can_ask"):
        position.pop(key, None)


def _set_memory(position: Position, rng: Random) -> None:
    players = position["players"]
    position["turn"] = rng.choice((1, 20, 144, 9_990, 10_000))
    position["piles_taken"] = [rng.choice((0, 3, 99, 100)) for _ in range(players)]
    position["discarded"] = [{rng.choice(RANKS): rng.choice((1, 8, 60, 107, 108))} for _ in range(players)]
    if "hands" in position and all(isinstance(hand, dict) for hand in position["hands"]):
        position["known"] = copy.deepcopy(position["hands"])


def _set_scores(position: Position, rng: Random) -> None:
    num_sides = 2 if position["players"] == 4 else position["players"]
    position["scores"] = [rng.choice((-(10**9), -5, 0, 1_500, 3_000, 5_000, 10**9)) for _ in range(num_sides)]


def _set_rules(position: Position, rng: Random) -> None:
    if "rules" not in position:
        numbers = {"canastas_to_go_out": rng.randint(1, 4), "max_wilds_in_meld": rng.randint(0, 5)}
        position["rules"] = {"cards_drawn": rng.randint(1, 8), **numbers}


CHANGES: tuple[Callable[[Position, Random], None], ...] = (
    *(_move_card, _move_card, _move_card, _empty_stock, _empty_stock, _empty_hand, _empty_hand, _drop_key),
    *(_set_turn, _set_turn, _set_taken, _set_question, _set_opened, _set_flags, _set_begun, _set_memory),
    *(_set_scores, _set_rules),
)
