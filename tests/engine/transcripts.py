"""A whole deal in text: the deck, the notation of every turn with what it left behind, and the score.

python -m tests.engine.transcripts classic 2 17 > tests/engine/golden/classic_2.txt

plays a new deal and writes it down; `replay` plays the deal of a transcript once more.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable
from random import Random
from textwrap import wrap

from canasta_env import Table
from canasta_env.cards import KINDS
from canasta_env.rules import standard_rules
from tests.reference.walks import DECK, POLICIES, draw_scores

NOTHING = "-"
BETWEEN = " | "  # the actions of a turn


def record(game: str, players: int, seed: int) -> str:
    """Play a deal in which every seat is eager to meld and to go out."""
    rules, rng = standard_rules(game, players), Random(seed)
    deck = DECK.copy()
    rng.shuffle(deck)
    order, dealer, scores = [KINDS[kind] for kind in deck], rng.randrange(players), draw_scores(rules, rng)
    table = Table(rules, order=order, dealer=dealer, scores=scores)
    actions: list[str] = []
    while not table.is_over:
        actions.append(POLICIES["out-eager"](table, table.legal(), rng))
        table.play(actions[-1])
    return _write(game, players, order, dealer, scores, actions)


def replay(transcript: str) -> str:
    """Play the actions of a transcript from its deck, and write everything down anew."""
    head_lines, deck, _ = transcript.split("\n\n", 2)
    head = dict(line.split(": ") for line in head_lines.splitlines())
    order = deck.removeprefix("deck").split()
    turns = [line.partition(": ")[2] for line in transcript.splitlines() if line.startswith("turn ")]
    actions = [action for turn in turns for action in turn.split(BETWEEN)]
    scores = [int(score) for score in head["scores"].split()]
    return _write(head["game"], int(head["players"]), order, int(head["dealer"]), scores, actions)


def _write(
    game: str, players: int, order: list[str], dealer: int, scores: list[int], actions: list[str]
) -> str:
    table = Table(standard_rules(game, players), order=order, dealer=dealer, scores=scores)
    text = [f"game: {game}", f"players: {players}", f"dealer: {dealer}"]
    text += [f"scores: {' '.join(map(str, scores))}", "", "deck", *wrap(" ".join(order)), "", "dealt"]
    text += [f"    seat {seat} holds {_cards(table.hand(seat))}" for seat in range(players)]
    text += _state(table, range(table.rules.num_sides))
    remaining = actions.copy()
    while not table.is_over:
        seat, turn, played = table.to_play, table.position()["turn"], []
        while not table.is_over and table.position()["turn"] == turn:
            played.append(remaining.pop(0))
            table.play(played[-1])
        text += ["", f"turn {turn}, seat {seat}: {BETWEEN.join(played)}"]
        text += [f"    holds {_cards(table.hand(seat))}", *_state(table, [table.rules.side_of(seat)])]
    text += ["", f"over: {'nobody' if table.went_out is None else f'seat {table.went_out}'} went out"]
    for side, score in enumerate(table.score()):
        parts = dataclasses.asdict(score).items()
        text.append(f"    side {side}: {', '.join(f'{name} {points}' for name, points in parts)}")
    assert not remaining, f"the deal was over before {remaining}"
    return "\n".join(text) + "\n"


def _state(table: Table, sides: Iterable[int]) -> list[str]:
    lines = []
    for side in sides:
        melds = ", ".join(_meld(name, *meld) for name, meld in table.melds(side).items())
        lines.append(f"    side {side} melds {melds or NOTHING}; threes {_cards(table.threes(side))}")
    frozen = " (wild-frozen)" if table.position()["wild_frozen"] else ""
    return [*lines, f"    pile {' '.join(table.pile) or NOTHING}{frozen}; stock {table.stock_size}"]


def _cards(cards: dict[str, int]) -> str:
    return " ".join(kind for kind, num in cards.items() for _ in range(num)) or NOTHING


def _meld(name: str, naturals: int, twos: int, jokers: int) -> str:
    return " ".join([name] * naturals + ["2"] * twos + ["joker"] * jokers)


if __name__ == "__main__":
    print(record(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])), end="")
