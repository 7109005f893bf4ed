"""Tables by weight: which are taken how often, what a model of hands may know, and what it is told."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from canasta_agents.registry import RegistryError, files_of, fingerprint, make
from canasta_agents.search.agent import SearchAgent
from canasta_agents.search.beliefs import effective_number, loose_cards, take_by_weight
from canasta_agents.search.evaluation import Evaluation
from canasta_agents.search.options import SearchOptions
from canasta_env import classic, redeal
from canasta_env.cards import ACE, KING
from tests.agents.deciding import GAMES
from tests.agents.test_search import asked_at, choices, told_apart_by_nobody


class KingsAreNear:
    """Finds a table likelier by a factor for each king that the next seat holds."""

    def __init__(self, factor):
        self.factor = factor

    def log_weights(self, batch, tables):
        return loose_cards(batch, tables)[:, :, 0, KING] * np.log(self.factor)


def seeds(num):
    return np.random.default_rng(0).integers(1 << 64, size=num, dtype=np.uint64)


def test_tables_are_taken_as_often_as_their_weights_say_and_none_twice():
    weights = np.array([4.0, 2.0, 1.0, 1.0, 0.0])
    many = 20_000
    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    taken = take_by_weight(np.tile(logs, (many, 1)), 2, seeds(many))
    assert (np.diff(taken, axis=1) > 0).all()
    often = np.bincount(taken.ravel(), minlength=5) / many
    assert often == pytest.approx([1.0, 0.5, 0.25, 0.25, 0.0], abs=0.02)


def test_a_table_that_would_be_taken_more_than_once_is_sure_and_the_others_share_the_rest():
    logs = np.tile(np.log([1000.0, 3.0, 1.0, 1.0, 1.0]), (20_000, 1))
    taken = take_by_weight(logs, 3, seeds(20_000))
    often = np.bincount(taken.ravel(), minlength=5) / 20_000
    assert often == pytest.approx([1.0, 1.0, 1 / 3, 1 / 3, 1 / 3], abs=0.02)


def test_weights_of_any_size_take_all_when_all_are_wanted():
    logs = np.array([[0.0, -1e6, 700.0, 1e5], [0.0, 0.0, 0.0, 0.0]])
    assert take_by_weight(logs, 4, seeds(2)).tolist() == [[0, 1, 2, 3]] * 2


def test_what_is_taken_in_a_row_depends_on_its_weights_and_seed_alone():
    logs, row_seeds = np.random.default_rng(1).normal(size=(9, 40)), seeds(9)
    together = take_by_weight(logs, 5, row_seeds)
    apart = [take_by_weight(logs[row : row + 1], 5, row_seeds[row : row + 1])[0] for row in range(9)]
    assert (together == apart).all()
    assert (take_by_weight(logs, 5, row_seeds[::-1].copy()) != together).any()


def test_the_effective_number_of_equal_weights_is_their_number():
    assert effective_number(np.array([[7.0] * 4, [0.0, 0.0, -1e3, -1e3]])) == pytest.approx([4.0, 2.0])


@pytest.mark.parametrize("game", GAMES)
def test_loose_cards_are_the_cards_of_the_other_hands_that_are_not_known(game):
    tables = choices(GAMES[game], 10)
    batch = asked_at(tables)
    worlds = np.asarray(redeal(batch.rules, batch.views, seeds(len(batch)), 3)).reshape(-1, 3)
    loose = loose_cards(batch, worlds)
    others = batch.rules.players - 1
    assert loose.shape[:3] == (len(batch), 3, others) and (loose >= 0).all()
    for row, table in enumerate(tables):
        for other in range(others):
            view = table.view(table.to_play)[0]
            unknown = view["hand_size"][other + 1] - view["known"][other + 1].sum()
            assert (loose[row, :, other].sum(axis=1) == unknown).all()


def test_a_search_tries_its_candidates_in_the_likely_tables():
    batch = asked_at(choices(classic(3), 30))

    def kings(beliefs):
        evaluation = Evaluation(make("watcher", batch.rules), batch.rules, beliefs)
        worlds, _ = evaluation.worlds(batch, 8)
        return loose_cards(batch, worlds)[:, :, 0].mean(axis=(0, 1))

    plain, near, far = kings(None), kings(KingsAreNear(4.0)), kings(KingsAreNear(0.25))
    assert far[KING] < plain[KING] - 0.2 and near[KING] > plain[KING] + 0.2
    assert near[ACE] == pytest.approx(plain[ACE], abs=0.15)


def test_a_search_that_wants_a_model_and_has_none_is_refused():
    with pytest.raises(ValueError, match="beliefs are learned by the options, and no model was given"):
        SearchAgent(make("watcher", classic(2)), classic(2), SearchOptions(beliefs="learned"))


@pytest.fixture
def policy(tmp_path):
    """A policy with a model beside it that has not learnt, but whose weights say something."""
    torch = pytest.importorskip("torch", reason="models of hands need PyTorch (extra `train`)")
    import shutil

    from canasta_agents.neural.hands import new_model, save_hands
    from canasta_agents.policies import FOLDER, HANDS, POLICY_FILES

    for name in POLICY_FILES:
        shutil.copy(FOLDER / "classic_3" / name, tmp_path / name)
    model = new_model(classic(3))
    torch.manual_seed(1)
    torch.nn.init.normal_(model.network.rank_head.weight, std=0.3)
    save_hands(model, tmp_path / HANDS)
    return tmp_path


def test_hidden_cards_do_not_reach_a_choice_by_beliefs(policy):
    pairs = told_apart_by_nobody(classic(3), Random(4))
    agent = make(f"search:neural:{policy}?worlds=6&gate=0&beliefs=learned", classic(3))
    chosen = []
    for tables in zip(*pairs, strict=True):
        agent.reset(len(tables), 5)
        chosen.append(agent.act(asked_at(list(tables))).tobytes())
    assert chosen[0] == chosen[1]


def test_beliefs_change_choices_and_the_fingerprint(policy):
    tables = choices(classic(3), 60)
    plain, learned = (
        f"search:neural:{policy}?worlds=4&gate=0&beliefs={which}" for which in ("uniform", "learned")
    )
    chosen = []
    for spec in (plain, learned):
        agent = make(spec, classic(3))
        agent.reset(len(tables), 5)
        chosen.append(agent.act(asked_at(tables)).tolist())
    assert chosen[0] != chosen[1]
    assert set(files_of(learned)) - set(files_of(plain)) == {"hands.safetensors"}
    before = fingerprint(learned)
    (policy / "hands.safetensors").write_bytes(b"another")
    assert fingerprint(learned) != before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("watcher?beliefs=learned", "only those about a policy, neural:PATH, can be learned"),
        ("watcher?beliefs=guessed", "beliefs: 'guessed' must be uniform or learned"),
        (
            "neural:classic_3@1?beliefs=learned",
            "no hands.safetensors beside the policy; .* hands classic_3@1 makes",
        ),
    ],
)
def test_beliefs_that_cannot_be_are_refused(options, says):
    if options.startswith("neural"):
        pytest.importorskip("torch", reason="neural agents need PyTorch (extra `train`)")
    with pytest.raises(RegistryError, match=says):
        make(f"search:{options}", classic(3))
