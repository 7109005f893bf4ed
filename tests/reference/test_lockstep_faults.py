"""The lockstep can fail: a fault planted in anything that it compares is found and named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from canasta_env import Rules, Table, classic, modern_american
from canasta_env.cards import KINDS
from canasta_env.engine import batch
from canasta_env.engine.scoring import THREES
from canasta_env.engine.state import PHASE_OVER, STATE
from canasta_env.engine.view import VIEW
from tests.reference.comparison import Comparison
from tests.reference.lockstep import DifferenceError, run_lockstep
from tests.reference.oracle import Oracle
from tests.reference.walks import POLICIES, draw_order

GAMES = [modern_american(), classic(2), classic(3), classic(4)]
HEALTHY_CALLS = 33  # of a kernel, before the fault: no step at which positions are named
NOT_COMPARED = ("seed", "deal")  # fix the shuffle only


def game_name(rules: Rules) -> str:
    return f"{rules.game} {rules.players}"


def plant(monkeypatch: Any, kernel: str, fault: Callable[..., None], per_check: int = 1) -> None:
    """Let a kernel of the engine's boundary do wrong, after it was called for a number of checks."""
    original, num_calls = getattr(batch, kernel), Counter[str]()

    def faulty(*arguments: Any) -> None:
        original(*arguments)
        num_calls[kernel] += 1
        if num_calls[kernel] > HEALTHY_CALLS * per_check:
            fault(*arguments)

    monkeypatch.setattr(batch, kernel, faulty)


def find(rules: Rules) -> str:
    """The report of the difference that the lockstep finds."""
    with pytest.raises(DifferenceError) as difference:
        run_lockstep(rules, 1, policy="waiting")
    return str(difference.value)


@pytest.mark.parametrize("rules", GAMES, ids=game_name)
def test_the_order_of_the_stock(monkeypatch, rules):
    def swap(_rules: Any, tables: Any, *_: Any) -> None:
        stock = tables["stock"][0, tables["next_card"][0] :]
        other = np.flatnonzero(stock != stock[-1])[-1]
        stock[[other, -1]] = stock[[-1, other]]

    plant(monkeypatch, "step_one", swap)
    assert "positions differ: stock" in find(rules)


@pytest.mark.parametrize("rules", GAMES, ids=game_name)
def test_a_legal_action(monkeypatch, rules):
    def invent(_rules: Any, _tables: Any, _table: int, mask: Any) -> None:
        mask[np.flatnonzero(mask == 0)[-1]] = 1

    plant(monkeypatch, "mask_one", invent, per_check=2)
    assert "legal actions differ" in find(rules)


@pytest.mark.parametrize("rules", GAMES, ids=game_name)
def test_the_view_of_a_seat_that_is_not_to_play(monkeypatch, rules):
    def forget(_rules: Any, tables: Any, _table: int, seat: int, views: Any, place: int) -> None:
        if seat == (tables["to_play"][0] + 1) % rules.players:
            views["unseen"][place, KINDS.index("A")] += 1

    plant(monkeypatch, "view_one", forget, per_check=rules.players)
    assert "differ: unseen" in find(rules)


@pytest.mark.parametrize("rules", GAMES, ids=game_name)
def test_the_score_of_a_side(monkeypatch, rules):
    def add(_rules: Any, _tables: Any, _table: int, breakdown: Any) -> None:
        breakdown[rules.num_sides - 1, THREES] += 5

    plant(monkeypatch, "score_one", add)
    assert "scores differ" in find(rules)


@pytest.mark.parametrize("rules", GAMES, ids=game_name)
def test_the_end(monkeypatch, rules):
    def end(_rules: Any, tables: Any, *_: Any) -> None:
        tables["phase"] = PHASE_OVER

    plant(monkeypatch, "step_one", end)
    assert "ends differ: oracle False, engine True" in find(rules)


def in_the_middle(rules: Rules) -> tuple[Oracle, Table, Comparison]:
    """A deal under way, compared so often that the next check names nothing."""
    rng = Random(5)
    order, scores = draw_order(rules, rng), [0] * rules.num_sides
    oracle, table = Oracle(rules, order, 0, scores), Table(rules, order=order, dealer=0, scores=scores)
    comparison = Comparison(table)
    for _ in range(HEALTHY_CALLS):
        comparison.check(oracle)
        notation = POLICIES["eager"](oracle, oracle.legal(), rng)
        oracle.play(notation)
        table.play(notation)
    return oracle, table, comparison


@pytest.mark.parametrize("rules", GAMES, ids=game_name)
def test_every_field_of_a_table(rules):
    oracle, table, comparison = in_the_middle(rules)
    state, healthy = table._state, table._state.copy()
    for name in (name for name in STATE.names or () if name not in NOT_COMPARED):
        state[name].reshape(-1)[0 if name != "stock" else -1] += 1
        with pytest.raises(AssertionError):
            comparison.check(oracle)
        state[:] = healthy
    comparison.check(oracle)


@pytest.mark.parametrize("rules", GAMES, ids=game_name)
def test_every_number_of_a_view(monkeypatch, rules):
    oracle, _, comparison = in_the_middle(rules)
    original = batch.view_one
    for seat in range(rules.players):
        for name in VIEW.names or ():
            for place in range(int(np.prod(VIEW[name].shape))):

                def faulty(_rules, tables, table, viewer, views, row, seat=seat, name=name, place=place):
                    original(_rules, tables, table, viewer, views, row)
                    if viewer == seat:
                        views[name][row].reshape(-1)[place] += 1

                def faulty_number(_rules, tables, table, viewer, views, row, seat=seat, name=name):
                    original(_rules, tables, table, viewer, views, row)
                    if viewer == seat:
                        views[name][row] += 1

                monkeypatch.setattr(batch, "view_one", faulty if VIEW[name].shape else faulty_number)
                assert comparison._all_views() != comparison._expected_views(oracle), (seat, name, place)
    monkeypatch.undo()
    comparison.check(oracle)
