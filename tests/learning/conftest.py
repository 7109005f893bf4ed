"""Small runs of the tiny game."""

import dataclasses

import pytest
import torch

from canasta_agents.learning.config import from_dict
from canasta_agents.learning.distributed import Device
from canasta_agents.learning.trainer import Trainer

from .fake import FAKE_GAME

SMALL = {
    "network": {"kind": "flat", "width": 32, "layers": 2},
    "rollout": {"tables": 32, "steps": 24, "workers": 2},
    "ppo": {"minibatch_size": 256, "learning_rate": 3e-3, "entropy_coef": 0.001},
    "opponents": {"players": ["right", "wrong"], "freeze_every": 2, "past_selves": 3},
    "imitation": {"share": 0.0, "teacher": "right"},
    "evaluation": {"player": "right", "boards": 64},
    "run": {"decisions": 20_000, "seed": 3},
}


@pytest.fixture
def small_config():
    """A function: the small config with some keys changed, `small_config(ppo={"num_epochs": 1})`."""

    def change(**sections):
        names = {*SMALL, *sections}
        return from_dict({name: SMALL.get(name, {}) | sections.get(name, {}) for name in names})

    return change


@pytest.fixture
def make_trainer(tmp_path):
    """A function: a trainer of the tiny game in a new folder, or in a given one."""
    made = []

    def make(config, folder=None, precision=torch.float32):
        device = Device(cores=2, torch_device=torch.device("cpu"), precision=precision)
        folder = folder or tmp_path / f"run{len(made)}"
        made.append(Trainer(config, folder, device, **FAKE_GAME))
        return made[-1]

    yield make
    for trainer in made:
        trainer.close()


@pytest.fixture
def whole_and_resumed(make_trainer):
    """A function: two trainers of a config at its end, one of them resumed after its first update."""

    def run(config):
        whole, first = make_trainer(config), make_trainer(config)
        while not whole.is_over:
            whole.advance()
        first.advance()
        first.save()
        resumed = make_trainer(config, first.folder)
        resumed.resume()
        while not resumed.is_over:
            resumed.advance()
        return whole, resumed

    return run


def replace(config, section, **changes):
    """The config with some keys of a section changed."""
    return dataclasses.replace(config, **{section: dataclasses.replace(getattr(config, section), **changes)})
