"""A run as the command line drives it: to the end, to the first Ctrl-C, and on from there."""

import io
import json
import os
import shutil
import signal

import pytest
import torch
from rich.console import Console

from canasta_agents.learning.display import result_table
from canasta_agents.learning.distributed import Device
from canasta_agents.learning.evaluation import Measurement, Result
from canasta_agents.learning.ppo import DivergedError
from canasta_agents.learning.session import Session
from canasta_agents.learning.trainer import Trainer

from .conftest import replace
from .fake import FAKE_GAME


@pytest.fixture
def make_session(tmp_path):
    """A function: a session of the tiny game, and the text it prints."""

    def make(config, is_resumed=False):
        text = io.StringIO()
        device = Device(cores=2, torch_device=torch.device("cpu"), precision=torch.float32)
        trainer = Trainer(config, tmp_path / "run", device, **FAKE_GAME)
        return Session(trainer, Console(file=text, width=100), is_resumed), text

    return make


def interrupt_after(session, updates):
    trainer = session._trainer
    advance = trainer.advance

    def advance_and_interrupt():
        metrics = advance()
        if trainer.progress.updates == updates:
            os.kill(os.getpid(), signal.SIGINT)
        return metrics

    trainer.advance = advance_and_interrupt


def test_a_run_ends_with_a_comparison_curves_and_a_policy(make_session, small_config, tmp_path):
    session, text = make_session(small_config(run={"decisions": 10_000}))
    assert session.train()
    session.report()
    written = {path.name for path in (tmp_path / "run").iterdir()}
    assert written >= {
        "best",
        "latest",
        "config.json",
        "curves.png",
        "metrics.jsonl",
        "result.json",
        "tensorboard",
    }
    results = json.loads((tmp_path / "run" / "result.json").read_text())
    assert [result["opponent"] for result in results] == ["random", "right"]
    assert "points a deal" in text.getvalue()
    assert f"--resume {tmp_path / 'run'}" in text.getvalue().replace("\n", " ")


def test_a_run_from_a_trained_policy_begins_with_it_and_resumes_without_it(
    make_trainer, make_session, small_config, tmp_path
):
    trained = make_trainer(small_config(), tmp_path / "trained")
    while not trained.is_over:
        trained.advance()
    config = small_config(
        run={"decisions": 2_000, "start": str(tmp_path / "trained")},
        ppo={"learning_rate": 1e-6},
        evaluation={"measurements": 1},
    )
    session, _ = make_session(config)
    assert session.train()
    assert session._trainer.best.estimate == pytest.approx(trained.best.estimate, abs=2)
    shutil.rmtree(tmp_path / "trained")
    longer = replace(config, "run", decisions=4_000)
    resumed, _ = make_session(longer, is_resumed=True)
    assert resumed.train()


def test_ctrl_c_leaves_a_checkpoint_from_which_the_run_goes_on(make_session, small_config, tmp_path):
    config = small_config(run={"decisions": 8_000})
    session, text = make_session(config)
    interrupt_after(session, updates=3)
    assert not session.train()
    assert "Stopped after 3 updates" in text.getvalue()
    assert "train.py --resume" in text.getvalue()
    resumed, _ = make_session(config, is_resumed=True)
    assert resumed.progress_text.startswith("3 updates")
    assert resumed.train()
    assert (tmp_path / "run" / "best" / "policy.safetensors").is_file()


def test_a_second_ctrl_c_stops_at_once(make_session, small_config):
    session, _ = make_session(small_config())
    trainer = session._trainer
    advance = trainer.advance

    def advance_twice_interrupted():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        return advance()

    trainer.advance = advance_twice_interrupted
    with pytest.raises(KeyboardInterrupt):
        session.train()


def test_a_diverged_run_keeps_its_last_checkpoint(make_session, small_config, tmp_path):
    session, _ = make_session(small_config())
    interrupt_after(session, updates=2)
    session.train()
    before = (tmp_path / "run" / "latest" / "training.json").read_bytes()
    resumed, _ = make_session(small_config(), is_resumed=True)
    resumed._trainer.network.value_head.bias.data.fill_(float("nan"))
    with pytest.raises(DivergedError):
        resumed.train()
    assert (tmp_path / "run" / "latest" / "training.json").read_bytes() == before


def test_a_long_name_of_the_reference_does_not_fold_the_table_of_results():
    points = Measurement(1234.5, 1100.0, 1360.0, 4_000)
    matches = Measurement(0.512, 0.481, 0.543, 1_000, "matches")
    names = ["random", "neural:runs/modern_american-20261202-101500"]
    text = io.StringIO()
    Console(file=text, width=80).print(result_table([Result(name, points, matches) for name in names]))
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if "+1360" in line]
    assert [row[0] for row in rows] == ["random", "neural:…2-101500"]
    assert all((row[4], row[-1]) == ("4,000", "1,000") for row in rows)
