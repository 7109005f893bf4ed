"""Configs: what is wrong is named, with the choices; files and command line change the same data."""

import dataclasses
import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning import config as config_module
from canasta_agents.learning.cli import parse
from canasta_agents.learning.config import OLD_KEYS, Config, from_dict, load, load_of_run
from canasta_agents.learning.run_folder import claim_new_folder
from canasta_agents.policies import FOLDER, bundled_policies

CONFIGS = sorted((Path(__file__).parents[2] / "configs").rglob("*.toml"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"pppo": {}}, r"unknown key 'pppo'; did you mean 'ppo'\? The keys are game, network, "),
        (
            {"ppo": {"lerning_rate": 1e-3}},
            r"unknown key 'ppo.lerning_rate'; did you mean 'learning_rate'\? The keys are learning_rate, ",
        ),
        ({"ppo": 3}, r"ppo: 3 must be a table of keys"),
        ({"ppo": {"num_epochs": 2.5}}, r"ppo.num_epochs: 2.5 must be a whole number"),
        ({"ppo": {"num_epochs": True}}, r"ppo.num_epochs: True must be a whole number"),
        ({"ppo": {"num_epochs": 0}}, r"ppo.num_epochs: 0 must be at least 1"),
        ({"ppo": {"clip_range": 0}}, r"ppo.clip_range: 0.0 must be above 0"),
        ({"ppo": {"gae_lambda": 1.5}}, r"ppo.gae_lambda: 1.5 must be from 0 to 1"),
        ({"ppo": {"learning_rate": "fast"}}, r"ppo.learning_rate: 'fast' must be a number"),
        ({"ppo": {"learning_rate": float("nan")}}, r"ppo.learning_rate: nan must be above 0"),
        (
            {"network": {"critic": "none"}},
            r"network.critic: 'none' is not a choice; the choices are 'shared', ",
        ),
        ({"game": {"name": "samba"}}, r"game.name: 'samba' is not a choice; .* 'classic', 'modern_american'"),
        (
            {"game": {"name": "modern_american", "players": 2}},
            r"game.players: 2 is not a choice; the choices are 4",
        ),
        ({"opponents": {"players": "heuristic"}}, r"opponents.players: 'heuristic' must be a list of names"),
        ({"opponents": {"self_play": 0, "past": 0, "reference": 0}}, r"opponents: .* are all 0"),
        ({"opponents": {"players": []}}, r"opponents.players: is empty"),
        ({"opponents": {"with_partners": 0.5}}, r"opponents.partners: is empty; name a player, or set"),
        ({"opponents": {"with_partners": -1}}, r"opponents.with_partners: -1.0 must be at least 0"),
        (
            {"opponents": {"with_partners": 0.5, "partners": ["closer"]}},
            r"opponents.with_partners: in classic with 2 players nobody has a partner; .* game.players to 4",
        ),
        ({"run": {"name": 5}}, r"run.name: 5 must be a text"),
        # what once ended in a traceback, a crash, or a run that "has diverged"
        ({"ppo": {"value_coef": float("inf")}}, r"ppo.value_coef: inf must be at least 0, and finite"),
        ({"ppo": {"learning_rate": 10**400}}, r"ppo.learning_rate: a number of 1329 bits is too large"),
        ({"opponents": {"past": float("inf")}}, r"opponents.past: inf must be at least 0, and finite"),
        ({"opponents": {"past": 1e308, "self_play": 1e308}}, r"opponents: the sum .* is too large"),
        ({"run": {"seed": 2**64}}, r"run.seed: 18446744073709551616 must be from 0 to"),
        ({"network": {"width": 10**9}}, r"network.width: 1000000000 must be from 1 to 16384"),
        ({"network": {"layers": 10**6}}, r"network.layers: 1000000 must be from 1 to 256"),
        ({"run": {"threads": 100_000}}, r"run.threads: 100000 must be from 0 to 1024"),
        ({"rollout": {"tables": 10**12}}, r"rollout.tables: 1000000000000 must be from 1 to"),
    ],
)
def test_what_is_wrong_is_named(content, message):
    with pytest.raises(ConfigError, match=message):
        from_dict(content)


def test_what_a_file_leaves_out_keeps_its_default(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('[ppo]\nlearning_rate = 1\n[opponents]\nplayers = ["simple"]\n')
    config = load(file)
    assert config.ppo == dataclasses.replace(Config().ppo, learning_rate=1.0)
    assert config.opponents.players == ("simple",)
    assert config.network == Config().network


def test_a_config_survives_json():
    config = from_dict(
        {"game": {"name": "classic", "players": 2}, "opponents": {"players": ["closer", "eager"]}}
    )
    assert from_dict(config.to_dict()) == config


@pytest.fixture
def every_old_key_is_new(monkeypatch):
    """As in a process that has not yet met an old key."""
    monkeypatch.setattr(config_module, "_reported", set())


@pytest.mark.parametrize("old", OLD_KEYS)
def test_an_old_key_is_read_as_the_new_one_and_named_once(old, every_old_key_is_new, capsys):
    section, _, key = OLD_KEYS[old].partition(".")
    key = key or "measurements"  # of a section that is called something else now
    value = {"ppo": {"gae_step": "decisions"}}.get(section, {}).get(key, 1)
    before = {old.partition(".")[0]: {old.partition(".")[2] or key: value}}
    assert from_dict(before, "x.toml") == from_dict({section: {key: value}}) == from_dict(before, "x.toml")
    assert capsys.readouterr().err == f"x.toml: {old} is called {OLD_KEYS[old]} now\n"


def test_a_key_under_both_names_is_refused():
    with pytest.raises(ConfigError, match=r"ppo.clip is called ppo.clip_range now, and both are given"):
        from_dict({"ppo": {"clip": 0.1, "clip_range": 0.2}})


def test_a_toml_file_with_old_keys_is_read(tmp_path):
    file = tmp_path / "old.toml"
    file.write_text('[ppo]\nentropy = 0.03\n[judging]\nplayer = "simple"\n')
    config = load(file)
    assert (config.ppo.entropy_coef, config.evaluation.player) == (0.03, "simple")


@pytest.mark.parametrize("name", bundled_policies())
def test_the_configs_of_the_packages_policies_are_read(name, capsys):
    content = json.loads((FOLDER / name / "config.json").read_text())
    config = from_dict(content, name)
    is_old = "judging" in content
    assert config.ppo.entropy_coef == content["ppo"]["entropy" if is_old else "entropy_coef"]
    assert config.evaluation.boards == content["judging" if is_old else "evaluation"]["boards"]


def test_a_folder_without_a_run_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigError, match=r"nothing/latest: holds no resumable checkpoint"):
        load_of_run(tmp_path / "nothing")


@pytest.mark.parametrize("content", ["[ppo", "\x00", "a = " + "[" * 5_000, f"a = {'9' * 5_000}"])
def test_a_file_that_is_not_toml_is_refused_by_name(tmp_path, content):
    file = tmp_path / "broken.toml"
    file.write_text(content)
    with pytest.raises(ConfigError, match=r"broken.toml: is not TOML"):
        load(file)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigError, match=r"absent.toml: cannot be read"):
        load(tmp_path / "absent.toml")


@pytest.mark.parametrize("file", CONFIGS, ids=[file.stem for file in CONFIGS])
def test_the_configs_of_the_repository_load(file):
    load(file)


def test_the_command_line_changes_the_files_config(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text("[ppo]\nnum_epochs = 7\nclip_range = 0.1\n")
    arguments = parse([str(file), "--ppo.learning-rate", "3e-4", "--ppo.clip-range", "0.3", "--minutes", "5"])
    ppo = dataclasses.replace(Config().ppo, num_epochs=7, clip_range=0.3, learning_rate=3e-4)
    assert arguments.config.ppo == ppo
    assert arguments.config.run.minutes == 5


def test_without_arguments_the_defaults_are_run():
    assert parse([]).config == Config()


def test_an_unknown_option_ends_with_a_message(capsys):
    with pytest.raises(SystemExit):
        parse(["--ppo.lerning-rate", "1"])
    assert "ppo.learning-rate" in capsys.readouterr().err


def test_a_run_is_never_written_over(tmp_path):
    config = from_dict({"run": {"folder": str(tmp_path), "name": "first"}})
    with ExitStack() as claims:
        (claim_new_folder(config, claims) / "config.json").write_text("{}")
    with (
        ExitStack() as claims,
        pytest.raises(ConfigError, match=r"run.name: .*first holds a run already; go on with --resume"),
    ):
        claim_new_folder(config, claims)
