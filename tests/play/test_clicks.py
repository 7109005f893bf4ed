"""How many clicks a turn takes, counted on openings with the pile that were played by agents."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from canasta_agents import registry
from canasta_agents.play.selection import Selection, kinds_of, meanings, uses_of
from canasta_agents.play.session import Session
from canasta_env import Rules, Table
from tests.engine.walking import FOUR_GAMES, NAMES

NUM_OPENINGS = 34  # of each Classic game, more than 100 in all: agents seldom open Modern with the pile
MOST_AT_THE_MEDIAN, MOST = 6, 12


def openings(rules: Rules) -> Iterator[tuple[Table, list[str]]]:
    """The tables at which an agent took the pile to open, and what it played until it had the pile."""
    for seed in range(1_000):
        table = Session(
            rules, ["heuristic"] * rules.players, lambda spec: registry.make(spec, rules), seed, "deal"
        )
        while not table.advance()["is_over"]:
            pass
        so_far = table.so_far()
        at, played = so_far.dealt.copy(), [move.action for move in so_far.moves]
        for number, action in enumerate(played):
            before = at.copy()
            at.play(action)
            if (
                action == "take"
                and "pick up" not in at.legal()
                and before.phase == "draw"
                and is_opening(before)
            ):
                yield before, played[number : played.index("pick up", number) + 1]


def is_opening(table: Table) -> bool:
    assert table.to_play is not None
    return not table.view(table.to_play)[0]["opened"][0]


def clicks_of(table: Table, actions: list[str]) -> int:
    """Clicks for the opening in one selection: the pile, its cards, and the button that lays them.

    Cards of a rank take a click each, or one with Shift for all of them and one for each that stays.
    """
    assert table.to_play is not None
    hand = Counter(table.hand(table.to_play))
    laid = kinds_of(sum((uses_of(one) for one in actions if one.startswith(("meld ", "add "))), Counter()))
    with_pair = laid + Counter({table.pile[-1]: 2})
    ways = [cards for cards in (laid, with_pair) if cards <= hand and means(table, cards, actions)]
    assert ways, actions
    return min(2 + sum(min(count, 1 + hand[kind] - count) for kind, count in cards.items()) for cards in ways)


def means(table: Table, cards: Counter[str], actions: list[str]) -> bool:
    """Whether what was played is among the meanings of cards selected with the pile."""
    wanted = after_all(table, actions)
    found = meanings(table, Selection(cards, with_pile=True))
    return any(
        melds_of(table, after_all(table, meaning.actions)) == melds_of(table, wanted) for meaning in found
    )


def after_all(table: Table, actions: Sequence[str]) -> Table:
    after = table.copy()
    for action in actions:
        after.play(action)
    return after


def melds_of(table: Table, after: Table) -> dict[str, tuple[int, int, int]]:
    assert table.to_play is not None
    return after.melds(table.rules.side_of(table.to_play))


@pytest.mark.slow
@pytest.mark.parametrize("rules", FOUR_GAMES[:3], ids=NAMES[:3])
def test_an_opening_with_the_pile_takes_few_clicks(rules: Rules) -> None:
    """Each opening is among the meanings of its cards, and takes few clicks."""
    found = openings(rules)
    clicks = [clicks_of(*next(found)) for _ in range(NUM_OPENINGS)]
    print(f"{rules.game}, {rules.players} players: median {statistics.median(clicks)}, most {max(clicks)}")
    assert statistics.median(clicks) <= MOST_AT_THE_MEDIAN
    assert max(clicks) <= MOST
