"""The policies of the package load by name, belong to the game of that name, and play it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import torch

from canasta_agents import registry
from canasta_agents.files import CHECKSUMS
from canasta_agents.learning.checkpoint import save
from canasta_agents.learning.evaluation import BoardEvaluator
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.config import Network
from canasta_agents.neural.network import build_network
from canasta_agents.neural.policy_file import load_policy, policy_card
from canasta_agents.policies import FOLDER, bundled_policies, bundled_policy, policy_name
from canasta_env import classic, modern_american
from canasta_env.engine.layout import critic_size, observation_size, row_size


def test_the_games_have_their_names() -> None:
    every = [modern_american(), *(classic(players) for players in (2, 3, 4))]
    assert [policy_name(rules) for rules in every] == [
        "modern_american",
        "classic_2",
        "classic_3",
        "classic_4",
    ]


def test_an_unknown_policy_is_refused_with_the_names_there_are() -> None:
    assert bundled_policy("nonsense") is None
    with pytest.raises(CheckpointError, match="nonsense: holds no policy"):
        registry.make("neural:nonsense", classic())


def test_a_policy_at_a_table_of_another_game_is_refused_before_anything_is_played() -> None:
    with pytest.raises(registry.RegistryError, match="has learnt classic with 2 players; this table plays"):
        registry.make("neural:classic_2", classic(4))


@pytest.mark.parametrize("name", bundled_policies())
def test_a_policy_plays_its_game_better_than_random(name: str) -> None:
    rules = load_policy(FOLDER / name).rules
    assert policy_name(rules) == name.partition("@")[0]  # "classic_4@1" is the first one of its game
    agent, random = registry.make(f"neural:{name}", rules), registry.make("random", rules)
    measured = BoardEvaluator(rules, "zero").points(agent, random, boards=20, seed=4)
    assert measured.low > 0


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy that is soon made, without checksums, as older versions wrote it."""
    rules = classic(2)
    form = Network(width=8, row_width=8, layers=2)
    sizes = observation_size(rules), critic_size(rules), row_size(rules)
    network = build_network(form, *sizes)
    folder = tmp_path_factory.mktemp("policy") / "small"
    save(folder, network, policy_card(network, rules))
    (folder / CHECKSUMS).unlink()
    assert load_policy(folder).network.config == form
    return folder


def test_a_trunk_that_reads_the_rows_knows_the_ranks_apart_and_comes_back_from_the_disk(
    tmp_path: Path,
) -> None:
    rules = classic(2)
    sizes = observation_size(rules), critic_size(rules), row_size(rules)
    network = build_network(Network(width=8, row_width=8, rows_in_trunk=True), *sizes).eval()
    torch.nn.init.zeros_(network.rank_bias)  # then nothing else tells a rank from another
    save(tmp_path / "rows", network, policy_card(network, rules))
    seen = torch.zeros((2, sizes[0]), dtype=torch.int8)
    seen[0, 0] = seen[1, sizes[2]] = 1  # the first feature of the first rank, and of the second
    read = load_policy(tmp_path / "rows").network
    assert torch.equal(read(seen, seen)[1], network(seen, seen)[1])
    assert not torch.isclose(*network(seen, seen)[1])
    network.rows_to_trunk = None
    assert torch.isclose(*network(seen, seen)[1])


def changed(folder: Path, change: Callable[[dict[str, Any]], Any], target: Path) -> Path:
    """A copy with another card."""
    copytree(folder, target)
    card = json.loads((target / "policy.json").read_text())
    change(card)
    (target / "policy.json").write_text(json.dumps(card))
    return target


NO_NUMBERS = (None, True, -1, 1.5, "x", [], {}, 10**30, float("nan"))


@pytest.mark.parametrize(
    "key", ["rules", "network", "observation_size", "critic_size", "row_size", "features"]
)
def test_a_card_with_a_part_missing_or_wrong_is_refused_by_its_name(
    key: str, small: Path, tmp_path: Path
) -> None:
    """Once it was a KeyError, a TypeError or an AttributeError."""
    missing = changed(small, lambda card: card.pop(key), tmp_path / "missing")
    with pytest.raises(CheckpointError, match=r"policy\.json: .*(is missing|a dict of rules is needed)"):
        load_policy(missing)
    fine = {"features": (None,)}
    for number, value in enumerate(NO_NUMBERS):
        if value not in fine.get(key, ()) and not (key == "network" and value == {}):
            wrong = changed(
                small, lambda card, value=value: card.update({key: value}), tmp_path / str(number)
            )
            with pytest.raises(CheckpointError, match=rf"policy\.json: ({key}|game)"):
                load_policy(wrong)


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ({"width": 10**9}, r"network\.width: 1000000000 must be from 1 to 16384"),
        ({"layers": 10**6}, r"network\.layers: 1000000 must be from 1 to 256"),
        ({"layers": 256}, r"\d+ arrays, 256 layers"),
        ({"width": 16_384}, "has the shape .*, the network needs .*16392"),
        ({"row_width": 9}, "has the shape .*, the network needs"),
        ({"layers": 1}, "trunk.* has the shape"),
        ({"critic": "privileged"}, "has the shape None, the network needs"),
    ],
)
def test_sizes_that_are_not_those_of_the_weights_took_memory_first(
    sizes: dict[str, Any], reason: str, small: Path, tmp_path: Path
) -> None:
    folder = changed(small, lambda card: card["network"].update(sizes), tmp_path / "copy")
    started = time.process_time()
    with pytest.raises(CheckpointError, match=reason):
        load_policy(folder)
    assert time.process_time() - started < 2


def test_an_objective_that_there_is_not_is_refused(small: Path, tmp_path: Path) -> None:
    folder = changed(small, lambda card: card.update(objective="fun"), tmp_path / "copy")
    with pytest.raises(CheckpointError, match=r"objective: 'fun' must be one of 'deal', 'match'"):
        load_policy(folder)
