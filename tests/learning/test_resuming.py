"""Every key of a config has a ruling: a resumed run takes a change of it over, or refuses it by name."""

import dataclasses
import shutil
import typing

import pytest

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.config import Config, from_dict
from canasta_agents.learning.evaluation import Measurement
from canasta_agents.learning.metrics import read_metrics
from canasta_agents.learning.resuming import RULINGS, check_changes
from canasta_agents.learning.schedule import Progress
from canasta_agents.neural.arrays import CheckpointError

from .conftest import SMALL, replace
from .fake import FakeEvaluator
from .fake_wandb import FakeWandb

FIELDS = {
    f"{section.name}.{field.name}": field
    for section in dataclasses.fields(Config)
    for field in dataclasses.fields(typing.get_type_hints(Config)[section.name])
}
HINTS = {
    f"{section.name}.{name}": hint
    for section in dataclasses.fields(Config)
    for name, hint in typing.get_type_hints(typing.get_type_hints(Config)[section.name]).items()
}
OTHER = {  # values where the type alone does not lead to one that can be run
    "game.players": 2,
    "network.kind": "rank",
    "network.custom": "examples.custom_network:MaxoutNetwork",
    "rollout.workers": 0,  # one a core: as many
    "ppo.loss": "examples.custom_loss:ppo_with_pull",
    "opponents.players": ("wrong",),
    "opponents.partners": ("right",),
    "imitation.teacher": "wrong",
    "evaluation.player": "wrong",
    "run.device": "cpu",
}
BASE = {  # a run that still imitates, and then plays itself
    **SMALL,
    "game": {"name": "classic", "players": 4},
    "opponents": SMALL["opponents"] | {"partners": ["wrong"]},
    "imitation": {"share": 0.3, "teacher": "right"},
    "run": {"decisions": 3_000, "seed": 3},
}


def section_and_name(key):
    return key.split(".")


def other_value(key, value):
    """Another value of a key."""
    if key in OTHER:
        return OTHER[key]
    if typing.get_origin(HINTS[key]) is typing.Literal:
        return next(choice for choice in typing.get_args(HINTS[key]) if choice != value)
    if isinstance(value, str):
        return f"{value}other"
    return value + 1 if isinstance(value, int) else value / 2 + 0.11


def changed(config, key):
    section, name = section_and_name(key)
    if key == "game.name":
        return replace(config, section, name="modern_american")
    return replace(config, section, **{name: other_value(key, getattr(getattr(config, section), name))})


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    return tmp_path_factory.mktemp("begun") / "run"


@pytest.fixture
def resumed(begun, tmp_path, make_trainer):
    """A function: a trainer that goes on, with another config, with a run that has made two updates."""
    if not begun.exists():
        trainer = make_trainer(from_dict(BASE), begun)
        trainer.advance()
        trainer.advance()
        trainer.save()
        trainer.close()

    def resume(config):
        folder = tmp_path / "copy"
        shutil.copytree(begun, folder)
        trainer = make_trainer(config, folder)
        trainer.resume()
        return trainer

    return resume


def test_every_key_has_a_ruling():
    assert set(RULINGS) == set(FIELDS)


@pytest.mark.parametrize("key", FIELDS)
def test_a_changed_key_is_refused_by_name_or_takes_effect(key, resumed, monkeypatch):
    FakeWandb().install(monkeypatch)
    before = from_dict(BASE)
    now = changed(before, key)
    ruling = RULINGS[key]
    if key == "run.minutes":  # which count where decisions do not
        before = replace(before, "run", decisions=0)
        now = changed(before, key)
        (change,) = check_changes(before, now)
        assert change.key == key
        return
    if not ruling.may_change:
        with pytest.raises(ConfigError, match=rf"^{key}: .* cannot replace .*; |^{key}: .*leave it out"):
            check_changes(before, now)
        if key != "network.kind":  # the tiny game has no ranks
            with pytest.raises(ConfigError, match=rf"^{key}: "):
                resumed(now)
        return
    trainer = resumed(now)
    (change,) = check_changes(before, now)
    assert str(change).startswith(f"{key}: ")
    assert str(change).endswith(ruling.text)
    while not trainer.is_over:
        trainer.advance()
    assert trainer.progress.updates > 3


def test_an_unchanged_config_is_no_change(resumed):
    assert check_changes(from_dict(BASE), from_dict(BASE)) == []


def test_minutes_that_do_not_count_are_not_ignored():
    before = from_dict(BASE)
    with pytest.raises(ConfigError, match=r"run.minutes: 60 changes nothing, .* run.decisions = 3000"):
        check_changes(before, replace(before, "run", minutes=60.0))
    assert len(check_changes(before, replace(before, "run", minutes=60.0, decisions=0))) == 2
    assert len(check_changes(before, replace(before, "run", minutes=60.0, decisions=9_000))) == 2


def test_another_number_of_tables_is_no_raw_error(resumed):
    with pytest.raises(ConfigError, match=r"rollout.tables: 16 cannot replace 32 in a resumed run: "):
        resumed(replace(from_dict(BASE), "rollout", tables=16))


class OtherUnit(FakeEvaluator):
    """Measures a thousandth of what the other one does where the reference is another player."""

    def points(self, agent, reference, boards, seed):
        measured = super().points(agent, reference, boards, seed)
        return Measurement(measured.estimate / 1_000, 0.0, 1.0, boards)


def test_a_best_score_against_another_player_is_no_bar(small_config, make_trainer):
    """The old score was kept, and no later policy was ever as good in the new unit."""
    config = small_config(run={"decisions": 6_000})
    first = make_trainer(config)
    while not first.is_over:
        first.advance()
    first.save()
    first.close()
    assert first.best.estimate > 50
    longer = replace(replace(config, "run", decisions=12_000), "evaluation", player="wrong")
    second = make_trainer(longer, first.folder)
    second.evaluator = OtherUnit()
    second.resume()
    assert second.best.estimate == pytest.approx(first.best.estimate / 1_000)
    assert second.measurement is None
    while not second.is_over:
        second.advance()
    assert second.best.estimate >= first.best.estimate / 1_000
    assert (first.folder / "best" / "policy.json").read_text().find('"reference": "wrong"') > 0


# A longer run


def rates_of(trainer):
    name = "ppo/learning_rate"
    return [line[name] for line in read_metrics(trainer.folder) if name in line]


@pytest.mark.parametrize("stop_after", [4, 1_000])
def test_a_longer_run_does_not_turn_the_schedule_back(stop_after, small_config, make_trainer):
    """After a finished run of 2.3 minutes, 60 minutes made the learning rate six times what it was."""
    config = small_config(imitation={"share": 0.2}, run={"decisions": 6_000})
    first = make_trainer(config)
    while not first.is_over and first.progress.updates < stop_after:
        first.advance()
    first.save()
    first.close()
    reached = first.position
    second = make_trainer(replace(config, "run", decisions=18_000), first.folder)
    second.resume()
    assert second.position == pytest.approx(reached)
    assert second.is_imitating == first.is_imitating
    before = second.progress.measured
    while not second.is_over:
        second.advance()
    rates = rates_of(second)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < 0.05 * config.ppo.learning_rate
    assert second.progress.measured == config.evaluation.measurements > before


def test_a_position_goes_on_from_where_it_is_to_the_new_end():
    run = Config().run
    short, long = (dataclasses.replace(run, minutes=minutes) for minutes in (10.0, 30.0))
    progress = Progress(seconds=300.0)
    assert progress.position(short) == 0.5
    progress.go_on(short, long, measurements=6)
    assert progress.position(long) == 0.5
    progress.seconds = 300.0 + 25 * 60 / 2
    assert progress.position(long) == 0.75
    assert progress.fraction(long) == pytest.approx(17.5 / 30)
    progress.seconds = 1_800.0
    assert progress.position(long) == progress.fraction(long) == 1.0
    shortest = dataclasses.replace(run, minutes=1.0)
    progress.go_on(long, shortest, measurements=6)
    progress.go_on(shortest, dataclasses.replace(run, decisions=100), measurements=6)
    assert progress.position(dataclasses.replace(run, decisions=100)) == 1.0


@pytest.mark.parametrize(("decisions", "minutes"), [(0, 10.0), (1_000, 1.0)])
@pytest.mark.parametrize(("then_decisions", "then_minutes"), [(0, 25.0), (3_000, 1.0), (10, 1.0)])
def test_no_chain_of_lengths_turns_the_position_back(decisions, minutes, then_decisions, then_minutes):
    first = dataclasses.replace(Config().run, decisions=decisions, minutes=minutes)
    then = dataclasses.replace(first, decisions=then_decisions, minutes=then_minutes)
    runs = [first, then, first, then]
    progress, last = Progress(), 0.0
    for before, now in zip([runs[0], *runs], runs, strict=False):
        progress.go_on(before, now, measurements=3)
        for _ in range(4):
            assert progress.position(now) >= last - 1e-12
            last = progress.position(now)
            progress.seconds += 90
            progress.decisions += 130


@pytest.mark.parametrize(
    "facts", [{"seconds": -1.0}, {"updates": 2.5}, {"decisions": "7"}, {"measured": True}]
)
def test_counters_that_no_run_has_are_refused(facts):
    with pytest.raises(ValueError, match=rf"progress.{next(iter(facts))}: .* must be a number of at least 0"):
        Progress(**facts)


def test_measurements_are_spread_over_the_longer_run(small_config, make_trainer):
    """Six of six made, none was ever made again."""
    config = small_config(run={"decisions": 4_000}, evaluation={"measurements": 2})
    first = make_trainer(config)
    while not first.is_over:
        first.advance()
    first.save()
    first.close()
    second = make_trainer(replace(config, "run", decisions=8_000), first.folder)
    second.resume()
    while not second.is_over:
        second.advance()
    assert sum("eval/points" in line for line in read_metrics(second.folder)) == 3


def test_another_teacher_is_no_matter_after_imitation_that_fills_the_run(small_config, make_trainer):
    """A run that only imitates, given more time, divided by the share of self-play, which is 0."""
    config = small_config(imitation={"share": 1.0}, run={"decisions": 2_000})
    first = make_trainer(config)
    while not first.is_over:
        first.advance()
    first.save()
    second = make_trainer(replace(config, "run", decisions=4_000), first.folder)
    second.resume()
    assert not second.is_imitating
    assert second.advance()["ppo/learning_rate"] == pytest.approx(config.ppo.final_learning_rate)


def test_fewer_past_selves_are_kept_from_the_next_snapshot_on(small_config, make_trainer):
    config = small_config(run={"decisions": 20_000})
    first = make_trainer(config)
    while len(first.league.members) < 3:
        first.advance()
    first.save()
    second = make_trainer(replace(config, "opponents", past_selves=1), first.folder)
    second.resume()
    second.advance()
    second.advance()
    assert len(second.league.members) == 1


def test_a_training_state_of_another_number_of_workers_is_refused(resumed):
    with pytest.raises(CheckpointError, match=r"set rollout.workers to 2"):
        resumed(replace(from_dict(BASE), "rollout", workers=3))
