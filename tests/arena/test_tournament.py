"""Whole tournaments: any number of workers, interrupted, extended, with outsiders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.arena import compare
from agents.arena.entrants import name_entrants, specs_in_file
from agents.arena.errors import ArenaError
from agents.arena.tournament import BLOCK_BOARDS, Settings, Tournament
from canasta_env.rules import classic, modern_american
from tests.arena import stubs

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_agent.py"
OUTSIDERS = Path(__file__).parent / "outsiders.py"
FIRST, LAST = (f"file:{OUTSIDERS}:{name}" for name in ("First", "Last"))


def run(folder: Path, workers: int = 1, agents: tuple[str, ...] = (FIRST, LAST), **settings) -> Tournament:
    tournament = Tournament.prepare(Settings(classic(), agents, **settings))
    tournament.run(folder, workers)
    return tournament


def counting(tournament: Tournament, folder: Path) -> list[int]:
    """Boards that were in the journal already, and boards in all, as progress tells them."""
    steps: list[tuple[int, int]] = []
    tournament.run(folder, 1, lambda done, wanted, bout: steps.append((done, wanted)))
    return [steps[0][0], steps[-1][1]]


def test_the_result_does_not_depend_on_the_number_of_workers(tmp_path):
    alone = run(tmp_path / "1", workers=1, boards=110)
    together = run(tmp_path / "2", workers=2, boards=110)
    assert (alone.bouts[0].table.points == together.bouts[0].table.points).all()
    files = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in "12"]
    assert files[0] == files[1]
    assert len(files[0]) == 3


@pytest.mark.slow
def test_a_ray_cluster_plays_the_same(tmp_path):
    pytest.importorskip("ray")
    alone = run(tmp_path / "1", workers=1, boards=110)
    cluster = Tournament.prepare(alone.settings)
    cluster.run(tmp_path / "2", workers=2, ray_address="local")
    assert cluster.bouts[0].pairing == alone.bouts[0].pairing
    assert (cluster.bouts[0].table.points == alone.bouts[0].table.points).all()


def test_finished_boards_are_never_played_again(tmp_path):
    first = run(tmp_path, boards=BLOCK_BOARDS)
    again = Tournament.prepare(first.settings)
    assert counting(again, tmp_path) == [50, 50]
    assert again.bouts[0].pairing == first.bouts[0].pairing


def test_a_tournament_can_be_extended_by_boards_and_by_entrants(tmp_path):
    run(tmp_path, boards=BLOCK_BOARDS)
    more = Tournament.prepare(Settings(classic(), (FIRST, LAST, FIRST), boards=2 * BLOCK_BOARDS))
    # Another copy of an entrant is an entrant like it: FIRST against LAST stands in the journal already.
    assert counting(more, tmp_path) == [50, 300]
    assert [bout.first for bout in more.bouts] == ["First", "First", "Last"]


@pytest.mark.parametrize("change", [{"seed": 1}, {"episode": "match"}, {"scores": "drawn"}])
def test_other_settings_are_other_boards(tmp_path, change):
    run(tmp_path, boards=2)
    other = Tournament.prepare(Settings(classic(target=500), (FIRST, LAST), boards=2, **change))
    assert counting(other, tmp_path)[0] == 0


def test_a_damaged_journal_names_the_file(tmp_path):
    run(tmp_path, boards=2)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ArenaError, match=rf"{path.name}: damaged.*delete it"):
        run(tmp_path, boards=2)


def test_an_interrupted_tournament_goes_on_where_it_was(tmp_path):
    tournament = Tournament.prepare(Settings(classic(), (FIRST, LAST), boards=3 * BLOCK_BOARDS))

    def interrupt(done, wanted, bout):
        if done == BLOCK_BOARDS:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tournament.run(tmp_path, 1, interrupt)
    again = Tournament.prepare(tournament.settings)
    assert counting(again, tmp_path) == [50, 150]
    untouched = run(tmp_path / "untouched", boards=150)
    assert again.bouts[0].pairing == untouched.bouts[0].pairing


def test_until_plays_on_until_the_interval_is_narrow(tmp_path):
    tournament = run(tmp_path, boards=50, until=60.0)
    pairing = tournament.bouts[0].pairing
    assert pairing.boards > 50
    assert pairing.boards % BLOCK_BOARDS == 0
    assert pairing.half_width == 60.0
    assert pairing.plan is not None
    assert pairing.plan.is_reached


def test_an_entrant_against_itself_comes_out_at_zero(tmp_path):
    tournament = run(tmp_path, agents=(LAST, LAST), boards=20)
    pairing = tournament.bouts[0].pairing
    assert (pairing.first, pairing.second) == ("Last", "Last #2")
    assert (pairing.points.estimate, pairing.half_width) == (0.0, 0.0)
    assert pairing.deal_wins.estimate == 0.5


def test_partners_are_compared_against_the_same_opponents(tmp_path):
    tournament = run(tmp_path, boards=4, format="partners")
    assert [(bout.first, bout.second) for bout in tournament.bouts] == [
        ("First + Last", "First"),
        ("Last", "First"),
    ]


def test_compare_agrees_with_a_tournament(tmp_path):
    pairing = run(tmp_path, boards=20).bouts[0].pairing
    compared = compare(FIRST, LAST, classic(), boards=20)
    assert compared.points == pairing.points
    assert compared.deal_wins == pairing.deal_wins
    assert compared.match_wins is None
    assert str(compared).startswith("first against last: ")


def test_compare_takes_agents_even_one_against_itself():
    agent = stubs.Laying()
    assert compare(agent, agent, modern_american(), boards=3).points_a_deal == 0.0
    assert np.isfinite(compare(agent, stubs.Drawing(), classic(2), boards=3, episode="match").half_width)


def test_the_outsiders_example_plays_without_fault():
    (spec,) = specs_in_file(EXAMPLE)
    for rules in (classic(), modern_american()):
        pairing = compare(spec, FIRST, rules, boards=5)
        assert not pairing.faults


def test_names_are_short_where_that_is_clear():
    mine, ours, theirs = "file:/x/a.py:Mine", "file:/x/b.py:Ours", "file:/y/b.py:Ours"
    specs = ["random", "neural:runs/a", "random", mine, ours, theirs]
    names = [entrant.name for entrant in name_entrants(specs, specs)]
    assert names == ["random", "neural:runs/a", "random #2", "Mine", ours, theirs]


BAD_SETTINGS = [
    ({"agents": (FIRST,)}, "agents: 1 given; a tournament needs at least two"),
    ({"boards": 0}, "boards: 0 must be at least 1"),
    ({"until": 0.0, "boards": 100}, "until: 0.0 must be a positive"),
    ({"until": 20.0, "boards": 10}, "with --until play at least 50 first"),
    ({"seed": -1}, "seed: -1 must be"),
    ({"scores": (0, 0, 0)}, "2 numbers, one a side"),
    ({"decision_time_s": 0.0}, "decision-time-s: 0.0 must be"),
    ({"agents": ("random", "nobody")}, "agents: no agent 'nobody' for classic; the agents are "),
    ({"agents": ("random", "file:nowhere.py:Mine")}, "there is no file nowhere.py"),
    ({"agents": ("random", f"file:{OUTSIDERS}:Mine")}, "outsiders.py defines no 'Mine'"),
]


@pytest.mark.parametrize(("settings", "message"), BAD_SETTINGS)
def test_settings_that_cannot_be_played_say_what_would_be_right(settings, message):
    with pytest.raises(ArenaError) as error:
        Tournament.prepare(Settings(**({"rules": classic(), "agents": ("random", "random")} | settings)))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [("x = 1", "defines no agent"), ("1 / 0", "does not run: ZeroDivisionError"), ("x =", "SyntaxError")],
)
def test_a_file_without_an_agent_is_refused(tmp_path, source, message):
    path = tmp_path / "mine.py"
    path.write_text(source)
    with pytest.raises(ArenaError, match=message):
        specs_in_file(path)
