"""evaluate.py as a user runs it: results, records, a report, and errors that say what would be right."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from canasta_agents.arena.cli import main, newest_checkpoint
from canasta_agents.arena.report import p_value, ratings_plot, render
from canasta_agents.arena.statistics import holm_adjusted
from canasta_agents.files import FolderInUseError, claim_folder
from canasta_env.records import verify
from canasta_env.rules import classic, modern_american

OUTSIDERS = Path(__file__).parent / "outsiders.py"
FIRST, LAST = (f"file:{OUTSIDERS}:{name}" for name in ("First", "Last"))

pytestmark = pytest.mark.usefixtures("forked_processes")


def evaluate(*arguments: str, agents: tuple[str, ...] = ("random", "heuristic")) -> int:
    return main(["--agents", *agents, "--workers", "1", *arguments])


@pytest.fixture(scope="module")
def matches(tmp_path_factory) -> Path:
    """A small tournament of matches between three, and its folder."""
    folder = tmp_path_factory.mktemp("matches")
    before = Path.cwd()
    os.chdir(folder)
    try:
        arguments = (
            "--agents-from",
            str(OUTSIDERS),
            "--game",
            "classic",
            "--target",
            "1000",
            "--seed",
            "0",  # else it would be drawn, since a third party plays
            "--boards",
            "6",
        )
        assert evaluate(*arguments, "--name", "mine", agents=(LAST,)) == 0
    finally:
        os.chdir(before)
    return folder / "results" / "mine"


def test_results_are_complete(matches):
    results = json.loads((matches / "results.json").read_text())
    assert (results["format"], results["version"]) == ("canasta-arena-results", 1)
    assert [entrant["name"] for entrant in results["entrants"]] == ["Last", "First", "Last #2"]
    assert results["settings"]["rules"]["target"] == 1_000
    assert len(results["pairings"]) == 3
    for pairing in results["pairings"]:
        per_board = pairing["per_board"]
        assert len(per_board["points"]) == pairing["boards"] == 6
        assert sum(per_board["points"]) / sum(per_board["deals"]) == pytest.approx(
            pairing["points"]["estimate"]
        )
        assert sum(per_board["match_wins"]) / 12 == pytest.approx(pairing["match_wins"]["estimate"])
        difference = pairing["anatomy"]["first"]["total"] - pairing["anatomy"]["second"]["total"]
        assert difference == pytest.approx(pairing["points"]["estimate"], abs=0.01)
        test, points = pairing["sign_test"], per_board["points"]
        assert test["won"] == sum(number > 0 for number in points)
        assert test["lost"] == sum(number < 0 for number in points)
        assert test["won"] + test["lost"] + test["tied"] == 6
    tests = [pairing["sign_test"] for pairing in results["pairings"]]
    assert [test["p_holm"] for test in tests] == holm_adjusted([test["p_value"] for test in tests]).tolist()
    itself = results["pairings"][1]
    assert itself["sign_test"] == {"won": 0, "lost": 0, "tied": 6, "p_value": 1.0, "p_holm": 1.0}
    assert (itself["first"], itself["second"]) == ("Last", "Last #2")
    assert itself["points"] == {"estimate": 0.0, "low": 0.0, "high": 0.0}
    assert itself["match_wins"]["estimate"] == 0.5


def test_pairings_are_a_table_too(matches):
    results = json.loads((matches / "results.json").read_text())
    with (matches / "pairings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    for row, pairing in zip(rows, results["pairings"], strict=True):
        assert (row["first"], row["second"]) == (pairing["first"], pairing["second"])
        assert float(row["points_low"]) == pairing["points"]["low"]
        assert float(row["match_wins"]) == pairing["match_wins"]["estimate"]
        assert int(row["boards_won"]) == pairing["sign_test"]["won"]
        assert float(row["p_holm"]) == pairing["sign_test"]["p_holm"]


def test_anatomy_adds_up(matches):
    results = json.loads((matches / "results.json").read_text())
    clauses = ("melded_cards", "canastas", "going_out", "threes", "cards_in_hand", "penalties")
    for row in results["anatomy"]:
        assert sum(row[name] for name in clauses) == pytest.approx(row["total"], abs=0.01)
        assert row["canastas"] == pytest.approx(
            500 * row["clean_canastas"] + 300 * row["mixed_canastas"], abs=0.1
        )
        assert row["going_out"] == pytest.approx(100 * (row["went_out"] + row["concealed"]), abs=0.1)
        assert 0 < row["opened"] <= 1
        assert row["opened_turn"] >= 1
        assert row["answered_yes"] + row["answered_no"] == pytest.approx(1 if row["asked"] else 0, abs=0.001)


def test_records_verify_and_are_listed(matches):
    index = json.loads((matches / "games" / "index.json").read_text())
    files = sorted(path.name for path in (matches / "games").glob("*.jsonl"))
    assert sorted(entry["file"] for entry in index) == files
    for entry in index:
        record = verify(matches / "games" / entry["file"])
        assert len(record.deals) == entry["deals"]
    whole = [entry for entry in index if entry["board"] == 0 and "-deal-" not in entry["file"]]
    assert len(whole) == 6  # three pairings, both ways


def test_the_report_stands_by_itself(matches):
    page = (matches / "report.html").read_text()
    assert not re.search(r'(src|href)\s*=\s*["\'][^#]', page)
    assert not re.search(r"url\([^#]", page)
    assert "@import" not in page
    for name in ("Last #2", "First", "Largest difference", "Longest deal"):
        assert name in page
    assert "0 – 0</td>" in page  # the boards that Last won and lost against itself
    assert "Holm 1.00" in page


@pytest.mark.parametrize(("number", "shown"), [(1.0, "1.00"), (0.00312, "0.0031"), (1e-9, "< 0.0001")])
def test_p_values_are_shown_as_people_read_them(number, shown):
    assert p_value(number) == shown


def test_replays_lead_to_the_points_of_the_deal(matches):
    page = (matches / "report.html").read_text()
    content = re.search(r'<script type="application/json" id="replays">(.*?)</script>', page, re.DOTALL)
    assert content is not None
    replays = json.loads(content.group(1))
    assert {replay["title"] for replay in replays} >= {"Largest difference", "Highest score", "Longest deal"}
    for replay in replays:
        assert len(replay["deals"]) == 2
        for deal in replay["deals"]:
            whole: dict = {}
            for step in deal["steps"]:
                whole |= step
            assert whole["to"] is None
            assert whole["v"] == deal["totals"] == [side["total"] for side in deal["breakdown"]]
            cards = sum(len(whole[f"h{seat}"]) for seat in range(4)) + len(whole["p"]) + whole["s"]
            cards += sum(sum(map(sum, (meld[1:] for meld in whole[f"m{side}"]))) for side in range(2))
            assert cards + sum(len(whole[f"t{side}"]) for side in range(2)) == 108


def test_names_cannot_break_the_page(matches):
    results = json.loads((matches / "results.json").read_text())
    text = json.dumps(results).replace("Last #2", "</script><b>x</b>")
    page = render(json.loads(text))
    assert "<b>x</b>" not in page
    assert page.count("</script>") == 2


def test_the_same_command_plays_nothing_again(matches, monkeypatch, capsys):
    monkeypatch.chdir(matches.parents[1])
    monkeypatch.setattr(
        "canasta_agents.arena.tournament.play_tasks", lambda tasks, workers: iter(()) if not tasks else 1 / 0
    )
    arguments = ("--agents-from", str(OUTSIDERS), "--game", "classic", "--target", "1000", "--boards", "6")
    assert evaluate(*arguments, "--seed", "0", "--name", "mine", agents=(LAST,)) == 0
    assert "Report: results/mine/report.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--game", "classic", "--players", "3", "--scores", "drawn"),
        ("--game", "classic", "--players", "2", "--records", "all"),
        ("--scores", "3000", "-5", "--records", "none"),
        ("--format", "one-against-all", "--seed", "3"),
        ("--format", "partners", "--game", "classic"),
    ],
)
def test_every_option_plays(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert evaluate("--boards", "2", "--episode", "deal", *arguments) == 0
    assert "points a deal" in capsys.readouterr().out
    (results,) = tmp_path.glob("results/*")
    assert (results / "report.html").stat().st_size > 10_000
    for path in results.glob("games/*.jsonl"):
        assert verify(path).agents is not None


def test_a_forfeit_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    entrant = tmp_path / "broken.py"
    entrant.write_text(
        "class Broken:\n"
        "    def reset(self, num_tables, seed): pass\n"
        "    def act(self, batch): raise KeyError('seat <7>')\n"
    )
    assert evaluate("--boards", "2", "--agents-from", str(entrant), "--name", "x", agents=(FIRST,)) == 0
    assert (
        "forfeit Broken, 2 boards from 0 on of First – Broken: KeyError: 'seat <7>' (broken.py, line 3)"
    ) in capsys.readouterr().out
    page = (tmp_path / "results" / "x" / "report.html").read_text()
    assert "KeyError: &#39;seat &lt;7&gt;&#39;" in page


LEAVING = "class Leaving:\n    def reset(self, num_tables, seed): pass\n    def act(self, batch): pass\n"


@pytest.mark.parametrize("where", ["import", "class"])
@pytest.mark.parametrize("named_by", ["--agents-from", "--agents"])
def test_an_entrant_that_ends_the_process_it_is_made_in_does_not_end_the_command(
    where, named_by, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    leave = "import os\nos._exit(3)\n"
    indented = LEAVING.replace("pass", "pass\n    def __init__(self): import os; os._exit(3)", 1)
    (tmp_path / "leaving.py").write_text(leave + LEAVING if where == "import" else indented)
    entrant = ("leaving.py",) if named_by == "--agents-from" else ("python:leaving:Leaving", "random")
    assert evaluate("--boards", "2", "--episode", "deal", named_by, *entrant, agents=("random",)) == 0
    output = capsys.readouterr().out
    assert "forfeit Leaving, 2 boards from 0 on of " in output
    assert "ended its process (exit status 3)" in output


def test_a_package_that_ends_its_process_does_not_end_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "leaving_package").mkdir()
    (tmp_path / "leaving_package" / "__init__.py").write_text("import os\nos._exit(3)\n")
    (tmp_path / "leaving_package" / "players.py").write_text(LEAVING)
    agents = ("random", "python:leaving_package.players:Leaving")
    assert evaluate("--boards", "2", "--episode", "deal", agents=agents) == 0
    assert "forfeit Leaving, 2 boards" in capsys.readouterr().out


def test_a_file_that_ends_its_process_and_shows_no_agent_is_an_error(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leaving.py").write_text("import os\nos._exit(3)\n")
    assert evaluate("--boards", "2", "--agents-from", "leaving.py") == 2
    assert "leaving.py ends the process that runs it" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_results_that_cannot_be_written_are_an_error_before_anything_is_played(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").write_text("in the way")
    assert evaluate("--boards", "2") == 2
    assert capsys.readouterr().err.startswith("error: results")


SMALL = ("--game", "classic", "--episode", "deal", "--boards", "2")


def seeds_of(folder: Path) -> list[int]:
    return [
        json.loads(path.read_text())["settings"]["seed"] for path in sorted(folder.glob("*/results.json"))
    ]


def test_a_third_party_plays_with_a_seed_that_was_drawn(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert evaluate(*SMALL, agents=("random", FIRST)) == 0
    (seed,) = seeds_of(tmp_path / "results")
    assert 2**64 < seed < 2**128  # all but certainly
    assert f"Seed {seed}, drawn for this tournament" in capsys.readouterr().out
    blocks = set(tmp_path.glob("results/*/blocks/*"))
    assert evaluate(*SMALL, agents=("random", FIRST)) == 0  # goes on with the same one
    assert seeds_of(tmp_path / "results") == [seed]
    assert set(tmp_path.glob("results/*/blocks/*")) == blocks
    assert evaluate(*SMALL, "--name", "again", "--seed", str(seed), agents=("random", FIRST)) == 0
    points = [
        json.loads(path.read_text())["pairings"][0]["per_board"]["points"]
        for path in tmp_path.glob("results/*/results.json")
    ]
    assert points[0] == points[1]


@pytest.mark.parametrize(("given", "seed"), [((), 0), (("--seed", "7"), 7)])
def test_our_own_players_and_a_given_seed_are_repeatable(given, seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agents = ("random", "greedy") if not given else ("random", FIRST)
    assert evaluate(*SMALL, *given, agents=agents) == 0
    assert seeds_of(tmp_path / "results") == [seed]


def test_a_damaged_seed_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results" / "x").mkdir(parents=True)
    (tmp_path / "results" / "x" / "seed").write_text("9" * 5_000)
    assert evaluate(*SMALL, "--name", "x", agents=("random", FIRST)) == 2
    assert "error: results/x/seed: '9999" in capsys.readouterr().err


def test_a_second_tournament_in_the_same_folder_is_refused_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with claim_folder(tmp_path / "results" / "x"):
        assert evaluate(*SMALL, "--name", "x") == 2
    assert (
        "error: name: another tournament is being played into results/x; wait for it, or give another --name"
    ) in capsys.readouterr().err
    assert evaluate(*SMALL, "--name", "x") == 0


def test_many_that_claim_a_folder_at_once_are_let_in_one_at_a_time(tmp_path):
    """A probe for a writable folder once failed 40 of 800 times when two ran at once."""

    def claim(_: int) -> str:
        try:
            with claim_folder(tmp_path):
                (tmp_path / "mine").mkdir()
                (tmp_path / "mine").rmdir()
                return "held"
        except FolderInUseError:
            return "refused"

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(claim, range(400)))
    assert outcomes.count("held") >= 1
    assert set(outcomes) <= {"held", "refused"}


def test_what_an_entrant_calls_itself_or_says_cannot_command_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "\x1b[2J"
    folder.mkdir()
    entrant = folder / "mine.py"
    entrant.write_text(
        "class Mine:\n"
        "    name = '\\x1b[31mred'\n"
        "    def reset(self, num_tables, seed): pass\n"
        "    def act(self, batch): raise KeyError('\\x1b[2J\\x9b2J', chr(0x202e))\n"
    )
    both = (f"file:{entrant}:Mine", f"file:{shutil.copy(entrant, tmp_path)}:Mine")
    assert evaluate(*SMALL, agents=both) == 0
    assert evaluate(*SMALL, "--name", "\x1b[2J", agents=both) == 2
    assert evaluate(*SMALL, agents=(f"file:{folder}/\x1b]0;none.py:Mine", "random")) == 2
    printed = capsys.readouterr()
    assert r"\x1b[2J" in printed.out
    assert r"\x1b]0;none.py" in printed.err
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", printed.out + printed.err)


def test_records_of_another_tournament_under_the_same_name_go(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for game in ("classic", "modern_american"):
        arguments = ("--boards", "2", "--episode", "deal", "--game", game, "--name", "mine")
        assert evaluate(*arguments, agents=("random", "random")) == 0
    games = tmp_path / "results" / "mine" / "games"
    listed = {entry["file"] for entry in json.loads((games / "index.json").read_text())}
    assert listed == {path.name for path in games.glob("*.jsonl")}
    for name in listed:
        assert verify(games / name).rules == modern_american()


def test_a_name_that_looks_like_mathematics_is_plotted_as_it_is():
    standings = [{"entrant": "neural:$a^", "rating": {"estimate": 1.0, "low": 0.0, "high": 2.0}}]
    assert "neural:$a^" in ratings_plot(standings)


def test_a_ladder_counts_a_tournament_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert evaluate("--boards", "3", "--episode", "deal", "--ladder", "ladder.json") == 0
    assert "has counted this tournament before" in capsys.readouterr().out
    ladder = json.loads((tmp_path / "ladder.json").read_text())
    assert {entry["games"] for entry in ladder["entrants"].values()} == {3}


BAD = [
    (("--boards", "0"), "error: boards: 0 must be from 1 to 10,000,000"),
    (("--workers", "0"), "error: workers: 0 must be at least 1"),
    (("--players", "2"), "error: players: 2 cannot play modern_american"),
    (("--scores", "high"), "error: scores: 'high' must be zero, drawn or one number a side"),
    (("--scores", "1", "2", "3"), "2 numbers, one a side"),
    (("--target", "0"), "error: target: 0 must be"),
    (("--until", "10", "--boards", "5"), "with --until play at least 50 first"),
    (("--agents-from", "nowhere.py"), "error: agents-from: there is no file nowhere.py"),
    *(
        (("--name", name), "must be the name of one folder")
        for name in ("a/b", "../x", "..", "", "\0", "x" * 300)
    ),
    (("--game", "classic", "--players", "2", "--format", "partners"), "mixed pairs need four players"),
    (("--game", "poker"), "'classic'"),
    (("--bords", "3"), "--boards"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_a_bad_command_says_what_would_be_right(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        code = evaluate(*arguments)
    except SystemExit as exit_:
        code = exit_.code
    assert code == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert "Traceback" not in errors
    assert not list(tmp_path.iterdir())


def test_an_unknown_agent_is_named_with_the_choices(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--agents", "random", "nobody"]) == 2
    assert "error: agents: no agent 'nobody'" in capsys.readouterr().err


def test_the_newest_checkpoint_of_the_game_is_found(tmp_path):
    assert newest_checkpoint(tmp_path, classic()) is None
    for age, (name, rules) in enumerate(
        {"new": classic(), "old": classic(), "other": modern_american()}.items()
    ):
        path = tmp_path / name / "best" / "policy.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"rules": rules.to_dict()}))
        os.utime(path, (1_000 - age, 1_000 - age))
    broken = tmp_path / "broken" / "best" / "policy.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    assert newest_checkpoint(tmp_path, classic()) == tmp_path / "new"
    assert newest_checkpoint(tmp_path, modern_american()) == tmp_path / "other"
