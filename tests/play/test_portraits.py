"""Levels of opponents, and how people are shown agents and seats."""

from __future__ import annotations

from pathlib import Path

import pytest

from canasta_agents.play import levels
from canasta_agents.play.levels import LEVELS
from canasta_agents.play.lobby import Lobby
from canasta_agents.play.portraits import portrait
from canasta_agents.play.session import seated
from canasta_agents.registry import names
from canasta_env import Rules, classic, modern_american
from tests.engine.walking import FOUR_GAMES, NAMES


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_every_level_of_every_game_is_another_agent_that_is_offered(rules: Rules, tmp_path: Path) -> None:
    lobby = Lobby(tmp_path / "runs", tmp_path / "records")
    told = lobby.agents.levels(rules)
    assert [level["name"] for level in told] == ["Beginner", "Casual", "Club", "Expert"]
    specs = [level["agent"] for level in told]
    assert len(set(specs)) == 4
    assert set(specs) <= set(lobby.agents.specs(rules))
    assert specs[3].startswith(f"search:{specs[2]}?time=")


@pytest.mark.parametrize("level", LEVELS, ids=[level.name for level in LEVELS])
def test_an_opponent_of_every_level_sits_down(
    level: levels.Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "playable_policy", lambda rules: None)  # as without PyTorch
    rules = classic(players=2)
    lobby = Lobby(tmp_path / "runs", tmp_path / "records")
    message = {"game": "classic", "players": 2, "seats": ["you", level.spec_for(rules)]}
    assert lobby.find(lobby.open(message)).state()["fault"] is None


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_no_spec_is_shown_where_an_agent_of_the_package_is(rules: Rules, tmp_path: Path) -> None:
    shown = Lobby(tmp_path / "runs", tmp_path / "records").agents.portraits(rules)
    for spec, told in shown.items():
        assert not {":", "_", "?"} & set(told["title"]), spec
        assert told["how"]
    titles = [told["title"] for spec, told in shown.items() if spec != "heuristic" and "?" not in spec]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        ("heuristic", "Keeper (rule-based)"),
        ("closer", "Keeper (rule-based)"),
        ("random", "Chance (random)"),
        ("neural:modern_american", "Modern policy (trained)"),
        ("neural:modern_american@1", "Modern policy, version 1 (trained)"),
        ("neural:runs/2026-11-02", "Policy 2026-11-02 (trained)"),
        ("search:neural:modern_american?time=0.5", "Modern policy (looks ahead)"),
        ("search:keeper", "Keeper (looks ahead)"),
        ("python:my_players:Careful", "Careful (a program of your own)"),
        ("onnx:exported/mine.onnx", "Policy mine (trained)"),
        ("process:python bots/brave.py", "brave (a program of your own)"),
        ("somebody", "somebody"),
    ],
)
def test_an_agent_is_shown_by_a_title(spec: str, title: str) -> None:
    assert portrait(spec, "modern_american").title == title


def test_every_rule_based_player_has_a_sentence() -> None:
    for rules in (classic(), modern_american()):
        assert all(portrait(name, rules.game).how for name in names(rules))


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_partners_sit_opposite(rules: Rules) -> None:
    called = [seat["name"] for seat in seated(rules, ["you", *["random"] * (rules.players - 1)])]
    assert called[0] == "South" and len(set(called)) == rules.players
    opposite = {frozenset(("South", "North")), frozenset(("West", "East"))}
    for side in range(rules.num_sides):
        seats = [name for seat, name in enumerate(called) if rules.side_of(seat) == side]
        assert len(seats) == 1 or frozenset(seats) in opposite


def test_only_agents_have_a_title() -> None:
    you, agent = seated(classic(players=2), ["you", "watcher"])
    assert you == {"name": "South"}
    assert (agent["name"], agent["title"]) == ("North", "Watcher (rule-based)")
