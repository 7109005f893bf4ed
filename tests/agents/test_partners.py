"""Frozen partners: what their folders hold never changes, and a run becomes one once."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="policies need PyTorch (extra `train`)")

from benchmarks.freeze_partner import freeze_partner
from canasta_agents import registry
from canasta_agents.learning.evaluation import BoardEvaluator
from canasta_agents.neural.policy_file import load_policy
from canasta_agents.policies import FOLDER, WEIGHTS, frozen_partners, policy_name

FROZEN = {  # what each card hashes to, which has the hashes of all other files
    "partners/classic_4_a": "cfe370e14286ca81",
    "partners/classic_4_b": "9f474abefd0a088c",
    "partners/modern_american_a": "8cf992452d21bdbb",
    "partners/modern_american_b": "7f0e0657b3a6580e",
}


def test_the_partners_are_those_that_were_frozen():
    assert frozen_partners() == sorted(FROZEN)


@pytest.mark.parametrize("name", FROZEN)
def test_a_partner_is_as_it_was_frozen(name):
    assert hashlib.sha256((FOLDER / name / "frozen.json").read_bytes()).hexdigest()[:16] == FROZEN[name]
    assert_is_as_frozen(FOLDER / name)


def test_partners_differ_in_seed_and_in_setting():
    configs = [json.loads((FOLDER / name / "config.json").read_text()) for name in FROZEN]
    assert len({config["run"]["seed"] for config in configs}) == len(configs)
    settings = {json.dumps([config["game"], config["network"], config["ppo"]]) for config in configs}
    assert len(settings) == len(configs)


@pytest.mark.parametrize("name", FROZEN)
def test_a_partner_plays_its_game_better_than_random(name):
    rules = load_policy(FOLDER / name).rules
    assert name.startswith(f"partners/{policy_name(rules)}_")
    agent, random = registry.make(f"neural:{name}", rules), registry.make("random", rules)
    assert BoardEvaluator(rules, "zero").points(agent, random, boards=20, seed=4).low > 0


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that has ended, with a policy of the package as its best."""
    folder = tmp_path / "run"
    (folder / "best").mkdir(parents=True)
    source = FOLDER / "classic_2"
    for name in ("policy.json", WEIGHTS):
        shutil.copy(source / name, folder / "best" / name)
    for name in ("config.json", "result.json"):
        shutil.copy(source / name, folder / name)
    config = json.loads((folder / "config.json").read_text())
    config["run"]["folder"] = str(tmp_path)
    (folder / "config.json").write_text(json.dumps(config))
    lines = [{"update": update, "seconds": 300.0 * update, "decisions": 1_000 * update} for update in (1, 2)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_a_run_becomes_a_partner_with_its_seed_its_length_and_its_hashes(run, tmp_path):
    target = freeze_partner(run, "classic_2_a", tmp_path / "partners")
    assert load_policy(target).rules == load_policy(run).rules
    card = json.loads((target / "frozen.json").read_text())
    assert card["frozen"].startswith("Frozen: do not modify.")
    seed = json.loads((run / "config.json").read_text())["run"]["seed"]
    assert (card["seed"], card["minutes"], card["decisions"]) == (seed, 10.0, 2_000)
    assert_is_as_frozen(target)
    kept = json.loads((target / "config.json").read_text())["run"]
    assert (kept["name"], kept["folder"]) == ("classic_2_a", "runs")  # nothing of this machine


def test_a_frozen_partner_is_not_written_over(run, tmp_path):
    target = freeze_partner(run, "classic_2_a", tmp_path / "partners")
    before = (target / WEIGHTS).read_bytes()
    (run / "best" / WEIGHTS).write_bytes(b"")
    with pytest.raises(FileExistsError, match=r"classic_2_a: is frozen; give the run another name"):
        freeze_partner(run, "classic_2_a", tmp_path / "partners")
    assert (target / WEIGHTS).read_bytes() == before


def assert_is_as_frozen(folder: Path) -> None:
    """Every file has the hash that the partner's card says, and there is no other file."""
    sums = json.loads((folder / "frozen.json").read_text())["sha256"]
    assert {path.name for path in folder.iterdir()} == {*sums, "frozen.json"}
    for name, expected in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == expected, folder / name
