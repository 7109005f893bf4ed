"""The review of a record: what it may know, that it finds what was bad, and what it writes."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from random import Random

import numpy as np
import pytest

pytest.importorskip("torch", reason="the review looks match equity up (extra `train`)")
pytest.importorskip("jinja2", reason="the review writes a page (extra `arena`)")

from rich.console import Console

from canasta_agents.__main__ import main
from canasta_agents.config_checks import ConfigError
from canasta_agents.registry import make
from canasta_agents.review.files import COLUMNS, to_csv, to_json
from canasta_agents.review.luck import luck_of
from canasta_agents.review.page import to_page
from canasta_agents.review.positions import Draws, read_positions
from canasta_agents.review.reviewer import Reviewer
from canasta_agents.review.summary import KINDS, Estimate, Review, kind_of, review
from canasta_agents.review.tables import show_review
from canasta_agents.search.evaluation import Evaluation
from canasta_agents.search.options import SearchOptions
from canasta_agents.search.rollouts import RolloutPlayer
from canasta_env import Table, classic, modern_american
from canasta_env.actions import DRAW, ID_OF, parse
from canasta_env.cards import KINDS as CARDS
from canasta_env.records import Record, Recorder, replay, write
from tests.agents.deciding import GAMES, decide
from tests.agents.test_search import (
    POLICIES,
    SEARCHES,
    TWO_CANASTAS,
    Judging,
    asked_at,
    choices,
    told_apart_by_nobody,
)
from tests.rules import positions

OUT = [*TWO_CANASTAS, "K K K"]  # melds with which a side may go out
FEW = SearchOptions(worlds=8, candidates=3)
PLAYER = "heuristic"


def going_out_refused(seed: int) -> tuple[Record, int]:
    """A deal by good players, one of whom once could go out and does something else.

    Returns:
        The record, and the number of the action at which it happened.
    """
    rules = classic(2)
    table, recorder = Table(rules, seed=seed), Recorder(rules)
    recorder.begin(table)
    player, number, refused = make(PLAYER, rules), 0, 0
    player.reset(1, 0)
    while not table.is_over:
        action = decide(player, table)
        after = table.copy()
        after.play(action)
        others = [other for other in table.legal() if other != action]
        number += 1
        if not refused and after.went_out is not None and others:
            action, refused = others[-1], number
        recorder.play(action)
    return recorder.record(), refused


@pytest.fixture(scope="module")
def refusal() -> tuple[Record, int]:
    """The first such deal in which the refusal was possible, and the deal went on."""
    for seed in range(40):
        record, number = going_out_refused(seed)
        if 0 < number < len(record.deals[0].actions):
            return record, number
    raise AssertionError("no such deal")


def reviewed(record: Record, **options: int) -> Review:
    return review(record, Reviewer(make(PLAYER, record.rules), record.rules, FEW, **options))


@pytest.fixture(scope="module")
def found(refusal: tuple[Record, int]) -> Review:
    return reviewed(refusal[0])


def test_a_deliberately_bad_move_is_the_biggest_error(refusal, found):
    record, number = refusal
    biggest = found.biggest(3)[0]
    assert (biggest.place.deal, biggest.place.number) == (1, number)
    assert biggest.played == record.deals[0].actions[number - 1] != biggest.choice
    assert biggest.loss is not None and biggest.loss.low > 0
    assert biggest.percent is not None and biggest.percent.low > 0


def test_every_choice_of_the_record_is_judged_once_and_no_forced_action(refusal, found):
    record, _ = refusal
    tables = [(step, table.copy()) for step, (_, table) in enumerate(replay(record))]
    with_choice = [(step, table) for step, table in tables if len(table.legal()) > 1]
    assert [decision.place.step for decision in found.decisions] == [step for step, _ in with_choice]
    for decision, (step, table) in zip(found.decisions, with_choice, strict=True):
        assert decision.seat == table.to_play
        assert decision.played == record.deals[0].actions[decision.place.number - 1]
        assert {decision.played, decision.policy, decision.choice} <= set(table.legal())
        assert (decision.loss is None) == (decision.played == decision.choice)
        assert {decision.played, decision.policy} <= set(decision.candidates)
        assert decision.place.number == step + 1  # of the one deal


def test_the_rates_are_those_of_the_decisions(found):
    for player in found.players:
        own = [decision for decision in found.decisions if decision.seat == player.seat]
        assert player.all.decisions == len(own) == sum(rate.decisions for rate in player.kinds.values())
        assert player.all.points.estimate == pytest.approx(np.mean([each.points for each in own]))
        assert player.points_a_deal == pytest.approx(sum(each.points for each in own))
        assert player.all.errors == sum(each.is_error for each in own)
        assert set(player.kinds) <= set(KINDS)
    assert found.players[0].luck_a_deal is None  # the rule-based player tells no values


def test_the_same_seed_gives_the_same_review_and_another_one_another(refusal, found):
    assert reviewed(refusal[0]) == found
    assert reviewed(refusal[0], seed=1) != found


@pytest.mark.parametrize(("game", "spec"), SEARCHES)
def test_hidden_cards_do_not_reach_a_judgement(game, spec):
    rules, rng = GAMES[game], Random(4)
    pairs = told_apart_by_nobody(rules, rng)
    reviewer = Reviewer(make(spec, rules), rules, FEW, loss_worlds=8)
    found = []
    for tables in zip(*pairs, strict=True):
        batch = asked_at(list(tables))
        played = np.argmax(batch.masks, axis=1)
        judged = reviewer.judge(batch, played)
        found.append({name: np.asarray(part).tobytes() for name, part in vars(judged).items()})
    assert found[0] == found[1]


def test_losses_are_measured_in_other_worlds_than_those_that_chose(monkeypatch):
    (table,) = choices(classic(2), 1)
    seen = []

    def outcomes(self, tries, to_the_end):
        seen.append(tries.tables["stock"].copy())
        return (tries.actions == tries.actions.min()) * 100.0 + np.arange(len(tries.actions)) % 3

    monkeypatch.setattr(RolloutPlayer, "outcomes", outcomes)
    last = np.array([parse(table.legal()[-1])])
    judged = Reviewer(Judging(), table.rules, FEW, loss_worlds=6).judge(asked_at([table]), last)
    assert judged.choice[0] == min(action for action in judged.candidates[0] if action >= 0)
    assert len(seen) == 2 and len(seen[1]) == 2 * 6
    assert (seen[1][:6] == seen[1][6:]).all()  # the same worlds for both actions
    chosen_in, measured_in = ({stock.tobytes() for stock in stocks} for stocks in seen)
    assert len(chosen_in) == 8 and len(measured_in) == 6 and not chosen_in & measured_in


@pytest.mark.parametrize(
    ("table", "played", "choice", "kind"),
    [
        (positions.classic("K K 4 5", phase="draw", pile="K"), "draw", "take", "taking"),
        (positions.classic("K K K 4 5"), "discard 4", "discard 5", "discarding"),
        (positions.classic("K K K 4 5"), "discard 4", "meld K K K", "melding"),
        (positions.classic("K K K 4 5"), "meld K K K", "meld K K K", "melding"),
        (positions.classic("K", melds=OUT), "discard K", "add K", "going out"),
        (positions.classic("9 9 9", melds=OUT), "meld 9 9 9", "discard 9", "going out"),
        (positions.classic("4", melds=OUT), "ask", "discard 4", "asking"),
        (positions.classic("4", melds=OUT), "yes", "no", "asking"),
    ],
)
def test_the_kind_of_a_decision_is_told_by_what_it_lay_between(table, played, choice, kind):
    view = np.asarray(table.view(table.to_play))[0]
    assert kind_of(view, ID_OF[played], ID_OF[choice]) == kind
    assert kind_of(view, ID_OF[choice], ID_OF[played]) == kind


class Collecting(Judging):
    """Values the kings in the own hand."""

    def judge(self, batch):
        return super().judge(batch)[0], 100.0 * batch.views["hand"][:, CARDS.index("K")].astype(np.float32)


def drawn(cards: str) -> Draws:
    """One draw from a stock of these cards, the first of them."""
    table = positions.classic("4 5 6 7", players=2, phase="draw", whole_stock=cards, hands={1: "8 8 9"})
    seat = table.to_play
    before = asked_at([table])
    table.play("draw")
    after = replace(asked_at([table]), seats=np.array([seat], np.int8))
    return Draws(before, after, np.array([False]), np.zeros(1))


def test_luck_is_what_a_card_is_worth_against_those_that_could_have_come():
    evaluation, policy = Evaluation(Collecting(), classic(2)), Collecting()
    lucky, unlucky = drawn("K Q Q 5 5 5"), drawn("5 Q Q K 5 5")
    kings = (lucky.after.views["hand"] - unlucky.after.views["hand"])[0, CARDS.index("K")]
    with_king, without = (luck_of(draws, evaluation, policy) for draws in (lucky, unlucky))
    assert with_king is not None and without is not None and kings > 0
    assert with_king[0] - without[0] == pytest.approx(100 * kings)
    assert with_king[0] > 0 >= without[0]


def test_luck_needs_values_in_points():
    class Percent(Judging):
        value_unit = "percent of a match"

    rules = classic(2)
    draws = drawn("K Q Q 5 5 5")
    assert luck_of(draws, Evaluation(Percent(), rules), Percent()) is None
    assert luck_of(draws, Evaluation(make("watcher", rules), rules), make("watcher", rules)) is None


def test_draws_are_read_with_what_was_seen_before_and_after(refusal):
    _, draws = read_positions(refusal[0])
    assert len(draws.before) == len(draws.after) == sum(a == "draw" for a in refusal[0].deals[0].actions)
    going_on = np.flatnonzero(~draws.is_over)
    before, after = (batch.views["stock_size"][going_on] for batch in (draws.before, draws.after))
    assert (draws.before.masks[:, DRAW] == 1).all() and (after < before).all()
    assert (draws.before.seats == draws.after.seats).all()


@pytest.mark.parametrize("game", POLICIES)
def test_a_policy_tells_probabilities_and_luck(game):
    rules, recorder, rng = GAMES[game], Recorder(GAMES[game]), Random(2)
    table = Table(rules, seed=2)
    recorder.begin(table)
    for _ in range(60):
        if not table.is_over:
            recorder.play(rng.choice(table.legal()))
    policy = make(POLICIES[game], rules)
    told = review(recorder.record(), Reviewer(policy, rules, SearchOptions(worlds=2, candidates=2), 2))
    assert all(player.luck_a_deal is not None for player in told.players)
    for decision in told.decisions:
        assert decision.probabilities is not None
        assert 0.5 < sum(decision.probabilities.values()) < 1.01
        assert list(decision.probabilities.values()) == sorted(decision.probabilities.values(), reverse=True)


def test_json_holds_all_and_its_positions_can_be_set_up(refusal, found):
    content = json.loads(to_json(found, refusal[0], "a.jsonl", 3))
    assert content["format"] == "canasta_agents review" and content["deals"] == 1
    assert len(content["decisions"]) == len(found.decisions)
    assert [player["seat"] for player in content["players"]] == [0, 1]
    (first, *_), (biggest, *_) = content["errors"], found.biggest(3)
    table = Table.from_position(first["position"])
    assert table.to_play == first["seat"] == biggest.seat
    assert {first["played"], first["choice"]} <= set(table.legal())
    assert first["link"] == f"#record=a.jsonl&step={first['step']}"
    assert first["loss"]["low"] < first["loss"]["estimate"] < first["loss"]["high"]


def test_csv_has_a_row_for_each_decision(found):
    rows = list(csv.DictReader(io.StringIO(to_csv(found))))
    assert tuple(rows[0]) == COLUMNS and len(rows) == len(found.decisions)
    for row, decision in zip(rows, found.decisions, strict=True):
        assert (int(row["step"]), row["played"]) == (decision.place.step, decision.played)
        assert (row["points"] == "") == (decision.loss is None)


def test_the_page_needs_nothing_beside_itself_and_leads_to_its_positions(refusal, found):
    page = to_page(found, refusal[0], "<b>.jsonl", 3)
    errors = found.biggest(3)
    assert errors and "Review of &lt;b&gt;.jsonl" in page
    assert "src=" not in page and "http" not in page and "@import" not in page
    for error in errors:
        assert f'href="#step-{error.place.step}"' in page and f'id="step-{error.place.step}"' in page


def test_the_tables_fit_80_columns(found):
    console = Console(file=io.StringIO(), width=200, highlight=False)
    show_review(console, found, "a.jsonl", 10)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert any("Biggest errors" in line for line in lines) and any("seat 1" in line for line in lines)


def test_without_errors_tables_and_page_say_so(refusal, found):
    played = tuple(replace(decision, loss=None, percent=None) for decision in found.decisions)
    spotless = replace(found, decisions=played)
    console = Console(file=io.StringIO(), width=80)
    show_review(console, spotless, "a.jsonl", 10)
    assert "No decision was surely worse" in console.file.getvalue()
    assert "No decision was surely worse" in to_page(spotless, refusal[0], "a.jsonl", 10)


def test_an_estimate_is_told_with_its_interval():
    estimate = Estimate.of(10.0, 1.0)
    assert (estimate.low, estimate.high) == pytest.approx((8.04, 11.96))
    assert estimate.times(0.5).low == pytest.approx(4.02)


@pytest.fixture
def record_file(refusal, tmp_path):
    path = tmp_path / "deal.jsonl"
    write(refusal[0], path)
    return path


def test_the_command_prints_tables_and_writes_files(record_file, tmp_path, capsys):
    files = {name: tmp_path / f"review.{name}" for name in ("html", "json", "csv")}
    told = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    few = ["--worlds", "4", "--candidates", "2", "--loss-worlds", "8", "--errors", "2", "--policy", PLAYER]
    assert main(["review", str(record_file), *few, *told]) == 0
    output = capsys.readouterr().out
    assert "deal.jsonl: 1 deal of classic" in output and "Lost, with 95% intervals" in output
    assert all(file.stat().st_size > 500 for file in files.values())
    options = json.loads(files["json"].read_text())["options"]
    assert (options["worlds"], options["candidates"], options["loss_worlds"]) == (4, 2, 8)


def cut(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[:-1])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: None, "deal.jsonl: cannot be read as text: No such file or directory"),
        (lambda text: "hello\n", "deal.jsonl, line 1: "),
        (lambda text: "{}\n", "deal.jsonl, line 1: "),
        (cut, "deal.jsonl, line 2: the record is cut off: its last line is missing"),
        (lambda text: text[: len(text) // 2], "deal.jsonl, line 2: "),
    ],
    ids=["missing", "text", "other JSON", "without its end", "half"],
)
def test_a_file_that_is_no_whole_record_is_refused_in_one_line(record_file, change, says, capsys):
    changed = change(record_file.read_text())
    record_file.unlink()
    if changed is not None:
        record_file.write_text(changed)
    assert main(["review", str(record_file)]) == 1
    output = capsys.readouterr()
    assert says in output.err and output.err.count("\n") == 1 and not output.out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--worlds", "1"], "worlds: 1 must be from 2 to 4096"),
        (["--candidates", "1"], "candidates: 1 must be at least 2"),
        (["--loss-worlds", "1"], "loss-worlds: 1 must be from 2 to 4096"),
        (["--errors", "-1"], "errors: -1 must be at least 0"),
        (["--seed", "-5"], "seed: -5 must be a whole number from 0"),
        (["--json", "."], "json: . is a folder; it must be a file to write"),
        (["--html", "x", "--csv", "./x"], "csv: x is also html; each needs a file of its own"),
        (["--policy", "nobody"], "no agent 'nobody' for classic"),
        (["--policy", "search:watcher?worlds=4"], "name the player to search with: 'watcher'"),
        (["--policy", "neural:modern_american"], "has learnt modern_american with 4 players"),
    ],
)
def test_an_option_that_cannot_be_is_refused_in_one_line(record_file, options, says, capsys):
    assert main(["review", str(record_file), *options]) == 1
    output = capsys.readouterr()
    assert says in output.err and output.err.count("\n") == 1


def test_a_review_is_not_written_over_its_record(record_file, capsys):
    before = record_file.read_bytes()
    assert main(["review", str(record_file), "--policy", PLAYER, "--html", str(record_file)]) == 1
    assert "deal.jsonl is also the record" in capsys.readouterr().err
    assert record_file.read_bytes() == before


def test_who_sat_where_is_told_if_the_record_says_it(refusal, found):
    agents = ("closer", "[red]\x1b[31m", "x" * 500, "keeper")[: found.rules.players]
    known = replace(found, agents=agents)
    text = io.StringIO()
    show_review(Console(file=text, width=80), known, "deal.jsonl", 1)
    lines = text.getvalue().splitlines()
    assert "seat 0: closer" in lines and "seat 1: [red]\\x1b[31m" in lines
    assert max(map(len, lines)) <= 80
    assert json.loads(to_json(known, refusal[0], "deal.jsonl", 1))["agents"] == list(agents)
    page = to_page(known, refusal[0], "deal.jsonl", 1)
    assert "seat 0: closer" in page and "\x1b" not in page


def test_losses_need_two_worlds_at_least():
    with pytest.raises(ConfigError, match="loss-worlds: 1 must be"):
        Reviewer(make(PLAYER, modern_american()), modern_american(), FEW, loss_worlds=1)
