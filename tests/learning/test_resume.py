"""A resumed run equals the run that was never interrupted; checkpoints are whole or absent."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from canasta_agents import files
from canasta_agents.learning import checkpoint
from canasta_agents.learning.metrics import read_metrics
from canasta_agents.neural import policy_file
from canasta_agents.neural.arrays import CheckpointError

UNTIMED = ("seconds", "time/")


def weights_of(trainer):
    return {name: array.tobytes() for name, array in policy_file.weights(trainer.network).items()}


def metrics_of(trainer):
    lines = read_metrics(trainer.folder)
    return [{name: line[name] for name in line if not name.startswith(UNTIMED)} for line in lines]


@pytest.mark.parametrize("imitation", [0.0, 0.2])
@pytest.mark.parametrize("critic", ["shared", "privileged"])
@pytest.mark.parametrize("stop_after", [1, 4])
def test_resume_equals_no_interruption_to_the_bit(make_trainer, small_config, imitation, critic, stop_after):
    config = small_config(
        imitation={"share": imitation}, network={"critic": critic}, run={"decisions": 6_000}
    )
    whole, first = make_trainer(config), make_trainer(config)
    while not whole.is_over:
        whole.advance()
    for _ in range(stop_after):
        first.advance()
    first.save()
    first.advance()  # what a killed process did after its last checkpoint is taken back
    first.close()
    second = make_trainer(config, first.folder)
    second.resume()
    while not second.is_over:
        second.advance()
    assert whole.progress.updates > stop_after + 2
    assert weights_of(second) == weights_of(whole)
    assert metrics_of(second) == metrics_of(whole)
    assert second.best == whole.best
    for worker, expected in zip(second.collector.workers, whole.collector.workers, strict=True):
        state, wanted = worker.get_state(), expected.get_state()
        assert all(np.array_equal(state[name], wanted[name]) for name in wanted)


@pytest.mark.parametrize("number", [1, 3, 99])
def test_a_training_state_of_another_version_is_refused_by_name(make_trainer, small_config, number):
    trainer = make_trainer(small_config())
    trainer.save()
    file = trainer.folder / "latest" / "training.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": number}))
    with pytest.raises(CheckpointError, match=f"latest: .* format {number}, .* as neural:"):
        trainer.resume()


def test_two_runs_of_one_seed_are_equal_and_of_two_seeds_are_not(make_trainer, small_config):
    trainers = [make_trainer(small_config(run={"seed": seed})) for seed in (1, 1, 2)]
    for trainer in trainers:
        trainer.advance()
        trainer.advance()
    first, same, other = map(weights_of, trainers)
    assert first == same
    assert first != other


def test_resuming_with_another_number_of_workers_is_refused(make_trainer, small_config):
    trainer = make_trainer(small_config())
    trainer.advance()
    trainer.save()
    other = make_trainer(small_config(rollout={"workers": 1}), trainer.folder)
    with pytest.raises(CheckpointError, match=r"the run has 2 workers, .* set rollout.workers to 2"):
        other.resume()


def test_a_folder_without_a_checkpoint_is_refused_by_name(tmp_path):
    with pytest.raises(CheckpointError, match=r"latest: holds no resumable checkpoint"):
        checkpoint.load_state(tmp_path / "latest")
    with pytest.raises(CheckpointError, match=r"holds no policy; give a run"):
        policy_file.load_policy(tmp_path)


def test_a_policy_for_another_version_is_refused(make_trainer, small_config):
    trainer = make_trainer(small_config())
    trainer.save()
    card = trainer.folder / "latest" / "policy.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"format": 99}))
    with pytest.raises(CheckpointError, match=r"format 99 .* cannot be played here"):
        policy_file.load_policy(trainer.folder)


def test_a_truncated_checkpoint_is_refused(make_trainer, small_config):
    trainer = make_trainer(small_config())
    trainer.save()
    weights = trainer.folder / "latest" / "policy.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(CheckpointError, match=r"policy.safetensors: cannot be read"):
        policy_file.load_policy(trainer.folder)


@pytest.mark.parametrize("failing", range(1, 7))
def test_a_failure_while_writing_leaves_whole_content(tmp_path, monkeypatch, failing):
    folder = tmp_path / "latest"
    old, new = {"a": b"old", "b": b"old"}, {"a": b"new", "b": b"new"}
    files.write_folder(folder, old)
    steps = []

    def counted(real):
        def step(*arguments):
            steps.append(real)
            if len(steps) == failing:
                raise OSError("disk full")
            return real(*arguments)

        return step

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", counted(os.fsync))
        patch.setattr(Path, "replace", counted(Path.replace))
        with pytest.raises(OSError, match="disk full"):
            files.write_folder(folder, new)
    found = files.find_folder(folder)
    assert {path.name: path.read_bytes() for path in found.iterdir()} == (old if failing < 6 else new)
    files.write_folder(folder, {"a": b"newest"})
    assert [path.name for path in folder.iterdir()] == ["a"]
    assert [path.name for path in tmp_path.iterdir()] == ["latest"]


def test_a_process_killed_at_any_moment_leaves_a_whole_checkpoint(tmp_path):
    """kill -9 while a process writes one checkpoint after another."""
    script = (
        "import itertools, sys; from pathlib import Path\n"
        "from canasta_agents.files import write_folder\n"
        "for number in itertools.count():\n"
        "    content = str(number).encode() * 20_000\n"
        "    write_folder(Path(sys.argv[1]), {'a': content, 'b': content})\n"
    )
    folder = tmp_path / "latest"
    for wait_s in (0.0, 0.013, 0.029, 0.041):
        process = subprocess.Popen([sys.executable, "-c", script, str(folder)])
        while files.find_folder(folder) is None:
            time.sleep(0.01)
        time.sleep(wait_s)
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = files.find_folder(folder)
        assert (found / "a").read_bytes() == (found / "b").read_bytes() != b""


def test_metrics_of_a_killed_process_are_readable(tmp_path):
    (tmp_path / "metrics.jsonl").write_text('{"update": 1}\n{"update": 2}\n{"upd')
    assert [line["update"] for line in read_metrics(tmp_path)] == [1, 2]


def test_metrics_of_older_versions_are_read_under_todays_names(tmp_path):
    old = {"update": 1, "learn/kl": 2.0, "imitate/loss": 3.0, "play/deals": 4.0, "judge/points": 5.0}
    (tmp_path / "metrics.jsonl").write_text(json.dumps(old | {"time/play_share": 0.5}))
    (line,) = read_metrics(tmp_path)
    new = {"update": 1, "ppo/kl": 2.0, "imitation/loss": 3.0, "rollout/deals": 4.0, "eval/points": 5.0}
    assert line == new | {"time/play_share": 0.5}
