"""A deal in the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from canasta_agents.play.terminal import play_in_terminal
from canasta_env import classic
from canasta_env.agent import Agent
from tests.play.seated import make

SEATS = ["you", "chance"]


def run(lines: Iterator[str]) -> str:
    shown: list[str] = []

    def read(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        shown.append(f"{prompt}{line}")
        return line

    play_in_terminal(classic(players=2), SEATS, make, 9, read=read, show=shown.append)
    return "\n".join(shown)


def ones() -> Iterator[str]:
    while True:
        yield "1"


def test_a_deal_is_played_to_its_score() -> None:
    text = run(ones())
    assert "the deal is over" in text and "cards in hand" in text
    assert re.search(r"total +-?[\d,]+ +-?[\d,]+", text)


def test_advice_errors_a_restart_and_the_end_of_input() -> None:
    text = run(iter(["? chance", "fly", "discard red3", "? nobody", "help", "draw", "restart", "draw"]))
    assert "chance would draw" in text
    assert "'fly' is not the notation of an action" in text
    assert "agent: 'nobody' is not offered" in text
    assert text.count("  you: draw") == 2


def test_seats_have_names_and_threes_are_words_but_where_they_are_typed() -> None:
    text = run(iter(["draw", "meld black3 black3 black3", "quit"]))
    assert "side 0 (you): " in text and "side 1 (North): " in text and "\n> you, dealer: " in text
    assert "\n  North, chance: " in text
    assert not re.search(r"seats? \d", text)
    assert '\nillegal action "meld black3 black3 black3": the hand holds no black three, and' in text


def test_undo_takes_back_what_was_laid_and_never_a_draw() -> None:
    lines = iter(["undo", "draw", "meld 5 5 5", "undo", "undo", "quit"])
    text = run(lines)
    assert text.count("there is nothing to take back") == 2
    assert "taken back: meld 5 5 5" in text
    assert "Draw from the stock" in text
    assert all(len(line) <= 80 for line in text.splitlines() if line.startswith(("Draw", "Select", "undo ")))


def test_a_long_name_of_an_agent_leaves_its_move_on_the_same_line() -> None:
    long = "neural:runs/modern_american-20261202-101500/" + "a" * 80
    shown: list[str] = []
    lines = iter([f"? {long}", "draw", "1", "quit"])

    def make_named(spec: str) -> Agent:
        agent = make("chance")
        agent.name = spec
        return agent

    play_in_terminal(
        classic(players=2), ["you", long], make_named, 9, read=lambda _: next(lines), show=shown.append
    )
    told = [line for line in shown if re.match(r"(  North, )?Policy aaa", line)]
    assert any(line.startswith("  North, ") for line in told) and any(" would " in line for line in told)
    assert all(len(line) <= 80 and "…" in line for line in told)


def test_quit_ends() -> None:
    assert "> quit" in run(iter(["quit", "1"]))
