"""Match equity: what scores are worth, and training for the match."""

from __future__ import annotations

import dataclasses
import json
from math import comb

import numpy as np
import pytest
import torch

from canasta_agents.__main__ import main as agents_command
from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.checkpoint import begin_from, save
from canasta_agents.learning.config import from_dict
from canasta_agents.learning.distributed import Device
from canasta_agents.learning.evaluation import BoardEvaluator, Measurement
from canasta_agents.learning.match_equity import (
    EquityError,
    MatchTables,
    estimate_equity,
    load_equity,
    play_deals,
)
from canasta_agents.learning.trainer import build_trainer
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.config import Network
from canasta_agents.neural.network import FlatNetwork, build_network
from canasta_agents.neural.policy_file import load_policy, policy_card
from canasta_agents.registry import make
from canasta_env.engine.layout import observation_size, row_size
from canasta_env.rules import classic, modern_american, standard_rules
from canasta_env.vector import VectorTables

GAMES = [("classic", 2), ("classic", 3), ("classic", 4), ("modern_american", 4)]
DEAL = 500  # what the winner of a deal scores in the race below


def brackets(rules) -> list[int]:
    """A score at each opening minimum."""
    return [-500 if start is None else start for start, _ in rules.opening_minima]


def race(rules) -> tuple[np.ndarray, np.ndarray]:
    """At each combination of minima every side wins one deal: scores and totals."""
    sides = rules.num_sides
    starts = np.stack(np.meshgrid(*[brackets(rules)] * sides), axis=-1).reshape(-1, sides)
    scores = np.repeat(starts, sides, axis=0)
    totals = np.tile(DEAL * np.eye(sides, dtype=np.int64), (len(starts), 1))
    return scores, totals


@pytest.fixture(scope="module")
def race_table():
    return estimate_equity(classic(4), *race(classic(4)), "a coin")


def wins_race(own: int, other: int) -> float:
    """Chance to win `own` deals before the other has won `other`, each with chance a half (Pascal, 1654)."""
    return sum(comb(own - 1 + lost, lost) * 0.5 ** (own + lost) for lost in range(other))


@pytest.mark.parametrize(("own", "other"), [(0, 0), (4500, 4500), (4000, 2500), (1500, 3000), (0, 4500)])
def test_a_race_of_equal_deals_has_its_closed_form(race_table, own, other):
    found = race_table.at(np.array([[own, other]]))[0]
    expected = wins_race((5000 - own) // DEAL, (5000 - other) // DEAL)
    assert found == pytest.approx([expected, 1 - expected], abs=1e-3)


def test_a_race_of_three_is_won_by_each_equally_often():
    rules = classic(3)
    table = estimate_equity(rules, *race(rules), "a die")
    assert table.at(np.array([[0, 0, 0], [7000, 7000, 7000]])) == pytest.approx(1 / 3, abs=1e-3)
    one_short = table.at(np.array([[7000, 6500, 6500]]))[0]  # 1/3 + 2/3 of: that race of 7000, 7000, 6500 ...
    assert one_short.sum() == pytest.approx(1, abs=1e-3)
    assert one_short[0] > 0.5 > one_short[1] == pytest.approx(one_short[2], abs=1e-3)


def test_R_MATCH_2_a_finished_match_is_won_and_a_tie_is_still_open(race_table):
    scores = np.array([[5000, 4995], [5200, 5300], [5100, 5100], [-2000, 5000]])
    assert race_table.at(scores).tolist() == [[1, 0], [0, 1], [0.5, 0.5], [0, 1]]


def test_scores_between_nodes_lie_between_their_chances(race_table):
    low, between, high = race_table.at(np.array([[3000, 3500], [3050, 3500], [3100, 3500]]))[:, 0]
    assert between == pytest.approx((low + high) / 2)


def test_gains_are_zero_sum_in_percent(race_table):
    gains = race_table.gains(np.array([[4500, 4500], [0, 0]]), np.array([[500, 0], [0, 0]]))
    assert gains.tolist() == [[pytest.approx(50, abs=0.1), pytest.approx(-50, abs=0.1)], [0, 0]]


def test_deals_that_leave_a_minimum_out_are_too_few():
    scores, totals = race(classic(4))
    with pytest.raises(EquityError, match="play more deals"):
        estimate_equity(classic(4), scores[:2], totals[:2], "a coin")


def test_a_player_that_never_scores_has_no_equity():
    scores, totals = race(classic(4))
    with pytest.raises(EquityError, match="do not come to an end"):
        estimate_equity(classic(4), scores, -totals, "a loser")


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_the_package_has_a_table_for_each_game(game, players):
    rules = standard_rules(game, players)
    table = load_equity(rules)
    sides, target = rules.num_sides, rules.target
    even = table.at(np.array([[0] * sides, [target // 2] * sides, [target - 5] * sides]))
    assert even == pytest.approx(1 / sides, abs=0.02)
    ahead = table.at(np.array([[target * 4 // 5] + [target // 5] * (sides - 1)]))[0]
    assert ahead[0] > 0.65 and ahead.sum() == pytest.approx(1, abs=0.02)


def test_a_table_survives_its_file_and_is_refused_for_other_rules(race_table, tmp_path):
    race_table.save(tmp_path / "new" / "race.json")
    read = load_equity(classic(4), tmp_path / "new" / "race.json")
    scores = np.array([[1234, -60], [4000, 4995]])
    assert read.at(scores) == pytest.approx(race_table.at(scores), abs=1e-4)
    with pytest.raises(
        EquityError, match=r"other rules.*python -m canasta_agents equity --game classic --players 2"
    ):
        load_equity(classic(2), tmp_path / "new" / "race.json")


@pytest.mark.parametrize("content", [None, "", "{}", '{"rules": 3}', "[1]", "[" * 100_000])
def test_a_file_that_is_no_table_is_refused_by_name(tmp_path, content):
    path = tmp_path / "equity.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(EquityError, match=r"equity\.json: holds no match-equity table"):
        load_equity(classic(4), path)


@pytest.mark.parametrize("rules", [classic(3), modern_american()], ids=lambda rules: rules.game)
def test_training_tables_pay_what_a_deal_changes_in_the_chance_to_win(rules):
    equity = load_equity(rules)
    plain = VectorTables(rules, 8, seed=5, scores="drawn")
    paying = MatchTables(VectorTables(rules, 8, seed=5, scores="drawn"), equity)
    ended_deals = 0
    while ended_deals < 12:
        before = plain.scores
        actions = plain.masks.argmax(axis=1)
        ended, points = plain.step(actions)
        paid_ended, paid = paying.step(actions)
        assert (paid_ended == ended).all() and (paid[~ended] == 0).all()
        for table in np.flatnonzero(ended):
            totals = plain.deal_totals[table]
            own = equity.gains(before[table][None], totals[None])[0]
            assert paid[table] == pytest.approx([own[rules.side_of(seat)] for seat in range(rules.players)])
            others = [np.delete(totals, rules.side_of(seat)).mean() for seat in range(rules.players)]
            assert points[table] == pytest.approx(
                [totals[rules.side_of(seat)] - others[seat] for seat in range(rules.players)]
            )
            ended_deals += 1


def test_deals_are_taken_equally_often_from_every_table():
    scores, totals = play_deals(classic(2), make("random", classic(2)), 24, seed=3)
    assert scores.shape == totals.shape == (24, 2)
    again = play_deals(classic(2), make("random", classic(2)), 24, seed=3)
    assert (scores == again[0]).all() and (totals == again[1]).all()


class Answering:
    """Answers every decision with the same value, in the dtype it has."""

    name = "answering"

    def __init__(self, answer) -> None:
        self.answer = answer

    def reset(self, num_tables, seed) -> None:
        pass

    def act(self, batch):
        return np.full(len(batch), self.answer)


class Scribbling(Answering):
    """Plays the first legal action, and writes into all that it was given."""

    def act(self, batch):
        actions = batch.masks.argmax(axis=1)
        for array in (batch.tables, batch.seats):
            array[:] = 0
        batch.masks[:] = 1
        batch.views[:] = np.zeros((), batch.views.dtype)
        return actions


class Plain(Answering):
    def act(self, batch):
        return batch.masks.argmax(axis=1)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (10**7, "answering: 10000000 is not legal in seat [01]; legal: 'draw"),
        (-1, "answering: -1 is not legal"),
        (95, r'answering: "discard A" is not legal in seat [01]; legal: .draw'),
        (np.uint64(2**64 - 1), "answering: 18446744073709551615 is not legal"),
        (np.nan, r"answering: its actions: float64\(2,\) must be integers of \(2,\)"),
    ],
)
def test_a_player_that_answers_what_is_not_legal_ended_the_process_or_made_a_wrong_table(answer, reason):
    with pytest.raises(ConfigError, match=reason):
        play_deals(classic(2), Answering(answer), 2, seed=3)


def test_a_player_that_writes_into_what_it_is_given_changes_nothing():
    expected, found = (play_deals(classic(2), agent(0), 8, seed=3) for agent in (Plain, Scribbling))
    assert (expected[0] == found[0]).all() and (expected[1] == found[1]).all()


@pytest.mark.parametrize("deals", ["0", "-5"])
def test_no_deals_are_refused_by_name(deals, capsys):
    assert agents_command(["equity", "--game", "classic", "--agent", "random", "--deals", deals]) == 1
    assert f"deals: {deals} must be a whole number of at least 1" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named_once(tmp_path, capsys):
    """Its error once read "[Errno 21] Is a directory: 'x' -> None"."""
    options = ["--game", "classic", "--players", "2", "--agent", "heuristic", "--deals", "800"]
    assert agents_command(["equity", *options, str(tmp_path)]) == 1
    assert f"{tmp_path}: Is a directory" in capsys.readouterr().err.splitlines()


def test_a_stronger_player_gains_percent_of_a_match():
    rules = classic(2)
    evaluator = BoardEvaluator(rules, "drawn", load_equity(rules))
    measured = evaluator.match_percent(make("watcher", rules), make("random", rules), 40, seed=8)
    assert measured.low > 0 and measured.unit == "match_percent" and "% of a match" in str(measured)
    own, turned = (
        evaluator.match_percent(make(name, rules), make(other, rules), 40, seed=8)
        for name, other in [("watcher", "closer"), ("closer", "watcher")]
    )
    assert turned.estimate == pytest.approx(-own.estimate)
    with pytest.raises(ValueError, match="no match-equity table"):
        BoardEvaluator(rules, "drawn").match_percent(make("random", rules), make("random", rules), 2, seed=8)


def test_a_run_for_the_match_is_measured_in_percent_and_learns_in_it(tmp_path):
    config = from_dict(
        {
            "game": {"name": "classic", "players": 2, "objective": "match"},
            "network": {"width": 16},
            "rollout": {"tables": 32, "steps": 128, "workers": 1},
            "imitation": {"share": 0},
            "evaluation": {"measurements": 1, "boards": 4},
            "run": {"decisions": 4_000},
        }
    )
    device = Device(cores=1, torch_device=torch.device("cpu"), precision=torch.float32)
    trainer = build_trainer(config, tmp_path / "run", device)
    metrics: dict[str, float] = {}
    while not trainer.is_over:
        metrics |= trainer.advance()
    trainer.close()
    assert metrics["eval/match_percent_low"] <= metrics["eval/match_percent"]
    assert "eval/points" not in metrics
    assert 0 < metrics["ppo/value_scale"] <= 100
    assert load_policy(tmp_path / "run").card["objective"] == "match"


def a_policy(folder, objective: str) -> FlatNetwork:
    network = FlatNetwork(Network(kind="flat", width=16), 30)
    network.rescale_values(7.0)
    save(folder, network, policy_card(network, classic(2), objective=objective))
    return network


def same(first: FlatNetwork, second: FlatNetwork) -> dict[str, bool]:
    return {
        name: bool((tensor == second.state_dict()[name]).all()) for name, tensor in first.state_dict().items()
    }


def test_a_run_may_begin_with_a_trained_policy(tmp_path):
    trained = a_policy(tmp_path, "deal")
    network = FlatNetwork(Network(kind="flat", width=16), 30)
    begin_from(network, tmp_path, "deal")
    assert all(same(network, trained).values())


def test_values_of_another_objective_change_their_unit(tmp_path):
    a_policy(tmp_path, "deal")
    network = FlatNetwork(Network(kind="flat", width=16), 30)
    begin_from(network, tmp_path, "match")
    percent = float(network.value_scale) / 7.0
    lead = load_equity(classic(2)).at(np.array([[3000, 2500]]))[0, 0] - 0.5
    assert percent == pytest.approx(100 * lead / 500, rel=0.1)
    save(tmp_path, network, policy_card(network, classic(2), objective="match"))
    back = FlatNetwork(Network(kind="flat", width=16), 30)
    begin_from(back, tmp_path, "deal")
    assert float(back.value_scale) == pytest.approx(7.0)


def test_a_network_with_rows_in_its_trunk_begins_as_a_policy_without_them_plays(tmp_path):
    rules = classic(2)
    sizes = (observation_size(rules), 0, row_size(rules))
    form = Network(width=16, row_width=8)
    trained = build_network(form, *sizes).eval()
    save(tmp_path, trained, policy_card(trained, rules))
    network = build_network(dataclasses.replace(form, rows_in_trunk=True), *sizes).eval()
    begin_from(network, tmp_path, "deal")
    seen = (torch.rand(20, sizes[0]) < 0.3).to(torch.int8)
    for now, before in zip(network(seen, seen), trained(seen, seen), strict=True):
        torch.testing.assert_close(now, before)
    save(tmp_path, network, policy_card(network, rules))
    with pytest.raises(CheckpointError, match=r"run\.start: .*rows_in_trunk=True"):
        begin_from(trained, tmp_path, "deal")


@pytest.mark.parametrize(
    ("form", "inputs"),
    [
        (Network(kind="flat", width=24), 30),
        (Network(kind="flat", width=16), 31),
        (Network(kind="flat", width=16, rows_in_trunk=True), 30),
    ],
)
def test_a_policy_of_another_form_is_refused(tmp_path, form, inputs):
    a_policy(tmp_path, "deal")
    with pytest.raises(CheckpointError, match=r"run\.start: .*width=.*set the sections"):
        begin_from(FlatNetwork(form, inputs), tmp_path, "deal")


def test_the_command_writes_a_table(tmp_path, capsys):
    path = tmp_path / "classic_2.json"
    options = ["--game", "classic", "--players", "2", "--agent", "heuristic", "--deals", "800"]
    assert agents_command(["equity", *options, str(path)]) == 0
    assert json.loads(path.read_text())["deals"] >= 800
    assert "50.0%" in capsys.readouterr().out
    assert load_equity(classic(2), path).played_by == "heuristic"


def test_measurements_speak_in_their_unit():
    points = Measurement(86.2, -98, 271, 400)
    assert str(points) == "+86 points a deal (-98 to +271)"
    assert points.with_margin == "+86 ±184 points a deal"
    share = dataclasses.replace(points, estimate=0.45, low=0.387, high=0.514, unit="matches")
    assert str(share) == "45.0% of matches (38.7% to 51.4%)"
    percent = dataclasses.replace(points, estimate=1.25, low=0.5, high=2.0, unit="match_percent")
    assert percent.with_margin == "+1.2 ±0.8% of a match a deal"


def test_a_point_is_worth_most_where_the_match_is_close_to_its_end(race_table):
    scores = np.array([[0, 0], [4500, 4500], [0, 4500], [4500, 0]])
    worth = race_table.percent_a_point(scores)
    assert (worth >= 0).all()
    assert worth[0] == pytest.approx(worth[0, ::-1])  # the same for both sides at a level score
    assert worth[1, 0] > 2 * worth[0, 0] > 0
    assert worth[2, 0] < worth[0, 0] and worth[2] == pytest.approx(worth[3, ::-1])


def test_a_point_is_worth_what_the_chances_say(race_table):
    (worth,) = race_table.percent_a_point(np.array([[2000, 1000]]))
    more, less = (race_table.at(np.array([[own, 1000]]))[0, 0] for own in (2500, 1500))
    assert worth[0] == pytest.approx(100 * (more - less) / 1000)
