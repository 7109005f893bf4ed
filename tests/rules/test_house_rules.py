"""A game is what the fields of `Rules` say; what is not a game is refused by name."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from canasta_env import RulesError
from canasta_env.engine.state import SWITCHES, rules_record
from canasta_env.rules import NEEDED_SWITCHES, Rules, classic, modern_american

# What `to_dict` held before the rules that differ in kind had names.
NUMBERS = (
    *("game", "players", "target", "hand_size", "cards_drawn", "canastas_to_go_out", "opening_minima"),
    *("max_wilds_in_meld", "naturals_before_wild", "mixed_canasta_bonus", "clean_canasta_bonus"),
    *("clean_sevens_or_aces_bonus", "twos_canasta_bonus", "jokers_canasta_bonus", "wild_canasta_bonus"),
    *("going_out_bonus", "concealed_bonus", "threes_points", "unfinished_sevens_penalty"),
    *("unfinished_aces_penalty", "unfinished_wilds_penalty", "unfinished_jokers_penalty"),
    *("aces_in_hand_penalty", "sevens_in_hand_penalty"),
)
GAMES = [classic(2), classic(3), classic(4), modern_american()]
IDS = ["classic 2", "classic 3", "classic 4", "modern"]


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_rules_written_before_the_switches_are_read(rules: Rules) -> None:
    old = {name: value for name, value in rules.to_dict().items() if name in NUMBERS}
    assert len(old) == len(NUMBERS)
    assert Rules.from_dict(json.loads(json.dumps(old))) == rules


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_every_field_comes_back_and_reaches_the_engine(rules: Rules) -> None:
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    record = rules_record(rules)
    assert {name: bool(record[name][0]) for name in SWITCHES} == {
        name: getattr(rules, name) for name in SWITCHES
    }


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_is_true_or_false(name: str) -> None:
    with pytest.raises(RulesError, match=f"^{name}: 1 must be True or False$"):
        dataclasses.replace(classic(), **{name: 1})


@pytest.mark.parametrize("number", NEEDED_SWITCHES)
def test_a_number_needs_its_clause(number: str) -> None:
    switch = NEEDED_SWITCHES[number]
    game = modern_american() if getattr(classic(), switch) else classic()
    with pytest.raises(RulesError, match=f"^{number}: 50 must be 0, or {switch} True$"):
        dataclasses.replace(game, **{number: 50})
    assert getattr(dataclasses.replace(game, **{number: 50, switch: True}), number) == 50


NO_GAMES: dict[str, tuple[dict[str, Any], str]] = {
    "black threes laid and melded": (
        {"lays_black_threes": True},
        "can_meld_black_threes: True must be False",
    ),
    "a take onto too large a meld": (
        {"melds_end_at_seven": True},
        "largest_meld_to_take: None must be at most 4",
    ),
    "a limit below nothing": (
        {"largest_meld_to_take": -1},
        "largest_meld_to_take: -1 must be a whole number",
    ),
    "wilds that come too late": (
        {"closes_ranks": True, "naturals_before_wild": 7},
        "naturals_before_wild: 7 must be at most 6",
    ),
    "canastas for threes": (
        {"canastas_for_threes": None},
        "canastas_for_threes: None must be a whole number",
    ),
}


@pytest.mark.parametrize(("changes", "message"), NO_GAMES.values(), ids=NO_GAMES)
def test_what_is_no_game_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        dataclasses.replace(classic(), **changes)


def test_the_docs_tell_every_switch() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    words = {True: "yes", False: "no", None: "`None`"}
    for name in (*SWITCHES, "largest_meld_to_take", "canastas_for_threes"):
        values = [getattr(game, name) for game in (classic(), modern_american())]
        shown = [words[value] if value is None or isinstance(value, bool) else str(value) for value in values]
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.endswith(f"| {shown[0]} | {shown[1]} |"), name
