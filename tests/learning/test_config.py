"""Configs: what is wrong is named, with the choices; files and command line change the same data."""

import dataclasses
from pathlib import Path

import pytest

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.cli import parse
from canasta_agents.learning.config import Config, from_dict, load
from canasta_agents.learning.session import run_folder

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.toml"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"pppo": {}}, r"unknown key 'pppo'; did you mean 'ppo'\? The keys are game, network, "),
        (
            {"ppo": {"lerning_rate": 1e-3}},
            r"unknown key 'ppo.lerning_rate'; did you mean 'learning_rate'\? The keys are learning_rate, ",
        ),
        ({"ppo": 3}, r"ppo: 3 must be a table of keys"),
        ({"ppo": {"epochs": 2.5}}, r"ppo.epochs: 2.5 must be a whole number"),
        ({"ppo": {"epochs": True}}, r"ppo.epochs: True must be a whole number"),
        ({"ppo": {"epochs": 0}}, r"ppo.epochs: 0 must be at least 1"),
        ({"ppo": {"clip": 0}}, r"ppo.clip: 0.0 must be above 0"),
        ({"ppo": {"trace": 1.5}}, r"ppo.trace: 1.5 must be from 0 to 1"),
        ({"ppo": {"learning_rate": "fast"}}, r"ppo.learning_rate: 'fast' must be a number"),
        ({"ppo": {"learning_rate": float("nan")}}, r"ppo.learning_rate: nan must be above 0"),
        (
            {"network": {"critic": "none"}},
            r"network.critic: 'none' is not a choice; the choices are 'shared', ",
        ),
        ({"game": {"name": "samba"}}, r"game.name: 'samba' is not a choice; .* 'classic', 'modern_american'"),
        ({"game": {"players": 2}}, r"game.players: 2 is not a choice; the choices are 4"),
        ({"opponents": {"players": "heuristic"}}, r"opponents.players: 'heuristic' must be a list of names"),
        ({"opponents": {"itself": 0, "past": 0, "reference": 0}}, r"opponents: .* are all 0"),
        ({"opponents": {"players": []}}, r"opponents.players: is empty"),
        ({"run": {"name": 5}}, r"run.name: 5 must be a text"),
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


@pytest.mark.parametrize("content", ["[ppo", "\x00"])
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
    file.write_text("[ppo]\nepochs = 7\nclip = 0.1\n")
    arguments = parse([str(file), "--ppo.learning-rate", "3e-4", "--ppo.clip", "0.3", "--minutes", "5"])
    ppo = dataclasses.replace(Config().ppo, epochs=7, clip=0.3, learning_rate=3e-4)
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
    (run_folder(config)).mkdir()
    (tmp_path / "first" / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"run.name: .*first holds a run already; go on with --resume"):
        run_folder(config)
