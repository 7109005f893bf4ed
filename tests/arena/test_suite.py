"""The benchmark: frozen data, a page from tiny boards, resuming, verification, and errors."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

pytest.importorskip("torch", reason="the frozen policies need PyTorch (extra `train`)")

from canasta_agents.arena.cli import main
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.suite import protocol as protocols
from canasta_agents.arena.suite.plan import plan_game
from canasta_agents.arena.suite.protocol import (
    FORMS,
    Form,
    behaviour,
    load_protocol,
    playable_spec,
    rule_based,
)
from canasta_agents.arena.suite.rating import DealsWon, anchored_rating
from canasta_agents.arena.suite.result import summarise
from canasta_agents.arena.suite.terminal import show_result

PROTOCOL = load_protocol()
TINY = Form("quick", boards=2, searcher_boards=0, partner_boards=2, check_boards=2)

pytestmark = pytest.mark.usefixtures("forked_processes")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The quick form on tiny boards, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(FORMS, "quick", TINY)
    return tmp_path / "results" / "canasta-bench-1"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of `eager` in two-player Classic, on tiny boards."""
    folder = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setitem(FORMS, "quick", TINY)
        assert suite("eager", "--game", "classic", "--players", "2", "--name", "mine") == 0
    return folder / "results" / "canasta-bench-1" / "mine"


def suite(*arguments: str) -> int:
    return main(["--suite", *arguments, "--quick", "--workers", "1"])


def test_the_data_of_version_1_is_frozen():
    assert (protocols.VERSION, PROTOCOL.digest) == (1, "43eb468885bd9557")


@pytest.mark.parametrize("game", PROTOCOL.games, ids=lambda game: game.name)
def test_frozen_players_are_here_and_play_as_they_did(game):
    assert behaviour(game.rules, rule_based(game), PROTOCOL.seed) == game.behaviour
    for opponent in game.opponents:
        assert playable_spec(game, opponent.spec).partition("@")[0] == opponent.spec.partition("@")[0]
    assert playable_spec(game, game.searcher).partition("@")[0] == game.searcher.partition("@")[0]


@pytest.mark.parametrize("game", PROTOCOL.games, ids=lambda game: game.name)
def test_the_scale_is_anchored_and_four_partners_were_trained_apart(game):
    ratings = {opponent.spec: opponent.rating for opponent in game.opponents}
    assert (ratings["random"], ratings[game.anchor]) == (0, 1_000)
    assert game.anchor in rule_based(game)
    trained = [spec for spec in game.partners if spec.startswith("neural:")]
    assert len(trained) == (4 if game.players == 4 else 0)
    assert len(game.partners) - len(trained) == (2 if game.players == 4 else 0)
    assert len({game.weights[spec] for spec in trained}) == len(trained)


def test_a_policy_whose_weights_are_gone_is_named(monkeypatch):
    monkeypatch.setattr(protocols, "weights_digest", lambda policy: None)
    game = PROTOCOL.game("classic", 2)
    with pytest.raises(ArenaError, match=r"plays against neural:classic_2@2 with the weights \w+.*none of"):
        playable_spec(game, "neural:classic_2@2")


def test_a_policy_that_got_another_name_is_found_by_its_weights(monkeypatch):
    game = PROTOCOL.game("classic", 2)
    kept = {"classic_2@2": "others", "classic_2@3": game.weights["neural:classic_2@2"]}
    monkeypatch.setattr(protocols, "bundled_policies", lambda: list(kept))
    monkeypatch.setattr(protocols, "weights_digest", kept.get)
    assert playable_spec(game, "search:neural:classic_2@2") == "search:neural:classic_2@3"


def test_a_rating_is_the_one_that_expects_the_deals_won():
    boards, deals = 400, 10.0
    ratings, scale, truth = (0.0, 600.0, 1_000.0), 300.0, 850.0
    meetings = [
        DealsWon(
            rating,
            np.full(boards, deals / (1 + np.exp(-(truth - rating) / scale))),
            np.full(boards, deals),
        )
        for rating in ratings
    ]
    interval = anchored_rating(meetings, scale)
    assert interval.estimate == pytest.approx(truth, abs=0.5)
    assert interval.low <= interval.estimate <= interval.high


def test_who_wins_every_deal_has_a_finite_rating():
    meetings = [DealsWon(rating, np.full(5, 4.0), np.full(5, 4.0)) for rating in (0.0, 1_000.0)]
    assert 1_000 < anchored_rating(meetings, 300.0).estimate < 5_000


def test_the_page_comes_in_four_forms(played):
    result = json.loads((played / "result.json").read_text())
    opponents = [row["opponent"] for row in result["games"][0]["summary"]["against"]]
    assert opponents == [opponent.spec for opponent in PROTOCOL.game("classic", 2).opponents]
    page, markdown = (played / "page.html").read_text(), (played / "page.md").read_text()
    for text in ("the evaluator's own checks", "against each opponent", "decisions a second"):
        assert text in markdown
        assert text.replace("'", "&#x27;") in page
    rows = list(csv.DictReader((played / "result.csv").open()))
    assert [row["opponent"] for row in rows] == opponents
    assert {row["boards"] for row in rows} == {"2"}


FIGURES = {"boards": 1_200, "deals": 9_000, "points": {"estimate": -1234.56, "low": -1300.0, "high": -1170.0}}
WINS = {"estimate": 0.123, "low": 0.1, "high": 0.15}


def _largest() -> dict[str, Any]:
    """A result with the longest names and numbers that a game has."""
    game = PROTOCOL.game("modern_american", 4)
    check = {"points": FIGURES["points"], "boards": 50, "is_exact": False, "passed": True}
    summary = {
        "rating": {"estimate": 1234.0, "low": 1210.0, "high": 1258.0},
        "against": [
            FIGURES
            | {"opponent": spec, "opponent_rating": 1_234.0, "match_wins": WINS}
            | {"sign_test": {"boards_better": 1_100, "boards_worse": 100, "p": 1.2e-34}}
            for spec in (*(opponent.spec for opponent in game.opponents), game.searcher)
        ],
        "partners": [
            {"partner": partner, "opponent": opponent, "gain": FIGURES["points"]}
            | {"with_entrant": FIGURES, "with_itself": FIGURES}
            for partner in game.partners
            for opponent in game.partners_meet
        ],
        "mean_gain": FIGURES["points"],
        "checks": [check | {"check": "the entrant against itself"}],
    }
    part = {"game": game.game, "players": 4, "summary": summary, "forfeits": []}
    origin = {"date": "2026-12-03", "python": "3.11.7", "packages": {"numpy": "2.4.6"}}
    origin |= {"hardware": {"processor": "AMD EPYC", "cores": 2}}
    return {
        "games": [part | {"frozen_players_are_unchanged": True}],
        "origin": origin | {"decisions_a_second": {"modern_american 4": 46_352}},
        "form": {"name": "full"},
        "entrant": {"fingerprint": "0" * 16},
        "protocol": {"digest": "0" * 16},
    }


def test_in_80_columns_each_opponent_and_partner_stands_on_one_line():
    """Intervals were folded over four lines, and `neural:modern_american` was `neural:mo…`."""
    text = io.StringIO()
    show_result(Console(file=text, width=80, highlight=False), _largest())
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if "-1,235 ± 65" in line]
    summary = _largest()["games"][0]["summary"]
    assert len(rows) == len(summary["against"]) + len(summary["partners"]) + 2
    assert sum(row.split()[0] == "all" for row in rows) == 1
    names = [line.split()[0] for line in rows[: len(summary["against"])]]
    assert names[:-1] == [row["opponent"] for row in summary["against"][:-1]]
    assert any("the entrant against itself" in line for line in rows)
    assert "12.3% (10–15)  1,100/100" in rows[0]


def test_the_evaluators_checks_pass(played):
    game = json.loads((played / "result.json").read_text())["games"][0]
    itself, random = game["summary"]["checks"]
    assert itself["is_exact"] and itself["passed"] and random["passed"]
    assert game["frozen_players_are_unchanged"]


def test_after_an_interruption_it_goes_on_to_the_same_bytes(tiny, monkeypatch):
    arguments = ("eager", "--game", "classic", "--players", "2", "--name", "mine")
    assert suite(*arguments) == 0
    whole = _without_origin(tiny / "mine" / "result.json")
    blocks = sorted((tiny / "blocks").iterdir())
    for block in blocks[::2]:  # as if these had not been played yet
        block.unlink()
    shutil.rmtree(tiny / "mine")
    assert suite(*arguments) == 0
    assert _without_origin(tiny / "mine" / "result.json") == whole
    assert sorted((tiny / "blocks").iterdir()) == blocks


def _without_origin(path: Path) -> str:
    """A result's text but for when, where and how fast it was made."""
    return re.sub(r'\n "origin": \{.*', "", path.read_text(), flags=re.DOTALL)


def test_under_a_name_another_result_is_not_written_over(tiny, capsys):
    """`--suite eager --name mine` replaced the result of `closer` in that folder without a word."""
    arguments = ("--game", "classic", "--players", "2", "--name", "mine")
    assert suite("closer", *arguments) == 0
    before = (tiny / "mine" / "result.json").read_bytes()
    assert suite("eager", *arguments) == 2
    assert "is the result of closer (quick), of other files" in capsys.readouterr().err
    assert suite("closer", "--game", "classic", "--players", "3", "--name", "mine") == 2
    assert (tiny / "mine" / "result.json").read_bytes() == before
    (tiny / "mine" / "result.json").write_text("{")
    assert suite("closer", *arguments) == 0


def test_partners_are_seated_with_the_entrant_and_with_themselves():
    game = PROTOCOL.game("modern_american", 4)
    plan = plan_game(game, PROTOCOL, TINY, "keeper")
    pairs = {(runs.partner, runs.opponent) for runs in plan.partners}
    assert {partner for partner, _ in pairs} == set(game.partners)
    assert all(partner != opponent for partner, opponent in pairs)
    mixed, alone = plan.partners[0].mixed, plan.partners[0].alone
    assert mixed.matchup.is_mixed and not alone.matchup.is_mixed
    assert (mixed.wanted, alone.wanted) == (2, 2)


def test_a_mixed_pair_of_equals_gains_nothing(tiny):
    assert suite("keeper", "--game", "modern_american", "--name", "pair") == 0
    part = json.loads((tiny / "pair" / "result.json").read_text())["games"][0]
    rows = part["summary"]["partners"]
    gains = {row["partner"]: row["gain"]["estimate"] for row in rows}
    assert gains["keeper"] == 0
    assert gains["simple"] != 0
    mean_gain = part["summary"]["mean_gain"]["estimate"]
    assert mean_gain == pytest.approx(np.mean([row["gain"]["estimate"] for row in rows]), abs=1e-4)
    (line,) = [line for line in (tiny / "pair" / "page.md").read_text().splitlines() if "| all |" in line]
    assert f"{mean_gain:,.1f}".replace("-", "−") in line
    short = next(each for each in part["meetings"] if each["first"].startswith("entrant + "))
    for numbers in short["per_board"].values():
        del numbers[1:]
    with pytest.raises(ArenaError, match="are not of the same boards"):
        summarise(PROTOCOL.game("modern_american", 4), part["meetings"])


def verify(path: Path) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(FORMS, "quick", TINY)
        patch.setattr("canasta_agents.arena.suite.verify.SAMPLED_BLOCKS", 1_000)
        return main(["--verify", str(path)])


def change(played: Path, folder: Path, change_it) -> Path:
    """A copy of the result with a change in it."""
    result = json.loads((played / "result.json").read_text())
    change_it(result)
    path = folder / "changed.json"
    path.write_text(json.dumps(result))
    return path


def test_an_honest_result_is_verified(played, capsys):
    assert verify(played / "result.json") == 0
    assert "are the same" in capsys.readouterr().out


def test_a_changed_figure_is_found(played, tmp_path, capsys):
    def flatter(result):
        result["games"][0]["summary"]["rating"]["estimate"] += 50

    assert verify(change(played, tmp_path, flatter)) != 0
    assert "summary.rating.estimate" in capsys.readouterr().out


def test_a_changed_board_is_found_though_its_figures_fit(played, tmp_path, capsys):
    def flatter(result):
        game = result["games"][0]
        game["meetings"][1]["per_board"]["points"][0] += 500
        game["summary"] = summarise(PROTOCOL.game("classic", 2), game["meetings"])

    assert verify(change(played, tmp_path, flatter)) != 0
    assert "board 0: points" in capsys.readouterr().out


def first_meeting(result: dict[str, Any]) -> dict[str, Any]:
    return result["games"][0]["meetings"][0]


@pytest.mark.parametrize(
    ("change_it", "says"),
    [
        (lambda result: result.update(games=[]), "games: [] should be a list of at least 1"),
        (lambda result: result["games"].append(result["games"][0]), "games[1]: 'classic 2' should be in it"),
        (lambda result: result["games"][0]["meetings"].append(first_meeting(result)), "should be in it once"),
        (lambda result: result["entrant"].update(spec=5), "entrant.spec: 5 should be a text"),
        (lambda result: first_meeting(result).update(games=0), "meetings[0].games: 0 should be a whole"),
        (lambda result: boards_of(result)["deals"].__setitem__(1, 0), "per_board.deals[1]: 0 should be"),
        (lambda result: boards_of(result)["deals"].pop(), "should be a list of 2, a number for each"),
        (lambda result: boards_of(result)["points"].__setitem__(0, "x"), "points[0]: 'x' should be a number"),
        (lambda result: boards_of(result)["points"].__setitem__(0, math.nan), "points[0]: nan should be"),
        (lambda result: boards_of(result)["points"].__setitem__(0, 10**400), "should be a number, at most"),
        (lambda result: boards_of(result).update(points=[[1], [2]]), "points[0]: [1] should be a number"),
        (lambda result: boards_of(result)["match_wins"].__setitem__(0, 9), "[0]: 9 should be from 0 to 2"),
    ],
)
def test_a_result_that_was_damaged_is_refused_by_the_entry_and_never_verified(
    played, tmp_path, capsys, change_it, says
):
    """No game at all was "the same"; texts, NaN and lists of unequal length raised with a traceback."""
    assert verify(change(played, tmp_path, change_it)) == 2
    assert says in capsys.readouterr().err


def boards_of(result: dict[str, Any]) -> dict[str, Any]:
    return first_meeting(result)["per_board"]


def test_a_file_of_brackets_is_no_result(tmp_path, capsys):
    path = tmp_path / "result.json"
    path.write_text("[" * 100_000)
    assert verify(path) == 2
    assert "is no result of canasta-bench" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change_it", "says"),
    [
        (
            lambda part: part.update(frozen_players_are_unchanged=False),
            "says False; here it is True",
        ),
        (lambda part: part["meetings"].append(part["meetings"][0] | {"first": "x"}), "x – random is no meet"),
        (
            lambda part: part["forfeits"].append({"first": "entrant", "second": "random", "board": 1}),
            "entrant – random, board 1: the entrant did not forfeit it",
        ),
        (lambda part: part["summary"]["rating"].update(low=10**400), "summary.rating.low says 1000"),
    ],
    ids=["players", "meeting", "forfeit", "huge"],
)
def test_what_is_told_beside_the_figures_is_compared_too(played, tmp_path, capsys, change_it, says):
    assert verify(change(played, tmp_path, lambda result: change_it(result["games"][0]))) == 2
    assert says in capsys.readouterr().out


@pytest.mark.parametrize("option", [("--quick",), ("--game", "classic"), ("--workers", "3")], ids=" ".join)
def test_an_option_that_verifying_would_ignore_is_refused(played, capsys, option):
    assert main(["--verify", str(played / "result.json"), *option]) == 2
    assert "cannot be given with --verify, whose result fixes it" in capsys.readouterr().err


def test_fewer_boards_than_the_form_asks_for_are_found(played, tmp_path, capsys):
    def shorten(result):
        game = result["games"][0]
        for numbers in game["meetings"][0]["per_board"].values():
            del numbers[1:]
        game["summary"] = summarise(PROTOCOL.game("classic", 2), game["meetings"])

    assert verify(change(played, tmp_path, shorten)) != 0
    assert "has 1 boards; the form asks for 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change_it", "says"),
    [
        (lambda result: result["protocol"].update(version=2), "was played by canasta-bench 2"),
        (lambda result: result["protocol"].update(digest="0" * 16), "this package has canasta-bench 1"),
        (lambda result: result.update(format="canasta-arena-results"), "its format is"),
        (lambda result: result.pop("protocol"), "is no result of canasta-bench"),
        (lambda result: result["form"].update(boards=1), "its form"),
        (lambda result: result["games"][0].pop("meetings"), "is damaged"),
    ],
    ids=["version", "data", "format", "no protocol", "form", "damaged"],
)
def test_what_is_no_result_of_this_protocol_is_refused(played, tmp_path, capsys, change_it, says):
    assert verify(change(played, tmp_path, change_it)) != 0
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nobody",), "no agent 'nobody'"),
        (("neural:classic_2", "--game", "modern_american"), "has learnt classic with 2 players"),
        (("keeper", "--game", "modern_american", "--players", "2"), "has no game modern_american with 2"),
        (("eager", "--boards", "5"), "boards: cannot be given with --suite"),
        (("eager", "--seed", "1"), "seed: cannot be given with --suite"),
        (("onnx:missing.onnx",), "missing.onnx"),
    ],
    ids=["agent", "game", "players", "boards", "seed", "file"],
)
def test_what_cannot_be_played_is_refused(tiny, capsys, arguments, says):
    assert suite(*arguments) != 0
    assert says in capsys.readouterr().err
    assert not tiny.exists()


def test_quick_needs_the_suite(capsys):
    assert main(["--quick"]) != 0
    assert "goes with --suite only" in capsys.readouterr().err
