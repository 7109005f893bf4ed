"""Learning what others hold: nothing at first, what there is to learn afterwards, and files of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs PyTorch (extra `train`)")

from canasta_agents.learning import hands
from canasta_agents.learning.hands import NUM_REDEALT, gain, play_positions, train_hands
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.hands import load_hands, new_model, save_hands
from canasta_agents.registry import make
from canasta_agents.search.beliefs import loose_cards
from canasta_env import classic, redeal
from canasta_env.cards import ACE, KING
from canasta_env.engine.batch import view_one
from canasta_env.engine.state import allocate, as_kernel_argument, rules_record
from canasta_env.engine.view import VIEW
from tests.agents.deciding import GAMES


def positions_of(rules, num_deals=40, share=0.25):
    return play_positions(rules, make("watcher", rules), num_deals, seed=3, share=share)


def worlds_of(positions, num):
    """Decisions at positions and tables drawn for them."""
    batch = positions.batch(np.arange(len(positions)))
    drawn = redeal(positions.rules, batch.views, np.arange(len(positions)), num)
    return batch, np.asarray(drawn).reshape(-1, num)


@pytest.mark.parametrize("game", GAMES)
def test_positions_hold_the_tables_they_were_made_at(game):
    rules = GAMES[game]
    agent = "keeper" if game == "modern" else "watcher"
    positions = play_positions(rules, make(agent, rules), 3, seed=3, share=0.2)
    again = play_positions(rules, make(agent, rules), 3, seed=3, share=0.2)
    assert len(positions) > 10 and (positions.tables == again.tables).all()
    assert len(np.unique(positions.deals)) == 3 and (positions.masks.sum(axis=1) > 1).all()
    record, seen = rules_record(rules), allocate(1, VIEW)
    for place, view in enumerate(positions.views):
        view_one(record, as_kernel_argument(positions.tables), place, int(view["seat"]), seen, 0)
        assert (np.asarray(seen) == view).all()


@pytest.mark.parametrize("game", GAMES)
def test_a_model_that_has_learnt_nothing_finds_all_tables_equally_likely(game):
    rules = GAMES[game]
    agent = "keeper" if game == "modern" else "watcher"
    positions = play_positions(rules, make(agent, rules), 2, seed=1, share=0.1)
    batch, worlds = worlds_of(positions, 4)
    model = new_model(rules)
    assert (model.log_weights(batch, worlds) == 0).all()
    assert gain(model, positions, np.random.default_rng(0)) == pytest.approx(0, abs=1e-5)


def test_it_learns_who_keeps_kings(monkeypatch):
    """In these positions the next seat holds the most kings of eight tables dealt by chance."""
    monkeypatch.setattr(hands, "_EPOCHS", 8)
    monkeypatch.setattr(hands, "_BATCH", 32)
    positions = positions_of(classic(3), 80)
    batch, worlds = worlds_of(positions, 8)
    most = np.argmax(loose_cards(batch, worlds)[:, :, 0, KING], axis=1)
    positions.tables = worlds[np.arange(len(positions)), most]
    model = train_hands(positions, seed=1)
    assert 0.3 < model.card["gain"] < math.log(1 + NUM_REDEALT)
    batch, worlds = worlds_of(positions_of(classic(3), 2), 64)
    weights, kings = model.log_weights(batch, worlds), loose_cards(batch, worlds)[:, :, 0]
    of_kings, of_aces = (
        np.corrcoef(np.exp(weights).ravel(), kings[..., kind].ravel())[0, 1] for kind in (KING, ACE)
    )
    assert of_kings > 0.4 > 0.1 > abs(of_aces)


def test_training_is_the_same_again_by_the_same_seed(monkeypatch):
    monkeypatch.setattr(hands, "_EPOCHS", 1)
    positions = positions_of(classic(2), 8)
    batch, worlds = worlds_of(positions, 3)
    one, same, other = (train_hands(positions, seed).log_weights(batch, worlds) for seed in (1, 1, 2))
    assert (one == same).all() and (one != other).any()


def test_a_model_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(hands, "_EPOCHS", 1)
    positions = positions_of(classic(2), 8)
    model = train_hands(positions, 1)
    save_hands(model, tmp_path / "hands.safetensors")
    read = load_hands(tmp_path / "hands.safetensors")
    batch, worlds = worlds_of(positions, 3)
    assert (read.log_weights(batch, worlds) == model.log_weights(batch, worlds)).all()
    assert read.card == model.card and read.rules == classic(2)


def test_a_file_that_holds_no_model_is_refused(tmp_path):
    file = tmp_path / "hands.safetensors"
    with pytest.raises(CheckpointError, match=r"hands\.safetensors: cannot be read"):
        load_hands(file)
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(CheckpointError, match=r"hands\.safetensors: cannot be read"):
        load_hands(file)
    model = new_model(classic(2))
    for part, says in (({"format": 9}, "no model of hands of format 1"), ({"row_size": 7}, "size mismatch")):
        model.card = new_model(classic(2)).card | part
        save_hands(model, file)
        with pytest.raises(CheckpointError, match=says):
            load_hands(file)
