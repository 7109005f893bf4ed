"""Damaged checkpoints: one clear error, or no harm; never a crash, whatever byte has changed."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from canasta_agents.config_checks import ConfigError
from canasta_agents.files import CHECKSUMS, find_damage, with_checksums, write_folder
from canasta_agents.learning.config import from_dict, load_of_run
from canasta_agents.learning.distributed import Device
from canasta_agents.learning.metrics import MetricsWriter
from canasta_agents.learning.ppo import DivergedError
from canasta_agents.learning.trainer import Trainer, build_trainer
from canasta_agents.neural import policy_file
from canasta_agents.neural.arrays import CheckpointError, pack, unpack

from .conftest import SMALL
from .fake import FAKE_GAME

FLIPS = 150  # in each file
FILES = ("training.json", "training.safetensors", "policy.json", "policy.safetensors", CHECKSUMS)
DEVICE = Device(cores=2, torch_device=torch.device("cpu"), precision=torch.float32)
TINY = {"network": {"kind": "flat", "width": 8, "layers": 1}, "rollout": {**SMALL["rollout"], "steps": 19}}
CONFIG = from_dict({**SMALL, **TINY})  # 19 steps end within deals: there are pending decisions
REAL = from_dict(
    {
        "game": {"name": "classic", "players": 2},
        "network": {"kind": "flat", "width": 8, "layers": 1},
        "rollout": {"tables": 6, "steps": 12, "workers": 1},
        "opponents": {"players": ["random"]},
        "imitation": {"share": 0.0},
        "evaluation": {"player": "random", "measurements": 0},
        "run": {"decisions": 5_000},
    }
)


def tiny_trainer(folder: Path) -> Trainer:
    return Trainer(CONFIG, folder, DEVICE, **FAKE_GAME)


def saved(trainer: Trainer) -> Path:
    trainer.advance()
    trainer.advance()
    trainer.save()
    trainer.close()
    return trainer.folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tiny_trainer(tmp_path_factory.mktemp("tiny") / "run"))


@pytest.fixture(scope="module")
def real_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a real game."""
    return saved(build_trainer(REAL, tmp_path_factory.mktemp("real") / "run", DEVICE))


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    shutil.copytree(run, tmp_path / "run")
    return tmp_path / "run"


def flipped(content: bytes, rng: random.Random) -> bytes:
    """A file with one byte changed."""
    place = rng.randrange(len(content))
    changed = bytearray(content)
    changed[place] ^= rng.randrange(1, 256)
    return bytes(changed)


def read_all(folder: Path, trainer: Trainer) -> None:
    load_of_run(folder)
    trainer.resume()
    policy_file.load_policy(folder / "latest")


@pytest.mark.parametrize("name", FILES)
def test_a_changed_byte_is_one_clear_error(name: str, copy: Path) -> None:
    """40 bytes in the tables were believed once: 61 updates later the process ended with "double free"."""
    path, rng = copy / "latest" / name, random.Random(name)
    whole, trainer = path.read_bytes(), tiny_trainer(copy)
    for _ in range(FLIPS):
        path.write_bytes(flipped(whole, rng))
        with pytest.raises((CheckpointError, ConfigError), match=r"latest"):
            read_all(copy, trainer)
    path.write_bytes(whole)
    read_all(copy, trainer)


def sign(folder: Path) -> None:
    """Make the checksums of a checkpoint fit its files, as somebody does who damages them on purpose."""
    files = {path.name: path.read_bytes() for path in (folder / "latest").iterdir() if path.name != CHECKSUMS}
    (folder / "latest" / CHECKSUMS).write_bytes(with_checksums(files)[CHECKSUMS])


@pytest.mark.parametrize("name", FILES[:2])
def test_a_changed_byte_with_a_checksum_that_fits_is_an_error_or_no_harm(name: str, copy: Path) -> None:
    path, rng, refused = copy / "latest" / name, random.Random(name), 0
    whole = path.read_bytes()
    for number in range(FLIPS):
        path.write_bytes(flipped(whole, rng))
        sign(copy)
        trainer = tiny_trainer(copy)
        try:
            load_of_run(copy)
            trainer.resume()
        except (CheckpointError, ConfigError):
            refused += 1
        else:
            if number % 5 == 0:
                play_on(trainer)
    assert refused > 0


def play_on(trainer: Trainer) -> None:
    try:
        trainer.advance()
    except DivergedError:  # a weight has become very large
        pass
    finally:
        trainer.close()


def test_tables_that_are_damaged_reach_no_kernel(real_run: Path, tmp_path: Path) -> None:
    shutil.copytree(real_run, tmp_path / "run")
    path, rng = tmp_path / "run" / "latest" / "training.safetensors", np.random.default_rng(1)
    arrays, outcomes = unpack(path), []
    name = "process0.worker0.tables.tables"
    for _ in range(40):
        changed = arrays[name].copy()
        places = rng.integers(changed.size, size=40)
        changed.reshape(-1)[places] = rng.integers(256, size=40)
        path.write_bytes(pack({**arrays, name: changed}))
        sign(tmp_path / "run")
        trainer = build_trainer(REAL, tmp_path / "run", DEVICE)
        with pytest.raises(
            CheckpointError, match=r"damaged, or does not fit this version \(ValueError: state: "
        ):
            trainer.resume()
        outcomes.append(trainer.progress.updates)
    assert outcomes == [0] * 40


PENDING_ROWS, ACTIONS, MASKS, VALUES, NEXT_ROW = (
    f"process0.worker0.buffer.{name}" for name in ("pending_rows", "actions", "masks", "values", "next_row")
)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            PENDING_ROWS,
            lambda rows: np.where(rows >= 0, rows + 1_000_000, rows),
            "pending_rows are not the rows",
        ),
        (PENDING_ROWS, lambda rows: rows[:-1], r"pending_rows are int32\(15, 4\), where this run has"),
        (PENDING_ROWS, lambda rows: rows.astype(np.int64), r"pending_rows are int64"),
        (ACTIONS, lambda actions: actions + 96, "actions hold one that was not legal"),
        (ACTIONS, lambda actions: -1 - actions, "actions hold one that was not legal"),
        (MASKS, lambda masks: masks * 2, "masks hold other numbers than 0 and 1"),
        (VALUES, lambda values: values * np.float32("nan"), "values hold a number that is not finite"),
        (NEXT_ROW, lambda rows: rows + 5, "next_row has an end for a decision that is pending"),
        ("optimizer.0.exp_avg", lambda moments: moments[1:], r"optimizer: 0.exp_avg is torch.float32"),
        (
            "optimizer.0.exp_avg_sq",
            lambda moments: moments - 1,
            r"moments of parameter 0 that no steps lead to",
        ),
        ("optimizer.0.step", lambda steps: steps * np.float32("inf"), r"optimizer: 0.step is torch.float32"),
    ],
)
def test_arrays_that_no_run_has_are_refused_by_name(name, change, message, copy: Path) -> None:
    path = copy / "latest" / "training.safetensors"
    arrays = unpack(path)
    path.write_bytes(pack({**arrays, name: np.ascontiguousarray(change(arrays[name]))}))
    sign(copy)
    with pytest.raises(CheckpointError, match=message):
        tiny_trainer(copy).resume()


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(number: float, copy: Path) -> None:
    """A policy played on with them, and so did a resumed run."""
    policy, state = (copy / "latest" / f"{name}.safetensors" for name in ("policy", "training"))
    snapshot = next(name for name in unpack(state) if name.startswith("league.") and "weight" in name)
    for path, name in ((state, "network.policy_head.weight"), (state, snapshot), (policy, "value_head.bias")):
        before = path.read_bytes()
        arrays = unpack(path)
        arrays[name].flat[-1] = number
        path.write_bytes(pack(arrays))
        sign(copy)
        with pytest.raises(CheckpointError, match=r"weights of \S+ hold numbers that are not finite"):
            read_all(copy, tiny_trainer(copy))
        path.write_bytes(before)
    assert str(copy) in str(refusal_of(copy, "value_head.bias", number))


@pytest.mark.parametrize("number", [0.0, -3.0])
def test_values_without_a_unit_are_refused(number: float, copy: Path) -> None:
    assert "value_scale is" in str(refusal_of(copy, "value_scale", number))


def refusal_of(copy: Path, name: str, number: float) -> CheckpointError:
    """What is said of a policy of which one weight is this number."""
    path = copy / "latest" / "policy.safetensors"
    arrays = unpack(path)
    arrays[name].flat[0] = number
    path.write_bytes(pack(arrays))
    sign(copy)
    with pytest.raises(CheckpointError, match=r"latest/policy\.safetensors: ") as caught:
        policy_file.load_policy(copy / "latest")
    return caught.value


@pytest.mark.parametrize("part", ["progress", "processes", "best", "measurement", "low_entropy", "config"])
def test_a_missing_part_is_refused(part: str, copy: Path) -> None:
    path = copy / "latest" / "training.json"
    facts = json.loads(path.read_text())
    del facts[part]
    path.write_text(json.dumps(facts))
    sign(copy)
    with pytest.raises(CheckpointError, match=rf"latest.*(holds no config|damaged.*KeyError: '{part}')"):
        tiny_trainer(copy).resume()


@pytest.mark.parametrize("number", [3, 5, 99, 0, -1, "4", None, True, 4.0])
def test_an_unknown_format_is_refused_before_anything_is_built(number: object, copy: Path) -> None:
    path = copy / "latest" / "training.json"
    path.write_text(json.dumps({"format": number, "config": {"a key of tomorrow": 1}}))
    with pytest.raises(ConfigError, match=rf"has format {number!r}, this version reads 4.*as neural:"):
        load_of_run(copy)


def test_a_checkpoint_that_has_lost_its_checksums_is_refused(copy: Path) -> None:
    (copy / "latest" / CHECKSUMS).unlink()
    with pytest.raises(CheckpointError, match=r"checksums.sha256: is missing"):
        tiny_trainer(copy).resume()


def test_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    write_folder(tmp_path / "x", with_checksums({"a": b"abc"}))
    assert (tmp_path / "x" / CHECKSUMS).read_text() == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
    )
    assert find_damage(tmp_path / "x", "a") is None
    (tmp_path / "x" / "a").unlink()
    assert "a: cannot be read (No such file" in str(find_damage(tmp_path / "x", "a"))


@pytest.mark.parametrize("line", ["3", "[]", "{}", '{"update": "x"}', '{"seconds": 1}', "\x00", '"update"'])
def test_a_line_that_is_no_metric_is_dropped(line: str, tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_bytes(b'{"update": 1}\n' + line.encode() + b"\n\xff\xfe\n")
    MetricsWriter(tmp_path, update=5).close()
    assert (tmp_path / "metrics.jsonl").read_text() == '{"update": 1}\n'
