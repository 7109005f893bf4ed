"""What every rule-based player owes: legal actions, the same game by the same seed, finished plans."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.heuristic_ablation import duel
from canasta_agents.heuristics import going_out, jit
from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.heuristics.params import PARAMS
from canasta_agents.heuristics.players import PLAYERS as ALL_PLAYERS
from canasta_agents.registry import make, names
from canasta_env.actions import DISCARD_JOKER, PICK_UP
from canasta_env.agent import DecisionBatch
from canasta_env.cards import JOKER, TWO, VALUES
from canasta_env.engine.jit import JIT_DISABLED
from canasta_env.engine.scoring import TOTAL
from canasta_env.engine.state import NOBODY, PHASE_PLAY, as_kernel_argument, rules_record
from tests.agents.deciding import GAMES, walk

GUIDE = Path(__file__).parents[2] / "docs" / "players.md"
NUM_TABLES = 40
PLAYERS = [(game, name) for game, rules in GAMES.items() for name in names(rules)]
PLANNERS = [player for player in PLAYERS if player[1] != "random"]
ALWAYS_GO_OUT = ("closer", "closer_plain", "gambler", "greedy", "eager", "simple")


@pytest.mark.parametrize(("game", "name"), PLAYERS)
@pytest.mark.parametrize("scores", [0, 3_000])
def test_every_action_is_legal(game, name, scores):
    """With random players at the table, whose positions are the oddest."""
    rules = GAMES[game]
    for step in walk(rules, [make(name, rules), make("random", rules)], NUM_TABLES, seed=1, scores=scores):
        played = np.flatnonzero(step.seats != NOBODY)
        assert step.masks[played, step.actions[played]].all()


@pytest.mark.parametrize(("game", "name"), PLAYERS)
def test_a_decision_is_a_function_of_view_mask_and_seed(game, name):
    """A second agent, asked table by table, in another order, decides the same and writes nothing."""
    rules = GAMES[game]
    other = make(name, rules)
    other.reset(8, seed=7)
    for step in walk(rules, [make(name, rules)], 8, seed=7):
        for table in reversed(np.flatnonzero(step.seats != NOBODY)):
            views, mask = step.views[[table]].copy(), step.masks[[table]].copy()
            before = views.tobytes(), mask.tobytes()
            seat = step.seats[[table]].astype(np.int8)
            decision = DecisionBatch(rules, np.array([table]), seat, views, mask)
            assert other.act(decision) == step.actions[table]
            assert (views.tobytes(), mask.tobytes()) == before


@pytest.mark.parametrize(("game", "name"), PLANNERS)
def test_an_opening_holds_no_meld_too_many(game, name):
    """When it is complete, it would not be without any one of its melds, the top card's apart.

    In Modern that may also be the clean meld that R-OPEN-3 asks for.
    """
    rules = GAMES[game]
    was_complete = np.zeros(NUM_TABLES, bool)
    openings = 0
    for step in walk(rules, [make(name, rules)], NUM_TABLES, seed=3, scores=1_500):
        for table in np.flatnonzero(step.seats != NOBODY):
            view, mask = step.views[table], step.masks[table]
            is_complete = bool(
                view["phase"] == PHASE_PLAY
                and not view["opened"][0]
                and view["melded_now"]
                and (mask[PICK_UP] or mask[DISCARD_JOKER:].any())
            )
            if is_complete and not was_complete[table]:
                openings += 1
                _check_opening(rules, view)
            was_complete[table] = is_complete
    assert openings > NUM_TABLES


def _check_opening(rules, view):
    naturals, twos, jokers = (view[name][0].tolist() for name in ("naturals", "twos", "jokers"))
    begun = np.flatnonzero(view["begun"]).tolist()
    clean = [kind for kind in begun if kind == JOKER or twos[kind] + jokers[kind] == 0]
    for kind in begun:
        if kind == view["taken"] or (rules.needs_clean_opening and clean == [kind]):
            continue
        laid = naturals[kind] * VALUES[kind] + twos[kind] * VALUES[TWO] + jokers[kind] * VALUES[JOKER]
        assert view["opening_points"] - laid < view["minimum"][0]


@pytest.mark.parametrize(("game", "name"), [player for player in PLANNERS if player[1] in ALWAYS_GO_OUT])
def test_who_begins_to_go_out_goes_out(game, name):
    """The plan is made anew at every step, and leads out of every hand that it began with."""
    rules = GAMES[game]
    record = rules_record(rules)
    is_going = np.zeros(NUM_TABLES, bool)
    for step in walk(rules, [make(name, rules)], NUM_TABLES, seed=4):
        views = as_kernel_argument(step.views)
        for table in np.flatnonzero(step.seats != NOBODY):
            can = step.views["phase"][table] == PHASE_PLAY
            can = can and going_out.card_to_hold_back(record[0], views[table]) != going_out.NO_WAY
            assert can or not is_going[table]
            is_going[table] = can and not step.masks[table, PICK_UP]
        tables = step.tables
    assert is_going.sum() > NUM_TABLES / 3
    assert (tables["went_out"][is_going] != NOBODY).all()


@pytest.mark.parametrize(("game", "name"), PLANNERS)
def test_every_player_beats_the_random_player(game, name):
    rules = GAMES[game]
    agent = make(name, rules)
    points = duel(rules, [agent, *[make("random", rules)] * (rules.num_sides - 1)], boards=100, seed=9)
    assert (points[:, :, 0, TOTAL] - points[:, :, 1, TOTAL]).mean() > 100


@pytest.mark.parametrize("game", GAMES)
def test_a_player_against_itself_comes_out_at_zero(game):
    rules = GAMES[game]
    points = duel(rules, [make("heuristic", rules)] * rules.num_sides, boards=20, seed=9)[..., TOTAL]
    assert (points.sum(axis=1) == points.sum(axis=1)[:, :1]).all()


def test_names_are_unique_since_compiled_players_are_kept_by_name():
    names_of_all = [player.name for player in ALL_PLAYERS]
    assert len(set(names_of_all)) == len(names_of_all)


def test_numbers_are_read_without_numba_too_where_a_record_has_methods():
    """The closer's `copy` was NumPy's method there, and no player could be followed with a debugger."""
    taken = [name for params in (PARAMS, *(PARAMS[name] for name in PARAMS.names)) for name in params.names]
    assert not [name for name in taken if hasattr(np.record, name)]


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_a_player_is_not_compiled_anew_in_every_process():
    make("greedy", GAMES["classic-4"])
    code = (
        "from canasta_agents.heuristics import greedy, jit\n"
        "print(jit.kernel.folder is None or jit.compiled(greedy.PLAYER.choose).cache_hits)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() in ("1", "True")


def test_the_player_of_the_guide_plays_and_beats_random(tmp_path, monkeypatch):
    (source,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "hoarder.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(jit.kernel, "folder", None)  # what is compiled here is not kept
    spec = importlib.util.spec_from_file_location("hoarder", tmp_path / "hoarder.py")
    hoarder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hoarder)
    assert not hoarder.PLAYER.is_cached
    rules = GAMES["classic-3"]
    agent = CompiledAgent(hoarder.PLAYER, rules)
    for step in walk(rules, [agent, make("random", rules)], NUM_TABLES, seed=1):
        played = np.flatnonzero(step.seats != NOBODY)
        assert step.masks[played, step.actions[played]].all()
    points = duel(rules, [agent, *[make("random", rules)] * 2], boards=100, seed=9)
    assert (points[:, :, 0, TOTAL] - points[:, :, 1, TOTAL]).mean() > 100
