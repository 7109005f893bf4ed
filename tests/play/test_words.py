"""What people are told holds words of the game, not the engine's: names of seats, "black three"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from canasta_agents.play.messages import PlayError, card_words, with_names
from canasta_agents.play.session import YOU, Session
from canasta_env import Rules, modern_american
from canasta_env.actions import NOTATIONS
from tests.engine.walking import FOUR_GAMES, NAMES
from tests.play.seated import make

ENGINE_WORDS = re.compile(r"black3|red3|seats? \d|side \d|R-[A-Z]|`|_")
EVERY = 5  # decisions: one of so many is asked about everything


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("the hand holds no black3", "the hand holds no black three"),
        (
            "the hand holds one black3, and three are needed",
            "the hand holds one black three, and three are needed",
        ),
        ("the hand holds two black3 and 8 red3", "the hand holds two black threes and 8 red threes"),
        ("the top card is a red3", "the top card is a red three"),
        ("black threes were melded", "black threes were melded"),
    ],
)
def test_threes_are_words(engine: str, words: str) -> None:
    assert card_words(engine) == words


def test_seats_have_their_names() -> None:
    told = with_names("side 1 (seats 1 and 3), seat 2", ["South", "West", "North", "East"])
    assert told == "side 1 (West and East), North"


def reasons(table: Session) -> Iterator[str]:
    """What the person is told of everything that can be selected, and of every action that is not legal."""
    state = table.state()
    own = state["sides"][0]
    cards = sorted(set(state["hands"][0]["cards"]))
    targets = [
        "stock",
        "pile",
        *(f"card:{kind}" for kind in cards),
        *(f"meld:{meld['name']}" for meld in own["melds"]),
    ]
    for target in targets:
        for refused in table.handle({"type": "why", "target": target})[0]["refused"]:
            yield refused["text"]
    for kind in cards:
        told = table.handle({"type": "select", "cards": {kind: 1}, "pile": False, "meld": None})[0]
        yield (told["why_not"] or {"text": ""})["text"]
    for action in set(NOTATIONS) - set(state["legal"]):
        with pytest.raises(PlayError) as refused_play:
            table.handle({"type": "play", "action": action, "at": table.place["at"]})
        assert str(refused_play.value).startswith(f'illegal action "{action}": ')
        yield str(refused_play.value).partition('": ')[2]


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_every_reason_of_a_deal_is_in_the_words_of_the_game(rules: Rules) -> None:
    table = Session(rules, [YOU, *["chance"] * (rules.players - 1)], make, 5, "deal")
    rng, seen, decisions = Random(3), set(), 0
    while (state := table.state())["phase"] != "over":
        if not state["legal"]:
            table.advance()
            continue
        decisions += 1
        if decisions % EVERY == 1:
            for text in reasons(table):
                assert not ENGINE_WORDS.search(text), text
                seen.add(text)
        table.handle({"type": "play", "action": rng.choice(state["legal"]), "at": table.place["at"]})
    assert len(seen) > 20
    assert rules.game != "classic" or any("black three" in text for text in seen)


def test_who_watches_is_told_which_seat_failed_by_its_name() -> None:
    table = Session(modern_american(), ["stubborn"] * 4, make, 7)
    while not (state := table.advance())["fault"]:
        pass
    seat = state["to_play"]
    name = state["seated"][seat]["name"]
    assert state["fault"] == f"{name}, stubborn, chose draw, which is not legal"
