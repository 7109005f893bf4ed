"""Whole tournaments: any number of workers, interrupted, extended, with outsiders."""

from __future__ import annotations

import dataclasses
import multiprocessing
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from canasta_agents.arena import compare, guarded, third_party, tournament
from canasta_agents.arena.ratings import Ladder
from canasta_agents.arena.results import add_to_ladder, collect
from canasta_agents.arena.schedule import ArenaError
from canasta_agents.arena.tournament import BLOCK_BOARDS, Settings, Tournament, name_entrants
from canasta_agents.registry import RegistryError, make_agent, specs_in_file
from canasta_env.rules import classic, modern_american
from tests.arena import stubs

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_agent.py"
GUIDE = EXAMPLE.parents[1] / "docs" / "own_agent.md"
OUTSIDERS = Path(__file__).parent / "outsiders.py"
FIRST, LAST = (f"file:{OUTSIDERS}:{name}" for name in ("First", "Last"))
BUNDLED = ("random", "greedy")  # play in this process

pytestmark = pytest.mark.usefixtures("forked_processes")


def run(folder: Path, workers: int = 1, agents: tuple[str, ...] = BUNDLED, **settings) -> Tournament:
    tournament = Tournament.prepare(Settings(classic(), agents, **settings))
    tournament.run(folder, workers)
    return tournament


def counting(tournament: Tournament, folder: Path) -> list[int]:
    """Boards that were in the journal already, and boards in all, as progress tells them."""
    steps: list[tuple[int, int]] = []
    tournament.run(folder, 1, lambda done, wanted, run: steps.append((done, wanted)))
    return [steps[0][0], steps[-1][1]]


@pytest.mark.parametrize(
    ("agents", "start_method"), [((FIRST, LAST), "forkserver"), (BUNDLED, "spawn")], ids=["theirs", "ours"]
)
def test_the_result_does_not_depend_on_the_number_of_workers(agents, start_method, tmp_path, monkeypatch):
    monkeypatch.setattr(guarded, "_SPAWN", multiprocessing.get_context(start_method))
    monkeypatch.setattr(tournament, "BLOCK_BOARDS", 4)
    alone, together = (run(tmp_path / str(n), n, agents, boards=10) for n in (1, 2))
    assert (alone.runs[0].table.points == together.runs[0].table.points).all()
    files = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in "12"]
    assert files[0] == files[1]
    assert len(files[0]) == 3


@pytest.mark.slow
def test_a_ray_cluster_plays_the_same(tmp_path):
    pytest.importorskip("ray")
    exiting = "python:tests.arena.stubs:Exiting"
    alone = run(tmp_path / "1", agents=(*BUNDLED, FIRST, exiting), boards=60)
    cluster = Tournament.prepare(alone.settings)
    cluster.run(tmp_path / "2", workers=2, ray_address="local")
    for name in ("standings", "pairings", "anatomy", "forfeits", "notable"):
        assert collect(cluster)[name] == collect(alone)[name]
    assert len(collect(cluster)["forfeits"]) == 3 * 60


def test_a_cluster_that_does_not_answer_is_an_error(tmp_path):
    pytest.importorskip("ray")
    tournament = Tournament.prepare(Settings(classic(), BUNDLED, boards=2))
    with pytest.raises(ArenaError, match=r"ray: no cluster at '127.0.0.1:1'"):
        tournament.run(tmp_path, ray_address="127.0.0.1:1")


def test_finished_boards_are_never_played_again(tmp_path):
    first = run(tmp_path, boards=BLOCK_BOARDS)
    again = Tournament.prepare(first.settings)
    assert counting(again, tmp_path) == [50, 50]
    assert again.runs[0].pairing == first.runs[0].pairing


def test_a_tournament_can_be_extended_by_boards_and_by_entrants(tmp_path):
    run(tmp_path, boards=BLOCK_BOARDS)
    more = Tournament.prepare(Settings(classic(), (*BUNDLED, "random"), boards=2 * BLOCK_BOARDS))
    # Another copy of an entrant is an entrant like it: its games stand in the journal already.
    assert counting(more, tmp_path) == [50, 300]
    assert [run.first for run in more.runs] == ["random", "random", "greedy"]


OTHER_BLOCKS = [{"seed": 1}, {"episode": "match"}, {"scores": "drawn"}, {"decision_time_s": 2.0}]


@pytest.mark.parametrize("change", OTHER_BLOCKS)
def test_other_settings_are_other_boards(tmp_path, change):
    run(tmp_path, boards=2)
    other = Tournament.prepare(Settings(classic(), BUNDLED, boards=2, **change))
    assert counting(other, tmp_path)[0] == 0


def test_a_damaged_journal_names_the_file(tmp_path):
    run(tmp_path, boards=2)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ArenaError, match=rf"{path.name}: damaged.*delete it"):
        run(tmp_path, boards=2)


@pytest.mark.parametrize("offset", [200, -200])
def test_a_journal_with_a_wrong_byte_is_damaged(tmp_path, offset):
    run(tmp_path, boards=2)
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    content[offset] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ArenaError, match=rf"{path.name}: damaged.*delete it"):
        run(tmp_path, boards=2)


def test_two_tournaments_may_share_a_journal_at_the_same_time(tmp_path):
    alone = run(tmp_path / "alone", boards=3 * BLOCK_BOARDS)
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: run(tmp_path / "shared", boards=3 * BLOCK_BOARDS), range(2)))
    assert [tournament.runs[0].pairing for tournament in both] == [alone.runs[0].pairing] * 2
    names = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("alone", "shared")]
    assert names[0] == names[1]


HOSTILE = {
    "Exiting": "ended its process (exit status 3)",
    "ExitingInReset": "ended its process (exit status 4)",
    "Deaf": "did not stop in time",
    "Interrupting": "KeyboardInterrupt (stubs.py, line ",
    "Laying": "",
}


def test_an_entrant_that_ends_its_process_or_hangs_forfeits_and_the_others_play_on(tmp_path, monkeypatch):
    monkeypatch.setattr(third_party, "GRACE_S", 1.0)
    agents = ("random", *(f"python:tests.arena.stubs:{name}" for name in HOSTILE))
    settings = {"boards": 2, "format": "one-against-all", "decision_time_s": 0.05}
    tournament = run(tmp_path, 1, agents, **settings)
    for part, (name, reason) in zip(tournament.runs, HOSTILE.items(), strict=True):
        assert part.second == name
        assert [fault.board for fault in part.faults] == ([0, 1] if reason else [])
        assert all(fault.slot == 1 and fault.reason.startswith(reason) for fault in part.faults)
        assert bool(part.faults) == (part.pairing.points_a_deal == 2_000)
    again = Tournament.prepare(tournament.settings)
    assert counting(again, tmp_path) == [10, 10]


def test_an_entrant_whose_files_change_after_it_was_entered_is_not_played_under_its_old_fingerprint(tmp_path):
    path = tmp_path / "mine.py"
    shutil.copy(OUTSIDERS, path)
    tournament = Tournament.prepare(Settings(classic(), ("random", f"file:{path}:First"), boards=2))
    path.write_text(path.read_text() + "\n# another\n")
    with pytest.raises(ArenaError, match=r"the files of file:.*mine.py:First have changed since"):
        tournament.run(tmp_path / "blocks", 1)
    assert not list(tmp_path.glob("blocks/*.npz"))


def test_an_interrupted_tournament_goes_on_where_it_was(tmp_path):
    tournament = Tournament.prepare(Settings(classic(), BUNDLED, boards=3 * BLOCK_BOARDS))

    def interrupt(done, wanted, run):
        if done == BLOCK_BOARDS:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tournament.run(tmp_path, 1, interrupt)
    again = Tournament.prepare(tournament.settings)
    assert counting(again, tmp_path) == [50, 150]
    untouched = run(tmp_path / "untouched", boards=150)
    assert again.runs[0].pairing == untouched.runs[0].pairing


def test_until_plays_on_until_the_interval_is_narrow(tmp_path):
    tournament = run(tmp_path, boards=50, until=60.0)
    pairing = tournament.runs[0].pairing
    assert pairing.boards > 50
    assert pairing.boards % BLOCK_BOARDS == 0
    assert pairing.half_width == 60.0
    assert pairing.plan is not None
    assert pairing.plan.is_reached


def test_an_entrant_against_itself_comes_out_at_zero(tmp_path):
    tournament = run(tmp_path, agents=("greedy", "greedy"), boards=20)
    pairing = tournament.runs[0].pairing
    assert (pairing.first, pairing.second) == ("greedy", "greedy #2")
    assert (pairing.points.estimate, pairing.half_width) == (0.0, 0.0)
    assert pairing.deal_wins.estimate == 0.5


def test_partners_are_compared_against_the_same_opponents(tmp_path):
    tournament = run(tmp_path, boards=4, format="partners")
    assert [(run.first, run.second) for run in tournament.runs] == [
        ("random + greedy", "random + random"),
        ("greedy + greedy", "random + random"),
    ]


def test_a_ladder_counts_partners_each_by_their_own_names(tmp_path):
    """An entrant whose name holds " + " was split in two; one that plays both seats counts once a board."""
    tournament = run(tmp_path, boards=4, format="partners")
    tournament.entrants[1] = dataclasses.replace(tournament.entrants[1], name="bold + greedy")
    ladder = Ladder()
    assert add_to_ladder(ladder, tournament)
    assert ladder.games == {"random": 4 + 4 + 4, "bold + greedy": 4 + 4}


def test_compare_agrees_with_a_tournament(tmp_path):
    pairing = run(tmp_path, boards=20).runs[0].pairing
    compared = compare(*BUNDLED, classic(), boards=20)
    assert compared.points == pairing.points
    assert compared.deal_wins == pairing.deal_wins
    assert compared.match_wins is None
    assert str(compared).startswith("random against greedy: ")


def test_compare_takes_agents_even_one_against_itself():
    agent = stubs.Laying()
    assert compare(agent, agent, modern_american(), boards=3).points_a_deal == 0.0
    assert np.isfinite(compare(agent, stubs.Drawing(), classic(2), boards=3, episode="match").half_width)


def test_the_outsiders_example_plays_without_fault():
    (spec,) = specs_in_file(EXAMPLE)
    for rules in (classic(), modern_american()):
        pairing = compare(spec, FIRST, rules, boards=5)
        assert not pairing.faults


def test_the_agent_of_the_guide_plays_without_fault(tmp_path):
    source = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[0]
    (tmp_path / "hasty.py").write_text(source)
    (spec,) = specs_in_file(tmp_path / "hasty.py")
    for rules in (classic(3), modern_american()):
        pairing = compare(spec, "random", rules, boards=5)
        assert not pairing.faults
        assert pairing.first == "Hasty"


def test_names_are_short_where_that_is_clear():
    mine, ours, theirs = "file:/x/a.py:Mine", "file:/x/b.py:Ours", "file:/y/b.py:Ours"
    specs = ["random", "neural:runs/a", "random", mine, ours, theirs]
    names = [entrant.name for entrant in name_entrants(specs, specs)]
    assert names == ["random", "neural:runs/a", "random #2", "Mine", ours, theirs]


BAD_SETTINGS = [
    ({"agents": (FIRST,)}, "agents: 1 given; a tournament needs at least two"),
    ({"boards": 0}, "boards: 0 must be from 1 to 10,000,000"),
    ({"until": 0.0, "boards": 100}, "until: 0.0 must be a positive"),
    ({"until": 20.0, "boards": 10}, "with --until play at least 50 first"),
    ({"seed": -1}, "seed: -1 must be"),
    ({"seed": 2**128}, "must be a whole number from 0 to 2^128 - 1"),
    ({"scores": (0, 0, 0)}, "2 numbers, one a side"),
    ({"decision_time_s": 0.0}, "decision-time-s: 0.0 must be"),
    ({"decision_time_s": float("inf")}, "decision-time-s: inf must be"),
    ({"agents": ("random", "nobody")}, "agents: no agent 'nobody' for classic; the agents are "),
    ({"agents": ("random", "file:nowhere.py:Mine")}, "there is no file nowhere.py"),
    ({"agents": ("random", f"file:{OUTSIDERS}:Mine")}, "outsiders.py defines no 'Mine'"),
]


@pytest.mark.parametrize(("settings", "message"), BAD_SETTINGS)
def test_settings_that_cannot_be_played_say_what_would_be_right(settings, message):
    with pytest.raises((ArenaError, RegistryError)) as error:
        Tournament.prepare(Settings(**({"rules": classic(), "agents": ("random", "random")} | settings)))
    assert message in str(error.value)


@pytest.mark.parametrize("raised", ["ValueError('no\\nweights')", "SystemExit"])
def test_an_entrant_that_cannot_be_made_is_named(tmp_path, raised):
    path = tmp_path / "mine.py"
    path.write_text(f"class Mine:\n    def __init__(self): raise {raised}\n    act = reset = None\n")
    with pytest.raises(
        RegistryError, match=rf"mine.py:Mine cannot be made: {raised[:9]}.*\(mine.py, line 2\)"
    ):
        Tournament.prepare(Settings(classic(), ("random", f"file:{path}:Mine")))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1", "defines no agent"),
        ("\n1 / 0", r"does not run: ZeroDivisionError: division by zero \(mine.py, line 2\)"),
        ("x =", r"SyntaxError: invalid syntax \(mine.py, line 1\)"),
        ("raise SystemExit(3)", "does not run: SystemExit: 3"),
    ],
)
def test_a_file_without_an_agent_is_refused(tmp_path, source, message):
    path = tmp_path / "mine.py"
    path.write_text(source)
    with pytest.raises(RegistryError, match=message):
        specs_in_file(path)


def test_a_class_in_a_file_that_cannot_act_is_refused_before_anything_is_played(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("class Mine:\n    def reset(self, num_tables, seed): pass\n")
    with pytest.raises(RegistryError, match=r"mine.py:Mine': Mine has no method 'act', which an agent needs"):
        make_agent(f"file:{path}:Mine", classic())


def test_a_file_without_the_name_of_a_class_is_named():
    with pytest.raises(RegistryError, match=r"'file:players.py' should read file:PATH:Class"):
        make_agent("file:players.py", classic())
